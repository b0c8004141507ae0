"""Types of arrays, and what is done with them everywhere."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from typing import Any

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int32]  # users, items or ids by number, as ratings store them
Indices = NDArray[np.int64]  # positions in an array, as numpy gives them
Offsets = NDArray[np.int64]  # where each row starts, and at last where the last one ends
Integers = NDArray[np.int64]  # counts, times and other whole numbers
Values = NDArray[np.float32]  # ratings and what is computed in single precision
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Levels = NDArray[np.int8]  # answers to a survey, by number
Bytes = NDArray[np.uint8]
Words = NDArray[np.uint64]  # sets as bits, 64 to a word
Labels = NDArray[Any]  # int64, or Python strings as objects


def offsets_from(counts: NDArray[Any] | Sequence[int]) -> Offsets:
    """Where each of the rows with so many entries starts, and where the last one ends."""
    offsets = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, dtype=np.int64, out=offsets[1:])
    return offsets


def offsets_of_runs(runs: Sequence[Sized]) -> Offsets:
    """Where each of the runs starts once they are joined, and where the last one ends."""
    return offsets_from([len(run) for run in runs])


def places_within(counts: NDArray[Any]) -> Indices:
    """The place of each entry in its row, from 0, of rows with so many entries."""
    offsets = offsets_from(counts)
    return np.arange(offsets[-1]) - np.repeat(offsets[:-1], counts)


def code_by_name(labels: Labels) -> dict[str, int]:
    """The place of each label by its text; numbers and their text are the same name."""
    return {str(label): code for code, label in enumerate(labels)}


def match_labels(wanted: Labels, labels: Labels) -> Indices:
    """Where each of the names ``wanted`` stands among ``labels``; -1 for none."""
    if wanted.dtype == labels.dtype and np.array_equal(wanted, labels):
        return np.arange(len(wanted))
    if wanted.dtype == labels.dtype == np.int64 and len(labels):
        order = np.argsort(labels, kind="stable")
        at = order[np.minimum(np.searchsorted(labels, wanted, sorter=order), len(labels) - 1)]
        return np.where(labels[at] == wanted, at, -1)
    code_of = code_by_name(labels)
    return np.array([code_of.get(str(label), -1) for label in wanted], dtype=np.int64)
