"""Templates: pages as one text that needs nothing else, from parts that they share."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup, escape

from recloak.report.amounts import printable

STYLE = "style.css"
SCRIPTS = ("charts.js", "reading.js")
_AFTER = re.compile("(?<=[:,])(?=[^ ])")


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
    environment.filters["breakable"] = breakable
    return environment


def breakable(text: str) -> Markup:
    """A name such as ``microaggregation:k=5`` that may break after ``:`` and ``,``.

    What a reader copies is the name itself: an invisible space would come along, this does not.
    """
    return Markup("<wbr>").join(map(escape, _AFTER.split(text)))


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
