"""Which attacks are drawn by what they know follows from what they declare for a comparison."""

from __future__ import annotations

from typing import ClassVar

import pytest

from recloak.attacks import ATTACKS
from recloak.attacks.record_linkage import RecordLinkage
from recloak.attacks.scoreboard_rh import ScoreboardRH
from recloak.comparison._knowledge_charts import amounts_of, by_knowledge, lines_of
from tests.comparison.samples import trial


class ByManyAmounts(RecordLinkage):
    """As an attack of another package may declare itself."""

    name: ClassVar[str] = "by-many-amounts"
    compared_with: ClassVar[tuple[str, ...]] = (
        *(f"known={known}" for known in (2, 9, 4)),
        *(f"known={known},values=no" for known in (4, 2, 16)),
        "known=8,repeats=2",
    )


def test_every_attack_with_three_amounts_has_lines() -> None:
    lines = lines_of(ByManyAmounts)
    assert [line.settings for line in lines] == ["", "values no"]
    assert amounts_of(lines) == [2, 4, 9, 16]
    assert lines[0].specs[4] == ByManyAmounts(known=4).spec
    assert not lines_of(RecordLinkage)  # two amounts make no line
    assert [line.settings for line in lines_of(ScoreboardRH)] == ["", "20% of it wrong"]


def test_the_attack_of_another_package_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    here = f"{__name__}:{ByManyAmounts.__name__}"
    monkeypatch.setitem(ATTACKS._builtin, ByManyAmounts.name, here)
    found = trial("pseudonymize", success=None, found_by={ByManyAmounts(known=4).spec: 0.25})
    (drawn,) = by_knowledge({"pseudonymize": [found]})
    assert drawn.title == "Found by by-many-amounts, by what is known: pseudonymize"
    assert "25.0%" in str(drawn.table)
