"""Draws that belong to people: each follows from the root and the person's name alone.

So they are the same whoever else is there, in which order people come, on which engine and after
how many tries. A person has a nonce, BLAKE2b of their name under a key; word ``j`` of a stream is a
half of AES-256 of the nonce and a counter, under a key of the stream's own.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from numpy.typing import NDArray

from recloak.core._people_kernels import NONCE_BYTES, close_gaps, counter_blocks, nonces_of
from recloak.core.arrays import Floats, Indices, Integers, Labels, Offsets, Words, offsets_from
from recloak.core.randomness import Randomness, as_normal, as_pseudonyms, as_uniform

FEW_PEOPLE = 100_000  # are hashed one by one, in a tenth of a second
_AES_BLOCK = 16


class PeopleDraws:
    """Where the draws of some people come from.

    >>> from recloak import Randomness
    >>> from recloak.core.people_draws import PeopleDraws
    >>> import numpy as np
    >>> both = PeopleDraws.of(Randomness.from_seed(7), np.array([3, 12]))
    >>> alone = PeopleDraws.of(Randomness.from_seed(7), np.array([12]))
    >>> both.stream("noise").uniform([1, 2])[1:].tolist() == alone.stream("noise").uniform(
    ...     [2]
    ... ).tolist()
    True
    """

    def __init__(self, randomness: Randomness, nonces: Words) -> None:
        self._randomness, self._nonces = randomness, nonces

    @classmethod
    def of(cls, randomness: Randomness, labels: Labels) -> PeopleDraws:
        """Of the people called ``labels``; numbers and their text are the same name."""
        return cls(randomness, _nonces(randomness.child("people").root, *_name_bytes(labels)))

    def __len__(self) -> int:
        return len(self._nonces)

    def __getitem__(self, people: slice | NDArray[np.integer[Any]]) -> PeopleDraws:
        """Those of some of them."""
        return PeopleDraws(self._randomness, self._nonces[people])

    def stream(self, *name: str | int) -> PeopleStream:
        """What these people draw for the purpose called ``name``."""
        return PeopleStream(self._randomness.child("drawn by people", *name).root, self._nonces)

    def order(self, *name: str | int) -> Indices:
        """The people in a random order: ascending by the first word that each draws."""
        return np.argsort(self.stream(*name).words(np.ones(len(self), np.int64)), kind="stable")

    def sample(self, counts: Integers, most: int) -> Indices:
        """Some of them, ascending, who have ``most`` together or less: who draws the least words.

        Whoever has more alone is sampled if nobody comes before.
        """
        order = self.order("sample")
        upto = int(np.searchsorted(np.cumsum(counts[order]), most, side="right"))
        return np.sort(order[: max(upto, 1)])

    def first_pseudonyms(self, counts: Integers, *name: str | int, turn: int = 0) -> Integers:
        """Fifteen-digit numbers, so many for each person; two of them may be equal."""
        again = (turn,) if turn else ()
        return as_pseudonyms(self.stream(*name, *again).words(counts))

    def pseudonyms(
        self, counts: Integers, *name: str | int, taken: Integers | None = None
    ) -> Integers:
        """Distinct fifteen-digit numbers, so many for each person, one person after the other.

        None of them is among those ``taken``.
        """

        def drawn_again(turn: int, rows: Indices) -> Integers:
            starts = offsets_from(counts)
            owners = np.searchsorted(starts, rows, side="right") - 1
            people, person = np.unique(owners, return_inverse=True)
            fresh = self[people].first_pseudonyms(counts[people], *name, turn=turn)
            places: Indices = offsets_from(counts[people])[person] + rows - starts[owners]
            return fresh[places]

        return redrawn(self.first_pseudonyms(counts, *name), drawn_again, taken)

    def one_pseudonym(self, *name: str | int) -> Integers:
        """A number for each person, as `pseudonyms` are."""
        return self.pseudonyms(np.ones(len(self), np.int64), *name)


class PeopleStream:
    """Uniform bits of people, turned into what methods need; ``counts`` says how many for each."""

    def __init__(self, key: bytes, nonces: Words) -> None:
        self._key, self._nonces = key, nonces

    def words(self, counts: Integers) -> Words:
        """Words of 64 bits: the first so many of each person, one person after the other."""
        counts = np.asarray(counts, np.int64)
        blocks = np.empty((int(((counts + 1) // 2).sum()), 2), "<u8")
        counter_blocks(self._nonces, counts, blocks)
        encryptor = Cipher(algorithms.AES(self._key), modes.ECB()).encryptor()
        out = np.empty(blocks.nbytes + _AES_BLOCK, np.uint8)
        encryptor.update_into(blocks.data.cast("B") if len(blocks) else b"", out.data)
        words = out[: blocks.nbytes].view("<u8")
        return words[: close_gaps(words, counts)]

    def uniform(self, counts: Integers) -> Floats:
        """Numbers strictly between 0 and 1."""
        return as_uniform(self.words(counts))

    def normal(self, counts: Integers) -> Floats:
        """Standard normal numbers, by the inverse distribution function."""
        return as_normal(self.words(counts))


def redrawn(
    names: Integers, draw: Callable[[int, Indices], Integers], taken: Integers | None = None
) -> Integers:
    """The names, all distinct: who has one that another has draws again, and so does the other.

    ``draw(turn, rows)`` gives the names of ``rows`` at turn 1, 2 and so on. Nobody's name hangs on
    the order of rows.
    """
    used = np.empty(0, np.int64) if taken is None else taken
    waiting, turn = _repeated(names, used), 0
    while len(waiting):
        turn += 1
        names = names.copy()
        names[waiting] = draw(turn, waiting)
        waiting = np.intersect1d(_repeated(names, used), waiting)
    return names


def _repeated(names: Integers, taken: Integers) -> Indices:
    """Where names stand that occur more than once, or are taken."""
    ascending = np.sort(np.concatenate([names, taken]))
    twice = ascending[1:][ascending[1:] == ascending[:-1]]
    return np.flatnonzero(np.isin(names, twice)) if len(twice) else np.empty(0, np.int64)


def _nonces(key: bytes, names: NDArray[np.uint8], bounds: Offsets) -> Words:
    """The nonce of each name; to compile what hashes many would take longer than to hash few."""
    if len(bounds) > FEW_PEOPLE:
        return nonces_of(np.frombuffer(key, np.uint8), names, bounds)
    data, ends = names.tobytes(), bounds.tolist()
    hashed = (
        blake2b(data[start:end], key=key, digest_size=NONCE_BYTES).digest()
        for start, end in pairwise(ends)
    )
    padded = b"".join(nonce.ljust(_AES_BLOCK, b"\0") for nonce in hashed)
    return np.frombuffer(padded, "<u8").reshape(-1, 2).astype(np.uint64)


def _name_bytes(labels: Labels) -> tuple[NDArray[np.uint8], Offsets]:
    """The names in UTF-8, an end mark behind each so that none is empty, and where they start."""
    texts = pl.Series(labels.tolist() if labels.dtype == object else labels).cast(pl.String) + "\n"
    bounds = offsets_from(texts.str.len_bytes().to_numpy())
    joined = str(texts.str.join("")[0]).encode() if len(texts) else b""
    return np.frombuffer(joined or b"\n", np.uint8), bounds
