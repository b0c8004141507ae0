"""Asking about everybody: statements of one draw of the control groups, with their confidence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from recloak.attacks._asked_people import AskedGroup, asked_groups, quarters_of
from recloak.attacks.inference._confidence import confidence_of
from recloak.attacks.inference._own_rows import own_row_chances
from recloak.attacks.inference._precision import PrecisionCurve, precision_curve
from recloak.attacks.inference._statements import Statements, joined, statements_of
from recloak.core.arrays import Floats, Indices, Integers
from recloak.core.progress import Progress
from recloak.evaluation.context import AuditContext

ENOUGH_STATEMENTS = 4_000_000
MOST_STATEMENTS = 8_500_000  # about 3 GB
ENOUGH_PEOPLE = 400  # of each side: among fewer, chance alone moves the excess by several percent
SURE_FROM, SURE_TO = 0.85, 0.95


@dataclass(frozen=True, eq=False)
class Answers:
    """The statements about members and outsiders by falling confidence.

    Each curve has a row for each of ``people``, all members first; row i of the members and row i
    of the outsiders are a pair. ``sure`` are true statements and all among those of items that are
    made with a confidence of about 90 %, by person.
    """

    items: PrecisionCurve
    items_in_general: PrecisionCurve
    values: PrecisionCurve
    sure: Floats
    pairs: int
    notes: tuple[str, ...]

    def side(self, *, members: bool) -> Indices:
        """The rows of members, or of outsiders."""
        return np.arange(self.pairs) + (0 if members else self.pairs)


def answers_about(
    context: AuditContext, known: int, seed: int, progress: Progress, draw: int = 0
) -> Answers:
    """State facts about members and outsiders; raises `NoControlGroupError` without a control."""
    groups = asked_groups(context, known, seed, progress, draw)
    quarters = quarters_of(groups, seed)
    chosen = [_chosen(asked, len(groups)) for asked in groups]
    own_chances = own_row_chances(groups, quarters)
    with progress.task("Stating facts", sum(map(len, chosen))) as task:
        parts = [
            statements_of(asked, people, chances, task)
            for asked, people, chances in zip(groups, chosen, own_chances, strict=True)
        ]
    quarter = np.concatenate([one[part.person] for one, part in zip(quarters, parts, strict=True)])
    rows = _rows(groups, chosen)
    person = np.concatenate([row[part.person] for row, part in zip(rows, parts, strict=True)])
    notes = (groups[0].group.note, *_sampled(groups, chosen))
    statements = joined(parts)
    del parts  # there may be very many
    return _curves(statements, quarter, person, sum(map(len, chosen)), notes)


def _chosen(asked: AskedGroup, folds: int) -> Indices:
    """Members and their outsiders, as many as there may be statements about.

    Of many items there may be more statements, so that there are enough people.
    """
    pairs = len(asked.people) // 2
    a_pair = 2 * folds * max(asked.people.ratings.n_items, 1)
    least = min(ENOUGH_PEOPLE // folds, MOST_STATEMENTS // a_pair)
    count = min(pairs, max(1, least, ENOUGH_STATEMENTS // a_pair))
    return np.concatenate([np.arange(count), pairs + np.arange(count)])


def _rows(groups: list[AskedGroup], chosen: list[Indices]) -> list[Integers]:
    """For each person asked their row in the curves; what it says of those left out is unused."""
    picked = [asked.people.pair[people] for asked, people in zip(groups, chosen, strict=True)]
    pairs = np.unique(np.concatenate(picked))
    return [
        np.searchsorted(pairs, asked.people.pair) + np.where(asked.people.member, 0, len(pairs))
        for asked in groups
    ]


def _sampled(groups: list[AskedGroup], chosen: list[Indices]) -> tuple[str, ...]:
    asked, everyone = (sum(map(len, many)) // 2 for many in (chosen, [g.people for g in groups]))
    if asked == everyone:
        return ()
    return (f"There are many items, so facts were stated about {asked:,} people of each side.",)


def _curves(
    statements: Statements, quarter: Integers, person: Integers, people: int, notes: tuple[str, ...]
) -> Answers:
    confidence = confidence_of(statements, quarter)
    claimed = (confidence.rated >= SURE_FROM) & (confidence.rated <= SURE_TO)
    sure = np.stack(
        [
            np.bincount(person[claimed & statements.rated], minlength=people),
            np.bincount(person[claimed], minlength=people),
        ]
    )
    return Answers(
        precision_curve(confidence.rated, statements.rated, person, people),
        precision_curve(confidence.rated_in_general, statements.rated, person, people),
        precision_curve(confidence.right, statements.right, person, people),
        sure.astype(np.float64),
        people // 2,
        notes,
    )
