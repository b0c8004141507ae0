"""Numbers, names and lists in a form for people; what is not finite is never printed."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from recloak.core.page_text import printable as printable
from recloak.evaluation.findings import Figure, Unit

Tone = Literal["pass", "fail", "unknown"]

NOT_KNOWN = "not known"
LONGEST_LIST = 20
_SHARES = frozenset({"density"})
_ABBREVIATIONS = {
    "rmse": "RMSE",
    "mae": "MAE",
    "sse": "SSE",
    "mu": "tailoring utility",
    "ndcg": "nDCG",
    "ks": "KS distance",
    "topk": "top-K",
}


def is_number(value: object) -> bool:
    """Is this a finite number?"""
    return isinstance(value, (int, float)) and math.isfinite(value)


def amount(value: float | None, unit: Unit) -> str:
    """One number with its unit."""
    if value is None or not math.isfinite(value):
        return NOT_KNOWN
    return _signed(Figure("", value, unit=unit).shown())


def interval_of(figure: Figure) -> tuple[float, float] | None:
    """The ends of the interval, if both are known."""
    if figure.low is None or figure.high is None:
        return None
    if not (math.isfinite(figure.low) and math.isfinite(figure.high)):
        return None
    return figure.low, figure.high


def interval_shown(figure: Figure) -> str:
    """The interval alone, or an empty text."""
    ends = interval_of(figure)
    if ends is None:
        return ""
    low, high = (amount(end, figure.unit) for end in ends)
    return f"{low} to {high}" if low.startswith("−") else f"{low}–{high}"


def figure_shown(figure: Figure) -> str:
    """The number and, in brackets, its interval."""
    value, interval = amount(figure.value, figure.unit), interval_shown(figure)
    return f"{value} ({interval})" if interval and value != NOT_KNOWN else value


def figure_with_end(figure: Figure, end: float) -> str:
    """The number and the end of its interval that decided: ``18.8% (up to 21.3%)``."""
    value, decided = amount(figure.value, figure.unit), amount(end, figure.unit)
    if end == figure.value or NOT_KNOWN in (value, decided):
        return value
    return f"{value} ({'up' if end > figure.value else 'down'} to {decided})"


def of_100(figure: Figure) -> str:
    """A share as a number of people out of 100: ``about 93 (90–95)``.

    The interval is rounded outwards and 0 and 100 are kept for shares that are exactly that, so
    that rounding never makes a risk look smaller or a certainty larger than it is.
    """
    if not math.isfinite(figure.value):
        return f"a number that is {NOT_KNOWN}"
    ends = interval_of(figure)
    count = _hundredths(figure.value, exact=ends is None)
    if ends is None:
        return count
    low, high = (min(max(round(100 * end, 9), 0.0), 100.0) for end in ends)
    return f"{count} ({math.floor(low)}–{math.ceil(high)})"


def _hundredths(share: float, *, exact: bool) -> str:
    if 0 < share < 0.005:
        return "fewer than 1"
    if 0.995 < share < 1:
        return "more than 99"
    if exact and share <= 0:
        return "none"
    if exact and share >= 1:
        return "all"
    return f"about {min(max(math.floor(100 * share + 0.5), 0), 100)}"


def words(name: str) -> str:
    """A name from code as words: ``worst_tenth`` becomes ``worst tenth``."""
    return name.replace("_", " ").replace("-", " ").strip()


def label(name: str) -> str:
    """A name from code as a heading: ``rmse_original`` becomes ``RMSE original``."""
    parts = (_ABBREVIATIONS.get(part, part) for part in words(name).split())
    return sentence_case(" ".join(parts))


def counted(count: int, noun: str) -> str:
    """``1 line``, ``2 lines``."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def enumerated(parts: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    *first, last = parts or [""]
    return f"{', '.join(first)} and {last}" if first else last


def sentence_case(text: str) -> str:
    """With a capital first letter; the rest as it is."""
    return text[:1].upper() + text[1:]


def within_sentence(heading: str) -> str:
    """A heading as it stands within a sentence; an abbreviation keeps its letters.

    >>> within_sentence("Worst breach"), within_sentence("RMSE"), within_sentence("nDCG kept")
    ('worst breach', 'RMSE', 'nDCG kept')
    """
    return f"{heading[:1].lower()}{heading[1:]}" if heading[1:2].islower() else heading


def ended(text: str) -> str:
    """With a full stop, unless it has an end already."""
    return text if text.endswith((".", "!", "?")) else f"{text}."


def fact_shown(value: Any, name: str = "") -> str:
    """A fact of any plain type."""
    if value is None:
        return "not given"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return _number_shown(value, name)
    if isinstance(value, Mapping):
        return _joined(_named_part(words(str(key)), part) for key, part in value.items())
    if isinstance(value, (list, tuple, set, frozenset)):
        ordered = sorted(value, key=str) if isinstance(value, (set, frozenset)) else value
        return _joined(fact_shown(part) for part in ordered)
    return str(value) or "none"


def _named_part(name: str, value: Any) -> str:
    """``k = 5``; what has parts of its own has them in brackets: ``reading (order = 2)``."""
    shown = fact_shown(value)
    return f"{name} ({shown})" if isinstance(value, Mapping) and value else f"{name} = {shown}"


def _number_shown(value: float, name: str) -> str:
    if not math.isfinite(value):
        return NOT_KNOWN
    if name in _SHARES:
        return f"{100 * value:.3g}%"
    return _signed(f"{value:,}" if isinstance(value, int) else f"{value:,.6g}")


def with_minus_signs(text: str) -> str:
    """A text of numbers with real minus signs.

    >>> with_minus_signs("0.0% (-20.4% to 20.4%)")
    '0.0% (−20.4% to 20.4%)'
    """
    return re.sub(r"(?<![\w.-])-(?=\d)", "−", text)


def _signed(text: str) -> str:
    """With a real minus sign, and none before what was rounded to nothing."""
    digits = text.removeprefix("-")
    return f"−{digits}" if digits != text and re.search("[1-9]", digits) else digits


def _joined(parts: Iterable[str]) -> str:
    listed = list(parts)
    more = len(listed) - LONGEST_LIST
    if more > 0:
        listed = [*listed[:LONGEST_LIST], f"… and {more:,} more"]
    return ", ".join(listed) or "none"
