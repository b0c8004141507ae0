"""Policy: the thresholds that a privacy officer signs, judged line by line."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from recloak.attacks import attack
from recloak.core.component import Component
from recloak.core.errors import InputError, RecloakError
from recloak.evaluation import Evaluation
from recloak.evaluation.figures import DeclaredFigure
from recloak.evaluation.findings import Audit, Figure, Finding, PolicyResult
from recloak.evaluation.formatting import label, within_sentence
from recloak.evaluation.survey_pairs import declares_issues
from recloak.guarantees import guarantee
from recloak.measures import measure

TEMPLATES = ("default", "survey", "partner", "public")
NOT_FOUND = "could not be measured on these data"
ONE_OF = "needs one of claim, attack or measure, and only one"


class Requirement(BaseModel):
    """One line: a claim that must hold, or a figure that must stay within a limit.

    Without claim, attack and measure it is about everything that finds the figure: the worst
    counts. A policy file has no such lines, for what they judge depends on what else is run.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    claim: str | None = None
    attack: str | None = None
    measure: str | None = None
    figure: str | None = None
    at_most: float | None = Field(default=None, strict=True)
    at_least: float | None = Field(default=None, strict=True)
    because: str = Field(default="")

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        missing = [self.claim, self.attack, self.measure].count(None)
        if missing < 2 or (missing == 3 and self.figure is None):
            raise ValueError(ONE_OF)
        if self.claim is None:
            if self.figure is None:
                raise ValueError("needs the figure that is judged, such as success")
            if (self.at_most is None) == (self.at_least is None):
                raise ValueError("needs exactly one of at_most or at_least")
        elif (self.figure, self.at_most, self.at_least) != (None, None, None):
            raise ValueError("a claim takes no figure and no limit")
        return self

    @property
    def names_one(self) -> bool:
        """Does it name a claim, an attack or a measure?"""
        return (self.claim, self.attack, self.measure) != (None, None, None)

    @property
    def checker(self) -> Component:
        """What is to be checked, run or measured."""
        if self.claim is not None:
            return guarantee(self.claim)
        return attack(self.attack) if self.attack else measure(self.measure or "")

    def __str__(self) -> str:
        if self.claim is not None:
            return f"{self.claim} holds"
        upper = self.at_most is not None
        limit = f"at most {self.at_most:g}" if upper else f"at least {self.at_least:g}"
        return f"{self.checker.name}, {self.checker.label}: {self.figure} {limit}"

    @property
    def in_words(self) -> str:
        """The line with words for the name of its figure, and per cent for shares."""
        if self.claim is not None:
            return str(self)
        declared = self._declared
        name = declared.in_words if declared else within_sentence(label(self.figure or ""))
        upper = self.at_most is not None
        limit = self.limit_shown((self.at_most if upper else self.at_least) or 0.0)
        side = "at most" if upper else "at least"
        return f"{self.checker.name}, {self.checker.label}: {name} {side} {limit}"

    def limit_shown(self, limit: float) -> str:
        """A limit of this line, or one in its place, as `in_words` has it."""
        declared = self._declared
        return f"{100 * limit:g}%" if declared and declared.unit == "share" else f"{limit:g}"

    @property
    def _declared(self) -> DeclaredFigure | None:
        checker = self.checker
        return checker.declared(self.figure or "") if isinstance(checker, Evaluation) else None

    def judge(self, audit: Audit) -> PolicyResult:
        """Compare with what the audit found."""
        judged = self._judge_claim(audit) if self.claim is not None else self._judge_figure(audit)
        return replace(judged, of=self.checker.spec, figure=self.figure or "")

    def _judge_figure(self, audit: Audit) -> PolicyResult:
        finding = next((found for found in audit.findings if found.spec == self.checker.spec), None)
        figure = finding.figure(self.figure or "") if finding else None
        if figure is None:
            return PolicyResult(str(self), "not measured", self._why_missing(finding), self.because)
        status: Literal["pass", "fail"] = "fail" if self.overshoot(figure) > 0 else "pass"
        judged = self.judged_end(figure)
        return PolicyResult(str(self), status, figure.shown(), self.because, judged=judged)

    def _judge_claim(self, audit: Audit) -> PolicyResult:
        verdict = next((seen for seen in audit.verdicts if seen.claim == self.checker.spec), None)
        if verdict is None:
            return PolicyResult(str(self), "not measured", "was not checked", self.because)
        found = f"{verdict.status}: {verdict.how}"
        return PolicyResult(str(self), "pass" if verdict.holds else "fail", found, self.because)

    def overshoot(self, figure: Figure) -> float:
        """By what part of the limit a figure is beyond it, or by how much if that is 0; ≤ 0 within.

        Judged by the unfavourable end of the interval: a lucky sample does not pass.
        """
        end = self.judged_end(figure)
        if self.at_most is not None:
            return (end - self.at_most) / (abs(self.at_most) or 1.0)
        least = self.at_least or 0.0
        return (least - end) / (abs(least) or 1.0)

    def judged_end(self, figure: Figure) -> float:
        """The end of a figure's interval that is compared with the limit."""
        return figure.unfavourable(high_is_bad=self.at_most is not None)

    def _why_missing(self, finding: Finding | None) -> str:
        if finding is None:
            return "was not run"
        names = ", ".join(figure.name for figure in finding.figures)
        if not names:
            return " ".join(finding.notes)
        checker = self.checker
        if isinstance(checker, Evaluation) and self.figure in checker.figure_names():
            return NOT_FOUND
        return f"there is no figure '{self.figure}', only {names}"


@dataclass(frozen=True)
class Policy:
    """A list of requirements with a title.

    Examples
    --------
    >>> import recloak
    >>> policy = recloak.Policy.default()
    >>> len(policy.requirements) > 0
    True

    """

    title: str
    requirements: tuple[Requirement, ...]

    @classmethod
    def default(cls, *, repeated: bool = False) -> Policy:
        """The policy that ships: it colours the verdict, it never stops a publication.

        Of a ``repeated`` release it also judges what someone learns who holds an earlier one.
        """
        return cls._shipped("default", *(["repeated"] if repeated else []))

    @classmethod
    def default_for(cls, parameters: Mapping[str, Any], *, repeated: bool = False) -> Policy:
        """The default for a release whose method states these ``parameters``.

        A survey has lines of its own: what is asked of ratings often cannot be measured on a few
        issues. Answers are compared only where rows are those of respondents.
        """
        own = declares_issues(parameters)
        if not own and parameters.get("data") != "survey":
            return cls.default(repeated=repeated)
        parts = {
            "survey_utility": own,
            "sensitive": bool(parameters.get("sensitive")),
            "repeated": repeated,
        }
        return cls._shipped("survey", *(part for part, wanted in parts.items() if wanted))

    @classmethod
    def _shipped(cls, *parts: str) -> Policy:
        return cls._parse("".join(map(_shipped_text, parts)), "default policy")

    @classmethod
    def nothing(cls) -> Policy:
        """A policy without lines: nothing is judged."""
        return cls("", ())

    @classmethod
    def read(cls, path: str | Path) -> Policy:
        """Read a policy file; `InputError` says which line is unclear, before work begins."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as problem:
            raise InputError(f"cannot read the policy: {problem}", where=str(path)) from None
        return cls._parse(text, str(path))

    def to_toml(self) -> str:
        """The policy as a file that `read` takes."""
        parts = [f"title = {_quoted(self.title)}\n"]
        for line in self.requirements:
            values = line.model_dump(exclude_defaults=True)
            parts += ["\n[[require]]\n", *(f"{key} = {_quoted(values[key])}\n" for key in values)]
        return "".join(parts)

    @property
    def claims(self) -> list[str]:
        """What must be checked for it."""
        return [line.claim for line in self.requirements if line.claim is not None]

    @property
    def digest(self) -> str:
        """The SHA-256 of its title and lines; comments and the order of keys do not matter."""
        return hashlib.sha256(self.to_toml().encode()).hexdigest()

    def judge(self, audit: Audit) -> tuple[PolicyResult, ...]:
        """A result for each line."""
        return tuple(requirement.judge(audit) for requirement in self.requirements)

    @classmethod
    def _parse(cls, text: str, where: str) -> Policy:
        try:
            content = tomllib.loads(text)
        except tomllib.TOMLDecodeError as problem:
            raise InputError(f"is not valid TOML: {problem}", where=where) from None
        unknown = set(content) - {"title", "require"}
        lines = content.get("require", [])
        if unknown or not isinstance(lines, list) or not lines:
            message = f"unknown key '{min(unknown)}'" if unknown else "there is no [[require]] line"
            raise InputError(message, where=where, hint="'recloak policy init' writes an example.")
        requirements = [
            _requirement(line, f"{where}, [[require]] number {at}")
            for at, line in enumerate(lines, 1)
        ]
        return cls(str(content.get("title", "policy")), tuple(requirements))


def template_text(name: str = "default") -> str:
    """A commented policy that ships, as `recloak policy init --for NAME` writes it."""
    parts = ("survey", "survey_utility") if name == "survey" else (name,)
    return "".join(map(_shipped_text, parts))


def _quoted(value: str | float) -> str:
    """As TOML, whose strings are those of JSON."""
    return json.dumps(value, ensure_ascii=False)


def _shipped_text(part: str) -> str:
    folder = resources.files("recloak.auditing.policy")
    return folder.joinpath(f"{part}.toml").read_text(encoding="utf-8")


def _requirement(line: Any, where: str) -> Requirement:
    try:
        requirement = Requirement.model_validate(line)
        if not requirement.names_one:
            raise InputError(ONE_OF)
        checker = requirement.checker
        known = checker.figure_names() if isinstance(checker, Evaluation) else ()
        if known and requirement.figure not in known:
            hint = f"Known: {', '.join(known)}."
            raise InputError(f"there is no figure '{requirement.figure}'", hint=hint)
    except ValidationError as problem:
        first = problem.errors()[0]
        place = f" '{first['loc'][0]}'" if first["loc"] else ""
        message = f"{place} {first['msg'].removeprefix('Value error, ')}".strip()
        raise InputError(message, where=where) from None
    except RecloakError as problem:
        raise InputError(problem.what, where=where, hint=problem.hint) from None
    return requirement
