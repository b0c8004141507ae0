"""Report: what an audit found, as one self-contained page, as JSON, and in a notebook."""

from __future__ import annotations

from recloak.evaluation.findings import Audit
from recloak.report._presentation import PRESENTATION
from recloak.report.rendering import render_html, write_report
from recloak.report.to_json import render_json

__all__ = ["Audit", "render_html", "render_json", "write_report"]

Audit.presentation = PRESENTATION
