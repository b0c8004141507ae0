"""Guarantee `differential-privacy`: proved by construction, added up again from the account."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.core.ratings import Ratings
from recloak.evaluation.findings import Finding, Verdict
from recloak.guarantees.base import Guarantee
from recloak.io.reservations import Subject
from recloak.releases.account import Account
from recloak.releases.base import Release

_ROUNDING = 1e-9  # of a number that was written with twelve digits
_POINTS, _WIDTH = 200_001, 40.0
_LEAST_GRID_STEPS = 2.0**20
_SENSITIVITIES = {
    "ratings per person": math.sqrt(2),
    "times": 1.0,
    "items": 1.0,
    "level": 1.0,
    "spreads": math.sqrt(2),
    "support": math.sqrt(0.5),
    "support step": 1.0,
    "taste": math.sqrt(0.5),
    "taste step": 1.0,
}
_NEEDS_ACCOUNT = (
    "No table can show differential privacy: it is a property of how the table was made. Without "
    "an account of the queries there is nothing to check."
)


class DifferentialPrivacyParameters(Parameters):
    """The bound, and whose presence it hides."""

    epsilon: float = Field(gt=0, le=50)
    """The probability of no outcome changes by more than a factor of e^ε."""

    delta: float = Field(default=1e-6, gt=0, lt=1)
    """The probability with which the bound may fail."""

    unit: Literal["user"] = "user"
    """What may be added or removed: a person with all their ratings."""


class DifferentialPrivacy(Guarantee):
    """The release would be almost as likely without any one person.

    This is proved by construction and can be seen in no file. What is checked is the account that
    the method wrote of its queries: that each has the sensitivity that is proved for a query of
    its name, that the noise of all together spends no more than ε and δ allow (by integrating the
    loss of privacy, not by the formula that the method used), and that the grid of the noise is
    fine enough. Whether the code did what the account says, its tests show, and an audit tries to
    refute it.
    """

    name: ClassVar[str] = "differential-privacy"
    summary: ClassVar[str] = "No one person changes much what could have been published."
    reference: ClassVar[str] = "Dong, Roth, Su: Gaussian Differential Privacy. JRSS B 2022."
    Parameters: ClassVar[type[Parameters]] = DifferentialPrivacyParameters
    parameters: DifferentialPrivacyParameters

    @property
    def about(self) -> frozenset[Subject]:
        """How the release was made, not what stands in it."""
        return frozenset()

    @property
    def by_parts(self) -> bool:
        return True

    def check(self, rows: Ratings, progress: Progress = SILENT) -> Verdict:
        return Verdict(self.spec, "undecided", _NEEDS_ACCOUNT)

    def check_release(self, release: Release, progress: Progress = SILENT) -> Verdict:
        account = release.manifest.account
        if account is None or account.mu is None:
            return Verdict(self.spec, "undecided", _NEEDS_ACCOUNT)
        odd = _odd_query(account)
        if odd is not None:
            fault = "The account is inconsistent: a query has a sensitivity other than its "
            return Verdict(
                self.spec, "broken", f"{fault}name stands for, or too little noise.", odd
            )
        spent = math.sqrt(sum((one.sensitivity / one.sigma) ** 2 for one in account.queries))
        delta = delta_by_integration(spent, self.parameters.epsilon)
        how = (
            f"Proved by construction. The noise of the {len(account.queries)} queries in the "
            f"account was added up again: μ = {spent:.4g}, which at ε = "
            f"{self.parameters.epsilon:g} gives δ = {delta:.3g}."
        )
        if delta > self.parameters.delta * (1 + 1e-4):
            witness = {"mu": spent, "delta": delta, "claimed": self.parameters.delta}
            return Verdict(self.spec, "broken", f"{how} That is more than claimed.", witness)
        return Verdict(self.spec, "holds", f"{how}{_together(account)}")

    @property
    def refuting_attacks(self) -> tuple[str, ...]:
        """Who is in the release, told with the δ that is claimed."""
        return (f"membership:known=0,delta={self.parameters.delta!r}",)

    def beside_attacks(self, verdict: Verdict, attacks: Sequence[Finding]) -> Verdict:
        """Broken if an attack tells members from outsiders better than ε and δ allow."""
        bounds = [
            (figure.value, finding)
            for finding in attacks
            if finding.parameters.get("delta", 0.0) >= self.parameters.delta
            and (figure := finding.figure("epsilon_at_least")) is not None
        ]
        if not bounds or verdict.status == "broken":
            return verdict
        found, strongest = max(bounds, key=lambda one: one[0])
        claimed = self.parameters.epsilon
        lower_bound = f"{strongest.title} needs an ε of at least {found:.3g} with 95 % confidence"
        if found <= claimed:
            how = f"{verdict.how} The attack {lower_bound}, which does not refute it."
            return replace(verdict, how=how)
        how = f"Refuted. The attack {lower_bound}, more than the {claimed:g} that is claimed. "
        witness = {"attack": strongest.spec, "epsilon_at_least": found, "claimed": claimed}
        return replace(
            verdict, status="broken", how=f"{how}Before it: {verdict.how}", witness=witness
        )


def _odd_query(account: Account) -> dict[str, Any] | None:
    """The first query whose entry in the account cannot be right."""
    step = 2.0**-account.grid_bits
    for query in account.queries:
        least = _SENSITIVITIES.get(query.name)
        short = least is None or query.sensitivity < least * (1 - _ROUNDING)
        if short or query.sigma < _LEAST_GRID_STEPS * step:
            return query.model_dump()
    return None if account.queries else {"queries": 0}


def _together(account: Account) -> str:
    """What earlier releases of the same people add."""
    if not account.earlier:
        return ""
    spent = sum((one.sensitivity / one.sigma) ** 2 for one in account.queries)
    together = math.sqrt(spent + sum(mu**2 for mu in account.earlier))
    assert account.delta is not None
    low, high = 0.0, 1e4
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (
            (middle, high)
            if delta_by_integration(together, middle) > account.delta
            else (low, middle)
        )
    return (
        f" With the {len(account.earlier)} earlier releases of these people that it names, all "
        f"together satisfy ε = {high:.4g} at δ = {account.delta:g}."
    )


def delta_by_integration(mu: float, epsilon: float) -> float:
    """The least δ for ε: the mean of (1 − e^(ε − loss))⁺, with a loss of N(μ²/2, μ²)."""
    centre = mu * mu / 2
    start = max(epsilon, centre - _WIDTH * mu)
    losses = np.linspace(start, max(centre, start) + _WIDTH * mu, _POINTS)
    density = np.exp(-0.5 * ((losses - centre) / mu) ** 2) / (mu * math.sqrt(2 * math.pi))
    lost = -np.expm1(np.minimum(epsilon - losses, 0.0))
    return float(np.trapezoid(lost * density, losses))
