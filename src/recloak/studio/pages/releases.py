"""Releases: the verdict, the report inside, the download, and verifying from the disk."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse

from recloak.core.errors import InputError, ParameterError
from recloak.io.options import ReadOptions
from recloak.studio.commands import option_words, shown_command
from recloak.studio.pages._results import NO_VERDICT, verdict_in
from recloak.studio.pages._zip import zipped
from recloak.studio.studio import Studio

# A report may run its own script and offer its charts, and has no part in the studio's session.
REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
    "frame-ancestors 'self'; sandbox allow-scripts allow-downloads"
)


def add(app: FastAPI, studio: Studio) -> None:
    """The routes of this part."""

    @app.get("/releases")
    def releases() -> Response:
        files = studio.workspace.files()
        names = release_names(studio)
        return studio.page("releases", "/releases", names=names, files=files)

    @app.get("/releases/{name}")
    def release(name: str) -> Response:
        return studio.page("release", "/releases", **_release_view(studio, name))

    @app.get("/releases/{name}/report")
    def report(name: str) -> Response:
        folder = _release_folder(studio, name)
        return report_response(folder.with_name(f"{name}-report.html"))

    @app.get("/releases/{name}/card")
    def card(name: str) -> Response:
        text = (_release_folder(studio, name) / "README.md").read_text(encoding="utf-8")
        return Response(text, media_type="text/plain; charset=utf-8")

    @app.get("/releases/{name}/zip")
    def download(name: str) -> Response:
        folder = _release_folder(studio, name)
        headers = {"Content-Disposition": f'attachment; filename="{name}.zip"'}
        return StreamingResponse(zipped(folder), media_type="application/zip", headers=headers)

    @app.post("/releases/{name}/verify")
    def verify(name: str) -> Response:
        _release_folder(studio, name)
        words = ["verify", f"releases/{name}", *_original_words(studio, name)]
        job = studio.jobs.start(words, "verify", name, back=f"/releases/{name}")
        return RedirectResponse(job.link, 303)

    @app.get("/jobs/{number}/report")
    def of_job(number: int) -> Response:
        report = studio.jobs.get(number).more.get("report", "")
        if not report:
            raise ParameterError("has no report", where=f"job {number}")
        return report_response(studio.workspace.folder / report)


def _original_words(studio: Studio, name: str) -> list[str]:
    """The data that it was made from, as words of verify: some claims are about them."""
    made = studio.jobs.of("publish", name)
    try:
        file = studio.workspace.file(made[0].more["file"])
    except (IndexError, KeyError, InputError):
        return []  # it came from elsewhere, or the data are no longer here
    if len(file.paths) > 1:
        return []
    return ["--original", file.paths[0], *option_words(ReadOptions, file.options)]


def report_response(path: Path) -> Response:
    """A report as it was written, apart from the studio's session."""
    if not path.is_file():
        raise ParameterError("there is no report", where=path.name)
    text = path.read_text(encoding="utf-8")
    return HTMLResponse(text, headers={"Content-Security-Policy": REPORT_POLICY})


def _release_folder(studio: Studio, name: str) -> Path:
    folder = studio.workspace.path("releases", name)
    if not (folder / "manifest.json").is_file():
        raise ParameterError("there is no such release", where=name)
    return folder


def _release_view(studio: Studio, name: str) -> dict[str, Any]:
    from recloak.releases.manifest import Manifest

    folder = _release_folder(studio, name)
    manifest = Manifest.read(folder)
    numbers = folder.with_name(f"{name}-report.json")
    found = json.loads(numbers.read_text(encoding="utf-8")) if numbers.is_file() else None
    made = studio.jobs.of("publish", name)
    facts = [
        ("Method", manifest.method),
        ("Parameters", ", ".join(_given(manifest.parameters)) or "none"),
        ("Claims", ", ".join(manifest.claims) or "none"),
        ("Rows", f"{manifest.rows:,}"),
        ("Ratings", f"{manifest.ratings:,}"),
        ("Times", manifest.times),
    ]
    return {
        "name": name,
        "facts": facts,
        "against": manifest.not_for_publication,
        "verdict": verdict_in(found) if found else NO_VERDICT,
        "has_report": found is not None,
        "verified": studio.jobs.of("verify", name)[:3],
        "command": made[0].command if made else shown_command(["verify", f"releases/{name}"]),
    }


def _given(parameters: Mapping[str, Any]) -> list[str]:
    return [f"{key} = {value}" for key, value in parameters.items() if value is not None]


def release_names(studio: Studio) -> list[str]:
    """The releases of the workspace."""
    folder = studio.workspace.folder / "releases"
    names = studio.workspace.names("releases")
    return [name for name in names if (folder / name / "manifest.json").is_file()]
