"""Verifying: check claims on a release or on any ratings file, whoever made it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from recloak.core.claim import Claim
from recloak.core.errors import InputError, ParameterError
from recloak.core.frames import is_frame
from recloak.core.options import takes
from recloak.core.progress import SILENT, Progress
from recloak.core.progress.shown import SHOWN
from recloak.core.ratings import Ratings
from recloak.core.staged_ratings import RatingsElsewhere
from recloak.evaluation.findings import Verdict, Verdicts
from recloak.guarantees import guarantee
from recloak.io import Loaded, ReadOptions, load_to_verify, read
from recloak.io.duckdb import is_url
from recloak.io.reservations import Reservation
from recloak.releases.base import Release, is_release, open_release
from recloak.releases.encrypted import opened_folder


def check_claims(
    target: Release | Ratings,
    claims: Iterable[Claim | str],
    progress: Progress = SILENT,
    original: Ratings | RatingsElsewhere | None = None,
    known: Iterable[Verdict] = (),
) -> tuple[Verdict, ...]:
    """A verdict on each claim, by its own checker; a claim stated twice is checked once.

    Some claims are about what people rated and are decided only with the ``original``. Those with
    a verdict in ``known`` are not checked again.
    """
    decided = {verdict.claim: verdict for verdict in known}
    checkers = {checker.spec: checker for checker in map(guarantee, claims)}
    verdicts = []
    for spec, checker in checkers.items():
        if spec in decided:
            verdicts.append(decided[spec])
            continue
        started = time.perf_counter()
        if original is not None:
            verdict = checker.check_beside(original, target, progress)
        elif isinstance(target, Release):
            verdict = checker.check_release(target, progress)
        else:
            verdict = checker.check(target, progress)
        verdicts.append(replace(verdict, seconds=time.perf_counter() - started))
    return tuple(verdicts)


@takes(ReadOptions)
def verify(
    target: Any,
    claims: Iterable[Claim | str] | str = (),
    progress: Progress = SHOWN,
    original: Any = None,
    parts_key: str | Path | None = None,
    **keywords: Any,
) -> Verdicts:
    """Check what a release claims, and any further ``claims``.

    A claim is about what stands in the file: what was not compared, or not as it is written, stands
    in the verdict, and a claim that is about it is undecided. The files of a release folder are
    compared with their digests first, and searched for traces that link rows to people
    (`leak_scan`).

    Parameters
    ----------
    target
        A release, its folder, or ratings: whatever `recloak.read` takes, frames too. For ratings
        the claims must be named.
    claims
        Claims beside those of the manifest, such as ``k-anonymity:k=5``.
    progress
        Where to report how far the work is.
    original
        The ratings that it was made from, or whatever `recloak.read` takes; some claims are
        undecided without them.
    parts_key
        The key file of a release that was encrypted for its recipient.
    **keywords
        Options of `recloak.read` for what is read.

    Returns
    -------
    Verdicts
        One for each claim, and for a folder one for each kind of trace.

    Raises
    ------
    InputError
        The target cannot be read, or a file of it was changed.
    ParameterError
        A claim cannot be read, or there is none.

    Examples
    --------
    >>> import recloak
    >>> ratings = recloak.synthesize("ml-100k", users=60, ratings=2_000, seed=1)
    >>> (verdict,) = recloak.verify(ratings, ["k-anonymity:k=2"])
    >>> verdict.status
    'broken'

    """
    stated = [claims] if isinstance(claims, str) else list(claims)
    if original is not None and not isinstance(original, Ratings):
        original = read(original, progress=progress, **keywords)
    if isinstance(target, str | Path) and is_release(Path(target)):
        with opened_folder(target, parts_key) as (folder, _):
            release = open_release(folder)
            verdicts = verify(release, stated, progress, original)
            return Verdicts((*verdicts, *_traces(folder, release)))
    if parts_key is not None:
        raise ParameterError("opens the folder of a release, and this is none", where="--parts-key")
    if isinstance(target, Release):
        claimed = [*target.manifest.claimed, *stated]
        return Verdicts(check_claims(target, claimed, progress, original))
    _refuse_other(target)
    if not stated:
        raise ParameterError(
            "is not a release, so say what it should satisfy",
            where=str(target) if isinstance(target, str | Path) else "verify",
            hint="Example: --claim k-anonymity:k=5",
        )
    if isinstance(target, Ratings):
        return Verdicts(check_claims(target, stated, progress, original))
    loaded = load_to_verify(target, progress=progress, **keywords)
    return Verdicts(check_file(loaded, stated, progress, original))


def _traces(folder: str | Path, release: Release) -> tuple[Verdict, ...]:
    """A verdict on each kind of trace; files that are no release start faster without all this."""
    from recloak.auditing.leak_scan import scan_for_leaks
    from recloak.methods import METHODS

    return scan_for_leaks(folder, METHODS, opened=release)


def check_file(
    loaded: Loaded,
    claims: Iterable[Claim | str],
    progress: Progress = SILENT,
    original: Ratings | None = None,
) -> tuple[Verdict, ...]:
    """A verdict on each claim about what stands in a file that `load_to_verify` read."""
    verdicts = check_claims(loaded.every_row, claims, progress, original)
    return with_reservations(verdicts, loaded.reservations)


def _refuse_other(target: Any) -> None:
    """Refuse what is neither there nor a file, before anything else is asked for."""
    if isinstance(target, str | Path):
        if str(target) != "-" and not is_url(target) and not os.path.lexists(target):
            raise InputError(
                "there is no such release or file",
                where=str(target),
                hint="Give the folder of a release, or a file with ratings and a claim.",
            )
    elif not (isinstance(target, Ratings) or is_frame(target)):
        raise ParameterError(
            f"a {type(target).__name__} cannot be verified",
            where="verify",
            hint="Give a release, ratings, a frame or a path.",
        )


def with_reservations(
    verdicts: Iterable[Verdict], reservations: Sequence[Reservation]
) -> tuple[Verdict, ...]:
    """The verdicts with what was not read as it stands in the file that they are about.

    A claim that is about any of it, and would hold for the rest, is undecided.
    """
    sentences = tuple(reservation.sentence for reservation in reservations)
    subjects = {reservation.about for reservation in reservations}
    found = []
    for verdict in verdicts:
        open_for = {"items", *guarantee(verdict.claim).about} & subjects
        found.append(
            replace(
                verdict,
                status="undecided" if verdict.holds and open_for else verdict.status,
                how=" ".join([verdict.how, *sentences]),
                reservations=sentences,
            )
        )
    return tuple(found)
