"""Method `pseudonymize`: new ids only, the naive baseline."""

from __future__ import annotations

from typing import ClassVar

from recloak.core.people_draws import PeopleDraws
from recloak.core.progress import Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.methods._blocks import BlockMethod, Statistics
from recloak.methods._tables import OwnedRows, one_row_each


class Pseudonymize(BlockMethod):
    """Replaces user ids by random ones; every rating stays.

    Enough against a glance at the table, not against anyone who knows a few of a person's
    ratings: most people are alone with four of theirs.
    """

    name: ClassVar[str] = "pseudonymize"
    summary: ClassVar[str] = "New random ids, ratings untouched: the naive baseline."
    promise: ClassVar[str] = (
        "The ids tell nothing. The ratings themselves still do: whoever knows a few of them finds "
        "the row."
    )
    reference: ClassVar[str] = (
        "Narayanan, Shmatikov: Robust De-anonymization of Large Sparse Datasets. S&P 2008."
    )

    def learn(
        self, statistics: Statistics, sample: Ratings, randomness: Randomness, progress: Progress
    ) -> None:
        """Nothing is shared."""

    def part(
        self, rows: Ratings, shared: None, people: PeopleDraws, progress: Progress
    ) -> OwnedRows:
        return one_row_each(rows)
