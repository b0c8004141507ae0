"""Declared figures: what an evaluation may find, said once for reports, policies and others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from recloak.evaluation.findings import Figure, Finding, Unit
from recloak.evaluation.formatting import figure_shown, is_number, label, of_100, within_sentence

Direction = Literal["more", "less"]
Risk = Literal["singling out", "linkability", "inference"]
RISKS: tuple[Risk, ...] = ("singling out", "linkability", "inference")
UTILITY: Literal["utility"] = "utility"
Role = Literal["success", "worst-off tenth", "gain", "prediction error"]
ROLES: tuple[Role, ...] = ("success", "worst-off tenth", "gain", "prediction error")


@dataclass(frozen=True)
class DeclaredFigure:
    """A figure that an attack or measure may find, and how it is to be read.

    Parameters
    ----------
    name
        As findings, policies and ``--require`` call it.
    unit
        As the figures found have it.
    worse
        Which direction is worse, None where neither is.
    heading, meaning
        The entry in the report's list of words; a figure without a heading has none.
    column, at_a_glance
        The heading of its column in a comparison, and what that says; without both it has none.
        Screens about lists have a column for each heading.
    sentence
        What the report says of it: a text with ``{of_100}``, ``{value}`` or ``{title}`` (of the
        attack or measure) to be filled in.
    bounded
        Does a share lie between −1 and 1? Then a limit beyond that is refused.
    risk
        Which of the three risks of the European guidance on anonymisation it measures, if any: the
        report then shows it with them.
    stands_for
        The risk for which it counts where settings are compared and nothing is required, or
        utility: the first such figure that was measured is then as high as can be.
    chart
        The title of its chart by what the attacker knows, and what that shows; without it, none.
    members, control
        The figures of the same finding that say how far the attacker gets with people in the
        release, and with people who are not in it.
    chance
        What guessing reaches, for a figure that has no control of its own.
    role
        What reports and screens take it for, whatever its name; an attack or measure has one figure
        of each role at most. ``success``: the share of tries in which the attacker names the right
        row or person. ``worst-off tenth``: the same for the tenth of people on whom the attack does
        best. ``gain``: how many true facts about a person a try tells. ``prediction error``: the
        root mean square error of one recommender on ratings that it has not seen.
    part_of
        The figure of the same finding of which this is about some people alone, such as the tenth
        who fare worst; where a finding lacks that, this counts for nothing in a comparison.
    original, change
        The figures of the same finding that say the same of the original, and what was kept or
        lost. Charts show the first two side by side, and screens all three where there are three.
    change_in_scale
        The figure of the same finding that says what was lost as a share of the scale.
    short
        What it is called where a sentence says already whom it is about.
    utility_sentence
        What it adds to the line on utility that is printed first: a text with ``{value}``.
    gain_aside
        What it adds, in brackets, to the sentence on the gain: a text with ``{value}``.
    caveat
        A sentence, as `sentence`, that the report says once beside the rate of success, about the
        attack that gets furthest by this figure; of a low rate nothing reassuring is said then.
    worst_off_sentence
        What the report says, as `sentence`, of those who fare worst where no attack finds rows.
    line
        What its line is called in the chart of lists, release by release; without it, none.

    Examples
    --------
    >>> found = DeclaredFigure("found", worse="more", sentence="{of_100} of 100 are found.")
    >>> found.sentence_about(Figure("found", 0.25), "guessing")
    'about 25 of 100 are found.'
    """

    name: str
    unit: Unit = "share"
    worse: Direction | None = None
    heading: str = ""
    meaning: str = ""
    column: str = ""
    at_a_glance: str = ""
    sentence: str = ""
    bounded: bool = True
    risk: Risk | None = None
    stands_for: Risk | Literal["utility"] | None = None
    chart: tuple[str, str] | None = None
    members: str = ""
    control: str = ""
    chance: float = 0.0
    role: Role | None = None
    part_of: str = ""
    original: str = ""
    change: str = ""
    change_in_scale: str = ""
    short: str = ""
    utility_sentence: str = ""
    gain_aside: str = ""
    caveat: str = ""
    worst_off_sentence: str = ""
    line: str = ""

    @property
    def in_words(self) -> str:
        """What it is called in a sentence: the heading, of several the first."""
        return within_sentence(self.heading.partition(",")[0] or label(self.name))

    @property
    def is_bounded_share(self) -> bool:
        return self.unit == "share" and self.bounded

    @property
    def beside(self) -> tuple[str, ...]:
        """The other figures of the same finding that it names."""
        named = (self.members, self.control, self.part_of, self.original, self.change)
        return tuple(filter(None, (*named, self.change_in_scale)))

    def sentence_about(self, figure: Figure, title: str) -> str:
        """The declared sentence about a figure that was found."""
        return filled_in(self.sentence, figure, title)

    def worst(self, findings: list[Finding]) -> tuple[Finding, Figure] | None:
        """The finding with the least favourable figure of this name."""
        found = [(one, figure) for one in findings if (figure := self._known(one))]
        sign = -1 if self.worse == "less" else 1
        return max(found, key=lambda pair: sign * pair[1].value, default=None)

    def _known(self, finding: Finding) -> Figure | None:
        figure = finding.figure(self.name)
        return figure if figure and finding.sample > 0 and is_number(figure.value) else None


def filled_in(text: str, figure: Figure, title: str) -> str:
    """A declared text with ``{of_100}``, ``{value}`` and ``{title}`` filled in."""
    of_hundred = of_100(figure) if figure.unit == "share" else ""
    return text.format(of_100=of_hundred, value=figure_shown(figure), title=title)


@dataclass(frozen=True)
class BarChart:
    """A chart of bars that an attack or measure declares of its own figures.

    Parameters
    ----------
    title, description
        What it is called, and what it shows.
    across, upwards
        What stands side by side, such as kinds of items, and what the height of a bar is.
    series
        For each colour its name, and for each place the name of the figure that is drawn there. A
        place is left out where the finding lacks the figure of the first series.
    """

    title: str
    description: str
    across: str
    upwards: str
    series: Mapping[str, Mapping[str, str]]


WORST_BREACH = DeclaredFigure(
    "worst_breach",
    worse="more",
    column="worst breach",
    heading="Worst breach",
    meaning="The largest share, over all pairs of releases and all sets of items whose lists an "
    "item newly enters or climbs in, of those who rated the set that also rated the item.",
    line="Worst breach",
)
