"""What every clustering offers: groups of at least k records that lie near each other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from recloak.clustering._points import Points
from recloak.core.component import Component
from recloak.core.errors import InputError, ParameterError
from recloak.core.progress import SILENT, Progress

LabelOfRecord = NDArray[np.int64]


class Clustering(Component, ABC):
    """Splits records into groups of at least k, so that each group's mean stands for its members.

    A new clustering declares its class attributes and implements `cluster`. It draws nothing
    that is secret and gives the same groups every time.
    """

    family: ClassVar[str] = "clustering"

    def partition(self, points: Points, k: int, progress: Progress = SILENT) -> LabelOfRecord:
        """The group of each record, counted from 0; every group has at least ``k`` members.

        Raises `ParameterError` if ``k`` is below 2 and `InputError` if there are fewer than ``k``
        records.
        """
        if k < 2:
            raise ParameterError(
                f"k = {k} hides nobody", where="k", hint="Groups need at least two members."
            )
        if points.n_records < k:
            raise InputError(
                f"{points.n_records:,} users cannot make a group of k = {k:,}",
                where="k",
                hint="Ask for a smaller k; it can be no more than the number of users.",
            )
        labels = self.cluster(points, k, progress)
        if np.bincount(labels).min() < k:
            raise RuntimeError(f"{self.name} made a group of fewer than {k}")
        return labels

    @abstractmethod
    def cluster(self, points: Points, k: int, progress: Progress) -> LabelOfRecord:
        """Labels 0..groups − 1 of at least k records, 2 ≤ k ≤ the number of records."""
