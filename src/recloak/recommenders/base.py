"""What every recommender offers: fit on ratings, predict cells."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from recloak.parameters import Parameters
from recloak.progress import SILENT, Progress
from recloak.ratings import Ratings


class Recommender(ABC):
    """Predicts ratings; deterministic under its seed. Measures train one on a release."""

    name: ClassVar[str]
    summary: ClassVar[str]
    reference: ClassVar[str] = ""
    Parameters: ClassVar[type[Parameters]] = Parameters

    def __init__(self, **values: object) -> None:
        self.parameters = self.Parameters.build(f"recommender {self.name}", values)

    @abstractmethod
    def fit(self, ratings: Ratings, progress: Progress = SILENT) -> Self:
        """Learn from ``ratings``; the ratings are not changed."""

    @abstractmethod
    def predict(
        self, users: NDArray[np.integer], items: NDArray[np.integer]
    ) -> NDArray[np.float64]:
        """One prediction per (user code, item code), on the scale.

        A user code of -1 is someone without a row: the best guess that needs no user.
        """
