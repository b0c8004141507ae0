"""extend: add new ratings to a fragmented release, whose rows keep their ids and only grow."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from recloak.cli._shared.arguments import Parser, needed
from recloak.cli._shared.flags import (
    add_grouped,
    add_options,
    add_parameters,
    add_verbose,
    given_parameters,
)
from recloak.cli._shared.reading import Reading, add_reading
from recloak.cli.publish import add_lock, publishing_options, show_published
from recloak.core.errors import InputError, ParameterError
from recloak.publishing.options import SECRET, ExtendOptions

if TYPE_CHECKING:
    from recloak.core.described import ParameterInfo
    from recloak.io.loading import Loaded
    from recloak.releases.base import Release
    from recloak.releases.secret import Lock, Secret

GROWTH = "growth_"  # before the name of a parameter, where arguments are kept
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


def configure(parser: Parser, words: list[str]) -> None:
    parser.add_argument("release", nargs="?", metavar="RELEASE", help="the release's folder")
    parser.add_argument(
        "file",
        nargs="*",
        metavar="NEW_RATINGS",
        help="new ratings: a file, files that belong together, or - (standard input)",
    )
    helps = {
        "out": "the new release's folder; must not exist",
        "exclude_users": "ids whose new ratings are left out, one on each line",
    }
    add_options(parser, ExtendOptions, **helps)
    add_verbose(parser)
    growth = parser.group("hiding which rows grow together")
    add_parameters(growth, _growth_parameters(), GROWTH)
    group = parser.group(SECRET)
    group.add_argument("--secret", metavar="FILE", help="the secret that was kept of RELEASE")
    group.add_argument("--wallets", metavar="DIR", help="or all the wallets that it was split into")
    add_grouped(parser, ExtendOptions)
    add_lock(group)
    add_reading(parser)


def _growth_parameters() -> list[ParameterInfo]:
    from recloak.methods.fragmentation.growth import GrowthParameters

    return GrowthParameters.described()


def run(arguments: argparse.Namespace) -> int:
    needed(arguments, "release", "file", "--out")
    from recloak.cli._shared.locks import lock_from
    from recloak.cli._shared.screen import Screen
    from recloak.io import load
    from recloak.publishing.extend import extend, fragmentation_of
    from recloak.releases.base import open_release

    screen = Screen(arguments)
    before = open_release(arguments.release)
    fragmentation_of(before, arguments.release)
    _refuse_destroyed(arguments, before)
    lock = None
    if arguments.secret or arguments.keep_secret:
        lock = lock_from(arguments, confirm=not arguments.secret)
    secret = _secret(arguments, before, lock)
    reading = Reading(arguments)
    options = reading.options.with_defaults(scale=before.manifest.scale)
    loaded = load(arguments.file, options, progress=screen.progress)
    _refuse_valueless(loaded, before)
    published = extend(
        arguments.release,
        loaded.ratings,
        secret=secret,
        lock=lock if arguments.keep_secret else None,
        progress=screen.progress,
        **publishing_options(arguments, ExtendOptions, loaded, reading),
        **given_parameters(arguments, GROWTH),
    )
    return show_published(screen, published, loaded, verbose=arguments.verbose)


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
    fate = before.manifest.config.get("secret")
    if fate == "destroyed":
        raise InputError(
            "cannot be extended: its secret was destroyed, so nobody knows whose rows these are",
            where=arguments.release,
            hint="Publish all ratings again; keep the secret (--keep-secret) if more will follow.",
        )
    raise ParameterError(
        f"whose rows these are is in the secret, which was {fate or 'kept'}",
        where="--secret",
        hint="Give --secret FILE, or --wallets DIR if it was split.",
    )


def _secret(arguments: argparse.Namespace, before: Release, lock: Lock | None) -> Secret:
    from recloak.releases.secret import open_secret
    from recloak.releases.wallets import secret_from_wallets

    release_id = before.manifest.release_id
    if arguments.secret and lock is not None:
        return open_secret(arguments.secret, lock, release_id=release_id)
    return secret_from_wallets(Path(arguments.wallets), release_id)
