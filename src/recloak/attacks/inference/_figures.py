"""Figures of stated facts: members beside outsiders, and the difference, with intervals."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from recloak.attacks.inference._asking import Answers
from recloak.attacks.inference._precision import PrecisionCurve
from recloak.core.arrays import Floats, Indices
from recloak.evaluation.figures import DeclaredFigure
from recloak.evaluation.findings import Figure, Unit
from recloak.evaluation.intervals import ratio_figure

RESAMPLES = 400
TENTH = 0.1
FEWEST_WORST_OFF = 20

EXCESS = DeclaredFigure(
    "excess",
    worse="more",
    heading="Excess",
    meaning="How much better an attacker states facts about people who are in the release than "
    "about people who are not: the difference in average precision, of items or of values, "
    "whichever is larger. What is true of everybody does not count. 0 is nothing, 1 everything.",
    column="excess",
    at_a_glance="facts stated about members beyond what is stated about people who are not in the "
    "release; less is safer",
    sentence="Beyond what is true of people in general, an attacker states facts about those in "
    "the release: an excess of {value} in average precision.",
    stands_for="inference",
    chart=(
        "Excess",
        "what is stated about people in the release, minus what is stated about others",
    ),
)
EXCESS_WORST_TENTH = DeclaredFigure(
    "excess_worst_tenth",
    worse="more",
    heading="Excess of the worst-off tenth",
    meaning="The same for the tenth of the people about whom rows told most in one rehearsal, "
    "tried on another; the outsiders beside them are chosen in the same way, among those with "
    "about as many ratings.",
    column="excess, worst tenth",
    at_a_glance="the same for the tenth of the people who are given away most; less is safer",
    part_of="excess",
    worst_off_sentence="For the tenth of people whom {title} gives away most, the excess is "
    "{value} in average precision.",
)
AVERAGE_PRECISION = DeclaredFigure(
    "ap_items",
    worse="more",
    heading="Average precision",
    meaning="All statements “rated this item” (or “gave it this rating”), about everybody, by "
    "falling confidence: the share of true ones, averaged over all true ones.",
)
TRUE_AT = DeclaredFigure(
    "true_items_50",
    "count",
    worse="more",
    heading="True statements, 50 and 90",
    meaning="How many true statements about a person can be made while at least 50 % or 90 % of "
    "all statements made are true.",
)
DECLARED = (
    EXCESS,
    DeclaredFigure(
        "excess_items",
        worse="more",
        heading="Excess of items",
        meaning="The same of statements “rated this item” alone.",
        risk="inference",
        members="ap_items",
        control="ap_items_outsiders",
    ),
    DeclaredFigure(
        "excess_values",
        worse="more",
        heading="Excess of values",
        meaning="The same of statements “gave this item this rating” alone.",
        risk="inference",
        members="ap_values",
        control="ap_values_outsiders",
    ),
    AVERAGE_PRECISION,
    DeclaredFigure("ap_items_outsiders"),
    DeclaredFigure("ap_items_in_general"),
    DeclaredFigure("ap_values", worse="more"),
    DeclaredFigure("ap_values_outsiders"),
    TRUE_AT,
    *(
        DeclaredFigure(f"true_{what}_{least}{side}", "count", worse=None if side else "more")
        for what in ("items", "values")
        for least in (50, 90)
        for side in ("", "_outsiders")
        if (what, least, side) != ("items", 50, "")
    ),
    EXCESS_WORST_TENTH,
    DeclaredFigure("sure_right"),
)


def figures_of(answers: Answers, *, values: bool, rng: np.random.Generator) -> list[Figure]:
    """All figures of one draw; without values those of items alone."""
    weights = _resampled(answers.pairs, rng)
    excess, figures = [], []
    for what in ("items", "values") if values else ("items",):
        curve: PrecisionCurve = getattr(answers, what)
        sides = [curve.of(answers.side(members=inside)) for inside in (True, False)]
        inside, outside = (side.average_precision(weights) for side in sides)
        excess.append(inside - outside)
        meaning = f"average precision of statements about {what}, of"
        figures += [
            _figure(f"excess_{what}", inside - outside, f"{meaning} members minus outsiders"),
            _figure(f"ap_{what}", inside, f"{meaning} members"),
            _figure(f"ap_{what}_outsiders", outside, f"{meaning} people not in the release"),
            *_true_statements(what, sides, weights),
        ]
    general = answers.items_in_general.of(answers.side(members=False)).average_precision(weights)
    meaning = "the same of outsiders by an attacker who looks at no row of the release"
    figures.append(_figure("ap_items_in_general", general, meaning))
    larger = max(excess, key=lambda one: one[0])
    meaning = "average precision of members minus outsiders, of items or values, the larger"
    return [_figure("excess", larger, meaning), *figures, *_calibration(answers)]


def worst_tenth_figure(
    first: Answers, fresh: Answers, *, values: bool, rng: np.random.Generator
) -> Figure:
    """The excess of those of whom rows told most in one draw, in a fresh draw."""
    inside, outside = _worst_off(first)
    weights = _resampled(len(inside), rng)
    curves = (fresh.items, fresh.values) if values else (fresh.items,)
    excess = [
        curve.of(inside).average_precision(weights) - curve.of(outside).average_precision(weights)
        for curve in curves
    ]
    meaning = "the same for the tenth of the people about whom rows tell most"
    return _figure("excess_worst_tenth", max(excess, key=lambda one: one[0]), meaning)


def too_few_worst_off(answers: Answers) -> tuple[str, ...]:
    """What a report says where the tenth are so few that its figure tells little."""
    count = _tenth(answers.pairs)
    if count >= FEWEST_WORST_OFF:
        return ()
    people = "1 person" if count == 1 else f"{count} people"
    return (f"The worst-off tenth are only {people} of each side: its excess is a rough guess.",)


def _worst_off(answers: Answers) -> tuple[Indices, Indices]:
    """The tenth of the members about whom rows tell most, and as many outsiders like them.

    Facts about people with many ratings come true more often, whoever they are. So each of these
    members is compared with the outsider about whom rows tell most among the ten with about as
    many ratings.
    """
    exposed = answers.items.each() - answers.items_in_general.each()
    ratings = np.log1p(answers.items.true.sum(axis=1))
    members, free = answers.side(members=True), list(answers.side(members=False))
    ranked = members[np.argsort(-exposed[members], kind="stable")]
    inside, outside = ranked[: _tenth(answers.pairs)], []
    for member in inside:
        near = sorted(free, key=lambda one: (abs(ratings[one] - ratings[member]), one))
        outside.append(max(near[: round(1 / TENTH)], key=lambda one: exposed[one]))
        free.remove(outside[-1])
    return inside, np.array(outside)


def _tenth(pairs: int) -> int:
    return max(1, round(TENTH * pairs))


def _true_statements(what: str, sides: list[PrecisionCurve], weights: Floats) -> Iterator[Figure]:
    for least in (50, 90):
        for side, ending in zip(sides, ("", "_outsiders"), strict=True):
            whose = "an outsider" if ending else "a member"
            meaning = f"true statements about {what} of {whose} while {least} % of all are true"
            true = side.true_at(least / 100, weights)
            yield _figure(f"true_{what}_{least}{ending}", true, meaning, "count")


def _calibration(answers: Answers) -> list[Figure]:
    """How often statements claimed at about 90 % are true; nothing if there are none."""
    true, made = answers.sure
    if made.sum() == 0:
        return []
    meaning = "true among statements about items that were made with a confidence of about 90 %"
    return [ratio_figure("sure_right", true, made, meaning)]


def _resampled(count: int, rng: np.random.Generator) -> Floats:
    """Weights of people: first everybody once, then samples of as many with replacement."""
    drawn = rng.multinomial(count, np.full(count, 1 / count), RESAMPLES)
    return np.concatenate([np.ones((1, count)), drawn]).astype(np.float64)


def _figure(name: str, found: Floats, meaning: str, unit: Unit = "share") -> Figure:
    """The first number, between the quantiles of the others."""
    value = float(found[0])
    low, high = np.quantile(found[1:], [0.025, 0.975])
    return Figure(name, value, min(value, float(low)), max(value, float(high)), unit, meaning)
