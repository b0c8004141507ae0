"""Scale: which values a rating may take."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from recloak.core.arrays import Floats, Mask, Values
from recloak.core.errors import ParameterError

_STEPS = (1.0, 0.5, 0.25, 0.1, 0.05, 0.01)
_NUMBER = r"[-+]?\d+(?:\.\d+)?"
_TEXT = re.compile(rf"({_NUMBER})\.\.({_NUMBER})(?:\s+(?:step\s+({_NUMBER})|(continuous)))?")
_MOST_LEVELS = 50
_SLACK = 1e-6  # of the larger end: what float32 cannot tell apart


@dataclass(frozen=True)
class Scale:
    """``low`` to ``high`` in steps of ``step`` (None: continuous), or implicit (bought, seen).

    Written ``1..5``, ``0.5..5 step 0.5``, ``-10..10 continuous`` or ``implicit``. A range or step
    that is none raises `ParameterError`.

    Examples
    --------
    >>> from recloak import Scale
    >>> scale = Scale.parse("0.5..5 step 0.5")
    >>> scale.middle, scale.span, scale.tolerance
    (2.75, 4.5, 0.25)
    >>> str(Scale(1, 5))
    '1..5'
    """

    low: float
    high: float
    step: float | None = 1.0
    implicit: bool = False

    def __post_init__(self) -> None:
        if not (np.isfinite(self.low) and np.isfinite(self.high) and self.low <= self.high):
            raise ParameterError(f"{self.low}..{self.high} is not a range", where="scale")
        if self.step is not None and not 0 < self.step <= max(self.high - self.low, self.step):
            raise ParameterError(f"step {self.step} must be above 0", where="scale")

    @classmethod
    def parse(cls, text: str) -> Scale:
        """Read the written form; `ParameterError` if it is none.

        Examples
        --------
        >>> from recloak import Scale
        >>> Scale.parse("1..5").span
        4.0

        """
        if text.strip() == "implicit":
            return IMPLICIT
        found = _TEXT.fullmatch(text.strip())
        if not found:
            raise ParameterError(
                f"'{text}' is not a scale",
                where="--scale",
                hint="Write 1..5, '0.5..5 step 0.5', '-10..10 continuous' or implicit.",
            )
        low, high, step, continuous = found.groups()
        return cls(float(low), float(high), None if continuous else float(step or 1))

    @classmethod
    def infer(cls, values: Values) -> Scale:
        """The narrowest plausible scale that holds ``values``.

        Examples
        --------
        >>> import numpy as np
        >>> from recloak import Scale
        >>> str(Scale.infer(np.array([1, 2.5, 4], np.float32)))
        '1..4 step 0.5'
        """
        if len(values) == 0:
            return cls(1.0, 5.0)
        low, high = _shortest(values.min()), _shortest(values.max())
        if low == high == 1.0:
            return IMPLICIT
        for step in _STEPS:
            fits = low == high or (high - low) / step <= _MOST_LEVELS
            if fits and _on_multiples(values, step):
                return cls(low, high, step)
        return cls(low, high, None)

    @property
    def middle(self) -> float:
        """Half way between the ends."""
        return (self.low + self.high) / 2

    @property
    def span(self) -> float:
        """The distance between the ends."""
        return self.high - self.low

    @property
    def tolerance(self) -> float:
        """How near two values must be to count as the same: half a step, or 1 % of the span."""
        return self.step / 2 if self.step is not None else self.span / 100

    def levels(self) -> Floats | None:
        """All allowed values, or None if continuous."""
        if self.step is None:
            return None
        return np.asarray(self.low + self.step * np.arange(round(self.span / self.step) + 1.0))

    def holds(self, values: Values) -> Mask:
        """Which values lie on the scale."""
        slack = _SLACK * max(abs(self.low), abs(self.high))
        inside: Mask = (values >= self.low - slack) & (values <= self.high + slack)
        if self.step is None:
            return inside
        places = (values - np.float32(self.low)) / np.float32(self.step)
        on_step: Mask = np.abs(places - np.rint(places)) < 1e-3
        return inside & on_step

    def canonical(self, values: Values) -> Values:
        """The one way to write each value: exactly on its step, and no negative zero.

        What reading forgives in the last bits of a number could be a mark otherwise.
        """
        if self.step is None:
            return values + np.float32(0)
        exact = values.astype(np.float64)
        exact -= self.low
        exact /= self.step
        np.rint(exact, out=exact)
        exact *= self.step
        exact += self.low
        exact += 0.0
        return exact.astype(np.float32)

    def clip(self, values: Floats) -> Floats:
        """Move what lies outside to the nearer end."""
        return np.clip(values, self.low, self.high)

    def snap(self, values: Floats) -> Floats:
        """Clip, then round to the nearest step.

        Examples
        --------
        >>> import numpy as np
        >>> from recloak import Scale
        >>> Scale(1, 5).snap(np.array([0.2, 3.4, 9.0])).tolist()
        [1.0, 3.0, 5.0]
        """
        if self.step is None:
            return self.clip(values)
        return self.low + self.step * np.rint((self.clip(values) - self.low) / self.step)

    def __str__(self) -> str:
        if self.implicit:
            return "implicit"
        ends = f"{_written(self.low)}..{_written(self.high)}"
        if self.step is None:
            return f"{ends} continuous"
        return ends if self.step == 1 else f"{ends} step {_written(self.step)}"


IMPLICIT = Scale(1.0, 1.0, 1.0, implicit=True)


def _shortest(value: np.float32) -> float:
    """The number with the fewest digits that is ``value`` in single precision."""
    return float(np.format_float_positional(value, trim="-"))


def _written(value: float) -> str:
    """All digits that matter and no exponent, so that it reads back the same."""
    return str(np.format_float_positional(value, trim="-"))


def _on_multiples(values: Values, step: float, block: int = 1 << 16) -> bool:
    for start in range(0, len(values), block):
        places = values[start : start + block] / np.float32(step)
        if np.abs(places - np.rint(places)).max() > 1e-3:
            return False
    return True
