"""Auditing: claims checked, attacks run, utility measured, the policy judged."""

from __future__ import annotations

import platform
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

import recloak
from recloak.answers import declares_issues
from recloak.attacks import Attack, attack
from recloak.errors import InputError
from recloak.findings import Audit, Finding, Light
from recloak.grouped import GroupedRelease
from recloak.linkage import Linkage
from recloak.matching import matched
from recloak.measures import Measure, measure
from recloak.memory import need
from recloak.methods import METHODS
from recloak.methods.base import Method
from recloak.policy import Policy
from recloak.previous import previous_of
from recloak.progress import SILENT, Progress
from recloak.randomness import Randomness
from recloak.ratings import Ratings
from recloak.release import Release
from recloak.scene import Scene, Shadow, match_items
from recloak.secret import Secret
from recloak.shadows import factors_of, held_out, rehearsed, rehearser
from recloak.verifying import check_claims

__all__ = ["Audit", "audit"]

SURVEY_ATTACKS = (
    *(f"survey-linking:known={known}" for known in (3, 5)),
    "survey-linking",
    "survey-linking:epsilon=1",
    "survey-linking:nearest=yes",
)
SURVEY_MEASURES = ("survey-distortion", "survey-marginals", "naive-bayes")
GROUP_ATTACKS = (
    *(f"structure:known={known}" for known in (1, 2, 4, 8)),
    *(f"label:known={known}" for known in (1, 2, 4, 8)),
    "homogeneity",
    "link-existence",
)
GROUP_MEASURES = ("group-prediction",)
MANY_ROWS_ATTACKS = (
    *(f"scoreboard-multi:known={known}" for known in (5, 10, 20)),
    "fragment-linking",
    *(f"subset-bound:known={known}" for known in (2, 5, 20)),
)
DIFFERENCE_ATTACKS = ("release-difference",)
ATTACKS = (
    "record-linkage",
    *(f"record-linkage:known={known}" for known in (2, 4, 8, 16)),
    *(f"record-linkage:known={known},values=no" for known in (2, 4, 8, 16)),
    *(f"record-linkage:oracle={direction}" for direction in ("to-release", "to-original")),
    "profile-inversion",
    "scoreboard:known=4",
    *(f"scoreboard-rh:known={known}" for known in (5, 10, 20)),
    *MANY_ROWS_ATTACKS,
    *GROUP_ATTACKS,
    *SURVEY_ATTACKS,
    *DIFFERENCE_ATTACKS,
)
MEASURES = (
    "prediction:recommender=item-mean",
    "prediction:recommender=factorization",
    "tailoring-utility",
    "ranking",
    "itemsets",
    "detectability",
    "distortion",
    "neighbour-prediction",
    *GROUP_MEASURES,
    "density",
    "information-change",
    *SURVEY_MEASURES,
)
TAIL_POINTS = 100
DAYS_KNOWN = 31
# Beside original and release: 50 as measured at 100M ratings, the rest for a rehearsal on half.
BYTES_PER_RATING = 75


def audit(
    original: Ratings,
    release: Release | Ratings,
    *,
    secret: Secret | None = None,
    linkage: Linkage | None = None,
    method: Method | None = None,
    policy: Policy | None = None,
    previous: Release | Ratings | None = None,
    previous_secret: Secret | None = None,
    claims: Iterable[str] = (),
    attacks: Sequence[str] = ATTACKS,
    measures: Sequence[str] = MEASURES,
    seed: int = 0,
    progress: Progress = SILENT,
) -> Audit:
    """Find out what a release gives away and what it is still good for.

    Who is who comes from ``secret`` or ``linkage``; without either, rows are matched to people by
    containment, and people to groups by nearness. Utility is measured on a rehearsal with
    ``method`` (by default the one that the manifest names); for a release that someone else made,
    cells are held out of it instead. ``policy`` is enforced by whoever publishes; here it is only
    judged (default: ours). With ``previous``, an earlier release of the same people, it is also
    asked what someone learns who holds both.
    """
    started = time.perf_counter()
    need(BYTES_PER_RATING * original.n_ratings, f"auditing {original.n_ratings:,} ratings")
    judged = policy or Policy.default(repeated=previous is not None)
    rows = release.as_ratings() if isinstance(release, Release) else release
    if linkage is None:
        linkage = _who_is_who(original, release, rows, secret, seed, progress)
    rehearsable = method or _named_method(release)
    scene = Scene(original, rows, linkage, match_items(original, rows))
    whole = release if isinstance(release, Release) else None
    shadow = _shadow(original, rows, linkage, rehearsable, seed, progress)
    scene = replace(scene, shadow=shadow, release=whole)
    if previous is not None:
        told = previous_of(scene, previous, previous_secret, seed, progress)
        scene = replace(scene, previous=told)
    if rehearsable:
        scene = replace(scene, rehearse=rehearser(original, rehearsable))
    if rehearsable and secret:
        drawn = Randomness(secret.root)
        scene = replace(scene, factors=factors_of(rehearsable, original, drawn, rows))
    audited = Audit(
        title=rehearsable.name if rehearsable else "a release of unknown method",
        release=_release_facts(release, rows),
        original=facts_of(original),
        verdicts=check_claims(
            release, [*_claimed(release), *claims, *_policy_claims(judged)], progress, original
        ),
        attacks=_run_all(
            [*_fitting(attacks, scene), *_on_times(rows), *_named(judged, "attack")],
            attack,
            scene,
            seed,
            progress,
        ),
        measures=_run_all(
            [*_fitting(measures, scene), *_named(judged, "measure")], measure, scene, seed, progress
        ),
        policy=judged.title,
        tails=_tails(original, rows),
        notes=(linkage.note, shadow.note, *_on_previous(scene)),
        versions=library_versions(),
    )
    lights: tuple[Light, ...] = judged.judge(audited)
    return replace(audited, lights=lights, seconds=time.perf_counter() - started)


def _fitting(specs: Sequence[str], scene: Scene) -> list[str]:
    """Without those for surveys, unless issues are declared, for groups, if there are none, and
    for people with several rows, if nobody has them, and for two releases, if there is one.
    """
    out: tuple[str, ...] = ()
    if not declares_issues(scene.public):
        out += (*SURVEY_ATTACKS, *SURVEY_MEASURES)
    if not isinstance(scene.release, GroupedRelease):
        out += (*GROUP_ATTACKS, *GROUP_MEASURES)
    if (np.diff(scene.linkage.offsets) <= 1).all():
        out += MANY_ROWS_ATTACKS
    if scene.previous is None:
        out += DIFFERENCE_ATTACKS
    return [spec for spec in specs if spec not in out]


def _shadow(
    original: Ratings,
    rows: Ratings,
    linkage: Linkage,
    method: Method | None,
    seed: int,
    progress: Progress,
) -> Shadow:
    """A rehearsal, unless nobody knows the method or it cannot work on what is left of the data."""
    if method is None:
        return held_out(original, rows, linkage, seed)
    try:
        whole = method.rehearses_whole_rows
        return rehearsed(original, method, seed, progress, whole_row=whole)
    except InputError:
        return held_out(original, rows, linkage, seed)


def _on_times(rows: Ratings) -> tuple[str, ...]:
    """Where a release has times, an adversary who knows roughly when somebody rated uses them."""
    return () if rows.times is None else (f"scoreboard-rh:known=5,days={DAYS_KNOWN}",)


def _on_previous(scene: Scene) -> tuple[str, ...]:
    if scene.previous is None:
        return ()
    return (f"Of the earlier release: {scene.previous.linkage.note}",)


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
    specs: Iterable[str], make: Any, scene: Scene, seed: int, progress: Progress
) -> tuple[Finding, ...]:
    """Run each of ``specs`` once; the same thing written in two ways counts as one."""
    wanted: dict[str, Attack | Measure] = {found.spec: found for found in map(make, specs)}
    findings = []
    for runner in wanted.values():
        started = time.perf_counter()
        finding = runner.run(scene, seed, progress)
        findings.append(replace(finding, seconds=time.perf_counter() - started))
    return tuple(findings)


def _named_method(release: Release | Ratings) -> Method | None:
    if not isinstance(release, Release) or release.manifest.method not in METHODS.names():
        return None
    return METHODS.get(release.manifest.method)(**release.manifest.parameters)


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


def _release_facts(release: Release | Ratings, rows: Ratings) -> dict[str, Any]:
    if isinstance(release, Release):
        return release.manifest.model_dump(mode="json", exclude={"files", "format_version"})
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


def _tail(counts: NDArray[np.int64]) -> list[list[int]]:
    """Counts by rank, at ranks that are evenly spaced on a log axis."""
    if len(counts) == 0:
        return []
    ranked = np.sort(counts)[::-1]
    ranks = np.unique(np.geomspace(1, len(ranked), TAIL_POINTS).astype(np.int64))
    return [[int(rank), int(ranked[rank - 1])] for rank in ranks]


def library_versions() -> dict[str, str]:
    """What an audit ran on."""
    libraries = ("numpy", "numba", "polars", "scipy", "cryptography")
    return {
        "recloak": recloak.__version__,
        "python": platform.python_version(),
        **{name: version(name) for name in libraries},
    }
