"""Wishes: what a release must satisfy, in a few words or from a policy, and what to maximise."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from recloak.attacks import ATTACKS, attack
from recloak.errors import ParameterError, RecloakError
from recloak.findings import Figure
from recloak.frontier.cells import Cell
from recloak.frontier.protocol import Protocol
from recloak.guarantees import GUARANTEES, guarantee
from recloak.measures import MEASURES, measure
from recloak.parameters import parse_spec
from recloak.policy import Policy, Requirement

FLAG = "--require"
ALIASES = {"utility": "mu"}
WITHOUT_VALUES = "ndcg"  # what stands for utility where there are no values to predict
SHARES = frozenset({"success", "worst_tenth", "wrong", "inconclusive", "mu_kept", "gain_kept"})
_WRITTEN = re.compile(
    r"(?:(?P<spec>\S+)\s+)?(?P<figure>[A-Za-z_][\w-]*)\s*(?P<sign><=|>=|≤|≥)\s*"
    r"(?P<limit>[-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*(?P<percent>%?)"
)
_HINT = (
    "Examples: 'gain<=5', 'success<=0.2', 'scoreboard-rh:known=5 success<=20%', 'mu>=0.05', "
    "'k-anonymity:k=5'."
)
Status = Literal["pass", "fail", "not measured"]


@dataclass(frozen=True)
class Met:
    """How a cell stands to a wish: ``shortfall`` is 0 if it is met, else how far it is off."""

    status: Status
    found: str
    shortfall: float
    figure: Figure | None = None
    spec: str = ""


@dataclass(frozen=True)
class Wish:
    """A claim that must hold, or a figure that must stay within a limit.

    Without a ``spec`` it is about every attack and measure of the protocol that has the figure: the
    worst of them counts. As in a policy, the unfavourable end of the interval is judged.
    """

    text: str
    claim: str = ""
    figure: str = ""
    spec: str = ""
    at_most: float | None = None
    at_least: float | None = None
    because: str = ""

    def judge(self, cell: Cell) -> Met:
        """Compare with what was found."""
        if self.claim:
            return self._judge_claim(cell)
        found = [(self._excess(figure), spec, figure) for spec, figure in self._figures(cell)]
        if not found:
            return Met("not measured", "not measured", float("inf"))
        excess, spec, figure = max(found, key=lambda one: one[0])
        status: Status = "fail" if excess > 0 else "pass"
        return Met(
            status, f"{figure.shown()} by {spec_shown(spec)}", max(excess, 0.0), figure, spec
        )

    def _judge_claim(self, cell: Cell) -> Met:
        verdicts = cell.audit.verdicts if cell.audit else ()
        verdict = next((one for one in verdicts if one.claim == self.claim), None)
        if verdict is None:
            return Met("not measured", "was not checked", float("inf"))
        if verdict.holds:
            return Met("pass", "holds", 0.0)
        return Met("fail", verdict.status, 1.0)

    def _figures(self, cell: Cell) -> Iterable[tuple[str, Figure]]:
        if not self.spec:
            return cell.figures(self.figure)
        figure = cell.figure(self.spec, self.figure)
        return [(self.spec, figure)] if figure else []

    def _excess(self, figure: Figure) -> float:
        """By what part of the limit the figure is beyond it; negative within."""
        high = figure.value if figure.high is None else figure.high
        low = figure.value if figure.low is None else figure.low
        if self.at_most is not None:
            return (high - self.at_most) / max(abs(self.at_most), 1e-9)
        least = self.at_least or 0.0
        return (least - low) / max(abs(least), 1e-9)

    @property
    def requirement(self) -> Requirement | None:
        """The same as a line of a policy, where it names what is to be run or checked."""
        if self.claim:
            return Requirement(claim=self.claim, because=self.because)
        return self._line(self.spec) if self.spec else None

    def requirements(self, cell: Cell) -> list[Requirement]:
        """The same as lines of a policy, one for everything that told the figure of a cell."""
        named = self.requirement
        if named is not None:
            return [named]
        return [self._line(spec) for spec, _ in cell.figures(self.figure)]

    def _line(self, spec: str) -> Requirement:
        family = "attack" if parse_spec(spec)[0] in ATTACKS.names() else "measure"
        told = {"at_most": self.at_most, "at_least": self.at_least, "because": self.because}
        return Requirement.model_validate({family: spec, "figure": self.figure} | told)


@dataclass(frozen=True)
class Objective:
    """The figure that is to be as high, or as low, as can be."""

    figure: str
    lowest: bool = False

    @property
    def words(self) -> str:
        return f"{'lowest' if self.lowest else 'highest'} {self.figure}"

    def found(self, cell: Cell) -> Figure | None:
        """The figure of a cell, by the first attack or measure that has it."""
        findings = cell.audit.findings if cell.audit else ()
        figures = (finding.figure(self.figure) for finding in reversed(findings))
        return next((figure for figure in figures if figure is not None), None)

    def score(self, cell: Cell) -> float:
        """Higher is better; what was not measured is worst."""
        figure = self.found(cell)
        if figure is None:
            return float("-inf")
        return -figure.value if self.lowest else figure.value


def parse_wish(text: str, protocol: Protocol) -> Wish:
    """Read ``gain<=5``, ``scoreboard-rh:known=5 success<=20%`` or ``k-anonymity:k=5``."""
    stripped = text.strip()
    written = _WRITTEN.fullmatch(stripped)
    if written is None:
        return _claim(stripped)
    limit = _limit(written, text)
    figure = ALIASES.get(written["figure"], written["figure"].replace("-", "_"))
    if not written["spec"] and figure not in protocol.figures:
        raise _unknown_figure(figure, [*ALIASES, *protocol.figures], f"{FLAG} '{text}'")
    upper = written["sign"] in ("<=", "≤")
    wish = Wish(
        stripped,
        figure=figure,
        at_most=limit if upper else None,
        at_least=None if upper else limit,
    )
    return _of_one(wish, written["spec"], text) if written["spec"] else wish


def wishes_of(policy: Policy) -> list[Wish]:
    """The lines of a policy."""
    return [_from_line(line) for line in policy.requirements]


def policy_of(wishes: Iterable[Wish], cell: Cell) -> Policy:
    """What was wished of a cell as a policy that its publication can be held to."""
    lines = dict.fromkeys(line for wish in wishes for line in wish.requirements(cell))
    return Policy(f"what was required of {cell.setting.label}", tuple(lines))


def parse_objective(name: str, protocol: Protocol, *, lowest: bool = False) -> Objective:
    """Read ``utility``, or the name of a figure."""
    flag = "--minimise" if lowest else "--maximise"
    known = protocol.figures
    figure = ALIASES.get(name, name.replace("-", "_"))
    if figure not in known:
        raise _unknown_figure(name, [*ALIASES, *known], flag)
    return Objective(figure, lowest)


def refuse_contradictions(wishes: Sequence[Wish]) -> None:
    """Refuse two wishes for one figure that nothing can satisfy."""
    for upper in (wish for wish in wishes if wish.at_most is not None):
        for lower in (wish for wish in wishes if wish.at_least is not None):
            same = upper.figure == lower.figure and upper.spec == lower.spec
            if same and (lower.at_least or 0.0) > (upper.at_most or 0.0):
                raise ParameterError(
                    f"'{lower.text}' and '{upper.text}' contradict each other",
                    where=FLAG,
                    hint="Nothing can satisfy both: drop or change one of them.",
                )


def spec_shown(spec: str) -> str:
    """A spec without what nobody asks about: the name and what is known."""
    name, values = parse_spec(spec)
    told = {key: values[key] for key in ("known", "upto", "wrong", "values") if key in values}
    usual = {"upto": "0", "wrong": "0.0", "values": "true"}
    shown = ",".join(f"{key}={value}" for key, value in told.items() if usual.get(key) != value)
    return f"{name}:{shown}" if shown else name


def _claim(text: str) -> Wish:
    name = text.split(":")[0]
    if name not in GUARANTEES.names():
        raise ParameterError(f"'{text}' is no requirement that can be read", where=FLAG, hint=_HINT)
    try:
        return Wish(text, claim=guarantee(text).spec)
    except RecloakError as problem:
        raise ParameterError(problem.what, where=f"{FLAG} '{text}'", hint=problem.hint) from None


def _limit(written: re.Match[str], text: str) -> float:
    try:
        limit = float(written["limit"])
    except ValueError:
        told = f"'{written['limit']}' is not a number"
        raise ParameterError(told, where=f"{FLAG} '{text}'", hint=_HINT) from None
    if not math.isfinite(limit):
        raise ParameterError("the limit is too large", where=f"{FLAG} '{text}'", hint=_HINT)
    limit = limit / 100 if written["percent"] else limit
    if written["figure"] in SHARES and not -1 <= limit <= 1:
        raise ParameterError(
            f"{written['figure']} is a share: at most 1",
            where=f"{FLAG} '{text}'",
            hint=f"Did you mean {limit:g}%?",
        )
    return limit


def _of_one(wish: Wish, spec: str, text: str) -> Wish:
    """About one attack or measure only; a figure that it does not have is refused."""
    name = parse_spec(spec)[0]
    try:
        if name not in ATTACKS.names() and name not in MEASURES.names():
            near = difflib.get_close_matches(name, [*ATTACKS.names(), *MEASURES.names()], n=1)
            guess = f"Did you mean '{near[0]}'? " if near else ""
            raise ParameterError(f"there is no attack or measure '{name}'", hint=f"{guess}{_HINT}")
        component = attack(spec) if name in ATTACKS.names() else measure(spec)
    except RecloakError as problem:
        raise ParameterError(problem.what, where=f"{FLAG} '{text}'", hint=problem.hint) from None
    if component.figures and wish.figure not in component.figures:
        raise _unknown_figure(wish.figure, component.figures, f"{FLAG} '{text}'")
    return Wish(wish.text, "", wish.figure, component.spec, wish.at_most, wish.at_least)


def _from_line(line: Requirement) -> Wish:
    spec = line.checker.spec
    if line.claim is not None:
        return Wish(str(line), claim=spec, because=line.because)
    limits = (line.at_most, line.at_least)
    return Wish(str(line), "", line.figure or "", spec, *limits, because=line.because)


def _unknown_figure(name: str, known: Iterable[str], where: str) -> ParameterError:
    listed = sorted(known)
    near = difflib.get_close_matches(name, listed, n=1)
    guess = f"Did you mean '{near[0]}'? " if near else ""
    return ParameterError(
        f"there is no figure '{name}'", where=where, hint=f"{guess}Known: {', '.join(listed)}."
    )
