"""What a release must satisfy, in a few words or from a policy, and what to maximise."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from recloak.attacks import ATTACKS
from recloak.auditing.evaluation_registry import declared_figures, evaluation, utility_figures
from recloak.auditing.policy import Policy, Requirement
from recloak.comparison.protocol import Protocol
from recloak.comparison.trials import Trial
from recloak.core.errors import ParameterError, RecloakError, did_you_mean
from recloak.core.parameters import parse_spec
from recloak.evaluation.figures import UTILITY
from recloak.evaluation.findings import Figure
from recloak.evaluation.formatting import amount, figure_with_end
from recloak.guarantees import GUARANTEES, guarantee
from recloak.measures import MEASURES

FLAG = "--require"
_WRITTEN = re.compile(
    r"(?:(?P<spec>\S+)\s+)?(?P<figure>[A-Za-z_][\w-]*)\s*(?P<sign><=|>=|≤|≥)\s*"
    r"(?P<limit>[-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*(?P<percent>%?)"
)
_HINT = (
    "Examples: 'excess<=0.08', 'membership<=65%', 'bayes-linkage:known=4 success<=20%', "
    "'utility>=0.05', 'k-anonymity:k=5'."
)
Status = Literal["pass", "fail", "not measured"]


@dataclass(frozen=True)
class RequirementResult:
    """How a trial stands to a requirement: ``shortfall`` is 0 if met, else how far it is off."""

    status: Status
    found: str
    shortfall: float
    figure: Figure | None = None
    spec: str = ""
    judged: float | None = None

    @property
    def shown(self) -> str:
        """The figure with the end of its interval that decided, if there is one."""
        if self.figure is None or self.judged is None:
            return ""
        return figure_with_end(self.figure, self.judged)

    @property
    def decisive(self) -> str:
        """That end alone."""
        if self.figure is None or self.judged is None:
            return ""
        return amount(self.judged, self.figure.unit)


class WrittenRequirement(Requirement):
    """A requirement as somebody wrote it in a few words."""

    text: str = Field(exclude=True)

    def __str__(self) -> str:
        return self.text

    @property
    def in_words(self) -> str:
        """As it was written: whoever wrote it knows the names."""
        return self.text

    def limit_shown(self, limit: float) -> str:
        """Limits in words of somebody's own are numbers."""
        return f"{limit:g}"


def judge(requirement: Requirement, trial: Trial) -> RequirementResult:
    """Compare a requirement with what a trial found."""
    if requirement.claim is not None:
        return _judge_claim(requirement, trial)
    found = [
        (requirement.overshoot(figure), spec, figure)
        for spec, figure in _figures(requirement, trial)
    ]
    if not found:
        return RequirementResult("not measured", "not measured", float("inf"))
    excess, spec, figure = max(found, key=lambda one: one[0])
    status: Status = "fail" if excess > 0 else "pass"
    text, judged = f"{figure.shown()} by {spec_shown(spec)}", requirement.judged_end(figure)
    return RequirementResult(status, text, max(excess, 0.0), figure, spec, judged)


def _judge_claim(requirement: Requirement, trial: Trial) -> RequirementResult:
    verdicts = trial.audit.verdicts if trial.audit else ()
    claim = requirement.checker.spec
    verdict = next((one for one in verdicts if one.claim == claim), None)
    if verdict is None:
        return RequirementResult("not measured", "was not checked", float("inf"))
    if verdict.holds:
        return RequirementResult("pass", "holds", 0.0)
    return RequirementResult("fail", verdict.status, 1.0)


def _figures(requirement: Requirement, trial: Trial) -> Iterable[tuple[str, Figure]]:
    name = requirement.figure or ""
    if not requirement.names_one:
        return trial.figures(name)
    spec = requirement.checker.spec
    figure = trial.figure(spec, name)
    return [(spec, figure)] if figure else []


@dataclass(frozen=True)
class Objective:
    """The figure that is to be as high, or as low, as can be."""

    figure: str
    lowest: bool = False

    @property
    def words(self) -> str:
        return f"{'lowest' if self.lowest else 'highest'} {self.figure}"

    def found(self, trial: Trial) -> Figure | None:
        """The figure of a trial, by the first attack or measure that has it."""
        findings = trial.audit.findings if trial.audit else ()
        figures = (finding.figure(self.figure) for finding in reversed(findings))
        return next((figure for figure in figures if figure is not None), None)

    def score(self, trial: Trial) -> float:
        """Higher is better; what was not measured is worst."""
        figure = self.found(trial)
        if figure is None:
            return float("-inf")
        return -figure.value if self.lowest else figure.value


def utility_objective() -> Objective:
    """The first figure that a measure declares to stand for utility, as high as can be."""
    return Objective(utility_figures()[0].name)


def figure_named(name: str) -> str:
    """The figure that somebody calls so: ``utility``, or its name with hyphens or underscores."""
    return utility_objective().figure if name == UTILITY else name.replace("-", "_")


def parse_requirement(text: str, protocol: Protocol) -> Requirement:
    """Read ``excess<=0.08``, ``bayes-linkage:known=4 success<=20%`` or ``k-anonymity:k=5``."""
    stripped = text.strip()
    written = _WRITTEN.fullmatch(stripped)
    if written is None:
        return _claim(stripped)
    limit = _limit(written, text)
    figure = figure_named(written["figure"])
    if not written["spec"] and figure not in protocol.figures:
        raise _unknown_figure(figure, [UTILITY, *protocol.figures], f"{FLAG} '{text}'")
    side = "at_most" if written["sign"] in ("<=", "≤") else "at_least"
    named = _named(written["spec"], figure, text) if written["spec"] else {}
    return WrittenRequirement.model_validate(
        {**named, "figure": figure, side: limit, "text": stripped}
    )


def policy_of(requirements: Iterable[Requirement], trial: Trial) -> Policy:
    """What was required of a trial as a policy that its publication can be held to."""
    lines = dict.fromkeys(line for one in requirements for line in _lines(one, trial))
    return Policy(f"what was required of {trial.setting.label}", tuple(lines))


def _lines(requirement: Requirement, trial: Trial) -> list[Requirement]:
    """The same as lines of a policy, one for everything that found the figure in a trial."""
    plain = requirement.model_dump(exclude_defaults=True)
    if requirement.names_one:
        family = next(name for name in ("claim", "attack", "measure") if name in plain)
        return [Requirement.model_validate({**plain, family: requirement.checker.spec})]
    return [
        Requirement.model_validate({**plain, evaluation(spec).family: spec})
        for spec, _ in trial.figures(requirement.figure or "")
    ]


def parse_objective(name: str, protocol: Protocol, *, lowest: bool = False) -> Objective:
    """Read ``utility``, or the name of a figure."""
    flag = "--minimise" if lowest else "--maximise"
    known = protocol.figures
    figure = figure_named(name)
    if figure not in known:
        raise _unknown_figure(name, [UTILITY, *known], flag)
    return Objective(figure, lowest)


def refuse_contradictions(requirements: Sequence[Requirement]) -> None:
    """Refuse two requirements of one figure that nothing can satisfy."""
    for upper in (one for one in requirements if one.at_most is not None):
        for lower in (one for one in requirements if one.at_least is not None):
            if _about(upper) == _about(lower) and (lower.at_least or 0.0) > (upper.at_most or 0.0):
                raise ParameterError(
                    f"'{lower}' and '{upper}' contradict each other",
                    where=FLAG,
                    hint="Nothing can satisfy both: drop or change one of them.",
                )


def _about(requirement: Requirement) -> tuple[str | None, str]:
    return requirement.figure, requirement.checker.spec if requirement.names_one else ""


def spec_shown(spec: str) -> str:
    """A spec without what nobody asks about: the name and what is known."""
    name, values = parse_spec(spec)
    knowledge = {key: values[key] for key in ("known", "upto", "wrong", "values") if key in values}
    usual = {"upto": "0", "wrong": "0.0", "values": "true"}
    shown = ",".join(
        f"{key}={value}" for key, value in knowledge.items() if usual.get(key) != value
    )
    return f"{name}:{shown}" if shown else name


def _claim(text: str) -> Requirement:
    name = text.split(":")[0]
    if name not in GUARANTEES.names():
        raise ParameterError(f"'{text}' cannot be read as a requirement", where=FLAG, hint=_HINT)
    try:
        return WrittenRequirement(claim=guarantee(text).spec, text=text)
    except RecloakError as problem:
        raise ParameterError(problem.what, where=f"{FLAG} '{text}'", hint=problem.hint) from None


def _limit(written: re.Match[str], text: str) -> float:
    try:
        limit = float(written["limit"])
    except ValueError:
        message = f"'{written['limit']}' is not a number"
        raise ParameterError(message, where=f"{FLAG} '{text}'", hint=_HINT) from None
    if not math.isfinite(limit):
        raise ParameterError("the limit is too large", where=f"{FLAG} '{text}'", hint=_HINT)
    limit = limit / 100 if written["percent"] else limit
    declared = declared_figures().get(written["figure"])
    if declared and declared.is_bounded_share and not -1 <= limit <= 1:
        raise ParameterError(
            f"{written['figure']} is a share: at most 1",
            where=f"{FLAG} '{text}'",
            hint=f"Did you mean {limit:g}%?",
        )
    return limit


def _named(spec: str, figure: str, text: str) -> dict[str, str]:
    """The attack or measure that is named; a figure that it does not have is refused."""
    name = parse_spec(spec)[0]
    try:
        if name not in ATTACKS.names() and name not in MEASURES.names():
            guess = did_you_mean(name, [*ATTACKS.names(), *MEASURES.names()])
            raise ParameterError(f"there is no attack or measure '{name}'", hint=f"{guess}{_HINT}")
        named = evaluation(spec)
    except RecloakError as problem:
        raise ParameterError(problem.what, where=f"{FLAG} '{text}'", hint=problem.hint) from None
    known = named.figure_names()
    if known and figure not in known:
        raise _unknown_figure(figure, known, f"{FLAG} '{text}'")
    return {named.family: named.spec}


def _unknown_figure(name: str, known: Iterable[str], where: str) -> ParameterError:
    listed = sorted(known)
    guess = did_you_mean(name, listed)
    return ParameterError(
        f"there is no figure '{name}'", where=where, hint=f"{guess}Known: {', '.join(listed)}."
    )


def measurable(objective: Objective, trials: Sequence[Trial]) -> Objective:
    """The objective; of what may stand for utility, the first that was measured."""
    if objective != utility_objective():
        return objective
    stand_ins = [Objective(one.name) for one in utility_figures()]
    return next((one for one in stand_ins if any(map(one.found, trials))), objective)
