"""Work: a page for each command that was started, its progress as it goes, and the history."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from fastapi import FastAPI, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse

from recloak.studio.jobs import Job
from recloak.studio.pages import _results
from recloak.studio.studio import Studio

SECONDS_BETWEEN_LOOKS = 0.3
SECONDS_BETWEEN_SIGNS = 15.0
PARTS = {"publish": "/releases", "estimate": "/releases", "verify": "/check", "audit": "/check",
         "lists": "/lists"}  # fmt: skip
TONES = {"done": "pass", "running": "running", "stopped": "unknown", "refused": "fail"}
WORDS = {
    "running": "under way",
    "done": "done",
    "refused": "does not hold",
    "failed": "failed",
    "stopped": "stopped on request",
    "died": "ended without a message",
}


def add(app: FastAPI, studio: Studio) -> None:
    """The routes of this part."""

    @app.get("/jobs/{number}")
    def show(number: int) -> Response:
        job = studio.jobs.get(number)
        if job.kind == "compare":
            return RedirectResponse(f"/comparisons/{job.subject}", 303)
        part = PARTS.get(job.kind.split()[0], "/")
        return studio.page("job", part, command=job.command, **view_of(studio, job))

    @app.get("/jobs/{number}/part")
    def part(number: int) -> Response:
        job = studio.jobs.get(number)
        return HTMLResponse(studio.part("job_part", **view_of(studio, job)))

    @app.post("/jobs/{number}/stop")
    def stop(number: int) -> Response:
        job = studio.jobs.get(number)
        job.stop()
        studio.workspace.history.append(f"{job.kind}: asked to stop", subject=job.subject)
        return RedirectResponse(job.link, 303)

    @app.get("/jobs/{number}/events")
    async def events(number: int, request: Request) -> Response:
        job = studio.jobs.get(number)
        return StreamingResponse(_events(studio, job), media_type="text/event-stream")

    @app.get("/history")
    def history() -> Response:
        entries = studio.workspace.history.entries()
        path = studio.workspace.shown(studio.workspace.history.path)
        return studio.page("history", "/history", entries=entries, path=path)


def view_of(studio: Studio, job: Job) -> dict[str, Any]:
    """What a page shows of a job."""
    state = job.state
    result = _results.result_of(studio, job) if state in ("done", "refused") else {}
    return {
        "job": job,
        "state": state,
        "tone": TONES.get(state, "fail"),
        "word": WORDS[state],
        "steps": job.steps if state == "running" else [],
        "failure": job.problem,
        "result": result,
    }


async def _events(studio: Studio, job: Job) -> AsyncIterator[str]:
    """The progress whenever it changed, a sign of life in between, and that it ended."""
    before, silent, trials = "", 0.0, _trials(studio, job)
    while await asyncio.to_thread(lambda: job.is_running):
        text = await asyncio.to_thread(lambda: studio.part("steps", steps=job.steps))
        silent += SECONDS_BETWEEN_LOOKS
        if text != before:
            yield _event("progress", text)
            before, silent = text, 0.0
        elif silent > SECONDS_BETWEEN_SIGNS:
            yield ": still here\n\n"
            silent = 0.0
        if trials != (trials := _trials(studio, job)):
            yield _event("trials", str(trials))
        await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
    yield _event("ended", job.state)


def _trials(studio: Studio, job: Job) -> int:
    """How many settings of a comparison are finished."""
    if job.kind != "compare":
        return 0
    return sum(1 for _ in studio.workspace.path("comparisons", job.subject).glob("trials/*.json"))


def _event(name: str, text: str) -> str:
    lines = "".join(f"data: {line}\n" for line in text.splitlines() or [""])
    return f"event: {name}\n{lines}\n"
