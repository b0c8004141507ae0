"""Auditing: claims checked, attacks run, utility measured, the policy judged."""

from __future__ import annotations

import platform
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import numpy as np

import recloak
from recloak.attacks import Attack, attack
from recloak.auditing.control import control_group
from recloak.auditing.evaluations import Family, fitting
from recloak.auditing.matching import earlier_release_of, matched
from recloak.auditing.policy import Policy
from recloak.auditing.rehearsal import (
    REHEARSAL,
    factors_of,
    held_out,
    rehearsed,
    rehearser,
    release_rehearsal,
)
from recloak.auditing.verification import check_claims, check_file
from recloak.core.arrays import Integers
from recloak.core.errors import InputError, ParameterError
from recloak.core.memory import need
from recloak.core.progress import SILENT, Progress, Staged
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext, Rehearsal, match_items
from recloak.evaluation.findings import Audit, Finding, PolicyResult, Verdict
from recloak.guarantees import guarantee
from recloak.io import Loaded
from recloak.measures import Measure, measure
from recloak.methods import METHODS
from recloak.methods.base import Method
from recloak.releases.base import Release
from recloak.releases.linkage import NO_ROW, Linkage
from recloak.releases.secret import Secret

__all__ = ["Audit", "audit"]

TAIL_POINTS = 100
# Beside original and release: 50 as measured at 100M ratings, the rest for a rehearsal on half.
BYTES_PER_RATING = 75


def audit(
    original: Ratings,
    release: Release | Ratings | Loaded,
    *,
    secret: Secret | None = None,
    linkage: Linkage | None = None,
    method: Method | None = None,
    rehearse: bool = False,
    policy: Policy | None = None,
    previous: Release | Ratings | None = None,
    previous_secret: Secret | None = None,
    claims: Iterable[str] = (),
    verdicts: Sequence[Verdict] = (),
    attacks: Sequence[str] | None = None,
    measures: Sequence[str] | None = None,
    seed: int = 0,
    progress: Progress = SILENT,
) -> Audit:
    """What a release gives away and what it is still good for; `recloak.audit` tells of each part.

    ``verdicts`` are those on claims that were checked on this release already.
    """
    started = time.perf_counter()
    claims = list(claims)
    if isinstance(release, Loaded):
        stated = [*claims, *_policy_claims(policy or Policy.default())]
        verdicts = (*verdicts, *check_file(release, stated, progress, original))
        release = release.ratings
    scored: Release | Ratings = release
    if rehearse:
        if secret is not None or linkage is not None or previous is not None:
            raise ParameterError(
                "a rehearsal takes no secret, no mapping and no earlier release",
                where="--rehearse",
            )
        scored, secret, linkage = release_rehearsal(
            original, method or named_method(release), seed, progress
        )
    need(bytes_needed(original), f"auditing {original.n_ratings:,} ratings")
    judged = policy or Policy.default_for(_public(release), repeated=previous is not None)
    rows = scored.as_ratings() if isinstance(scored, Release) else scored
    if linkage is None:
        linkage = _who_is_who(original, scored, rows, secret, seed, progress)
    rehearsable = method or named_method(release)
    context = AuditContext(original, rows, linkage, match_items(original, rows))
    whole = scored if isinstance(scored, Release) else None
    rehearsal = _rehearsal(original, rows, linkage, rehearsable, seed, progress)
    context = replace(context, rehearsal=rehearsal, release=whole)
    if previous is not None:
        earlier = earlier_release_of(context, previous, previous_secret, seed, progress)
        context = replace(context, previous=earlier)
    if rehearsable:
        context = replace(
            context,
            rehearse=rehearser(original, rehearsable),
            control=control_group(original, rehearsable, seed),
        )
    if rehearsable and secret:
        drawn = Randomness(secret.root)
        context = replace(context, factors=factors_of(rehearsable, original, drawn, rows))
    stated = [*_claimed(release), *claims, *_policy_claims(judged)]
    audited = Audit(
        title=rehearsable.name if rehearsable else "a release of unknown method",
        release=_release_facts(release, rows, rehearse),
        original=facts_of(original),
        verdicts=check_claims(
            release,
            stated,
            progress,
            original,
            verdicts,
        ),
        attacks=_run_all(
            [*_wanted("attack", attacks, context, stated), *_named(judged, "attack")],
            attack,
            context,
            seed,
            progress,
        ),
        measures=_run_all(
            [*_wanted("measure", measures, context), *_named(judged, "measure")],
            measure,
            context,
            seed,
            progress,
        ),
        policy=judged.title,
        policy_digest=judged.digest,
        date=today(),
        tails=_tails(original, rows),  # of a rehearsal as of the release: the method is the same
        notes=(linkage.note, rehearsal.note, *_on_previous(context)),
        versions=library_versions(),
    )
    audited = replace(audited, verdicts=_beside_attacks(audited))
    policy_results: tuple[PolicyResult, ...] = judged.judge(audited)
    return replace(audited, policy_results=policy_results, seconds=time.perf_counter() - started)


def bytes_needed(original: Ratings) -> int:
    """What an audit needs beside the ratings."""
    return BYTES_PER_RATING * original.n_ratings


def _beside_attacks(audited: Audit) -> tuple[Verdict, ...]:
    """The verdicts after the attacks, which may refute a claim."""
    return tuple(
        guarantee(verdict.claim).beside_attacks(verdict, audited.attacks)
        for verdict in audited.verdicts
    )


def _wanted(
    family: Family,
    named: Sequence[str] | None,
    context: AuditContext,
    stated: Iterable[str] = (),
) -> Sequence[str]:
    """What was asked for, whether it applies or not; without that, all that applies.

    To that belong attacks that may refute a ``stated`` claim.
    """
    if named is not None:
        return named
    refuting = [spec for claim in stated for spec in guarantee(claim).refuting_attacks]
    return [*fitting(family, context), *(one for one in refuting if attack(one).applies(context))]


def _rehearsal(
    original: Ratings,
    rows: Ratings,
    linkage: Linkage,
    method: Method | None,
    seed: int,
    progress: Progress,
) -> Rehearsal:
    """A rehearsal, unless nobody knows the method or it cannot work on what is left of the data."""
    if method is None:
        return held_out(original, rows, linkage, seed)
    try:
        whole = method.rehearses_whole_rows
        return rehearsed(original, method, seed, progress, whole_row=whole)
    except InputError:
        return held_out(original, rows, linkage, seed)


def _on_previous(context: AuditContext) -> tuple[str, ...]:
    if context.previous is None:
        return ()
    return (f"Of the earlier release: {context.previous.linkage.note}",)


def _who_is_who(
    original: Ratings,
    release: Release | Ratings,
    rows: Ratings,
    secret: Secret | None,
    seed: int,
    progress: Progress,
) -> Linkage:
    if secret is not None:
        return secret.linkage(original, rows)
    return matched(original, release, rows, seed, progress)


def _run_all(
    specs: Iterable[str], make: Any, context: AuditContext, seed: int, progress: Progress
) -> tuple[Finding, ...]:
    """Run each of ``specs`` once; the same thing written in two ways counts as one."""
    wanted: dict[str, Attack | Measure] = {found.spec: found for found in map(make, specs)}
    findings = []
    for number, runner in enumerate(wanted.values(), 1):
        started = time.perf_counter()
        stage = f"{runner.family.capitalize()} {number} of {len(wanted)}, {runner.name}"
        finding = _explained(runner.run(context, seed, Staged(progress, stage)), context.linkage)
        findings.append(replace(finding, seconds=time.perf_counter() - started))
    return tuple(findings)


def _explained(finding: Finding, linkage: Linkage) -> Finding:
    """What nobody could score says what would make it measurable, whoever wrote the evaluation."""
    if finding.figures or linkage.links or NO_ROW in finding.notes:
        return finding
    if linkage.is_of_nobody and linkage.note in finding.notes:
        return replace(finding, notes=(NO_ROW,))
    if linkage.note in finding.notes:
        return finding
    return replace(finding, notes=(*finding.notes, linkage.note))


def named_method(release: Release | Ratings) -> Method | None:
    """The method that the manifest of a release names, if it is known here."""
    if not isinstance(release, Release) or release.manifest.method not in METHODS.names():
        return None
    return METHODS.get(release.manifest.method)(**release.manifest.parameters)


def _public(release: Release | Ratings) -> Mapping[str, Any]:
    """The parameters that a release states."""
    return release.manifest.parameters if isinstance(release, Release) else {}


def _claimed(release: Release | Ratings) -> list[str]:
    return list(release.manifest.claims) if isinstance(release, Release) else []


def _policy_claims(policy: Policy) -> list[str]:
    return [line.claim for line in policy.requirements if line.claim is not None]


def _named(policy: Policy, family: str) -> list[str]:
    named = (getattr(line, family) for line in policy.requirements)
    return [spec for spec in named if spec is not None]


def facts_of(ratings: Ratings) -> dict[str, Any]:
    """The size and scale of ratings, for an audit."""
    return {
        "users": ratings.n_users,
        "items": ratings.n_items,
        "ratings": ratings.n_ratings,
        "scale": str(ratings.scale),
        "density": ratings.density,
    }


def _release_facts(release: Release | Ratings, rows: Ratings, rehearsed: bool) -> dict[str, Any]:
    if isinstance(release, Release):
        facts = release.manifest.model_dump(mode="json", exclude={"files", "format_version"})
        return facts | ({"attacks_on": REHEARSAL} if rehearsed else {})
    facts = facts_of(rows)
    return {"method": "unknown", "rows": facts.pop("users"), **facts}


def _tails(original: Ratings, rows: Ratings) -> dict[str, Any]:
    return {
        "user_counts": {
            "original": _tail(original.user_counts),
            "release": _tail(rows.user_counts),
        },
        "item_support": {
            "original": _tail(original.item_support),
            "release": _tail(rows.item_support),
        },
    }


def _tail(counts: Integers) -> list[list[int]]:
    """Counts by rank, at ranks that are evenly spaced on a log axis."""
    if len(counts) == 0:
        return []
    ranked = np.sort(counts)[::-1]
    ranks = np.unique(np.geomspace(1, len(ranked), TAIL_POINTS).astype(np.int64))
    return [[int(rank), int(ranked[rank - 1])] for rank in ranks]


def today() -> str:
    """The day of an audit, as whoever signs its report writes it."""
    return datetime.now(UTC).date().isoformat()


def library_versions() -> dict[str, str]:
    """What an audit ran on."""
    libraries = ("numpy", "numba", "polars", "scipy", "cryptography")
    return {
        "recloak": recloak.__version__,
        "python": platform.python_version(),
        **{name: version(name) for name in libraries},
    }
