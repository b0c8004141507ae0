"""Estimating: how long work will take and how much memory it needs, from runs on samples."""

from __future__ import annotations

import math
import resource
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from recloak.auditing.policy import Policy
from recloak.auditing.run import audit
from recloak.comparison._trial_runs import bytes_of_trial, most_at_once, run_trial
from recloak.comparison.protocol import Protocol
from recloak.comparison.sampling import FEWEST_KEPT, kept_of, sample_of, sizes_of_rounds
from recloak.comparison.settings import Setting
from recloak.core.errors import ClaimError, InputError, ParameterError, PolicyError
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.methods.base import Method

LARGER_SAMPLE = 60_000  # ratings: large enough to see growth, small enough to be quick
LARGEST_SHARE = 1 / 2  # of few ratings: an estimate should not take longer than the work
SMALLER_SHARE = 1 / 4
STEEPEST = 2.0  # nothing here grows faster than the square of the ratings
Work = Callable[[Ratings], object]


@dataclass(frozen=True)
class Growth:
    """Seconds that the same work took on two samples, and the most memory after each."""

    ratings: tuple[int, int]
    seconds: tuple[float, float]
    memory: tuple[float, float] = (0.0, 0.0)

    def at(self, count: int) -> float:
        """Seconds on ``count`` ratings: a line through both, or a power where that is steeper.

        >>> Growth((1_000, 4_000), (1.0, 4.0)).at(40_000)
        40.0
        >>> Growth((1_000, 4_000), (1.0, 16.0)).at(8_000)
        64.0
        """
        (small, large), (quick, slow) = self.ratings, self.seconds
        if count <= large or large <= small:
            return slow
        line = slow + max(0.0, slow - quick) / (large - small) * (count - large)
        if quick <= 0 or slow <= quick:
            return line
        power = min(STEEPEST, math.log(slow / quick) / math.log(large / small))
        return max(line, slow * math.pow(count / large, power))

    def further_memory(self, count: int) -> float:
        """Bytes that ``count`` ratings take beyond the larger sample.

        Attacks and measures work on samples of people that have a bound, so their memory grows
        ever more slowly: for each factor of the ratings as much as between the samples.

        >>> Growth((1_000, 4_000), (1.0, 4.0), (100.0, 150.0)).further_memory(64_000)
        100.0
        """
        (small, large), (least, most) = self.ratings, self.memory
        if count <= large or large <= small:
            return 0.0
        return max(0.0, most - least) * math.log(count / large) / math.log(large / small)


@dataclass(frozen=True)
class Estimate:
    """About how long work takes and how much memory it needs, and what that was tried on."""

    seconds: float
    memory: float
    tried: tuple[int, int]
    ratings: int


def growth_of(ratings: Ratings, work: Work, seed: int = 0) -> Growth:
    """Run ``work`` on two samples of the people; once more on the smaller, for what loads first."""
    share = min(LARGEST_SHARE, LARGER_SAMPLE / max(ratings.n_ratings, 1))
    samples = [_sampled(ratings, part, seed) for part in (SMALLER_SHARE * share, share)]
    work(samples[0])
    (quick, least), (slow, most) = (_timed(work, sample) for sample in samples)
    return Growth((samples[0].n_ratings, samples[1].n_ratings), (quick, slow), (least, most))


def estimate(ratings: Ratings, work: Work, memory: float, *, before: float = 0.0) -> Estimate:
    """What one piece of work needs on all the ratings, if it needs so many bytes beside them.

    ``before`` are the seconds that reading them takes.
    """
    growth = growth_of(ratings, _refusing_nothing(work))
    seconds = before + growth.at(ratings.n_ratings)
    held = used() + growth.further_memory(ratings.n_ratings) + memory
    return Estimate(seconds, held, growth.ratings, ratings.n_ratings)


def estimate_trials(
    ratings: Ratings,
    settings: Sequence[Setting],
    protocol: Protocol,
    policy: Policy | None = None,
    *,
    jobs: int | None = None,
    halving: bool = False,
    progress: Progress = SILENT,
) -> Estimate:
    """What a comparison of these settings needs; with ``halving``, what advice does.

    One setting of each method is tried and stands for the others.
    """
    followed = protocol.with_policy(policy or Policy.default())
    by_method = {setting.name: setting for setting in reversed(settings)}
    growths: dict[str, Growth] = {}
    with progress.task("Trying methods on samples", len(by_method)) as task:
        for name, setting in by_method.items():
            growths[name] = growth_of(ratings, _trial(setting, followed))
            task.advance()
    rounds = _rounds(ratings, len(settings)) if halving else [(ratings.n_ratings, 1.0)]
    total = sum(
        share * sum(growths[setting.name].at(size) for setting in settings)
        for size, share in rounds
    )
    beside = most_at_once(ratings, settings, jobs)
    each = max((bytes_of_trial(setting, ratings) for setting in settings), default=0.0)
    tried = max((growth.ratings for growth in growths.values()), default=(0, 0))
    return Estimate(total / beside, used() + beside * each, tried, ratings.n_ratings)


def used() -> float:
    """The most bytes that this process has held so far."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return float(most if sys.platform == "darwin" else most * 1024)


def _rounds(ratings: Ratings, count: int) -> list[tuple[int, float]]:
    """Ratings and share of the settings of each round of advice, the full one last."""
    left, rounds = count, []
    for people in sizes_of_rounds(ratings):
        if left <= FEWEST_KEPT:
            break
        rounds.append((int(ratings.n_ratings * people / ratings.n_users), left / count))
        left = kept_of(left)
    return [*rounds, (ratings.n_ratings, left / max(count, 1))]


def _trial(setting: Setting, protocol: Protocol) -> Work:
    return lambda sample: run_trial(sample, setting, protocol, SILENT)


def _timed(work: Work, sample: Ratings) -> tuple[float, float]:
    """How long it takes, and the most memory that was held up to its end."""
    started = time.perf_counter()
    work(sample)
    return time.perf_counter() - started, used()


def _sampled(ratings: Ratings, share: float, seed: int) -> Ratings:
    return sample_of(ratings, max(1, round(share * ratings.n_users)), seed)


def audit_of_method(recipe: Method, policy: Policy | None = None, **how: Any) -> Work:
    """The work of an audit of a release whose method is known: of what it makes of samples."""

    def work(sample: Ratings) -> None:
        made = recipe.apply(sample, Randomness.from_seed(0))
        audit(sample, made.release, secret=made.secret, method=recipe, policy=policy, **how)

    return work


def audit_of(rows: Ratings, policy: Policy | None = None, **how: Any) -> Work:
    """The work of an audit of somebody else's release: samples of both are compared."""
    return lambda sample: audit(sample, _alike(rows, sample), policy=policy, **how)


def _alike(rows: Ratings, sample: Ratings) -> Ratings:
    """As many rows of a release as there are people in a sample."""
    return sample_of(rows, min(sample.n_users, rows.n_users), 0)


def _refusing_nothing(work: Work) -> Work:
    """The same work, where a sample that is too small to work on, or fails a policy, counts as
    done.
    """

    def tolerant(sample: Ratings) -> object:
        try:
            return work(sample)
        except (InputError, ParameterError, ClaimError, PolicyError):
            return None

    return tolerant
