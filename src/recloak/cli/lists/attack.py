"""lists attack: who loses what by unprotected, noisy and protected lists."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from recloak.cli._shared.arguments import Parser, needed
from recloak.cli._shared.reading import Reading, add_reading
from recloak.cli.lists.replay import add_history, algorithm_from, history_options

if TYPE_CHECKING:
    from recloak.core.progress import Progress
    from recloak.core.ratings import Ratings
    from recloak.evaluation.findings import Audit
    from recloak.releases.lists.history import History

USAGE = "RATINGS"
EXAMPLES = """examples:
  recloak lists attack ratings.csv --delta 0.1
  recloak lists attack ratings.csv --lists lists

Compares three histories at the same releases: unprotected lists, lists from ratings with
uniform noise (--variance), and protected ones: made here, or read from the folder --lists. An
adversary who knows some items of a person guesses others from what changed. The worst breach says
what a background reveals in the worst case."""


def configure(parser: Parser, words: list[str]) -> None:
    """Flags of the action."""
    parser.add_argument("file", nargs="?", metavar="RATINGS", help="ratings with times")
    parser.add_argument("--lists", metavar="DIR", help="protected lists that recloak published")
    parser.add_argument(
        "--variance", type=float, default=1.0, metavar="V", help="of the noise (default: 1)"
    )
    parser.add_argument("--seed", type=int, default=0, help="of noise and samples (default: 0)")
    add_history(parser)
    add_reading(parser)


def run(arguments: argparse.Namespace) -> int:
    """Audit three histories and show them side by side."""
    needed(arguments, "file")
    from recloak.cli._shared.screen import Screen
    from recloak.cli._shared.show import show_findings
    from recloak.io import read
    from recloak.report.to_json import content_of

    screen = Screen(arguments)
    algorithm_from(arguments), history_options(arguments)  # refused before data are read
    ratings = read(arguments.file, Reading(arguments).options, progress=screen.progress)
    audits = _audits(arguments, ratings, screen.progress)
    screen.result({name: content_of(audit) for name, audit in audits.items()})
    screen.heading("What is left of the lists")
    show_findings(screen, "lists", [(name, one.measures[0]) for name, one in audits.items()])
    for at, finding in enumerate(next(iter(audits.values())).attacks):
        screen.heading(f"Guesses of an adversary who {finding.label}")
        show_findings(screen, "lists", [(name, one.attacks[at]) for name, one in audits.items()])
    return 0


def _audits(
    arguments: argparse.Namespace, ratings: Ratings, progress: Progress
) -> dict[str, Audit]:
    from recloak.core.timeline import Timeline
    from recloak.evaluation.list_context import context_of
    from recloak.lists.audit import audit_lists
    from recloak.lists.perturbed import perturbed_history
    from recloak.releases.lists.unprotected import raw_at

    protected = _protected(arguments, ratings, progress)
    similarity = history_options(arguments)["similarity"]
    cuts = [release.n_ratings for release in protected.releases]
    same: dict[str, Any] = {"window": protected.window, "similarity": similarity}
    raw = raw_at(Timeline(ratings), cuts, protected.top, progress=progress, **same)
    noisy = perturbed_history(
        ratings, cuts, protected.top, variance=arguments.variance, seed=arguments.seed,
        progress=progress, **same,
    )  # fmt: skip
    histories = {"unprotected": raw, f"noise, variance {arguments.variance:g}": noisy}
    histories[f"protected by {protected.algorithm}"] = protected
    lists = [release.lists for release in raw.releases]
    return {
        name: audit_lists(
            context_of(history, ratings, raw=lists, delta=protected.delta, progress=progress),
            seed=arguments.seed,
            progress=progress,
        )
        for name, history in histories.items()
    }


def _protected(arguments: argparse.Namespace, ratings: Ratings, progress: Progress) -> History:
    from recloak.core.errors import InputError
    from recloak.lists.replay import replay
    from recloak.releases.lists.folder import open_history

    if not arguments.lists:
        made = algorithm_from(arguments)
        return replay(ratings, made, progress=progress, **history_options(arguments))
    history = open_history(arguments.lists)
    if history.releases and history.releases[-1].n_ratings > ratings.n_ratings:
        raise InputError(
            "was not made from these ratings: it covers more of them", where=arguments.lists
        )
    return history
