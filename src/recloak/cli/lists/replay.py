"""lists replay: simulate a history of releases from the times of ratings, and publish it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from recloak.cli._shared.arguments import Parser, needed
from recloak.cli._shared.flags import (
    add_options,
    add_parameters,
    given_options,
    given_parameters,
)
from recloak.cli._shared.reading import Reading, add_reading
from recloak.publishing.options import PublishOptions

if TYPE_CHECKING:
    from recloak.lists.external import ExternalLists
    from recloak.lists.protection import Algorithm

USAGE = "RATINGS --out DIR"
PROTECTION = "protection_"  # before the name of a parameter, where arguments are kept
EXAMPLES = """examples:
  recloak lists replay ratings.csv --out lists
  recloak lists replay ml-1m --start 0.1 --gap 0.05 --delta 0.1 --window 4 --top 5 \\
      --algorithm constructive --out lists
  recloak lists replay ratings.csv --lists scores.csv --out lists

The first release is raw: it was public before protection was switched on. Each further one is
protected, attacked by an independent verifier, and only then part of DIR. A report for internal
use is written beside it (DIR-report.html and .json). An existing file or folder is never
overwritten."""


def configure(parser: Parser, words: list[str]) -> None:
    """Flags of the action."""
    parser.add_argument("file", nargs="?", metavar="RATINGS", help="ratings with times")
    shared = ("out", "report", "policy", "audit_seed")
    add_options(parser, PublishOptions, *shared, out="the folder of the lists; must not exist")
    add_own(parser)
    add_history(parser)
    add_reading(parser)


def add_own(parser: Parser) -> None:
    """The flag for lists that another recommender made."""
    parser.add_argument(
        "--lists",
        metavar="FILE",
        help="your own lists instead of --similarity: a CSV or Parquet file with item, related, "
        "score, and for several releases release",
    )


def external_from(arguments: argparse.Namespace) -> ExternalLists | None:
    """The lists that another recommender made; None if they are made here."""
    from recloak.lists.external import ExternalLists

    return ExternalLists.read(arguments.lists) if arguments.lists else None


def add_history(parser: Parser) -> None:
    """Flags for which releases there are, and how they are protected."""
    from recloak.releases.lists.unprotected import GAP, START

    group = parser.group("history")
    group.add_argument("--start", default=START, help=f"share in the first release ({START})")
    group.add_argument("--gap", default=GAP, help=f"share added by each further one ({GAP})")
    group.add_argument(
        "--releases", type=int, metavar="N", help="how many after the first (default: all)"
    )
    add_protection(parser)


def add_protection(parser: Parser, *, left_out: tuple[str, ...] = ()) -> None:
    """Flags for how lists are made and protected."""
    from recloak.lists.protection import ALGORITHMS, ProtectionParameters
    from recloak.recommenders.similarity import SIMILARITIES

    group = parser.group("protection")
    group.add_argument(
        "--similarity", default="cosine", metavar="NAME", help=", ".join(SIMILARITIES.names())
    )
    group.add_argument(
        "--algorithm", default="constructive", metavar="NAME", help=", ".join(ALGORITHMS.names())
    )
    described = [info for info in ProtectionParameters.described() if info.name not in left_out]
    add_parameters(group, described, PROTECTION, limits=False, switches=True)


def algorithm_from(arguments: argparse.Namespace) -> Algorithm:
    """The algorithm that the flags describe."""
    from recloak.lists.protection import ALGORITHMS

    return ALGORITHMS.get(arguments.algorithm)(**given_parameters(arguments, PROTECTION))


def history_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """What the flags say about the releases, refused before any data are read."""
    from recloak.core.errors import ParameterError
    from recloak.recommenders.similarity import SIMILARITIES
    from recloak.releases.lists.fractions import fraction_of

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
    from recloak.cli._shared.screen import Screen
    from recloak.cli._shared.show import show_lists
    from recloak.io import read
    from recloak.lists.publish import publish_lists
    from recloak.releases.lists.files import describe
    from recloak.report.to_json import content_of

    screen = Screen(arguments)
    algorithm, options = algorithm_from(arguments), history_options(arguments)
    external = external_from(arguments)
    ratings = read(arguments.file, Reading(arguments).options, progress=screen.progress)
    published = publish_lists(
        ratings,
        algorithm,
        progress=screen.progress,
        external=external,
        **given_options(arguments, PublishOptions),
        **options,
    )
    screen.result(
        {
            "lists": str(published.folder),
            "report": str(published.report),
            "history": describe(published.history),
            "audit": content_of(published.audit),
        }
    )
    show_lists(screen, published.audit)
    screen.heading("Published")
    screen.say(f"lists    {published.folder}")
    screen.say(f"report   {published.report} (internal: it describes the original data)")
    return 0
