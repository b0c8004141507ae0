"""Durations and sizes in words, and how long work may still take."""

from __future__ import annotations

_UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"))
_GIGABYTE, _MEGABYTE = 2**30, 2**20
SECONDS_BEFORE_A_GUESS = 2.0


def duration(seconds: float) -> str:
    """About how long something takes: two places are all that anybody can tell.

    >>> duration(8.2), duration(95), duration(5_400), duration(200_000)
    ('9 s', '1.6 min', '1.5 h', '2.3 d')
    """
    for size, unit in _UNITS:
        if seconds >= 1.5 * size:
            parts = seconds / size
            return f"{parts:.1f} {unit}" if parts < 10 else f"{parts:,.0f} {unit}"
    return f"{max(1, -(-seconds // 1)):.0f} s"


def remaining(elapsed: float, done: float, total: float | None) -> float | None:
    """Seconds that are left if the rest goes as what is done; None if nobody can tell.

    Nothing is said before a step is done, of work whose length is not known, or in the first
    moments: no figure is better than a wrong one.

    >>> remaining(30.0, 3, 9)
    60.0
    """
    if total is None or done <= 0 or done >= total or elapsed < SECONDS_BEFORE_A_GUESS:
        return None
    return elapsed * (total - done) / done


def size(count: float) -> str:
    """About how much memory something takes.

    >>> size(3 * 2**20), size(2.5 * 2**30)
    ('3 MB', '2.5 GB')
    """
    if count >= _GIGABYTE:
        return f"{count / _GIGABYTE:,.1f} GB"
    return f"{max(1.0, count / _MEGABYTE):,.0f} MB"
