"""The scoreboard attacks as one would say them: every row of the table, one by one."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from statistics import pstdev

from recloak.attacks._match_rules import SECONDS_PER_DAY, MatchRule
from recloak.attacks._trials import Trials
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext
from recloak.evaluation.units import Units

Row = dict[int, tuple[float, int]]
Result = tuple[float, float, float, float, float]  # success, wrong, gain, gain in values, false


def rows_by_hand(ratings: Ratings) -> list[Row]:
    times = [0] * len(ratings) if ratings.times is None else ratings.times.tolist()
    rows = []
    for user in range(ratings.n_users):
        here = range(ratings.offsets[user], ratings.offsets[user + 1])
        rows.append({int(ratings.items[at]): (float(ratings.values[at]), times[at]) for at in here})
    return rows


class PlainScoreboard:
    """One table under attack; ``days`` 0 means that times do not matter."""

    def __init__(self, context: AuditContext, match_rule: MatchRule, days: float = 0) -> None:
        self.context, self.match_rule, self.days = context, match_rule, days
        self.rows = rows_by_hand(context.rows)
        self.units = Units.between(context.original.scale, context.rows.scale)

    def known(self, trials: Trials, at: int) -> Row:
        original, known = self.context.original, {}
        for place in range(trials.offsets[at], trials.offsets[at + 1]):
            position = trials.positions[place]
            time = 0 if original.times is None else int(original.times[position])
            item = int(self.context.item_in_release[original.items[position]])
            known[item] = (float(trials.values[place]) * self.units.factor + self.units.shift, time)
        return known

    def matches(self, known: Row, item: int, row: Row) -> bool:
        if item not in row:
            return False
        (value, time), (theirs, moment) = known[item], row[item]
        near = (
            self.match_rule.tolerance is None
            or abs(value - theirs) <= self.match_rule.tolerance + 1e-5
        )
        return near and (not self.days or abs(time - moment) <= self.days * SECONDS_PER_DAY)

    def rh(self, trials: Trials, at: int, rule: str, phi: float) -> Result:
        known = self.known(trials, at)
        support = [
            sum(item in row for row in self.rows) for item in range(self.context.rows.n_items)
        ]
        scores = [
            sum(1 / log(support[i] + 1) for i in known if self.matches(known, i, row))
            for row in self.rows
        ]
        best = max(range(len(scores)), key=scores.__getitem__)
        same = self.same_as(best)
        rivals = [
            score
            for row, score in enumerate(scores)
            if row != best and (rule == "tie" or row not in same)
        ]
        if scores[best] == 0:
            return 0, 0, 0, 0, 0
        if rivals:
            gap, deviation = scores[best] - max(rivals), pstdev(scores)
            if gap <= 1e-9 * scores[best] or gap <= phi * deviation:
                return 0, 0, 0, 0, 0
        return self.result(trials, at, [best] if rule == "tie" else same, rule)

    def worst(self, trials: Trials, at: int, rule: str) -> Result:
        known = self.known(trials, at)
        fitting = [
            number
            for number, row in enumerate(self.rows)
            if all(self.matches(known, item, row) for item in known)
        ]
        return self.result(trials, at, fitting, rule) if fitting else (0, 0, 0, 0, 0)

    def same_as(self, one: int) -> list[int]:
        """Identical rows; with times in play, rows differ by their times too."""
        if self.days:
            return [one]
        plain = [{item: value for item, (value, _) in row.items()} for row in self.rows]
        return [row for row in range(len(plain)) if plain[row] == plain[one]]

    def result(self, trials: Trials, at: int, named: Sequence[int], rule: str) -> Result:
        """What it is worth to name some rows and guess among them."""
        own = set(self.context.linkage.rows_of(trials.users[at]).tolist())
        mine = [row for row in named if row in own]
        if not mine:
            other = self.stated(trials, at, named[0])
            return 0, 1, 0, 0, other[2]
        shortlists = {row for one in mine for row in self.same_as(one)}
        alike = [row for row in named if row in shortlists] if rule == "one" else mine
        share = len(alike) / len(named)
        right = self.stated(trials, at, mine[0])
        strange = [row for row in named if row not in shortlists]
        false = self.stated(trials, at, strange[0])[2] if strange else 0
        facts = (share * right[0], share * right[1], share * right[2] + (1 - share) * false)
        return len(mine) / len(named), 0, *facts

    def stated(self, trials: Trials, at: int, row: int) -> tuple[int, int, int]:
        original, user = self.context.original, trials.users[at]
        mine = {
            int(self.context.item_in_release[item]): value * self.units.factor + self.units.shift
            for item, value in zip(*original.row(user), strict=True)
        }
        theirs, known = self.rows[row], self.known(trials, at)
        new = [item for item in theirs if item in mine and item not in known]
        near = [abs(theirs[item][0] - mine[item]) <= self.units.tolerance for item in new]
        return len(new), sum(near), sum(item not in mine for item in theirs)
