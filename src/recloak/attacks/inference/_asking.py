"""Asking about everybody: statements of one draw of the control groups, with their confidence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from recloak.attacks._asked_people import AskedGroup, asked_groups, quarters_of
from recloak.attacks.inference._confidence import confidence_of
from recloak.attacks.inference._own_rows import own_row_chances
from recloak.attacks.inference._precision import PrecisionCurve, precision_curve
from recloak.attacks.inference._stated_items import FAMOUS
from recloak.attacks.inference._statements import Statements, joined, statements_of
from recloak.core.arrays import Floats, Indices, Integers
from recloak.core.progress import Progress
from recloak.core.randomness import Randomness
from recloak.evaluation.context import AuditContext

MOST_STATEMENTS = 2_000_000  # if there could be more, those for which nothing speaks are drawn
ENOUGH_PEOPLE = 600  # of each side: among fewer, chance alone moves the excess by several percent
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
    """State facts about members and outsiders; raises `NoControlGroupError` without a control.

    Several attacks ask for the same, so that answers are kept.
    """
    groups = asked_groups(context, known, seed, progress, draw)
    kept, key = groups[0].group.kept, ("answers", known, seed, draw)
    if key not in kept:
        drawn = Randomness.from_seed(seed).child("stated items", known, draw)
        kept[key] = _answers(groups, seed, drawn, progress)
    answers: Answers = kept[key]
    return answers


def _answers(groups: list[AskedGroup], seed: int, drawn: Randomness, progress: Progress) -> Answers:
    quarters = quarters_of(groups, seed)
    some = _possible(groups) > MOST_STATEMENTS
    chosen = [_chosen(asked, len(groups), some=some) for asked in groups]
    own_chances = own_row_chances(groups, quarters, drawn.generator("own rows"))
    with progress.task("Stating facts", sum(map(len, chosen))) as task:
        parts = [
            statements_of(*about, drawn.generator(str(fold)) if some else None, task)
            for fold, about in enumerate(zip(groups, chosen, own_chances, strict=True))
        ]
    quarter = np.concatenate([one[part.person] for one, part in zip(quarters, parts, strict=True)])
    rows = _rows(groups, chosen)
    person = np.concatenate([row[part.person] for row, part in zip(rows, parts, strict=True)])
    notes = (groups[0].group.note, *_sampled(groups, chosen, some=some))
    statements = joined(parts)
    del parts  # there may be very many
    return _curves(statements, quarter, person, sum(map(len, chosen)), notes)


def _possible(groups: list[AskedGroup]) -> int:
    """How many statements there could be, about everybody and every item."""
    return sum(len(asked.people) * asked.people.ratings.n_items for asked in groups)


def _chosen(asked: AskedGroup, folds: int, *, some: bool) -> Indices:
    """Members and their outsiders: all of them, or ``some`` who are enough."""
    pairs = len(asked.people) // 2
    count = min(pairs, max(1, ENOUGH_PEOPLE // folds)) if some else pairs
    return np.concatenate([np.arange(count), pairs + np.arange(count)])


def _rows(groups: list[AskedGroup], chosen: list[Indices]) -> list[Integers]:
    """For each person asked their row in the curves; what it says of those left out is unused."""
    picked = [asked.people.pair[people] for asked, people in zip(groups, chosen, strict=True)]
    pairs = np.unique(np.concatenate(picked))
    return [
        np.searchsorted(pairs, asked.people.pair) + np.where(asked.people.member, 0, len(pairs))
        for asked in groups
    ]


def _sampled(groups: list[AskedGroup], chosen: list[Indices], *, some: bool) -> tuple[str, ...]:
    if not some:
        return ()
    asked, everyone = (sum(map(len, many)) // 2 for many in (chosen, [g.people for g in groups]))
    people = f" about {asked:,} people of each side" if asked < everyone else ""
    return (
        f"There are many items, so facts were stated{people} of all items in rows that may well be "
        f"theirs, of the {FAMOUS} most rated ones, and of some drawn from the others, each of "
        "which counts for those that it stands for.",
    )


def _curves(
    statements: Statements, quarter: Integers, person: Integers, people: int, notes: tuple[str, ...]
) -> Answers:
    confidence = confidence_of(statements, quarter)
    claimed = (confidence.rated >= SURE_FROM) & (confidence.rated <= SURE_TO)
    sure = np.stack(
        [
            np.bincount(person[some], statements.times[some], minlength=people)
            for some in (claimed & statements.rated, claimed)
        ]
    )
    about = (person, people, statements.times)
    return Answers(
        precision_curve(confidence.rated, statements.rated, *about),
        precision_curve(confidence.rated_in_general, statements.rated, *about),
        precision_curve(confidence.right, statements.right, *about),
        sure.astype(np.float64),
        people // 2,
        notes,
    )
