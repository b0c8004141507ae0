"""How ratings are written: with a decimal comma, as words in an order, some meaning "not rated"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from recloak.core.arrays import Values
from recloak.core.columns import COMMA
from recloak.core.scale import Scale
from recloak.io.options import ReadOptions

_HINT = "Correct the value or remove the row."
_COMMA, _POINT = re.compile(r"[-+]?\d+,\d+", re.ASCII), re.compile(r"[-+]?\d+\.\d+", re.ASCII)
_STANDS_FOR_NO_WORD = re.compile(
    r"nan|inf|na|null|none|[-+\d.]+e[-+]?\d+|0x[\da-f]+", re.IGNORECASE
)


@dataclass(frozen=True)
class Written:
    """What is known about how the values of a source are written."""

    comma: bool = False
    """Do decimals have a comma?"""
    orders: tuple[tuple[str, ...], ...] = ()
    """Words that stand for 1, 2, 3 and so on, in each order."""
    not_rated: float | None = None
    """The number that says that there is no rating."""

    @classmethod
    def of(cls, options: ReadOptions, texts: Iterable[str] = ()) -> Written:
        """As the options say; a decimal comma is recognised in the first values, ``texts``."""
        comma = options.decimal == "comma"
        if options.decimal is None:
            seen = list(texts)
            comma = any(map(_COMMA.fullmatch, seen)) and not any(map(_POINT.fullmatch, seen))
        return cls(comma, tuple(map(tuple, options.order)), options.not_rated)

    @property
    def point(self) -> int:
        """The byte between whole and fraction."""
        return ord("," if self.comma else ".")

    @property
    def scale(self) -> Scale | None:
        """The scale of words in an order; that of the longest, if there are several."""
        return Scale(1, max(map(len, self.orders))) if self.orders else None

    @cached_property
    def places(self) -> dict[str, float]:
        """The words in small letters, with the number of each."""
        return {
            folded(word): float(place)
            for order in self.orders
            for place, word in enumerate(order, 1)
        }

    def holds(self, text: str) -> bool:
        """Is this text one of the words?"""
        return folded(text) in self.places

    def numbers(self, texts: pl.Series) -> pl.Series:
        """Texts as Float32; null where one is neither a number nor one of the words."""
        plain = texts
        if self.comma:
            plain = texts.str.replace(".", "?", literal=True).str.replace(",", ".", literal=True)
        found = plain.cast(pl.Float32, strict=False)
        if not self.orders:
            return found
        words = texts.str.strip_chars().str.to_lowercase()
        placed = words.replace_strict(self.places, default=None, return_dtype=pl.Float32)
        return placed.fill_null(found)

    def answered(self, values: Values) -> Values:
        """The values, with NaN for those that say that there is none."""
        if self.not_rated is None:
            return values
        return np.where(values == np.float32(self.not_rated), np.float32(np.nan), values)

    def complaint(self, role: str, text: str) -> tuple[str, str]:
        """What is wrong with a text that is no value, and what to do."""
        if not text:
            return f"the {role} is missing", _HINT
        if self.orders:
            listed = "; ".join(map(", ".join, self.orders))
            several = (
                " If columns have different words, give an order of each, separated by "
                "semicolons: --order 'Disagree,Agree;No,Yes'."
            )
            comma = f" A comma inside a word is written {COMMA}." if "," in text else ""
            hint = f"It is: {listed}.{several if len(self.orders) == 1 else ''}{comma}"
            return f"{role} '{text}' is not in the order that was given", hint
        if not self.comma and _COMMA.fullmatch(text):
            return f"{role} '{text}' has a decimal comma", "If all have one, say --decimal comma."
        if self.comma and _POINT.fullmatch(text):
            message = f"{role} '{text}' has a decimal point where others have a comma"
            return message, "Write all in the same way; --decimal point or comma says in which."
        if any(map(str.isalpha, text)) and not _STANDS_FOR_NO_WORD.fullmatch(text):
            words = "If words are meant, give their order, lowest first: --order 'Disagree,Agree'."
            return f"{role} '{text}' is not a number", f"{_HINT} {words}"
        return f"{role} '{text}' is not a number", _HINT


AS_NUMBERS = Written()


def words_note(options: ReadOptions) -> list[str]:
    """What words of an order became: a release has numbers alone, so recipients must be told."""
    if not options.order:
        return []
    listed = "; ".join(
        ", ".join(f"{word} = {place}" for place, word in enumerate(order, 1))
        for order in options.order
    )
    return [
        f"Words became numbers: {listed}. The release has the numbers "
        "only: tell its recipients which words they stand for."
    ]


def folded(word: str) -> str:
    """A word as it is compared: without spaces around it, in small letters."""
    return word.strip().lower()
