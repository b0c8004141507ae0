"""The goal of advice: what must hold, and what is to be as good as can be."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from recloak.auditing.evaluation_registry import evaluation
from recloak.auditing.policy import Requirement
from recloak.comparison.frontier import counted
from recloak.comparison.options import AdviceOptions
from recloak.comparison.protocol import Protocol
from recloak.comparison.request import ComparisonRequest
from recloak.comparison.requirements import (
    Objective,
    parse_objective,
    parse_requirement,
    refuse_contradictions,
    utility_objective,
)
from recloak.core.errors import ParameterError


class Goal(NamedTuple):
    """The objective, and the requirements."""

    aim: Objective
    requirements: list[Requirement]

    @classmethod
    def of(cls, wanted: ComparisonRequest, options: AdviceOptions) -> Goal:
        """Raise `ParameterError` for what cannot be read or contradicts itself."""
        require, maximise, minimise = options.require, options.maximise, options.minimise
        if maximise is not None and minimise is not None:
            raise ParameterError("give either maximise or minimise", where="--minimise")
        protocol = wanted.followed.with_policy(wanted.judged)
        texts = [require] if isinstance(require, str) else require
        found = [
            parse_requirement(one, protocol) if isinstance(one, str) else one
            for one in (wanted.judged.requirements if texts is None else texts)
        ]
        refuse_contradictions(found)
        aim = maximise or minimise or utility_objective()
        if isinstance(aim, str):
            aim = parse_objective(aim, protocol, lowest=minimise is not None)
        return cls(aim, found)

    def deciding(self, protocol: Protocol) -> Protocol:
        """The protocol with those attacks alone whose figures decide between settings."""
        lines = counted(self.requirements)
        kept = tuple(
            spec
            for spec in protocol.attacks
            if self._is_aimed_at(spec) or any(_asks_for(line, spec) for line in lines)
        )
        return replace(protocol, attacks=kept)

    def _is_aimed_at(self, spec: str) -> bool:
        return self.aim.figure in evaluation(spec).figure_names()

    @property
    def named(self) -> list[Requirement]:
        """The requirements that name an attack or a measure, which must be run then."""
        return [one for one in self.requirements if one.names_one]


def _asks_for(line: Requirement, spec: str) -> bool:
    """Is this attack the one that a line names, or one of all that find its figure?"""
    if line.names_one:
        return line.checker.spec == spec
    return not evaluation(spec).figure_names() or line.figure in evaluation(spec).figure_names()
