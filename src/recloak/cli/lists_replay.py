"""lists replay: simulate a history of releases from the times of ratings, and publish it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from recloak.cli.arguments import add_reading, needed, reading_options

if TYPE_CHECKING:
    from recloak.lists.given import OwnLists
    from recloak.lists.protection import Algorithm

USAGE = "RATINGS --out DIR"
EXAMPLES = """examples:
  recloak lists replay ratings.csv --out lists
  recloak lists replay ml-1m --start 0.1 --gap 0.05 --delta 0.1 --window 4 --top 5 \\
      --algorithm constructive --out lists
  recloak lists replay ratings.csv --lists scores.csv --out lists

The first release is raw: it was public before protection was switched on. Each further one is
protected, attacked by an independent verifier, and only then part of DIR. A report for the inside
stands beside it (DIR-report.html and .json). An existing file or folder is never overwritten."""


def configure(parser: argparse.ArgumentParser, words: list[str]) -> None:
    """Flags of the action."""
    parser.add_argument("file", nargs="?", metavar="RATINGS", help="ratings with times")
    parser.add_argument("--out", metavar="DIR", help="the folder of the lists; must not exist")
    parser.add_argument("--report", metavar="FILE", help="the report (default: DIR-report.html)")
    parser.add_argument("--policy", metavar="FILE", help="publish only if every line passes")
    parser.add_argument("--audit-seed", type=int, default=0, help="seed of the audit's samples")
    add_own(parser)
    add_history(parser)
    add_reading(parser)


def add_own(parser: argparse.ArgumentParser) -> None:
    """The flag for lists that another recommender made."""
    parser.add_argument(
        "--lists",
        metavar="FILE",
        help="your own lists instead of --similarity: a CSV or Parquet file with item, related, "
        "score, and for several releases release",
    )


def own_from(arguments: argparse.Namespace) -> OwnLists | None:
    """The lists that another recommender made; None if they are made here."""
    from recloak.lists.given import OwnLists

    return OwnLists.read(arguments.lists) if arguments.lists else None


def add_history(parser: argparse.ArgumentParser) -> None:
    """Flags for which releases there are, and how they are protected."""
    from recloak.lists.unprotected import GAP, START

    group = parser.add_argument_group("history")
    group.add_argument("--start", default=START, help=f"share in the first release ({START})")
    group.add_argument("--gap", default=GAP, help=f"share added by each further one ({GAP})")
    group.add_argument(
        "--releases", type=int, metavar="N", help="how many after the first (default: all)"
    )
    add_protection(parser)


def add_protection(parser: argparse.ArgumentParser, *, left_out: tuple[str, ...] = ()) -> None:
    """Flags for how lists are made and protected."""
    from recloak.lists.protection import ALGORITHMS, ProtectionParameters
    from recloak.lists.similarity import SIMILARITIES

    group = parser.add_argument_group("protection")
    group.add_argument(
        "--similarity", default="cosine", metavar="NAME", help=", ".join(SIMILARITIES.names())
    )
    group.add_argument(
        "--algorithm", default="constructive", metavar="NAME", help=", ".join(ALGORITHMS.names())
    )
    for info in ProtectionParameters.described():
        if info.name in left_out:
            continue
        text = f"{info.doc} ({info.kind}; default {info.default})".replace("%", "%%")
        if info.kind == "yes/no":
            group.add_argument(f"--{info.flag}", action="store_true", help=text)
        else:
            group.add_argument(f"--{info.flag}", metavar="VALUE", help=text)


def algorithm_from(arguments: argparse.Namespace) -> Algorithm:
    """The algorithm that the flags describe."""
    from recloak.lists.protection import ALGORITHMS, ProtectionParameters

    names = [info.name for info in ProtectionParameters.described()]
    given = {name: getattr(arguments, name, None) for name in names}
    values = {name: value for name, value in given.items() if value not in (None, False)}
    return ALGORITHMS.get(arguments.algorithm)(**values)


def history_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """What the flags say about the releases, refused before any data are read."""
    from recloak.errors import ParameterError
    from recloak.lists.exact import fraction_of
    from recloak.lists.similarity import SIMILARITIES

    for flag in ("start", "gap"):
        try:
            fraction_of(getattr(arguments, flag))
        except ValueError as problem:
            raise ParameterError(str(problem), where=f"--{flag}") from None
    return {
        "start": arguments.start,
        "gap": arguments.gap,
        "releases": arguments.releases,
        "similarity": SIMILARITIES.get(arguments.similarity)(),
    }


def run(arguments: argparse.Namespace) -> int:
    """Replay, publish, and show what came out."""
    needed(arguments, "file", "--out")
    from recloak.cli.screen import Screen
    from recloak.cli.show_lists import show_lists
    from recloak.formats import read
    from recloak.list_publishing import publish_lists
    from recloak.lists.files import described

    screen = Screen(arguments)
    algorithm, options = algorithm_from(arguments), history_options(arguments)
    own = own_from(arguments)
    ratings = read(arguments.file, progress=screen.progress, **reading_options(arguments))
    published = publish_lists(
        ratings,
        algorithm,
        out=arguments.out,
        report=arguments.report,
        policy=arguments.policy,
        audit_seed=arguments.audit_seed,
        progress=screen.progress,
        own=own,
        **options,
    )
    screen.result(
        {
            "lists": str(published.folder),
            "report": str(published.report),
            "history": described(published.history),
            "audit": published.audit.to_dict(),
        }
    )
    show_lists(screen, published.audit)
    screen.heading("Published")
    screen.say(f"lists    {published.folder}")
    screen.say(f"report   {published.report} (for the inside: it describes the original data)")
    return 0
