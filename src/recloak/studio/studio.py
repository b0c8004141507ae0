"""Studio: what all pages share: the workspace, its jobs, and how a page is laid out."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from threading import Event
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse

import recloak
from recloak.core.page_text import FILTERS, printable
from recloak.studio.history import moment
from recloak.studio.jobs import Job, Jobs
from recloak.studio.workspace import Workspace

PARTS = (
    ("/", "Start"),
    ("/comparisons", "Compare"),
    ("/policies", "Decide"),
    ("/releases", "Publish"),
    ("/check", "Check"),
    ("/lists", "Lists"),
    ("/history", "History"),
)


@dataclass(frozen=True)
class Studio:
    """One workspace being looked at."""

    jobs: Jobs
    shown: Event = field(default_factory=Event)
    """Set when the first page is on its way."""

    @property
    def workspace(self) -> Workspace:
        return self.jobs.workspace

    def page(self, template: str, part: str, status: int = 200, **view: Any) -> HTMLResponse:
        """A whole page, or a part of one; ``part`` is the entry of the menu that it belongs to."""
        folder = str(self.workspace.folder)
        text = self._environment.get_template(f"{template}.html.j2").render(
            parts=PARTS,
            part=part,
            version=recloak.__version__,
            workspace=folder,
            place=f"cd {shlex.quote(folder)}",
            running=self._others_under_way(view.get("job")),
            **{"command": f"recloak studio {shlex.quote(folder)}", "problem": None, **view},
        )
        self.shown.set()
        return HTMLResponse(printable(text), status)

    def _others_under_way(self, own: Job | None) -> list[Job]:
        """Work elsewhere: the page of a job tells of its own, also that it ended."""
        return [job for job in self.jobs.running() if own is None or job.number != own.number]

    def part(self, template: str, **view: Any) -> str:
        """A piece of a page."""
        text = self._environment.get_template(f"{template}.html.j2").render(**view)
        return printable(text)

    def compile(self, templates: Iterable[str] = ()) -> None:
        """Compile templates, all if none are named, before somebody waits for them."""
        for name in templates or self._environment.list_templates(extensions=["j2"]):
            self._environment.get_template(name)

    @cached_property
    def _environment(self) -> Environment:
        environment = Environment(
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            loader=ChoiceLoader(
                [PackageLoader("recloak.studio"), PackageLoader("recloak", "report")]
            ),  # a loader of the package recloak.report would import all of it
        )
        environment.filters.update(FILTERS, moment=moment)
        return environment
