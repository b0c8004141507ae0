"""Guarantee `floor`: nothing in a release of made-up people rests on fewer than k real ones."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from recloak.core.arrays import Integers, match_labels
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.core.ratings import Ratings
from recloak.core.staged_ratings import RatingsElsewhere
from recloak.evaluation.findings import Verdict
from recloak.guarantees.base import Guarantee
from recloak.releases.base import Release
from recloak.releases.stored import StoredRatings

_NEEDS_ORIGINAL = (
    "Only the original tells how many people are behind an item or a size: give it with --original."
)


class FloorParameters(Parameters):
    """How many people must be behind it."""

    k: int = Field(default=10, ge=2)
    """The least number of people of the original."""


class Floor(Guarantee):
    """Every item of the release was rated by at least k people of the original.

    And every row is as long as at least k people's rows are, within the ranges that the manifest
    lists; of a survey, every answer to a question (no answer is one, too) was given by k people.
    That is what can be seen in the release beside the original. Means and tastes of an item are
    made from the ratings of all who rated it, so they rest on as many; the release shows only
    draws from them. It is no differential privacy: whoever sees such statistics before and after
    somebody leaves learns about them.
    """

    name: ClassVar[str] = "floor"
    summary: ClassVar[str] = "No item, answer or size in the release rests on fewer than k people."
    Parameters: ClassVar[type[Parameters]] = FloorParameters
    parameters: FloorParameters

    @property
    def by_parts(self) -> bool:
        return True

    def check(self, rows: Ratings, progress: Progress = SILENT) -> Verdict:
        return Verdict(self.spec, "undecided", _NEEDS_ORIGINAL)

    def check_beside(
        self,
        original: Ratings | RatingsElsewhere,
        target: Release | Ratings,
        progress: Progress = SILENT,
    ) -> Verdict:
        items: set[Any] = set()
        with progress.task("Counting the people behind items", 1) as task:
            for rows in _parts(target):
                witness = self._witness(original, target, rows)
                if witness is not None:
                    shortage = f"has fewer than {self.parameters.k} people behind it."
                    what = f"Something in the release {shortage}"
                    return Verdict(self.spec, "broken", what, witness)
                items.update(rows.item_labels.tolist())
            task.advance()
        how = (
            f"Each of the {len(items):,} items of the release was rated by "
            f"{self.parameters.k} people or more of the original, and every row is of a size or "
            "has answers that as many have. This is not differential privacy."
        )
        return Verdict(self.spec, "holds", how)

    def _witness(
        self, original: Ratings | RatingsElsewhere, target: Release | Ratings, rows: Ratings
    ) -> dict[str, Any] | None:
        """What stands in these rows and rests on too few people."""
        witness = self._rare_item(original, rows)
        if witness is not None:
            return witness
        if isinstance(target, Release) and target.wide:
            assert isinstance(original, Ratings)
            return self._rare_answer(original, rows)
        return self._rare_size(original, rows, _ranges(target))

    def _rare_item(
        self, original: Ratings | RatingsElsewhere, rows: Ratings
    ) -> dict[str, Any] | None:
        codes = match_labels(rows.item_labels, original.item_labels)
        support = np.append(original.item_support, 0)[codes]
        listed = rows.item_support > 0
        rare = np.flatnonzero(listed & (support < self.parameters.k))
        if len(rare) == 0:
            return None
        return {"item": str(rows.item_labels[rare[0]]), "people": int(support[rare[0]])}

    def _rare_size(
        self,
        original: Ratings | RatingsElsewhere,
        rows: Ratings,
        ranges: tuple[tuple[int, int], ...] | None,
    ) -> dict[str, Any] | None:
        sizes, lengths = np.unique(original.user_counts), np.unique(rows.user_counts)
        if ranges is None:
            ranges = tuple((int(size), int(size) + 1) for size in sizes)
        for length in lengths.tolist():
            held = [(low, high) for low, high in ranges if low <= length < high]
            people = max((_people_in(original.user_counts, one) for one in held), default=0)
            if people < self.parameters.k:
                return {"ratings in a row": int(length), "people in its range": people}
        return None

    def _rare_answer(self, original: Ratings, rows: Ratings) -> dict[str, Any] | None:
        """An answer of the release that fewer than k respondents gave; -1 stands for none."""
        codes = match_labels(rows.item_labels, original.item_labels)
        for item in range(rows.n_items):
            given = _answers(rows, item)
            known = _answers(original, int(codes[item]))
            for answer, number in given.items():
                if number and known.get(answer, 0) < self.parameters.k:
                    name = str(rows.item_labels[item])
                    people = known.get(answer, 0)
                    return {"issue": name, "answer": answer or "none", "people": people}
        return None


def _parts(target: Release | Ratings) -> Iterable[Ratings]:
    """All rows; those of a release that is not in memory, a part at a time."""
    if isinstance(target, StoredRatings):
        return target.parts()
    return [target.as_ratings() if isinstance(target, Release) else target]


def _ranges(target: Release | Ratings) -> tuple[tuple[int, int], ...] | None:
    account = target.manifest.account if isinstance(target, Release) else None
    return account.sizes if account is not None and account.sizes else None


def _people_in(counts: Integers, limits: tuple[int, int]) -> int:
    return int(((counts >= limits[0]) & (counts < limits[1])).sum())


def _answers(ratings: Ratings, item: int) -> dict[str, int]:
    """How many gave each answer to an issue; under an empty name, how many gave none."""
    view = ratings.by_item
    values = view.values[view.offsets[item] : view.offsets[item + 1]]
    levels, counts = np.unique(values, return_counts=True)
    found = {f"{level:g}": int(count) for level, count in zip(levels, counts, strict=True)}
    return found | {"": ratings.n_users - len(values)}
