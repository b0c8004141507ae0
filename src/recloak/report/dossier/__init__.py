"""Dossier: what a data protection officer hands over about releases, as a page and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from recloak.core.files import parent_of, refuse_existing, write_whole
from recloak.report.dossier._document import Document
from recloak.report.dossier._evidence import Evidence, evidence_of
from recloak.report.dossier._markdown import as_markdown
from recloak.report.dossier._sections import sections_of
from recloak.report.rendering import rendered

__all__ = ["Evidence", "dossier_of", "evidence_of", "render_dossier", "write_dossier"]

FLAG = "--out"
INTERNAL = (
    "This dossier describes the original data. It is for the controller, the data protection "
    "officer and supervisory authorities, and must not be handed out with a release."
)


def dossier_of(releases: Sequence[Evidence]) -> Document:
    """The dossier about these releases, each with what its report says."""
    named = ", ".join(one.name for one in releases)
    parts = tuple(part for one in releases for part in sections_of(one, many=len(releases) > 1))
    return Document(f"Anonymisation dossier: {named}", INTERNAL, parts)


def render_dossier(document: Document) -> tuple[str, str]:
    """The page and the Markdown; the same for the same document."""
    return rendered("dossier.html.j2", document), as_markdown(document)


def write_dossier(releases: Sequence[Evidence], place: Path) -> tuple[Path, Path]:
    """Write ``place`` with the endings .html and .md; both are made before either is written."""
    named = place.with_suffix("") if place.suffix.lower() in (".html", ".htm", ".md") else place
    paths = tuple(named.with_name(f"{named.name}{ending}") for ending in (".html", ".md"))
    for path in paths:
        parent_of(path, FLAG)
        refuse_existing(path, FLAG)
    for path, text in zip(paths, render_dossier(dossier_of(releases)), strict=True):
        write_whole(path, text.encode())
    return paths[0], paths[1]
