"""Rendering: the report of an audit as a page, and both reports on disk."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, FunctionLoader, StrictUndefined

from recloak.core.errors import ParameterError
from recloak.core.files import parent_of, refuse_existing, write_whole
from recloak.core.page_text import FILTERS
from recloak.evaluation.findings import Audit
from recloak.evaluation.formatting import printable
from recloak.report._view import view_of
from recloak.report.to_json import render_json

STYLE = "style.css"
SCRIPTS = ("charts.js", "reading.js")


def rendered(name: str, view: object) -> str:
    """A page with its style and script inside; the same for the same view."""
    style, script = _resource(STYLE), "".join(map(_resource, SCRIPTS))
    page = (
        _environment()
        .get_template(name)
        .render(view=view, style=style, script=script, policy=_content_policy(style, script))
    )
    return printable(page)


@cache
def _environment() -> Environment:
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=FunctionLoader(_resource),
    )
    environment.filters.update(FILTERS)
    return environment


def _resource(name: str) -> str:
    return (files("recloak.report") / name).read_text(encoding="utf-8")


def _content_policy(style: str, script: str) -> str:
    """Forbid the page to load anything: only its own style and script, known by their digests.

    Pictures may come from the page itself, which turns a chart into pixels that way.
    """
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


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
