"""Report: what an audit found, as one self-contained page and as JSON."""

from __future__ import annotations

from recloak.report.plain import render_json
from recloak.report.rendering import render_html, write_report

__all__ = ["render_html", "render_json", "write_report"]
