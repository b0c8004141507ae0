"""Dry runs: everything is checked and tried on a sample; nothing stays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from recloak.core.progress.durations import duration, size

if TYPE_CHECKING:
    from recloak.auditing.policy import Policy
    from recloak.cli._shared.flags import TakesFlags
    from recloak.cli._shared.screen import Screen
    from recloak.comparison.estimating import Estimate
    from recloak.comparison.protocol import Protocol
    from recloak.comparison.settings import Setting
    from recloak.core.ratings import Ratings


def add_dry_run(parser: TakesFlags) -> None:
    """The flag that asks for an estimate instead of the work."""
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="check all that can be checked, try a sample, estimate time and memory; write nothing",
    )


def show_estimate(
    screen: Screen,
    ratings: Ratings,
    settings: Sequence[Setting],
    protocol: Protocol,
    policy: Policy | None,
    jobs: int | None,
    *,
    halving: bool = False,
    quick: bool = False,
) -> int:
    """Estimate what a comparison or advice needs, and tell it."""
    from recloak.comparison.estimating import estimate_trials
    from recloak.comparison.sampling import QUICK_PEOPLE, sample_of

    if quick:
        ratings = sample_of(ratings, min(QUICK_PEOPLE, ratings.n_users), protocol.seed)
    found = estimate_trials(
        ratings,
        settings,
        protocol,
        policy,
        jobs=jobs,
        halving=halving and not quick,
        progress=screen.progress,
    )
    tell(screen, found, f"{len(settings)} settings")
    return 0


def tell(screen: Screen, found: Estimate, what: str) -> None:
    """An estimate, for people and for programs."""
    from recloak.core.memory import available

    free = available()
    screen.result(
        {
            "dry_run": True,
            "seconds": round(found.seconds, 1),
            "memory_bytes": round(found.memory),
            "free_bytes": round(free),
            "ratings": found.ratings,
            "tried_on_ratings": list(found.tried),
        }
    )
    screen.heading(f"Dry run of {what}: nothing was written")
    small, large = (f"{count:,}" for count in found.tried)
    screen.say(f"time     about {duration(found.seconds)}")
    screen.say(f"memory   about {size(found.memory)}; {size(free)} are free")
    screen.say(
        f"The time is estimated from runs on {small} and {large} of {found.ratings:,} ratings, on "
        "this machine at its present load."
    )
    if found.memory > free:
        screen.warn("There is not enough memory: the command would be refused.")
