"""Figures that several attacks may find."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import special

from recloak.core.arrays import Floats
from recloak.evaluation.figures import DeclaredFigure
from recloak.evaluation.findings import Figure
from recloak.evaluation.intervals import wilson

SUCCESS = DeclaredFigure(
    "success",
    worse="more",
    heading="Success",
    meaning="The share of tries in which the attacker names the right row. Where several rows fit "
    "equally well they guess: one of three counts as a third.",
    column="success",
    at_a_glance="the share of people found, by the attacker who finds most; less is safer",
    chart=("How often people are found", "the share of people who are found"),
    role="success",
)
SUCCESS_ORIGINAL = DeclaredFigure("success_original")
SUCCESS_BESIDE_ORIGINAL = replace(SUCCESS, original="success_original")
INCONCLUSIVE = DeclaredFigure(
    "inconclusive",
    heading="Inconclusive",
    meaning="The share of tries that do not come down to one person: no row stands out, or the "
    "right row is one of several and the guess falls on another.",
)
WRONG = DeclaredFigure(
    "wrong",
    heading="Wrong",
    meaning="The share of tries in which the attacker names a row that is not the person's. It "
    "protects nobody who is taken for somebody else.",
)
WORST_TENTH = DeclaredFigure(
    "worst_tenth",
    worse="more",
    heading="Worst-off tenth",
    meaning="The tenth of the tried people whom the attack hits hardest. An average can look "
    "harmless while these people are always found.",
    chart=("The worst-off tenth", "the share found among those who fare worst"),
    role="worst-off tenth",
    part_of="success",
)
GAIN = DeclaredFigure(
    "gain",
    "count",
    worse="more",
    heading="Gain",
    meaning="How many true facts about a person, not known before, the attacker reads from the "
    "rows that they name. It counts what is true of most people, too: see excess.",
    role="gain",
)
GAIN_VALUES = DeclaredFigure("gain_values", "count", worse="more")
GAIN_ORIGINAL = DeclaredFigure("gain_original", "count")
GAIN_KEPT = DeclaredFigure(
    "gain_kept",
    worse="more",
    heading="Gain kept",
    meaning=(
        "What an attacker gains from the release, as a share of what the same tries would gain "
        "from the unprotected data. The lower it is, the less the release gives them."
    ),
)
GAIN_BESIDE_ORIGINAL = replace(GAIN, original="gain_original", change="gain_kept")
GAIN_SINGLE = DeclaredFigure(
    "gain_single",
    "count",
    worse="more",
    heading="Gain single, gain repeated",
    meaning=(
        "What the same tries gain if they name one row, or name further rows for the known ratings "
        "that are left, without learning from other people's data."
    ),
    gain_aside="one who names a single row, {value}",
)
GAIN_JOINED = DeclaredFigure("gain_joined", "count", worse="more")
PRECISION_JOINED = DeclaredFigure("precision_joined", worse="more")
FALSE_ITEMS = DeclaredFigure("false_items", "count")
IDENTIFIED = DeclaredFigure(
    "identified",
    worse="more",
    heading="Identified",
    meaning="The share of tries in which only rows of the person's group fit what is known: their "
    "profile is found for certain, however many people share it.",
)
IDENTIFIED_ORIGINAL = DeclaredFigure("identified_original")
IDENTIFIED_BESIDE_ORIGINAL = replace(IDENTIFIED, original="identified_original")
SCORING = (
    SUCCESS_BESIDE_ORIGINAL,
    INCONCLUSIVE,
    WRONG,
    GAIN_BESIDE_ORIGINAL,
    GAIN_VALUES,
    FALSE_ITEMS,
    SUCCESS_ORIGINAL,
    GAIN_ORIGINAL,
    GAIN_KEPT,
)


TENTH = 0.1
RESAMPLES = 200


def worst_tenth(success: Floats) -> Figure:
    """The mean chance of being found among the worst-off tenth, with its interval.

    ``success`` has a row for each repetition and a column for each person. A few tries do not
    show who is worst off: picking the tenth by its luck overstates, and measuring it on other
    tries understates the risk. So the spread of people's chances is estimated instead, as a Beta
    distribution that has their mean and the variance between them that luck does not explain, and
    the mean of its upper tenth is taken. It ends at the best chance that any try had: whose rows
    are k alike can never be found more often than once in k. With a single repetition outcomes are
    the chances.
    """
    best = float(success.max())
    if best <= 0:
        best = 1.0
    estimate = _upper_tenth(success, best)
    people = success.shape[1]
    rng = np.random.Generator(np.random.Philox(people))
    picks = rng.integers(0, people, (RESAMPLES, people))
    spread = np.array([_upper_tenth(success[:, pick], best) for pick in picks])
    low, high = np.quantile(spread, [0.025, 0.975])
    surely_low, surely_high = wilson(estimate * people, people)  # where nobody differs
    low, high = min(low, surely_low), max(high, surely_high)
    meaning = "chance of being found among the worst-off tenth of people"
    return Figure("worst_tenth", estimate, float(low), float(high), "share", meaning)


def _upper_tenth(success: Floats, best: float) -> float:
    return best * _beta_tenth(success / best)


def _beta_tenth(success: Floats) -> float:
    repeats, people = success.shape
    chances = success.mean(axis=0)
    if repeats == 1:
        return float(np.sort(chances)[-max(1, round(TENTH * people)) :].mean())
    mean = float(chances.mean())
    luck = float(success.var(axis=0, ddof=1).mean()) / repeats
    between = float(chances.var(ddof=1)) - luck if people > 1 else 0.0
    most = mean * (1 - mean)
    if between <= 1e-9 or most <= 0:
        return mean
    between = min(between, 0.999 * most)
    weight = most / between - 1
    a, b = mean * weight, (1 - mean) * weight
    limit = special.betaincinv(a, b, 1 - TENTH)
    return float(min(1.0, max(mean, mean * special.betaincc(a + 1, b, limit) / TENTH)))


EXCESS_RESAMPLES = 1000


def excess_figure(name: str, members: Floats, outsiders: Floats, meaning: str) -> Figure:
    """The mean outcome of members less that of outsiders, one outcome between 0 and 1 for each."""
    ones = (np.ones(len(members)), np.ones(len(outsiders)))
    return ratio_excess_figure(name, (members, ones[0]), (outsiders, ones[1]), meaning)


def ratio_excess_figure(
    name: str, members: tuple[Floats, Floats], outsiders: tuple[Floats, Floats], meaning: str
) -> Figure:
    """The share of all parts in all wholes of members, less the same of outsiders.

    Each side has parts and wholes by person. People are drawn again with repetition for the
    interval; it is no narrower than if tries were independent, for a few that all end alike prove
    little.
    """
    rng = np.random.Generator(np.random.Philox(len(members[0]) + len(outsiders[0])))
    sides = [_resampled(*side, rng) for side in (members, outsiders)]
    low, high = np.quantile(sides[0] - sides[1], [0.025, 0.975])
    (one, one_low, one_high), (other, other_low, other_high) = (
        _share(*side) for side in (members, outsiders)
    )
    value = one - other
    surely_low = value - float(np.hypot(one - one_low, other_high - other))
    surely_high = value + float(np.hypot(one_high - one, other - other_low))
    low, high = min(float(low), surely_low), max(float(high), surely_high)
    return Figure(name, value, max(-1.0, low), min(1.0, high), "share", meaning)


def _share(parts: Floats, wholes: Floats) -> tuple[float, float, float]:
    part, whole = float(parts.sum()), float(wholes.sum())
    low, high = wilson(part, round(whole))
    return part / max(whole, 1.0), low, high


def _resampled(parts: Floats, wholes: Floats, rng: np.random.Generator) -> Floats:
    """Shares of people drawn with repetition; where they have no whole, none of it."""
    shares = np.empty(EXCESS_RESAMPLES)
    for at in range(EXCESS_RESAMPLES):
        picked = rng.integers(0, len(parts), len(parts))
        shares[at] = parts[picked].sum() / max(wholes[picked].sum(), 1.0)
    return shares
