"""An attack and two measures of another package; no figure of theirs has a name of ours.

What they find is fixed: tests look at what becomes of what they declare.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from recloak.attacks import Attack
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.evaluation.context import AuditContext
from recloak.evaluation.figures import UTILITY, BarChart, DeclaredFigure
from recloak.evaluation.findings import Figure, Finding
from recloak.measures import Measure

PEOPLE = 40


class SpottingParameters(Parameters):
    """What is known."""

    known: int = Field(default=4, ge=1)
    """How many ratings of a person the adversary knows."""


class Spotting(Attack):
    """Spots everybody more surely the more is known."""

    name: ClassVar[str] = "spotting"
    summary: ClassVar[str] = "Spots people."
    opens_report: ClassVar[bool] = True
    adversary_acts: ClassVar[str] = "spots people"
    audited_with: ClassVar[tuple[str, ...]] = ("known=2", "known=4")
    compared_with: ClassVar[tuple[str, ...]] = ("known=2", "known=4", "known=8")
    figures: ClassVar[tuple[DeclaredFigure, ...]] = (
        DeclaredFigure(
            "spotted",
            worse="more",
            heading="Spotted",
            meaning="How many are spotted.",
            column="spotted",
            at_a_glance="people spotted; less is safer",
            chart=("How many are spotted", "the share of people who are spotted"),
            role="success",
            original="spotted_before",
        ),
        DeclaredFigure("spotted_before"),
        DeclaredFigure("spotted_most", worse="more", role="worst-off tenth", part_of="spotted"),
        DeclaredFigure(
            "facts",
            "count",
            worse="more",
            role="gain",
            original="facts_before",
            change="facts_left",
        ),
        DeclaredFigure("facts_before", "count"),
        DeclaredFigure("facts_left", worse="more"),
        DeclaredFigure("facts_at_night", "count", gain_aside="one who looks at night, {value}"),
        DeclaredFigure(
            "household",
            worse="more",
            caveat="The household is spotted in {of_100} of 100 tries by {title}.",
        ),
        DeclaredFigure(
            "overheard",
            worse="more",
            worst_off_sentence="Of the tenth whom {title} overhears most, {value} is overheard.",
        ),
    )
    bar_charts: ClassVar[tuple[BarChart, ...]] = (
        BarChart(
            "Who is spotted where?",
            "The share of people who are spotted, by place.",
            across="Place",
            upwards="share",
            series={"Spotted": {"at home": "household", "elsewhere": "spotted"}},
        ),
    )
    Parameters: ClassVar[type[Parameters]] = SpottingParameters
    parameters: SpottingParameters

    @property
    def label(self) -> str:
        return f"knows {self.parameters.known} ratings"

    def run(self, context: AuditContext, seed: int = 0, progress: Progress = SILENT) -> Finding:
        spotted = min(0.05 * self.parameters.known, 1.0)
        figures = (
            _share("spotted_before", 0.9),
            _share("spotted", spotted),
            _share("spotted_most", 2 * spotted),
            Figure("facts", 3.0, 2.0, 4.0, "count", "facts"),
            Figure("facts_before", 12.0, 11.0, 13.0, "count", "facts"),
            _share("facts_left", 0.25),
            Figure("facts_at_night", 1.5, 1.0, 2.0, "count", "facts"),
            _share("household", 0.8),
            _share("overheard", 0.3),
        )
        return self.finding("The adversary spots people.", figures, PEOPLE, seed, ())


class Forecast(Measure):
    """How far forecasts are off, and how many come true."""

    name: ClassVar[str] = "forecast"
    summary: ClassVar[str] = "Errors of a forecast."
    figures: ClassVar[tuple[DeclaredFigure, ...]] = (
        DeclaredFigure(
            "off_by",
            "rating",
            worse="more",
            role="prediction error",
            original="off_by_before",
            change="off_by_more",
            change_in_scale="off_by_share",
        ),
        DeclaredFigure("off_by_before", "rating"),
        DeclaredFigure("off_by_more", "rating", worse="more"),
        DeclaredFigure("off_by_share", worse="more"),
        DeclaredFigure(
            "come_true",
            worse="less",
            heading="Forecasts that come true",
            meaning="How many do.",
            original="come_true_before",
            change="come_true_lost",
            line="Forecasts that came true",
        ),
        DeclaredFigure("come_true_before"),
        DeclaredFigure("come_true_lost", worse="more"),
    )

    @property
    def label(self) -> str:
        return "the almanac"

    def run(self, context: AuditContext, seed: int = 0, progress: Progress = SILENT) -> Finding:
        figures = (
            Figure("off_by", 0.9, 0.8, 1.0, "rating", "error"),
            Figure("off_by_before", 0.7, 0.6, 0.8, "rating", "error"),
            Figure("off_by_more", 0.2, 0.1, 0.3, "rating", "error"),
            _share("off_by_share", 0.05),
            _share("come_true", 0.6),
            _share("come_true_before", 0.7),
            _share("come_true_lost", 0.1),
        )
        return self.finding("A forecast.", figures, PEOPLE, seed, ())


class Welcome(Measure):
    """What newcomers get."""

    name: ClassVar[str] = "welcome"
    summary: ClassVar[str] = "What newcomers get."
    people: ClassVar[Literal["members", "newcomers"]] = "newcomers"
    figures: ClassVar[tuple[DeclaredFigure, ...]] = (
        DeclaredFigure(
            "warmth",
            worse="less",
            heading="Warmth for newcomers",
            meaning="How warm it is.",
            stands_for=UTILITY,
            original="warmth_before",
            change="warmth_left",
            short="warmth",
            utility_sentence="Outside it is {value}.",
        ),
        DeclaredFigure("warmth_before"),
        DeclaredFigure("queue", worse="more", original="queue_before", change="queue_longer"),
        DeclaredFigure("queue_before"),
        DeclaredFigure("queue_longer", worse="more"),
        DeclaredFigure("warmth_left", worse="less"),
    )

    def run(self, context: AuditContext, seed: int = 0, progress: Progress = SILENT) -> Finding:
        figures = (
            _share("warmth", 0.4),
            _share("warmth_before", 0.5),
            _share("warmth_left", 0.8),
            _share("queue", 0.6),
            _share("queue_before", 0.5),
            _share("queue_longer", 0.1),
        )
        return self.finding("Newcomers.", figures, PEOPLE, seed, ())


def _share(name: str, value: float) -> Figure:
    return Figure(name, value, max(value - 0.02, 0.0), min(value + 0.02, 1.0), meaning=name)
