"""extend: add new ratings to a fragmented release, whose rows keep their ids and only grow."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from recloak.cli.arguments import add_reading, needed, reading_options
from recloak.cli.publish_command import add_lock, add_orders, orders_of, show_published
from recloak.errors import InputError, ParameterError

if TYPE_CHECKING:
    from recloak.formats.loading import Loaded
    from recloak.release import Release
    from recloak.secret import Lock, Secret

EXAMPLES = """examples:
  recloak extend release new.csv --secret release.secret --key-file key --out release-2 \\
      --keep-secret release-2.secret
  recloak extend release new.csv --secret release.secret --key-file key --out release-2 \\
      --rows-per-person 0 --at-least 100
  recloak extend release new.csv --wallets wallets --out release-2 --split-secret wallets-2 \\
      --rows-per-person 0

RELEASE was made by 'recloak publish --method fragmentation' (or by this command). Its rows keep
their ids and all that is in them; they grow, or rows are added beside them. What was published is
never changed. Whoever has both releases sees which rows changed: the audit attacks that, and
--rows-per-person, --grow and --at-least are there to hide it. The new secret is locked as the old
one was."""


def configure(parser: argparse.ArgumentParser, words: list[str]) -> None:
    parser.add_argument("release", nargs="?", metavar="RELEASE", help="the release's folder")
    parser.add_argument(
        "file",
        nargs="*",
        metavar="NEW_RATINGS",
        help="new ratings: a file, files that belong together, or - (standard input)",
    )
    parser.add_argument("--out", metavar="DIR", help="the new release's folder; must not exist")
    add_orders(parser, excluded="ids whose new ratings are left out, one on a line")
    parser.add_argument(
        "--changed",
        choices=("refuse", "keep"),
        default="refuse",
        help="new ratings of what is published with another value: refuse them, or keep the "
        "published value (default: refuse)",
    )
    _add_growth(parser)
    group = parser.add_argument_group("secret")
    group.add_argument("--secret", metavar="FILE", help="the secret that was kept of RELEASE")
    group.add_argument("--wallets", metavar="DIR", help="or all the wallets that it was split into")
    add_lock(group, keep=True)
    add_reading(parser)


def _add_growth(parser: argparse.ArgumentParser) -> None:
    from recloak.methods.fragment_growth import GrowthParameters

    group = parser.add_argument_group("hiding which rows grow together")
    for info in GrowthParameters.described():
        allowed = f", {info.allowed}" if info.allowed else ""
        text = f"{info.doc} ({info.kind}{allowed}; default {info.default})".replace("%", "%%")
        group.add_argument(f"--{info.flag}", dest=f"growth_{info.name}", metavar="VALUE", help=text)


def run(arguments: argparse.Namespace) -> int:
    needed(arguments, "release", "file", "--out")
    from recloak.cli.locks import lock_from
    from recloak.cli.screen import Screen
    from recloak.extending import extend, fragmentation_of
    from recloak.formats import load
    from recloak.release import open_release

    screen = Screen(arguments)
    before = open_release(arguments.release)
    fragmentation_of(before, arguments.release)
    _refuse_destroyed(arguments, before)
    lock = None
    if arguments.secret or arguments.keep_secret:
        lock = lock_from(arguments, confirm=not arguments.secret)
    secret = _secret(arguments, before, lock)
    reading = reading_options(arguments)
    loaded = load(
        arguments.file, progress=screen.progress, **{"scale": before.manifest.scale, **reading}
    )
    _refuse_valueless(loaded, before)
    growth = {
        name.removeprefix("growth_"): value
        for name, value in vars(arguments).items()
        if name.startswith("growth_") and value is not None
    }
    published = extend(
        arguments.release,
        loaded.ratings,
        secret=secret,
        lock=lock if arguments.keep_secret else None,
        changed=arguments.changed,
        config={"reading": reading},
        progress=screen.progress,
        **orders_of(arguments, loaded),
        **growth,
    )
    return show_published(screen, published, loaded)


def _refuse_valueless(loaded: Loaded, before: Release) -> None:
    """Items without ratings would be read as the lowest rating each."""
    if not loaded.explicit and before.manifest.scale != "implicit":
        raise InputError(
            f"has no column of ratings, and the release has ratings on the scale "
            f"{before.manifest.scale}",
            where=loaded.source,
            hint="--columns says which column is which.",
        )


def _refuse_destroyed(arguments: argparse.Namespace, before: Release) -> None:
    if bool(arguments.secret) and bool(arguments.wallets):
        raise ParameterError("give either --secret or --wallets")
    if arguments.secret or arguments.wallets:
        return
    kept = before.manifest.config.get("secret")
    if kept == "destroyed":
        raise InputError(
            "cannot be extended: its secret was destroyed, so nobody knows whose rows these are",
            where=arguments.release,
            hint="Publish all ratings anew; keep the secret (--keep-secret) if more will follow.",
        )
    raise ParameterError(
        f"whose rows are these? The secret was {kept or 'kept'}",
        where="--secret",
        hint="Give --secret FILE, or --wallets DIR if it was split.",
    )


def _secret(arguments: argparse.Namespace, before: Release, lock: Lock | None) -> Secret:
    from recloak.secret import open_secret
    from recloak.wallets import gathered

    release_id = before.manifest.release_id
    if arguments.secret and lock is not None:
        return open_secret(arguments.secret, lock, release_id=release_id)
    return gathered(Path(arguments.wallets), release_id)
