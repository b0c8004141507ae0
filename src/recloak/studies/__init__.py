"""Studies: tables and figures of the papers, made again, theirs beside ours."""

from __future__ import annotations

from recloak.registry import Registry
from recloak.studies.base import Study

_CASINO = "recloak.studies.casino"
_GONCALVES = "recloak.studies.goncalves"

STUDIES: Registry[type[Study]] = Registry(
    "studies",
    "study",
    {
        "goncalves-figure2": f"{_GONCALVES}_data:Figure2",
        "goncalves-table3": f"{_GONCALVES}_data:Table3",
        "goncalves-table4": f"{_GONCALVES}_utility:Table4",
        "goncalves-figure3": f"{_GONCALVES}_attacks:Figure3",
        "goncalves-figure5": f"{_GONCALVES}_attacks:Figure5",
        "goncalves-figure6": f"{_GONCALVES}_attacks:Figure6",
        "casino-table1": f"{_CASINO}:Table1",
        "casino-table2": f"{_CASINO}:Table2",
        "casino-table3": f"{_CASINO}_prediction:Table3",
        "casino-figure3": f"{_CASINO}_figures:Figure3",
        "casino-figure4": f"{_CASINO}_figures:Figure4",
        "casino-figure5": f"{_CASINO}_prediction:Figure5",
        "casino-figure6": f"{_CASINO}_prediction:Figure6",
    },
)

__all__ = ["STUDIES", "Study"]
