"""Rendering: the report of an audit as a page, and both reports on disk."""

from __future__ import annotations

from pathlib import Path

from recloak.errors import ParameterError
from recloak.files import parent_of, refuse_existing, write_whole
from recloak.findings import Audit
from recloak.report.plain import render_json
from recloak.report.templates import rendered
from recloak.report.view import view_of

FLAG = "--report"


def render_html(audit: Audit) -> str:
    """The report as one self-contained page; the same for the same audit."""
    return rendered("page.html.j2", view_of(audit))


def write_report(audit: Audit, html_path: Path, overwrite: bool = False) -> tuple[Path, Path]:
    """Write the page and, beside it, the same numbers as JSON; returns both paths.

    Both are made before either is written, and each appears whole or not at all.
    """
    json_path = json_beside(html_path)
    for path in (html_path, json_path):
        parent_of(path, FLAG)
        if not overwrite:
            refuse_existing(path, FLAG)
    page, numbers = render_html(audit), render_json(audit)
    write_whole(json_path, numbers.encode(), overwrite=overwrite)
    write_whole(html_path, page.encode(), overwrite=overwrite)
    return html_path, json_path


def json_beside(html_path: Path) -> Path:
    """Where the numbers go: the page's name, ending in .json."""
    ending = html_path.suffix.lower()
    if ending == ".json":
        raise ParameterError(
            "is the name of the JSON file, not of the page",
            where=f"{FLAG} {html_path}",
            hint=f"Say {html_path.with_suffix('.html')}; the JSON is written beside it.",
        )
    if ending in (".html", ".htm"):
        return html_path.with_suffix(".json")
    return html_path.with_name(f"{html_path.name}.json")
