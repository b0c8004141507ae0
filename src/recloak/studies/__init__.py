"""Studies: tables and figures of the papers, made again, theirs beside ours."""

from __future__ import annotations

from recloak.registry import Registry
from recloak.studies.base import Study

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
    },
)

__all__ = ["STUDIES", "Study"]
