"""What an audit finds: figures with intervals, verdicts on claims, lights of a policy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from html import escape
from math import isfinite
from typing import Any, Literal

from recloak.parameters import format_spec

Status = Literal["holds", "broken", "undecided"]
Unit = Literal["share", "rating", "count", "seconds", "rule"]


@dataclass(frozen=True)
class Figure:
    """One number with its 95 % interval (None where it is exact)."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    unit: Unit = "share"
    meaning: str = ""

    def shown(self) -> str:
        """The number and its interval, in a form for people."""
        text = _shown(self.value, self.unit)
        if self.low is None or self.high is None:
            return text
        between = " to " if self.low < 0 else "–"
        return f"{text} ({_shown(self.low, self.unit)}{between}{_shown(self.high, self.unit)})"


@dataclass(frozen=True)
class Finding:
    """What one attack or measure found: ``summary`` in a sentence, ``label`` in a few words."""

    family: Literal["attack", "measure"]
    name: str
    parameters: Mapping[str, Any]
    summary: str
    label: str
    figures: tuple[Figure, ...]
    sample: int
    seed: int
    seconds: float = 0.0
    notes: tuple[str, ...] = ()

    @property
    def spec(self) -> str:
        """Name and parameters in one line: ``record-linkage:known=4``."""
        return format_spec(self.name, self.parameters)

    def figure(self, name: str) -> Figure | None:
        """The figure called ``name``."""
        return next((figure for figure in self.figures if figure.name == name), None)


@dataclass(frozen=True)
class Verdict:
    """Does a claim hold? A broken one names a witness."""

    claim: str
    status: Status
    how: str
    witness: Mapping[str, Any] | None = None
    seconds: float = 0.0

    @property
    def holds(self) -> bool:
        return self.status == "holds"


@dataclass(frozen=True)
class Light:
    """One line of a policy after the audit.

    ``of`` is the claim, attack or measure that was judged, ``figure`` the figure of it, if any.
    """

    line: str
    status: Literal["pass", "fail", "not measured"]
    found: str
    because: str = ""
    of: str = ""
    figure: str = ""

    @property
    def passed(self) -> bool:
        return self.status == "pass"


@dataclass(frozen=True)
class Audit:
    """All that was found out about one release; the only source of reports and charts."""

    title: str
    release: Mapping[str, Any]
    original: Mapping[str, Any]
    verdicts: tuple[Verdict, ...] = ()
    attacks: tuple[Finding, ...] = ()
    measures: tuple[Finding, ...] = ()
    lights: tuple[Light, ...] = ()
    policy: str = ""
    enforced: bool = False
    tails: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Attacks and measures together."""
        return self.attacks + self.measures

    @property
    def status(self) -> Literal["pass", "fail", "not measured"]:
        """The worst light, a claim that does not hold included."""
        worst = {light.status for light in self.lights}
        if "fail" in worst or not all(verdict.holds for verdict in self.verdicts):
            return "fail"
        return "not measured" if "not measured" in worst or not self.lights else "pass"

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types: the content of ``report.json``."""
        content = asdict(self)
        content["status"] = self.status
        for family in ("attacks", "measures"):
            for entry, finding in zip(content[family], getattr(self, family), strict=True):
                entry["spec"] = finding.spec
        return content

    def __repr__(self) -> str:
        lines = [f"Audit of {self.title}: {self.status}"]
        lines += [f"  claim {verdict.claim}: {verdict.status}" for verdict in self.verdicts]
        for finding in self.findings:
            told = [f"{figure.name} {figure.shown()}" for figure in finding.figures[:1]]
            lines.append(f"  {finding.spec}: {''.join(told) or 'not measured'}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(finding.spec)}</td><td>{escape(figure.name)}</td>"
            f"<td>{escape(figure.shown())}</td></tr>"
            for finding in self.findings
            for figure in finding.figures
        )
        caption = escape(f"Audit of {self.title}: {self.status}")
        return f"<table><caption>{caption}</caption>{rows}</table>"


def _shown(value: float, unit: Unit) -> str:
    if not isfinite(100 * value):
        return "unknown"
    if unit == "share":
        return f"{value:.1%}"
    if unit == "count":
        return f"{value:,.1f}" if value != round(value) else f"{value:,.0f}"
    if unit == "rule":
        return "pass" if value >= 1 else "fail"
    return f"{value:.4f}" if unit == "rating" else f"{value:.1f} s"
