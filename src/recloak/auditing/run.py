"""Auditing: claims checked, attacks run, utility measured, the policy judged."""

from __future__ import annotations

import platform
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import numpy as np

import recloak
from recloak.attacks import attack
from recloak.auditing._context_building import context_of
from recloak.auditing._evaluation_runs import run_all
from recloak.auditing.evaluation_registry import Family, applicable
from recloak.auditing.options import AuditOptions
from recloak.auditing.policy import Policy
from recloak.auditing.rehearsal import REHEARSAL
from recloak.auditing.verification import check_claims, check_file
from recloak.core import memory
from recloak.core.arrays import Integers
from recloak.core.options import takes
from recloak.core.progress import SILENT, Progress
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext
from recloak.evaluation.findings import Audit, Finding, Verdict
from recloak.guarantees import guarantee
from recloak.io import Loaded
from recloak.methods import METHODS
from recloak.methods.base import Method
from recloak.releases.base import Release
from recloak.releases.secret import Secret

__all__ = ["Audit", "audit"]

TAIL_POINTS = 100
# Beside original and release: 50 as measured at 100M ratings, the rest for a rehearsal on half.
BYTES_PER_RATING = 75


@takes(AuditOptions)
def audit(
    original: Ratings,
    release: Release | Ratings | Loaded,
    *,
    options: AuditOptions | None = None,
    progress: Progress = SILENT,
    **keywords: Any,
) -> Audit:
    """What a release gives away and what it is still good for; `recloak.audit` tells of each part.

    Options are given at once or one by one; those that are given one by one win.

    ``verdicts`` are those on claims that were checked on this release already.
    """
    started = time.perf_counter()
    asked = AuditOptions.of("audit", options, keywords)
    verdicts = tuple(asked.verdicts)
    if isinstance(release, Loaded):
        stated = [*asked.claims, *(asked.policy or Policy.default()).claims]
        verdicts = (*verdicts, *check_file(release, stated, progress, original))
        release = release.ratings
    memory.require_memory(bytes_needed(original), f"auditing {original.n_ratings:,} ratings")
    method = asked.method or named_method(release)
    context = context_of(original, release, method, asked, progress)
    audited = _found(release, context, method, verdicts, asked, progress)
    return replace(audited, seconds=time.perf_counter() - started)


def findings_from_the_last(
    original: Ratings, release: Release, secret: Secret
) -> Iterator[Finding]:
    """What the usual measures, then attacks find, one at a time, from the last of each on."""
    asked = AuditOptions(secret=secret)
    context = context_of(original, release, named_method(release), asked, SILENT)
    for spec in reversed(applicable("measure", context)):
        yield from run_all((), (spec,), context, 0, SILENT)[1]
    for spec in reversed(applicable("attack", context)):
        yield from run_all((spec,), (), context, 0, SILENT)[0]


def _found(
    release: Release | Ratings,
    context: AuditContext,
    method: Method | None,
    verdicts: Sequence[Verdict],
    asked: AuditOptions,
    progress: Progress,
) -> Audit:
    """Claims checked, attacks and measures run, the policy judged."""
    repeated = context.previous is not None
    judged = asked.policy or Policy.default_for(_stated_parameters(release), repeated=repeated)
    stated = [*_claimed(release), *asked.claims, *judged.claims]
    attacks = [*_wanted("attack", asked.attacks, context, stated), *_named(judged, "attack")]
    measures = [*_wanted("measure", asked.measures, context), *_named(judged, "measure")]
    original = context.original
    checked = check_claims(release, stated, progress, original, verdicts)
    of_attacks, of_measures = run_all(attacks, measures, context, asked.seed, progress)
    audited = Audit(
        title=method.name if method else "a release of unknown method",
        release=_release_facts(release, context.rows, asked.rehearse),
        original=facts_of(original),
        verdicts=checked,
        attacks=of_attacks,
        measures=of_measures,
        policy=judged.title,
        policy_digest=judged.digest,
        date=today(),
        tails=_tails(original, context.rows),  # of a rehearsal as of the release: one method
        notes=_notes(context, measured=bool(of_measures)),
        versions=library_versions(),
    )
    audited = replace(audited, verdicts=_beside_attacks(audited))
    return replace(audited, policy_results=judged.judge(audited))


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
    return [
        *applicable(family, context),
        *(one for one in refuting if attack(one).applies(context)),
    ]


def _notes(context: AuditContext, *, measured: bool) -> tuple[str, ...]:
    """How people were told apart, what was held out for measures, the earlier release."""
    rehearsal, previous = context.rehearsal, context.previous
    held_back = (rehearsal.note,) if rehearsal and measured else ()
    earlier = (f"Of the earlier release: {previous.linkage.note}",) if previous else ()
    return (context.linkage.note, *held_back, *earlier)


def named_method(release: Release | Ratings) -> Method | None:
    """The method that the manifest of a release names, if it is known here."""
    if not isinstance(release, Release) or release.manifest.method not in METHODS.names():
        return None
    return METHODS.get(release.manifest.method)(**release.manifest.parameters)


def _stated_parameters(release: Release | Ratings) -> Mapping[str, Any]:
    """The parameters that a release states, and whether its ratings were read as a survey."""
    if not isinstance(release, Release):
        return {}
    return {**release.manifest.parameters, **_read_as(release.manifest.config.get("reading"))}


def _read_as(reading: object) -> dict[str, str]:
    """What a manifest says of the kind of data, in the words of parameters."""
    said = reading if isinstance(reading, Mapping) else {}
    survey = said.get("format") == "survey" or "id_column" in said or "issues" in said
    return {"data": "survey"} if survey else {}


def _claimed(release: Release | Ratings) -> list[str]:
    return list(release.manifest.claims) if isinstance(release, Release) else []


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
