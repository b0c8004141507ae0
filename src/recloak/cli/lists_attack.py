"""lists attack: who loses what by unprotected, noisy and protected lists."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from recloak.cli.arguments import add_reading, needed, reading_options
from recloak.cli.lists_replay import add_history, algorithm_from, history_options

if TYPE_CHECKING:
    from recloak.findings import Audit
    from recloak.lists.history import History
    from recloak.progress import Progress
    from recloak.ratings import Ratings

USAGE = "RATINGS"
EXAMPLES = """examples:
  recloak lists attack ratings.csv --delta 0.1
  recloak lists attack ratings.csv --lists lists

Compares three histories at the same releases: lists as the ratings have it, lists from ratings with
uniform noise (--variance), and protected ones: made here, or read from the folder --lists. An
adversary who knows some items of a person guesses others from what changed; beside it stands the
worst breach, what a background tells in the worst case."""


def configure(parser: argparse.ArgumentParser, words: list[str]) -> None:
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
    from recloak.cli.screen import Screen
    from recloak.cli.show_lists import show_attacks, show_measures
    from recloak.formats import read

    screen = Screen(arguments)
    algorithm_from(arguments), history_options(arguments)  # refused before data are read
    ratings = read(arguments.file, progress=screen.progress, **reading_options(arguments))
    audits = _audits(arguments, ratings, screen.progress)
    screen.result({name: audit.to_dict() for name, audit in audits.items()})
    screen.heading("What is left of the lists")
    show_measures(screen, "lists", [(name, one.measures[0]) for name, one in audits.items()])
    for at, finding in enumerate(next(iter(audits.values())).attacks):
        screen.heading(f"What an adversary guesses who {finding.label}")
        show_attacks(screen, "lists", [(name, one.attacks[at]) for name, one in audits.items()])
    return 0


def _audits(
    arguments: argparse.Namespace, ratings: Ratings, progress: Progress
) -> dict[str, Audit]:
    from recloak.list_auditing import audit_lists
    from recloak.lists.perturbed import perturbed_history
    from recloak.lists.scene import scene_of
    from recloak.lists.timeline import Timeline
    from recloak.lists.unprotected import raw_at

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
            scene_of(history, ratings, raw=lists, delta=protected.delta, progress=progress),
            seed=arguments.seed,
            progress=progress,
        )
        for name, history in histories.items()
    }


def _protected(arguments: argparse.Namespace, ratings: Ratings, progress: Progress) -> History:
    from recloak.errors import InputError
    from recloak.lists.folder import open_history
    from recloak.lists.replaying import replay

    if not arguments.lists:
        made = algorithm_from(arguments)
        return replay(ratings, made, progress=progress, **history_options(arguments))
    history = open_history(arguments.lists)
    if history.releases and history.releases[-1].n_ratings > ratings.n_ratings:
        raise InputError(
            "was not made from these ratings: it covers more of them", where=arguments.lists
        )
    return history
