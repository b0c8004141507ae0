"""Verifying: check claims on a release or on any ratings file, whoever made it."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from recloak.claim import Claim
from recloak.errors import ClaimError, ParameterError
from recloak.findings import Verdict
from recloak.forensics import look_for_traces
from recloak.formats import load, read
from recloak.guarantees import guarantee
from recloak.progress import SILENT, Progress
from recloak.ratings import Ratings
from recloak.release import Release, is_release, open_release


def check_claims(
    target: Release | Ratings,
    claims: Iterable[Claim | str],
    progress: Progress = SILENT,
    original: Ratings | None = None,
) -> tuple[Verdict, ...]:
    """A verdict on each claim, by its own checker; a claim stated twice is checked once.

    Some claims are about what people rated and are decided only with the ``original``.
    """
    checkers = {checker.spec: checker for checker in map(guarantee, claims)}
    verdicts = []
    for checker in checkers.values():
        started = time.perf_counter()
        if original is not None:
            verdict = checker.check_beside(original, target, progress)
        elif isinstance(target, Release):
            verdict = checker.check_release(target, progress)
        else:
            verdict = checker.check(target, progress)
        verdicts.append(replace(verdict, seconds=time.perf_counter() - started))
    return tuple(verdicts)


def verify(
    target: str | Path | Release | Ratings,
    claims: Iterable[Claim | str] = (),
    progress: Progress = SILENT,
    original: str | Path | Ratings | None = None,
    **reading: Any,
) -> tuple[Verdict, ...]:
    """Check what a release claims, and any further ``claims``.

    ``target`` is a release or ratings in any format that `recloak.read` knows, for which the
    claims must be named. The files of a release folder are compared with their digests first, and
    searched for traces that link rows to people (see `recloak.forensics`). ``original`` are the
    ratings that it was made from; some claims are undecided without them.
    """
    stated = list(claims)
    if isinstance(original, str | Path):
        original = read(original, progress=progress, **reading)
    if isinstance(target, str | Path) and is_release(Path(target)):
        release = open_release(target)
        return verify(release, stated, progress, original) + look_for_traces(target)
    if isinstance(target, Release):
        return check_claims(target, [*target.manifest.claimed, *stated], progress, original)
    if not stated:
        raise ParameterError(
            "is no release, so say what it should satisfy",
            where=str(target) if isinstance(target, str | Path) else "ratings",
            hint="Example: --claim k-anonymity:k=5",
        )
    if isinstance(target, Ratings):
        return check_claims(target, stated, progress, original)
    rows = load(target, progress=progress, **reading).every_row
    return check_claims(rows, stated, progress, original)


def refuse_broken(verdicts: Iterable[Verdict]) -> None:
    """Raise if a verdict is anything but "holds"."""
    for verdict in verdicts:
        if not verdict.holds:
            shown = "; ".join(f"{key}: {found}" for key, found in (verdict.witness or {}).items())
            raise ClaimError(
                f"the claim '{verdict.claim}' is {verdict.status}. {verdict.how}",
                hint=f"Witness: {shown}" if shown else None,
            )
