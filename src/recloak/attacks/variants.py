"""Variants of one attack: each try is made in all of them, and the strongest is reported."""

from __future__ import annotations

from typing import Literal, NamedTuple

from recloak.attacks.comparing import Way
from recloak.attacks.gains import Outcome
from recloak.statistics import wilson

Rule = Literal["one", "tie"]

_RULES: dict[Rule, str] = {
    "one": "identical rows as one candidate",
    "tie": "identical rows as a tie",
}


class Variant(NamedTuple):
    """One way to compare under one rule for identical rows."""

    way: Way
    rule: Rule


Outcomes = dict[Variant, Outcome]


def in_full(outcomes: Outcomes) -> Outcomes:
    """The variants that were part of every try."""
    most = max(len(outcome.success) for outcome in outcomes.values())
    return {variant: one for variant, one in outcomes.items() if len(one.success) == most}


def strongest(outcomes: Outcomes) -> tuple[Variant, Outcome]:
    """The variant that finds most; among equals the one that learns most."""
    return max(
        in_full(outcomes).items(), key=lambda one: (one[1].success.mean(), one[1].gain.mean())
    )


def contenders(outcomes: Outcomes) -> list[Way]:
    """The ways that may still turn out strongest; the others need no further tries."""
    ends = {
        variant: wilson(float(outcome.success.sum()), len(outcome.success))
        for variant, outcome in in_full(outcomes).items()
    }
    surely = max(low for low, _ in ends.values())
    return list(dict.fromkeys(variant.way for variant, (_, high) in ends.items() if high >= surely))


def told_of_others(found: Outcomes, best: Variant) -> str:
    """Which variant is reported, and how the others did."""
    several = len({variant.rule for variant in found}) > 1
    said = {
        variant: f"{variant.way}{f', {_RULES[variant.rule]}' if several else ''}"
        for variant in found
    }
    others = "; ".join(
        f"{said[variant]}: {outcome.success.mean():.1%} of {len(outcome.success):,} tries"
        for variant, outcome in found.items()
        if variant != best
    )
    return f"Reported is what succeeds most: {said[best]}. Success of the others: {others}."
