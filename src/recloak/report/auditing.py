"""Auditing as it is asked for in Python: data read, releases opened, the report written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from recloak.auditing.matching import linkage_from_mapping
from recloak.auditing.options import AuditOptions
from recloak.auditing.policy import Policy
from recloak.auditing.run import audit as audit_of_release
from recloak.core.columns import parse_mapping
from recloak.core.errors import ParameterError
from recloak.core.files import parent_of, refuse_existing
from recloak.core.options import refuse_unknown, takes
from recloak.core.progress import SILENT, Progress
from recloak.core.progress.shown import SHOWN
from recloak.core.ratings import Ratings
from recloak.evaluation.findings import Audit
from recloak.io import Loaded, ReadOptions, load, load_to_verify
from recloak.io.duckdb import is_url
from recloak.io.given import Given
from recloak.methods import method as method_called
from recloak.releases.base import Release, is_release, open_release
from recloak.releases.secret import Lock, Secret, open_secret
from recloak.report.rendering import json_beside, write_report


@takes(AuditOptions, ReadOptions)
def audit(
    original: Any,
    release: Any,
    *,
    options: AuditOptions | ReadOptions | None = None,
    mapping: Any = None,
    lock: Lock | None = None,
    report: str | Path | None = None,
    data_name: str = "",
    release_columns: Mapping[str, str] | str | None = None,
    progress: Progress = SHOWN,
    **keywords: Any,
) -> Audit:
    """Find out what a release gives away and what it is still good for.

    Parameters
    ----------
    original
        The ratings that the release was made from, or whatever `recloak.read` takes.
    release
        A release or its folder; or what another tool made: ratings, or whatever `recloak.read`
        takes, which is judged by all that stands in it.
    options
        All options of the audit, or of reading, at once; those that are given one by one win.
    mapping
        Who is who: a table or a CSV file with the columns user and pseudonym.
    lock
        What opens the files of secrets.
    report
        A page to write (.html), with the same as JSON beside it.
    data_name
        What the report calls the data (default: the name of the file).
    release_columns
        As ``columns``, for a release whose columns are called otherwise.
    progress
        Where to report how far the work is.
    **keywords
        The options of the audit and of reading, one by one. A secret, a policy, a method and an
        earlier release may be given as what they are, or as the file, name or folder of it.

    Returns
    -------
    Audit
        Verdicts, findings and the results of the policy.

    Raises
    ------
    InputError
        Release and original do not go together, or one cannot be read.
    ParameterError
        An attack, a measure or a claim does not exist.
    MachineError
        There is not enough memory.

    Examples
    --------
    >>> import recloak
    >>> ratings = recloak.synthesize("ml-100k", users=60, ratings=2_000, seed=1)
    >>> release, secret, *_ = recloak.method("pseudonymize").apply(ratings)
    >>> found = recloak.audit(
    ...     ratings, release, secret=secret, attacks=["record-linkage:known=4"], measures=[]
    ... )
    >>> [finding.name for finding in found.attacks][:1]
    ['record-linkage']

    """
    page = None if report is None else free_page(report)
    asked, how = _asked(options, keywords)
    policy, method, linkage = asked.policy, asked.method, asked.linkage
    judged = Policy.read(policy) if isinstance(policy, str | Path) else policy
    reading = _options(original, release, asked.previous, how)
    to_verify = bool(asked.claims or policy is not None)
    opening = Opening(reading, release_columns, to_verify, progress)
    found_release = opening.opened(release)
    earlier = None if asked.previous is None else rows_or_release(opening.opened(asked.previous))
    unread = {} if isinstance(original, Ratings | Loaded) else {"options": reading}
    given = Given.of(original, unread, progress=progress)
    opened = rows_or_release(found_release)
    if mapping is not None:
        linkage = linkage_from_mapping(mapping, given.ratings, _rows(opened))
    settled = {
        "secret": _secret(asked.secret, lock, opened, "--secret"),
        "linkage": linkage,
        "method": method_called(method) if isinstance(method, str) else method,
        "policy": judged,
        "previous": earlier,
        "previous_secret": _secret(asked.previous_secret, lock, earlier, "--previous-secret"),
    }
    found = audit_of_release(
        given.ratings, found_release, options=asked, progress=progress, **settled
    )
    found = replace(found, data=data_name or given.name)
    if page is not None:
        write_report(found, page)
    return found


def _asked(
    options: AuditOptions | ReadOptions | None, keywords: Mapping[str, Any]
) -> tuple[AuditOptions, dict[str, Any]]:
    """The options of the audit, and those of reading; `ParameterError` for what is neither."""
    own, how = AuditOptions.split(keywords)
    refuse_unknown("audit", how, AuditOptions, ReadOptions)
    if isinstance(options, ReadOptions):
        return AuditOptions.of("audit", None, own), {"options": options, **how}
    return AuditOptions.of("audit", options, own), how


class Opening:
    """How releases are opened: a folder as what it says it is, all else as the original is read."""

    def __init__(
        self,
        options: ReadOptions,
        columns: Mapping[str, str] | str | None = None,
        to_verify: bool = False,
        progress: Progress = SILENT,
    ) -> None:
        self._options, self._columns = options, columns
        self._load = load_to_verify if to_verify else load
        self._progress = progress

    def opened(self, source: Any) -> Release | Ratings | Loaded:
        """A release, or what is read; a scale that is said of the original is not one of it."""
        if isinstance(source, Release | Ratings | Loaded):
            return source
        file = isinstance(source, str | Path) and not is_url(source)
        if file and is_release(Path(source)):
            if self._columns:
                raise ParameterError("is for a file, not for a release", where="--release-columns")
            return open_release(source)
        own: dict[str, Any] = {"scale": None}
        if self._columns:
            text = self._columns
            own["columns"] = parse_mapping(text) if isinstance(text, str) else text
        return self._load(source, self._options, progress=self._progress, **own)


def rows_or_release(found: Release | Ratings | Loaded) -> Release | Ratings:
    """What was opened, without what was noticed on the way."""
    return found.ratings if isinstance(found, Loaded) else found


def _rows(release: Release | Ratings) -> Ratings:
    return release.as_ratings() if isinstance(release, Release) else release


def free_page(report: str | Path) -> Path:
    """Where the report will stand; refused before the work if that cannot be."""
    page = Path(report)
    for path in (page, json_beside(page)):
        refuse_existing(path, "--report")
        parent_of(path, "--report")
    return page


def _options(
    original: Any, release: Any, previous: Any, keywords: Mapping[str, Any]
) -> ReadOptions:
    """The options of reading; refused where nothing is left to be read."""
    given = dict(keywords)
    if given and all(
        isinstance(one, Ratings | Loaded | Release) or one is None
        for one in (original, release, previous)
    ):
        Given.of(original, given)
    return ReadOptions.of("read", given.pop("options", None), given).settled()


def _secret(
    secret: Secret | str | Path | None,
    lock: Lock | None,
    release: Release | Ratings | None,
    where: str,
) -> Secret | None:
    if not isinstance(secret, str | Path):
        return secret
    if not isinstance(release, Release):
        hint = "Use --mapping." if where == "--secret" else "Give --previous too."
        raise ParameterError("belongs to a release folder", where=where, hint=hint)
    if lock is None:
        raise ParameterError(
            "is encrypted, and neither a passphrase nor a key file was given", where=where
        )
    return open_secret(secret, lock, release_id=release.manifest.release_id)
