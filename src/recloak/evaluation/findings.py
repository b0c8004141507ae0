"""What an audit finds: figures with intervals, verdicts on claims, results of a policy's lines."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import Any, ClassVar, Literal

import polars as pl

from recloak.core.errors import ParameterError
from recloak.core.parameters import format_spec
from recloak.evaluation import notebook_tables
from recloak.evaluation.notebook_tables import StatusMark
from recloak.evaluation.presentation import Charts, Presentation

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
        low, high = _shown(self.low, self.unit), _shown(self.high, self.unit)
        return f"{text} ({low}{' to ' if low.startswith('-') else '–'}{high})"

    def unfavourable(self, *, high_is_bad: bool) -> float:
        """The end of the interval that is worse; the value itself where it is exact."""
        end = self.high if high_is_bad else self.low
        return self.value if end is None else end


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

    @property
    def title(self) -> str:
        """The attack or measure in a few words: ``record-linkage (knows 4 ratings)``."""
        return f"{self.name} ({self.label})" if self.label else self.spec

    def figure(self, name: str) -> Figure | None:
        """The figure called ``name``."""
        return next((figure for figure in self.figures if figure.name == name), None)

    def share(self, name: str) -> Figure | None:
        """The figure called ``name`` if it is a share that is known and somebody was tried."""
        figure = self.figure(name)
        if figure is None or figure.unit != "share" or not isfinite(figure.value):
            return None
        return figure if self.sample > 0 else None


@dataclass(frozen=True)
class Verdict:
    """Does a claim hold? A broken one names a witness.

    ``reservations`` are sentences about what of the file was not looked at, or was read otherwise
    than it stands there; `how` says them too.
    """

    claim: str
    status: Status
    how: str
    witness: Mapping[str, Any] | None = None
    seconds: float = field(default=0.0, repr=False)  # a notebook shows the same twice
    reservations: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        return self.status == "holds"

    def _repr_html_(self) -> str:
        witness = [(str(key), str(value)) for key, value in (self.witness or {}).items()]
        rows = [("how", self.how), *witness]
        return notebook_tables.table(f"Claim {self.claim}", rows, mark=StatusMark.of(self.status))


class Verdicts(tuple[Verdict, ...]):
    """Verdicts in a row, which a notebook shows as a table."""

    def _repr_html_(self) -> str:
        rows = [(one.claim, StatusMark.of(one.status), one.how) for one in self]
        worst = next((one for one in self if not one.holds), None)
        mark = StatusMark.of(worst.status if worst else "holds") if self else None
        return notebook_tables.table("Verdicts", rows, ("claim", "verdict", "how"), mark)


@dataclass(frozen=True)
class PolicyResult:
    """One line of a policy after the audit.

    ``of`` is the claim, attack or measure that was judged, ``figure`` the figure of it, if any, and
    ``judged`` the end of its interval that was compared with the limit.
    """

    line: str
    status: Literal["pass", "fail", "not measured"]
    found: str
    because: str = ""
    of: str = ""
    figure: str = ""
    judged: float | None = None

    @property
    def passed(self) -> bool:
        return self.status == "pass"


@dataclass(frozen=True)
class Audit:
    """All that was found out about one release; the only source of reports and charts.

    ``release`` and ``original`` hold facts about the two, ``verdicts`` whether claims hold,
    ``attacks`` and ``measures`` what was found, ``policy_results`` each line of the policy after
    that. ``enforced`` says that the policy had to pass, ``tails`` has what charts of long tails
    need, ``versions`` the libraries that the figures came from. ``data`` is what the original is
    called, ``date`` the day of the audit and ``policy_digest`` that of the policy's content, for
    whoever signs the report. `recloak.audit` makes one. `to_frame` gives the figures as rows and
    `plot` the charts; a notebook shows the verdict first.

    Examples
    --------
    >>> import recloak
    >>> from recloak.evaluation.findings import Verdict
    >>> verdict = Verdict("k-anonymity:k=5", "broken", "")
    >>> found = recloak.Audit("a release", {}, {}, verdicts=(verdict,))
    >>> found.status
    'fail'
    >>> found
    Audit of a release: fail
      claim k-anonymity:k=5: broken
    >>> found.to_frame()["figure"].to_list()
    ['holds']
    """

    presentation: ClassVar[Presentation[Audit] | None] = None
    """How it is drawn and shown; `recloak.report` sets it."""

    title: str
    release: Mapping[str, Any]
    original: Mapping[str, Any]
    verdicts: tuple[Verdict, ...] = ()
    attacks: tuple[Finding, ...] = ()
    measures: tuple[Finding, ...] = ()
    policy_results: tuple[PolicyResult, ...] = ()
    policy: str = ""
    enforced: bool = False
    tails: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    data: str = ""
    date: str = ""
    policy_digest: str = ""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Attacks and measures together."""
        return self.attacks + self.measures

    @property
    def status(self) -> Literal["pass", "fail", "not measured"]:
        """The worst result of a policy line, a claim that does not hold included."""
        worst = {result.status for result in self.policy_results}
        if "fail" in worst or not all(verdict.holds for verdict in self.verdicts):
            return "fail"
        return "not measured" if "not measured" in worst or not self.policy_results else "pass"

    @property
    def refused(self) -> bool:
        """Was publication refused: is the policy enforced, and does a line of it not pass?"""
        return self.enforced and not all(result.passed for result in self.policy_results)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types: the content of ``report.json``."""
        content = asdict(self)
        content["status"] = self.status
        if self.refused:
            content["refused"] = True
        for family in ("attacks", "measures"):
            for entry, finding in zip(content[family], getattr(self, family), strict=True):
                entry["spec"] = finding.spec
        return content

    def __repr__(self) -> str:
        lines = [f"Audit of {self.title}: {self.status}"]
        lines += [f"  claim {verdict.claim}: {verdict.status}" for verdict in self.verdicts]
        for finding in self.findings:
            first = [f"{figure.name} {figure.shown()}" for figure in finding.figures[:1]]
            lines.append(f"  {finding.spec}: {''.join(first) or 'not measured'}")
        return "\n".join(lines)

    def to_frame(self) -> pl.DataFrame:
        """One row for each figure, with its interval; ``to_pandas()`` of it is a pandas frame.

        A claim is a row with the figure ``holds``, 1 or 0; a line of the policy is one of the
        family ``policy`` whose label says whether it passes.
        """
        return pl.DataFrame([*figure_rows(self), *_policy_rows(self)], schema=FIGURE_SCHEMA)

    def plot(self, like: str = "") -> Charts:
        """The charts of the report: what attackers get, and what is left to use.

        Parameters
        ----------
        like
            Only those whose titles hold this text, in small or capital letters.

        Returns
        -------
        Charts
            Shown in a notebook as they are; ``charts.save(folder)`` writes SVG files.

        Raises
        ------
        ParameterError
            No title holds the text; those that there are are named.

        """
        if self.presentation is None:
            hint = "Say 'import recloak.report' first, which has them."
            raise ParameterError("the charts are not loaded", where="plot", hint=hint)
        return self.presentation.charts(self, like)

    def _repr_html_(self) -> str:
        if self.presentation is None:
            return f"<pre>{notebook_tables.text(repr(self))}</pre>"
        return self.presentation.html(self)


FIGURE_SCHEMA = {
    "family": pl.String,
    "name": pl.String,
    "label": pl.String,
    "figure": pl.String,
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "unit": pl.String,
    "sample": pl.Int64,
    "seed": pl.Int64,
}
"""The columns of figures as tidy rows."""


def figure_rows(audit: Audit) -> list[dict[str, Any]]:
    """Claims and figures of an audit as tidy rows, one for each."""
    claims = [
        {
            "family": "claim",
            "name": verdict.claim,
            "label": verdict.status,
            "figure": "holds",
            "value": float(verdict.holds),
            "unit": "rule",
        }
        for verdict in audit.verdicts
    ]
    return claims + [row for finding in audit.findings for row in _rows_of(finding)]


def _rows_of(finding: Finding) -> list[dict[str, Any]]:
    return [
        {
            "family": finding.family,
            "name": finding.spec,
            "label": finding.label,
            "figure": one.name,
            "value": float(one.value),
            "low": one.low,
            "high": one.high,
            "unit": one.unit,
            "sample": finding.sample,
            "seed": finding.seed,
        }
        for one in finding.figures
    ]


def _policy_rows(audit: Audit) -> list[dict[str, Any]]:
    return [
        {
            "family": "policy",
            "name": result.line,
            "label": result.status,
            "figure": result.figure or "holds",
            "value": result.judged,
        }
        for result in audit.policy_results
    ]


def _shown(value: float, unit: Unit) -> str:
    """The number in its unit; what is rounded to nothing has no sign."""
    text = _in_unit(value, unit)
    return text if re.search("[1-9]", text) else text.removeprefix("-")


def _in_unit(value: float, unit: Unit) -> str:
    if not isfinite(100 * value):
        return "unknown"
    if unit == "share":
        return f"{value:.1%}"
    if unit == "count":
        return f"{value:,.1f}" if value != round(value) else f"{value:,.0f}"
    if unit == "rule":
        return "pass" if value >= 1 else "fail"
    return f"{value:.4f}" if unit == "rating" else f"{value:.1f} s"
