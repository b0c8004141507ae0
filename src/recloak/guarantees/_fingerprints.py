"""Fingerprints: which rows are the same in a release that is read a part at a time.

A row's fingerprint has 128 bits: the sum over its cells of AES of item, rating and time, under a
key that is drawn anew for each check. Nobody who makes a release knows the key, so that two rows
that differ have the same fingerprint by chance alone: among a billion rows with a chance of 10⁻²¹.
"""

from __future__ import annotations

import secrets
from typing import Any, NamedTuple

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from recloak.core.arrays import Integers, Labels, Words
from recloak.core.progress import Progress
from recloak.core.ratings import Ratings
from recloak.releases.stored import StoredRatings

_CELL = np.dtype([("item", "<u4"), ("rating", "<f4"), ("time", "<i8")])  # a block of AES


class RowClasses(NamedTuple):
    """The rows of all parts, one part after the other: their names, and which are the same.

    ``group`` is the class of each row, ``sizes`` is how many rows each class has.
    """

    names: Labels
    group: Integers
    sizes: Integers

    @classmethod
    def of(
        cls, release: StoredRatings, progress: Progress, *, values: bool, times: bool
    ) -> RowClasses:
        """Rows are the same as in `recloak.core.row_classes`."""
        prints = _Fingerprints(values=values, times=times)
        with progress.task("Comparing rows by their fingerprints") as task:
            found = []
            for rows in release.parts():
                found.append((rows.user_labels, prints.of(rows)))
                task.advance()
        names = np.concatenate([one for one, _ in found])
        return cls(names, *_classes(np.concatenate([one for _, one in found])))


class _Fingerprints:
    """Makes fingerprints that can be compared from part to part."""

    def __init__(self, *, values: bool, times: bool) -> None:
        self._values, self._times = values, times
        self._cipher = Cipher(algorithms.AES(secrets.token_bytes(32)), modes.ECB())
        self._code_of: dict[Any, int] = {}

    def of(self, rows: Ratings) -> Words:
        """Two words for each row."""
        cells = np.zeros(rows.n_ratings, _CELL)
        cells["item"] = self._codes(rows.item_labels)[rows.items]
        if self._values:
            cells["rating"] = rows.values + np.float32(0)  # so that -0.0 and 0.0 are the same
        if self._times and rows.times is not None:
            cells["time"] = rows.times
        drawn = np.frombuffer(self._cipher.encryptor().update(cells.tobytes()), "<u8")
        ends = np.zeros((rows.n_ratings + 1, 2), np.uint64)
        np.cumsum(drawn.reshape(-1, 2), axis=0, out=ends[1:])  # modulo 2⁶⁴, as are differences
        return ends[rows.offsets[1:]] - ends[rows.offsets[:-1]]

    def _codes(self, labels: Labels) -> Integers:
        """A number for each item, the same in every part."""
        known = self._code_of
        codes = [known.setdefault(label, len(known)) for label in labels.tolist()]
        return np.array(codes, np.int64)


def _classes(prints: Words) -> tuple[Integers, Integers]:
    order = np.lexsort((prints[:, 1], prints[:, 0]))
    ascending = prints[order]
    new = np.ones(len(order), np.bool_)
    new[1:] = (ascending[1:] != ascending[:-1]).any(axis=1)
    group = np.empty(len(order), np.int64)
    group[order] = np.cumsum(new) - 1
    return group, np.bincount(group)
