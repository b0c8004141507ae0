"""Studies: tables and figures of the papers, made again, theirs beside ours."""

from __future__ import annotations

from recloak.core.registry import Registry
from recloak.studies.base import Study

_CASINO = "recloak.studies.casino"
_CHANG = "recloak.studies.chang"
_CHEN = "recloak.studies.chen"
_GONCALVES = "recloak.studies.goncalves"
_MADE_UP = "recloak.studies.made_up"
_STRONGER = "recloak.studies.stronger"
_SUN = "recloak.studies.sun"

STUDIES: Registry[type[Study]] = Registry(
    "studies",
    "study",
    {
        "goncalves-figure2": f"{_GONCALVES}._data:GoncalvesFigure2",
        "goncalves-table3": f"{_GONCALVES}._data:GoncalvesTable3",
        "goncalves-table4": f"{_GONCALVES}._utility:GoncalvesTable4",
        "goncalves-figure3": f"{_GONCALVES}._attacks:GoncalvesFigure3",
        "goncalves-figure5": f"{_GONCALVES}._attacks:GoncalvesFigure5",
        "goncalves-figure6": f"{_GONCALVES}._attacks:GoncalvesFigure6",
        "stronger-table": f"{_STRONGER}._table:AdversaryTable",
        "stronger-frontier": f"{_STRONGER}._frontier:StrongerFrontier",
        "stronger-linking": f"{_STRONGER}._linking:Linking",
        "synthetic-frontier": f"{_MADE_UP}._frontier:SyntheticFrontier",
        "synthetic-epsilon": f"{_MADE_UP}._epsilon:Epsilon",
        "casino-table1": f"{_CASINO}:CasinoTable1",
        "casino-table2": f"{_CASINO}:CasinoTable2",
        "casino-table3": f"{_CASINO}._figures:CasinoTable3",
        "casino-figure3": f"{_CASINO}._figures:CasinoFigure3",
        "casino-figure4": f"{_CASINO}._figures:CasinoFigure4",
        "casino-figure5": f"{_CASINO}._figures:CasinoFigure5",
        "casino-figure6": f"{_CASINO}._figures:CasinoFigure6",
        "chang-figure4": f"{_CHANG}._data:ChangFigure4",
        "chang-rmse": f"{_CHANG}._rmse:Rmse",
        "chang-density": f"{_CHANG}._data:DensityTable",
        "chang-privacy": f"{_CHANG}._privacy:Privacy",
        "chen-figure4": f"{_CHEN}:ChenFigure4",
        "chen-figure5": f"{_CHEN}:ChenFigure5",
        "chen-figure6": f"{_CHEN}:ChenFigure6",
        "chen-figure7": f"{_CHEN}:ChenFigure7",
        "chen-nights": f"{_CHEN}._nights:Nights",
        "sun-table4": f"{_SUN}:SunTable4",
        "sun-table5": f"{_SUN}:SunTable5",
        "sun-figure3": f"{_SUN}._time:SunFigure3",
        "sun-figure4": f"{_SUN}._time:SunFigure4",
        "sun-figure5": f"{_SUN}._time:SunFigure5",
        "sun-figure6": f"{_SUN}._time:SunFigure6",
        "sun-figure7": f"{_SUN}._loss:SunFigure7",
        "sun-figure8": f"{_SUN}._loss:SunFigure8",
    },
)

__all__ = ["STUDIES", "Study"]
