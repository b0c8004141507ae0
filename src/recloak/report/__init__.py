"""Report: what an audit found, as one self-contained page and as JSON."""

from __future__ import annotations

from recloak.report.rendering import render_html, write_report
from recloak.report.to_json import render_json

__all__ = ["render_html", "render_json", "write_report"]
