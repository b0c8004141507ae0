"""Strategies of the scoreboard attacks: how rows are compared, and which way succeeds most."""

from __future__ import annotations

from typing import Literal, NamedTuple

from recloak.attacks._gains import TrialOutcomes
from recloak.attacks._match_rules import MatchRule
from recloak.evaluation.intervals import wilson

IdenticalRows = Literal["one", "tie"]

_WORDS: dict[IdenticalRows, str] = {
    "one": "identical rows as one candidate",
    "tie": "identical rows as a tie",
}


class Strategy(NamedTuple):
    """A match rule, and how identical rows are treated: as one candidate or as a tie."""

    match_rule: MatchRule
    identical_rows: IdenticalRows


OutcomesByStrategy = dict[Strategy, TrialOutcomes]


def fully_tried(outcomes: OutcomesByStrategy) -> OutcomesByStrategy:
    """The strategies that were part of every try."""
    most = max(len(outcome.success) for outcome in outcomes.values())
    return {strategy: one for strategy, one in outcomes.items() if len(one.success) == most}


def strongest(outcomes: OutcomesByStrategy) -> tuple[Strategy, TrialOutcomes]:
    """The strategy with most success; among equals the one with most gain."""
    return max(
        fully_tried(outcomes).items(), key=lambda one: (one[1].success.mean(), one[1].gain.mean())
    )


def possible_best_rules(outcomes: OutcomesByStrategy) -> list[MatchRule]:
    """The match rules that may still be strongest; the others need no further tries."""
    ends = {
        strategy: wilson(float(outcome.success.sum()), len(outcome.success))
        for strategy, outcome in fully_tried(outcomes).items()
    }
    surely = max(low for low, _ in ends.values())
    return list(
        dict.fromkeys(strategy.match_rule for strategy, (_, high) in ends.items() if high >= surely)
    )


def strategies_note(found: OutcomesByStrategy, best: Strategy) -> str:
    """Which strategy is reported, and the success of the others."""
    several = len({strategy.identical_rows for strategy in found}) > 1
    words = {
        one: f"{one.match_rule}{f', {_WORDS[one.identical_rows]}' if several else ''}"
        for one in found
    }
    others = "; ".join(
        f"{words[strategy]}: {outcome.success.mean():.1%} of {len(outcome.success):,} tries"
        for strategy, outcome in found.items()
        if strategy != best
    )
    return (
        f"The variant that succeeds most is reported: {words[best]}. Success of the others: "
        f"{others}."
    )
