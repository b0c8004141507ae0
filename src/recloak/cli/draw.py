"""draw: draw more made-up people from a model that was kept."""

from __future__ import annotations

import argparse

from recloak.cli._shared.arguments import Parser, needed
from recloak.cli.publish import add_lock

EXAMPLES = """examples:
  recloak publish ratings.csv --method synthetic --epsilon 2 --out release \\
      --keep-model people.model --key-file key
  recloak draw people.model --people 100000 --out more --key-file key

Needs no data, and spends nothing: whatever is drawn from a model says no more about people than
the model does. A second 'recloak publish' of the same people would learn again and spend again."""


def configure(parser: Parser, words: list[str]) -> None:
    parser.add_argument("model", nargs="?", metavar="MODEL", help="the model that was kept")
    parser.add_argument("--people", type=int, metavar="N", help="how many (default: as before)")
    parser.add_argument("--out", metavar="DIR", help="the release's folder; must not exist")
    parser.add_argument(
        "--seed", help="make it reproducible; with fewer than 128 bits it is not for publication"
    )
    parser.add_argument(
        "--table-format", choices=("parquet", "csv"), default="parquet", help="how it is written"
    )
    add_lock(parser.group("model"))


def run(arguments: argparse.Namespace) -> int:
    needed(arguments, "model", "--out")
    from recloak.cli._shared.locks import lock_from
    from recloak.cli._shared.screen import Screen
    from recloak.methods.synthetic.model import open_model
    from recloak.publishing.draw import draw

    screen = Screen(arguments)
    model = open_model(arguments.model, lock_from(arguments))
    release = draw(
        model,
        arguments.out,
        people=arguments.people,
        seed=arguments.seed,
        table_format=arguments.table_format,
        progress=screen.progress,
    )
    manifest = release.manifest
    screen.result({"release": arguments.out, "manifest": manifest.model_dump(mode="json")})
    screen.say(f"Drew {manifest.rows:,} made-up people into {arguments.out}: {release!r}")
    for reason in manifest.not_for_publication:
        screen.warn(f"NOT FOR PUBLICATION: {reason}")
    return 0
