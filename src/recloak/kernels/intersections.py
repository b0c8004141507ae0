"""Kernels on sorted lists of people: who is in both, and how many."""

from __future__ import annotations

import numpy as np

from recloak.kernels import kernel
from recloak.kernels.layout import Codes

_MUCH_LONGER = 32


@kernel
def common_members(short: Codes, long: Codes) -> Codes:
    """Who is in both ascending lists; the longer one is searched if it is much longer."""
    found = np.empty(len(short), np.int32)
    count, at = 0, 0
    leap = len(long) > _MUCH_LONGER * len(short)
    for member in short:
        if leap:
            at += np.searchsorted(long[at:], member)
        while at < len(long) and long[at] < member:
            at += 1
        if at < len(long) and long[at] == member:
            found[count] = member
            count += 1
    return found[:count].copy()


@kernel
def n_common(people: Codes, raters: Codes, born: Codes, since: int) -> int:
    """How many of ``people`` are ``raters`` whose rating is the one called ``since`` or later."""
    count, at = 0, 0
    leap = len(raters) > _MUCH_LONGER * len(people)
    for member in people:
        if leap:
            at += np.searchsorted(raters[at:], member)
        while at < len(raters) and raters[at] < member:
            at += 1
        if at < len(raters) and raters[at] == member and born[at] >= since:
            count += 1
    return count
