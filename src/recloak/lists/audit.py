"""Auditing lists: the bound checked for each release, attacks run, recall measured."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from recloak.attacks import Attack, attack
from recloak.attacks.base import ListAttack
from recloak.auditing.evaluation_registry import audited_by_default
from recloak.auditing.policy import Policy, Requirement
from recloak.auditing.run import facts_of, library_versions, today
from recloak.core.errors import ParameterError
from recloak.core.progress import SILENT, Progress
from recloak.evaluation.findings import Audit, Finding, Status, Verdict
from recloak.evaluation.formatting import counted
from recloak.evaluation.list_context import ListContext
from recloak.guarantees import guarantee
from recloak.measures import Measure, measure
from recloak.measures.related_lists import RelatedLists
from recloak.releases.lists.folder import claim_of
from recloak.releases.lists.fractions import fraction_text
from recloak.releases.lists.history import PROMISE


def audit_lists(
    context: ListContext,
    *,
    attacks: Sequence[str] | None = None,
    measures: Sequence[str] | None = None,
    policy: Policy | None = None,
    seed: int = 0,
    progress: Progress = SILENT,
) -> Audit:
    """Find out what a history of lists gives away, and what is left of it.

    Measures are taken over all releases and of each one. Without a ``policy`` the history is
    judged by its own promise alone.
    """
    started = time.perf_counter()
    attacks = audited_by_default("attack", "lists") if attacks is None else attacks
    measures = audited_by_default("measure", "lists") if measures is None else measures
    history = context.history
    judged = policy or _own_promise(context)
    named = [line.attack for line in judged.requirements if line.attack] if judged else []
    wanted = [line.measure for line in judged.requirements if line.measure] if judged else []
    audited = Audit(
        title=f"lists by {history.algorithm}" if history.delta else "unprotected lists",
        release=_facts(context),
        original=facts_of(context.timeline.ratings),
        verdicts=verdicts_of(context, progress),
        attacks=_run_all(
            attack,
            [*attacks, *named],
            context,
            seed,
            progress,
        ),
        measures=_run_all(
            measure, [*_by_release(measures, context), *wanted], context, seed, progress
        ),
        policy=judged.title if judged else "",
        policy_digest=judged.digest if judged else "",
        date=today(),
        notes=_notes(context),
        versions=library_versions(),
    )
    policy_results = judged.judge(audited) if judged else ()
    return replace(audited, policy_results=policy_results, seconds=time.perf_counter() - started)


def verdicts_of(context: ListContext, progress: Progress = SILENT) -> tuple[Verdict, ...]:
    """One verdict on the whole promise, then one for each release against its window."""
    claim = claim_of(context.history)
    if claim is None:
        return ()
    started = time.perf_counter()
    spec = str(claim)
    each = [_verdict(context, spec, place, progress) for place in context.history.claimed()]
    worst = next((one for one in each if one.status == "broken"), None)
    worst = worst or next((one for one in each if not one.holds), None)
    earlier = context.history.window - 1
    how = f"{counted(len(each), 'release')}, each compared with up to {earlier} before it."
    whole = Verdict(
        guarantee(claim).spec,  # as a policy finds it, all parameters spelled out
        worst.status if worst else "holds",
        how if worst is None else f"{how} {worst.how}",
        worst.witness if worst else None,
        time.perf_counter() - started,
    )
    return (whole, *each)


def _verdict(context: ListContext, spec: str, place: int, progress: Progress) -> Verdict:
    """The bound for one release: what the worst background tells, pair by pair."""
    started = time.perf_counter()
    later = context.history.releases[place].label
    pairs: list[str] = []
    status: Status = "holds"
    witness = None
    for earlier in context.earlier(place):
        before = context.history.releases[earlier].label
        found = context.pair(earlier, place, progress)
        share = (
            f"{found.worst.share} ≈ {float(found.worst.share):.4f}" if found.worst else "nothing"
        )
        pairs.append(f"against {before}: {found.n_targets:,} changes, the worst reveals {share}")
        if found.breaches and witness is None:
            status, witness = "broken", found.breaches[0].as_witness(context.names, before, later)
        elif found.undecided and status == "holds":
            status = "undecided"
    seconds = time.perf_counter() - started
    how = "; ".join(pairs) or "there is no earlier release"
    return Verdict(f"{spec} (release {later})", status, f"{how}.", witness, seconds)


def _own_promise(context: ListContext) -> Policy | None:
    claim = claim_of(context.history)
    if claim is None:
        return None
    because = "It is what the lists promise; nothing else was asked for."
    return Policy("the lists' own promise", (Requirement(claim=str(claim), because=because),))


def _by_release(measures: Sequence[str], context: ListContext) -> list[str]:
    single = [f"related-lists:release={place}" for place in context.places if place]
    return [*measures, *(single if "related-lists" in measures else [])]


def _run_all(
    make: Callable[[str], Attack | Measure],
    specs: Sequence[str],
    context: ListContext,
    seed: int,
    progress: Progress,
) -> tuple[Finding, ...]:
    """Run each of ``specs`` once; attacks and measures of tables are refused."""
    wanted = {runner.spec: runner for runner in map(make, specs)}
    findings = []
    for spec, runner in wanted.items():
        if not isinstance(runner, ListAttack | RelatedLists):
            raise ParameterError("is not about lists", where=spec)
        started = time.perf_counter()
        finding = runner.run_lists(context, seed, progress)
        findings.append(replace(finding, seconds=time.perf_counter() - started))
    return tuple(findings)


def _facts(context: ListContext) -> dict[str, Any]:
    history, claim = context.history, claim_of(context.history)
    delta = None if history.delta is None else fraction_text(history.delta)
    return {
        "method": history.algorithm,
        "parameters": {"delta": delta, "window": history.window, "top": history.top},
        "claims": [str(claim)] if claim else [],
        "promise": PROMISE if claim else "none",
        "releases": len(history),
        "items": context.n_items,
        "not_for_publication": [] if claim else ["nothing in it is protected"],
    }


def _notes(context: ListContext) -> tuple[str, ...]:
    before = sum(not release.protected for release in context.history.releases)
    notes = ["Raw lists are those that the same ratings lead to at the same release."]
    if context.history.delta is not None and before:
        notes.append(f"{before:,} releases were public before protection was switched on.")
    if context.history.new_raters_only:
        notes.append("The promise is about a weaker adversary, for whom only new raters count.")
    return tuple(notes)
