"""Auditing lists: the bound checked for each release, attacks run, recall measured."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from recloak.attacks import Attack, attack
from recloak.attacks.lists import ListAttack
from recloak.auditing import facts_of, library_versions
from recloak.errors import ParameterError
from recloak.findings import Audit, Finding, Status, Verdict
from recloak.guarantees import guarantee
from recloak.guarantees.delta_bound import PROMISE
from recloak.lists.exact import written
from recloak.lists.folder import claim_of
from recloak.lists.scene import ListScene
from recloak.measures import Measure, measure
from recloak.measures.related_lists import RelatedLists
from recloak.policy import Policy, Requirement
from recloak.progress import SILENT, Progress

KNOWN = (5, 20)
AT_LEAST = (1, 2, 3)
LIST_ATTACKS = tuple(
    f"passive-inference:known={known},at_least={lists}" for known in KNOWN for lists in AT_LEAST
)
LIST_MEASURES = ("related-lists",)


def audit_lists(
    scene: ListScene,
    *,
    attacks: Sequence[str] = LIST_ATTACKS,
    measures: Sequence[str] = LIST_MEASURES,
    policy: Policy | None = None,
    seed: int = 0,
    progress: Progress = SILENT,
) -> Audit:
    """Find out what a history of lists gives away, and what is left of it.

    Measures are taken over all releases and of each one. Without a ``policy`` the history is
    judged by its own promise alone.
    """
    started = time.perf_counter()
    history = scene.history
    judged = policy or _own_promise(scene)
    named = [line.attack for line in judged.requirements if line.attack] if judged else []
    wanted = [line.measure for line in judged.requirements if line.measure] if judged else []
    audited = Audit(
        title=f"lists by {history.algorithm}" if history.delta else "unprotected lists",
        release=_facts(scene),
        original=facts_of(scene.timeline.ratings),
        verdicts=verdicts_of(scene, progress),
        attacks=_run_all(attack, [*attacks, *named], scene, seed, progress),
        measures=_run_all(measure, [*_by_release(measures, scene), *wanted], scene, seed, progress),
        policy=judged.title if judged else "",
        notes=_notes(scene),
        versions=library_versions(),
    )
    lights = judged.judge(audited) if judged else ()
    return replace(audited, lights=lights, seconds=time.perf_counter() - started)


def verdicts_of(scene: ListScene, progress: Progress = SILENT) -> tuple[Verdict, ...]:
    """One verdict on the whole promise, then one for each release against its window."""
    claim = claim_of(scene.history)
    if claim is None:
        return ()
    started = time.perf_counter()
    spec = str(claim)
    each = [_verdict(scene, spec, place, progress) for place in scene.history.claimed()]
    worst = next((one for one in each if one.status == "broken"), None)
    worst = worst or next((one for one in each if not one.holds), None)
    how = f"{len(each):,} releases, each compared with up to {scene.history.window - 1} before it."
    whole = Verdict(
        guarantee(claim).spec,  # as a policy finds it, all parameters spelled out
        worst.status if worst else "holds",
        how if worst is None else f"{how} {worst.how}",
        worst.witness if worst else None,
        time.perf_counter() - started,
    )
    return (whole, *each)


def _verdict(scene: ListScene, spec: str, place: int, progress: Progress) -> Verdict:
    """The bound for one release: what the worst background tells, pair by pair."""
    started = time.perf_counter()
    later = scene.history.releases[place].label
    told: list[str] = []
    status: Status = "holds"
    witness = None
    for earlier in scene.earlier(place):
        before = scene.history.releases[earlier].label
        found = scene.pair(earlier, place, progress)
        share = (
            f"{found.worst.share} ≈ {float(found.worst.share):.4f}" if found.worst else "nothing"
        )
        told.append(f"against {before}: {found.n_targets:,} changes, the worst tells {share}")
        if found.breaches and witness is None:
            status, witness = "broken", found.breaches[0].told(scene.names, before, later)
        elif found.undecided and status == "holds":
            status = "undecided"
    seconds = time.perf_counter() - started
    how = "; ".join(told) or "there is no earlier release"
    return Verdict(f"{spec} (release {later})", status, f"{how}.", witness, seconds)


def _own_promise(scene: ListScene) -> Policy | None:
    claim = claim_of(scene.history)
    if claim is None:
        return None
    because = "It is what the lists promise; nothing else was asked for."
    return Policy("the lists' own promise", (Requirement(claim=str(claim), because=because),))


def _by_release(measures: Sequence[str], scene: ListScene) -> list[str]:
    single = [f"related-lists:release={place}" for place in scene.places if place]
    return [*measures, *(single if "related-lists" in measures else [])]


def _run_all(
    make: Callable[[str], Attack | Measure],
    specs: Sequence[str],
    scene: ListScene,
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
        finding = runner.run_lists(scene, seed, progress)
        findings.append(replace(finding, seconds=time.perf_counter() - started))
    return tuple(findings)


def _facts(scene: ListScene) -> dict[str, Any]:
    history, claim = scene.history, claim_of(scene.history)
    delta = None if history.delta is None else written(history.delta)
    return {
        "method": history.algorithm,
        "parameters": {"delta": delta, "window": history.window, "top": history.top},
        "claims": [str(claim)] if claim else [],
        "promise": PROMISE if claim else "none",
        "releases": len(history),
        "items": scene.n_items,
        "not_for_publication": [] if claim else ["nothing in it is protected"],
    }


def _notes(scene: ListScene) -> tuple[str, ...]:
    before = sum(not release.protected for release in scene.history.releases)
    notes = ["Raw lists are those that the same ratings lead to at the same release."]
    if scene.history.delta is not None and before:
        notes.append(f"{before:,} releases were public before protection was switched on.")
    if scene.history.new_raters_only:
        notes.append("The promise is about the weaker adversary for whom new raters alone count.")
    return tuple(notes)
