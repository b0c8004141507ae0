"""Fingerprints: which rows are the same in a table that is read a part at a time.

A row's fingerprint has 128 bits: the sum over its cells of AES of item, rating and time, under a
key that is drawn anew for each comparison. Nobody who makes a release knows the key, so that two
rows that differ have the same fingerprint by chance alone: among a billion rows with a chance of
10⁻²¹.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from recloak.core.arrays import Integers, Words
from recloak.core.ratings import Ratings

_CELL = np.dtype([("item", "<u4"), ("rating", "<f4"), ("time", "<i8")])  # a block of AES


@dataclass(frozen=True, repr=False)
class Fingerprints:
    """Makes fingerprints that can be compared from part to part."""

    key: bytes
    values: bool
    times: bool

    @classmethod
    def fresh(cls, *, values: bool, times: bool = False) -> Fingerprints:
        """Under a key of their own; ``values`` and ``times`` say what else makes rows differ."""
        return cls(secrets.token_bytes(32), values, times)

    def of(self, rows: Ratings, item_numbers: Integers | None = None) -> Words:
        """Two words for each row; every part must give an item the same number."""
        cells = np.zeros(rows.n_ratings, _CELL)
        cells["item"] = rows.items if item_numbers is None else item_numbers[rows.items]
        if self.values:
            cells["rating"] = rows.values + np.float32(0)  # so that -0.0 and 0.0 are the same
        if self.times and rows.times is not None:
            cells["time"] = rows.times
        encryptor = Cipher(algorithms.AES(self.key), modes.ECB()).encryptor()
        drawn = np.frombuffer(encryptor.update(cells.tobytes()), "<u8")
        ends = np.zeros((rows.n_ratings + 1, 2), np.uint64)
        np.cumsum(drawn.reshape(-1, 2), axis=0, out=ends[1:])  # modulo 2⁶⁴, as are differences
        return ends[rows.offsets[1:]] - ends[rows.offsets[:-1]]
