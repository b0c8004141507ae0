"""Protocol: what is done to every release of a comparison; the same attackers, measures, seed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from recloak.attacks import attack
from recloak.auditing.evaluation_registry import compared_by_default, evaluation
from recloak.auditing.policy import Policy, Requirement
from recloak.guarantees import guarantee
from recloak.measures import measure


@dataclass(frozen=True)
class Protocol:
    """Attacks, measures and claims by their full names, and the seed of all that is drawn."""

    attacks: tuple[str, ...]
    measures: tuple[str, ...]
    claims: tuple[str, ...] = ()
    seed: int = 0

    @classmethod
    def usual(cls, seed: int = 0, *, survey: bool = False) -> Protocol:
        """What every comparison does, whatever is required; of a survey, also what is about it."""
        attacks, measures = (
            compared_by_default(family, survey=survey) for family in ("attack", "measure")
        )
        return cls(attacks, measures, seed=seed)

    def with_lines(self, requirements: Iterable[Requirement]) -> Protocol:
        """Also what these lines ask for."""
        extended = self
        for line in requirements:
            if line.claim is not None:
                extended = extended._added("claims", guarantee(line.claim).spec)
            elif line.attack is not None:
                extended = extended._added("attacks", attack(line.attack).spec)
            else:
                extended = extended._added("measures", measure(line.measure or "").spec)
        return extended

    def with_policy(self, policy: Policy) -> Protocol:
        """Also what a policy asks for."""
        return self.with_lines(policy.requirements)

    @property
    def figures(self) -> dict[str, list[str]]:
        """Every figure that may be found, and by which attacks and measures."""
        found: dict[str, list[str]] = {}
        for spec in (*self.attacks, *self.measures):
            for name in evaluation(spec).figure_names():
                found.setdefault(name, []).append(spec)
        return found

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types."""
        return {
            "attacks": list(self.attacks),
            "measures": list(self.measures),
            "claims": list(self.claims),
            "seed": self.seed,
        }

    def _added(self, family: str, spec: str) -> Protocol:
        present: tuple[str, ...] = getattr(self, family)
        changes: dict[str, Any] = {family: (*present, spec)}
        return self if spec in present else replace(self, **changes)
