"""Exact shares: δ, the start and the gap of a history, written as text and kept as fractions."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any

from pydantic import BeforeValidator

FINEST = 10**6  # supports times this still fit into 64 bits, however many people there are


def fraction_of(value: Any) -> Fraction:
    """The fraction that a text such as '0.1' or '1/10' means; a number means its shortest text."""
    try:
        exact = Fraction(value if isinstance(value, Fraction) else str(value).strip())
    except (ValueError, ZeroDivisionError):
        raise ValueError("must be a number such as 0.1 or 1/10") from None
    if exact.denominator > FINEST:
        raise ValueError("must not be finer than one in a million")
    return exact


def fraction_text(exact: Fraction) -> str:
    """The shortest text that `fraction_of` reads back: decimals where they end, else a fraction."""
    for digits in range(7):
        scaled = exact * 10**digits
        if scaled.denominator == 1:
            return f"{float(exact):.{digits}f}"
    return str(exact)


def _share(value: Any) -> str:
    exact = fraction_of(value)
    if not 0 < exact <= 1:
        raise ValueError("must be above 0 and at most 1")
    return fraction_text(exact)


Share = Annotated[str, BeforeValidator(_share)]
"""A share above 0 and up to 1 as a parameter: text, so that 0.1 is a tenth and nothing near it."""
