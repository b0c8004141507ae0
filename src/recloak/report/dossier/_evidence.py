"""Evidence: a release folder, the report's JSON beside it, and the digests of both."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from recloak.core.errors import InputError
from recloak.evaluation.findings import Audit
from recloak.evaluation.reading import audit_from
from recloak.releases.manifest import MANIFEST_NAME, Manifest

HOW_TO_AUDIT = "'recloak audit ORIGINAL {folder} --report {report}' makes one."


@dataclass(frozen=True)
class Evidence:
    """What is known about one release."""

    folder: Path
    manifest: Manifest
    manifest_digest: str
    report: Path
    report_digest: str
    audit: Audit

    @property
    def name(self) -> str:
        """What the release is called: its folder's name."""
        return self.folder.resolve().name


def evidence_of(folder: Path, report: Path | None = None) -> Evidence:
    """Read a release and the JSON of its report, by default the one that stands beside it.

    Raises `InputError` where either is missing, where the JSON is of another release, or where a
    file of the release is not what its manifest says.
    """
    manifest = Manifest.read(folder)
    _refuse_changed(folder, manifest)
    place = report or folder.resolve().with_name(f"{folder.resolve().name}-report.json")
    content = _read(place, folder)
    audit = _audit(content, place)
    if audit.release.get("release_id") != manifest.release_id:
        raise InputError(
            f"is the report of another release, not of {folder}",
            where=str(place),
            hint="--report FILE names the JSON that belongs to this release.",
        )
    written = (folder / MANIFEST_NAME).read_bytes()
    return Evidence(folder, manifest, _digest(written), place, _digest(content), audit)


def _read(place: Path, folder: Path) -> bytes:
    try:
        return place.read_bytes()
    except OSError as problem:
        again = HOW_TO_AUDIT.format(folder=folder, report=place.with_suffix(".html").name)
        raise InputError(
            f"the report's JSON is missing: {problem.strerror}. A dossier is made of figures, and "
            "without it there are none",
            where=str(place),
            hint=f"--report FILE says where it is. {again}",
        ) from None


def _audit(content: bytes, place: Path) -> Audit:
    try:
        found = json.loads(content.decode("utf-8"))
        return audit_from(found)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InputError(
            "is not the JSON of a report",
            where=str(place),
            hint="It is written beside the page by 'recloak publish' and 'recloak audit --report'.",
        ) from None


def _refuse_changed(folder: Path, manifest: Manifest) -> None:
    """A dossier states digests, so each must be that of the file as it is."""
    for name, entry in manifest.files.items():
        place = folder / name
        try:
            found = _digest(place.read_bytes())
        except OSError as problem:
            raise InputError(f"cannot be read: {problem.strerror}", where=str(place)) from None
        if found != entry.sha256:
            raise InputError(
                "is not what the manifest says: it was changed or damaged",
                where=str(place),
                hint="Get the release again from whoever published it.",
            )


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
