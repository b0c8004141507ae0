"""Random numbers: cryptographic streams for what is published, keyed by a secret root.

Noise, pseudonyms and shuffles must not be predictable from what a recipient sees, so they come
from AES-256 in counter mode rather than from a statistical generator whose state can be rebuilt
from its output. Each stream has a name. What is drawn for a person follows from the person's name
alone (`people_draws`), so that people can come in any order, on any engine, and draw the same
numbers.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass

import numpy as np

from recloak.core.arrays import Floats, Integers, Words
from recloak.core.errors import ParameterError

SHORT_SEED_BITS = 128
PSEUDONYM_LOW, PSEUDONYM_HIGH = (
    10**14,
    10**15,
)  # fifteen digits: exact in JSON, in float64, in Excel


@dataclass(frozen=True, repr=False)
class Randomness:
    """A root of 32 bytes from which named streams are derived.

    ``guessable`` is true when the root came from a seed of fewer than 128 bits: whoever tries
    seeds can then undo everything that was drawn.

    Examples
    --------
    >>> from recloak import Randomness
    >>> randomness = Randomness.from_seed(7)
    >>> randomness.guessable
    True
    >>> same = Randomness.from_seed("7").stream("noise").uniform(2)
    >>> (randomness.stream("noise").uniform(2) == same).all().item()
    True
    """

    root: bytes
    guessable: bool = False

    @classmethod
    def from_entropy(cls) -> Randomness:
        """A root from the operating system: the only one fit for publication."""
        return cls(secrets.token_bytes(32))

    @classmethod
    def from_seed(cls, seed: int | str | None) -> Randomness:
        """A root from a seed; without a seed, from the operating system.

        A seed is a whole number, decimal or hexadecimal (``0x…``). Hexadecimal digits count four
        bits each from the first that is not 0, so ``0x`` and 32 digits make a seed of 128 bits.
        Anything else raises `ParameterError`.
        """
        if seed is None:
            return cls.from_entropy()
        number, bits = parse_seed(seed)
        digest = hashlib.blake2b(str(number).encode(), digest_size=32, person=b"recloak-seed")
        return cls(digest.digest(), guessable=bits < SHORT_SEED_BITS)

    def child(self, *name: str | int) -> Randomness:
        """An independent root for the part called ``name``."""
        label = b"".join(len(part).to_bytes(4, "big") + part for part in _encoded(name))
        digest = hashlib.blake2b(label, key=self.root, digest_size=32)
        return Randomness(digest.digest(), self.guessable)

    def stream(self, *name: str | int) -> Stream:
        """The cryptographic stream called ``name``."""
        return Stream(self.child(*name).root)

    def generator(self, *name: str | int) -> np.random.Generator:
        """A NumPy generator for draws that are no secret: samples of an audit, initial factors."""
        key = np.frombuffer(self.child(*name).root, dtype=np.uint64)
        return np.random.Generator(np.random.Philox(key=key[:2]))

    def __repr__(self) -> str:
        return f"Randomness({'guessable seed' if self.guessable else 'secret root'})"


class Stream:
    """Uniform bits from AES-256-CTR, turned into what methods need."""

    def __init__(self, key: bytes) -> None:
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

        self._encryptor = Cipher(algorithms.AES(key), modes.CTR(bytes(16))).encryptor()

    def words(self, count: int) -> Words:
        """``count`` uniform words of 64 bits."""
        plain = bytes(8 * count)
        out = bytearray(8 * count + 15)
        self._encryptor.update_into(plain, out)
        return np.frombuffer(out, dtype="<u8", count=count)

    def uniform(self, count: int) -> Floats:
        """Numbers strictly between 0 and 1."""
        return as_uniform(self.words(count))

    def normal(self, count: int) -> Floats:
        """Standard normal numbers, by the inverse distribution function."""
        return as_normal(self.words(count))

    def permutation(self, count: int) -> Integers:
        """A uniformly random order of ``0..count-1``."""
        return np.argsort(self.words(count), kind="stable")

    def pseudonyms(self, count: int) -> Integers:
        """Distinct fifteen-digit numbers that say nothing about the order they were drawn in."""
        drawn = np.empty(0, dtype=np.int64)
        while len(drawn) < count:
            fresh = as_pseudonyms(self.words(count - len(drawn)))
            drawn = _first_occurrences(np.concatenate([drawn, fresh]))
        return drawn

    def token(self) -> str:
        """128 random bits in hexadecimal."""
        return self.words(2).tobytes().hex()


def as_uniform(words: Words) -> Floats:
    """Uniform words as numbers strictly between 0 and 1."""
    return ((words >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53


def as_normal(words: Words) -> Floats:
    """Uniform words as standard normal numbers, by the inverse distribution function."""
    from scipy.special import ndtri

    return np.asarray(ndtri(as_uniform(words)), dtype=np.float64)


def as_pseudonyms(words: Words) -> Integers:
    """Uniform words as numbers of fifteen digits."""
    span = np.uint64(PSEUDONYM_HIGH - PSEUDONYM_LOW)
    return (words % span).astype(np.int64) + PSEUDONYM_LOW


def parse_seed(seed: int | str) -> tuple[int, int]:
    """The seed as a number, and how many bits it may count for; `ParameterError` if it is none."""
    text = str(seed).strip().replace("_", "")
    hexadecimal = text[:2].lower() == "0x"
    try:
        number = int(text, 16 if hexadecimal else 10)
    except ValueError:
        number = -1
    if number < 0:
        raise ParameterError(
            f"{seed!r} is not a seed",
            where="--seed",
            hint="A seed is a whole number, such as 7, or 0x followed by 32 or more hex digits.",
        )
    bits = 4 * len(text[2:].lstrip("0")) if hexadecimal else number.bit_length()
    return number, bits


def _encoded(name: tuple[str | int, ...]) -> list[bytes]:
    return [f"{type(part).__name__}:{part}".encode() for part in name]


def _first_occurrences(values: Integers) -> Integers:
    _, first = np.unique(values, return_index=True)
    return values[np.sort(first)]
