"""What commands, releases, audits and lists give is what was recorded.

``python -m tests.unchanged --write`` records anew what was changed on purpose. Whether a record
depends on the machine is seen by setting ``OPENBLAS_CORETYPE=Prescott`` (or Haswell, SkylakeX),
``NPY_DISABLE_CPU_FEATURES=X86_V3,X86_V4,AVX512_ICL`` or ``NUMBA_CPU_NAME=generic``.
"""

from __future__ import annotations

import pytest

from tests.unchanged.comparing import differences
from tests.unchanged.recording import GROUPS, changed

SHOWN = 40


@pytest.mark.parametrize("group", GROUPS)
def test_is_as_it_was_recorded(group: str) -> None:
    differences = list(changed(group))
    more = f"\n… and {len(differences) - SHOWN} more" if len(differences) > SHOWN else ""
    assert not differences, "\n".join(differences[:SHOWN]) + more


def test_a_change_is_told_and_the_last_digits_are_not() -> None:
    before = {"a": 0.123456, "b": ["mean 1.23456", "c1.5e"], "c": 3, "d": "e12"}
    assert not list(differences(before, {**before, "a": 0.1234561}))
    assert not list(differences(before, {**before, "b": ["mean 1.234561", "c1.5e"]}))
    assert list(differences(before, {**before, "b": ["mean 1.2346", "c1.5e"]}))
    assert list(differences(before, {**before, "c": 4}))
    assert list(differences(before, {"a": 0.123456, "b": ["mean 1.23456"], "f": 1})) == [
        "b: had 2 entries, has 1",
        "c: is gone",
        "d: is gone",
        "f: is new",
    ]
