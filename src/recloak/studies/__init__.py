"""Studies: tables and figures of the papers, made again, theirs beside ours."""

from __future__ import annotations

from recloak.registry import Registry
from recloak.studies.base import Study

_CASINO = "recloak.studies.casino"
_CHANG = "recloak.studies.chang"
_CHEN = "recloak.studies.chen"
_GONCALVES = "recloak.studies.goncalves"
_STRONGER = "recloak.studies.stronger"
_SUN = "recloak.studies.sun"

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
        "stronger-table": f"{_STRONGER}_table:Table",
        "stronger-frontier": f"{_STRONGER}_frontier:Frontier",
        "stronger-linking": f"{_STRONGER}_linking:Linking",
        "casino-table1": f"{_CASINO}:Table1",
        "casino-table2": f"{_CASINO}:Table2",
        "casino-table3": f"{_CASINO}_prediction:Table3",
        "casino-figure3": f"{_CASINO}_figures:Figure3",
        "casino-figure4": f"{_CASINO}_figures:Figure4",
        "casino-figure5": f"{_CASINO}_prediction:Figure5",
        "casino-figure6": f"{_CASINO}_prediction:Figure6",
        "chang-figure4": f"{_CHANG}_data:Figure4",
        "chang-rmse": f"{_CHANG}_rmse:Rmse",
        "chang-density": f"{_CHANG}_data:Density",
        "chang-privacy": f"{_CHANG}_privacy:Privacy",
        "chen-figure4": f"{_CHEN}:Figure4",
        "chen-figure5": f"{_CHEN}:Figure5",
        "chen-figure6": f"{_CHEN}:Figure6",
        "chen-figure7": f"{_CHEN}:Figure7",
        "sun-table4": f"{_SUN}:Table4",
        "sun-table5": f"{_SUN}:Table5",
        "sun-figure3": f"{_SUN}_time:Figure3",
        "sun-figure4": f"{_SUN}_time:Figure4",
        "sun-figure5": f"{_SUN}_time:Figure5",
        "sun-figure6": f"{_SUN}_time:Figure6",
        "sun-figure7": f"{_SUN}_loss:Figure7",
        "sun-figure8": f"{_SUN}_loss:Figure8",
    },
)

__all__ = ["STUDIES", "Study"]
