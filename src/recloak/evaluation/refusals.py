"""Refusals: a claim that does not hold or a policy line that does not pass stops a publication."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from recloak.core.errors import ClaimError, PolicyError
from recloak.evaluation.findings import Audit, PolicyResult, Verdict


def refuse_broken(verdicts: Iterable[Verdict], where: str | None = None) -> None:
    """Raise `ClaimError` if a verdict is anything but "holds"; ``where`` names what was checked."""
    for verdict in verdicts:
        if not verdict.holds:
            shown = "; ".join(f"{key}: {found}" for key, found in (verdict.witness or {}).items())
            raise ClaimError(
                f"the claim '{verdict.claim}' is {verdict.status}. {verdict.how}",
                where=where,
                hint=f"Witness: {shown}" if shown else None,
            )


def refuse_failing(found: Audit, in_words: Callable[[PolicyResult, Audit], str]) -> None:
    """Raise `PolicyError` if a policy is enforced and a line of it does not pass.

    ``in_words`` says a line as people read it.
    """
    failing = [result for result in found.policy_results if not result.passed]
    if found.refused:
        lines = "\n".join(
            f"  {in_words(one, found)}: {one.found} [{one.status}]" for one in failing
        )
        raise PolicyError(
            f"{len(failing)} of {len(found.policy_results)} lines of the policy do not pass; "
            f"nothing was published\n{lines}",
            where=found.policy,
            hint="Change the method or its parameters, or ask whoever signs the policy "
            "to change it.",
        )
