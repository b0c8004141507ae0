"""Data: open a file or make one up, see what it is taken for, and correct that."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Depends, FastAPI, Request
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)

from recloak.core.errors import InputError, ParameterError, RecloakError
from recloak.core.files import open_whole
from recloak.io.options import ReadOptions
from recloak.studio.commands import flag_words, shown_command
from recloak.studio.forms import Filled, FormField, filled_in
from recloak.studio.guard import LARGEST_UPLOAD, UPLOAD
from recloak.studio.history import Entry
from recloak.studio.pages._reading import mapping_fields, reading_fields, reading_words, said_about
from recloak.studio.studio import Studio
from recloak.studio.workspace import DataFile, tidy_name

if TYPE_CHECKING:
    from recloak.io.preview import Preview

Form = Annotated[Filled, Depends(filled_in)]
SETS = ("ml-100k", "ml-1m", "ml-10m", "netflix", "jester", "flixster", "book-crossing", "survey")
SEED = "1"
MADE_UP = (
    FormField(
        "like",
        "like",
        "choice",
        "--like",
        "the data set to resemble",
        SETS[0],
        choices=SETS,
        required=True,
    ),
    FormField("users", "people", "number", "--users", "how many", least=1, step="1"),
    FormField("ratings", "ratings", "number", "--ratings", "how many", least=1, step="1"),
    FormField(
        "seed", "seed", "text", "--seed", "the same seed makes the same ratings", default=SEED
    ),
)
RECENT = 8


def add(app: FastAPI, studio: Studio) -> None:
    """The routes of this part."""
    _add_opening(app, studio)
    _add_upload(app, studio)
    _add_file(app, studio)


def _add_opening(app: FastAPI, studio: Studio) -> None:
    @app.get("/")
    def start(form: Form) -> Response:
        return _start(studio, form)

    @app.post("/files/open")
    def open_path(form: Form) -> Response:
        try:
            paths = [_given_path(line) for line in form.get("path").splitlines() if line.strip()]
            if not paths:
                raise ParameterError("a path is missing", hint="Name a file or a known folder.")
        except RecloakError as problem:
            return _start(studio, form, problem)
        return _remember(studio, paths[0].name, paths)

    @app.post("/files/made-up")
    def make_up(form: Form) -> Response:
        workspace = studio.workspace
        like = form.get("like") or SETS[0]
        name = workspace.free_name("files", form.get("name") or f"made-up-{like}", ".json")
        out = f"files/{name}.csv"
        words = ["simulate", "--like", like]
        for key in ("users", "items", "ratings"):
            words += flag_words(key, form.get(key)) if form.get(key) else []
        words += flag_words("seed", form.get("seed") or SEED)
        back = f"/files/{name}"
        job = studio.jobs.start([*words, "--out", out], "simulate", name, back=back)
        workspace.save_file(DataFile(name, (out,), pending=job.number))
        return RedirectResponse(job.link, 303)


def _start(studio: Studio, form: Filled, problem: RecloakError | None = None) -> Response:
    return studio.page(
        "start",
        "/",
        422 if problem else 200,
        problem=problem,
        path=form.get("path"),
        made_up=[replace(one, value=form.get(one.name, one.value)) for one in MADE_UP],
        files=studio.workspace.files(),
        limit=LARGEST_UPLOAD // 1_000_000,
        recent=_recent(studio),
        command=shown_command(["studio", str(studio.workspace.folder)]),
    )


def _recent(studio: Studio) -> list[Entry]:
    """What was done last; of work that has ended, only that it did."""
    entries = studio.workspace.history.entries()
    links = [entry.link for entry in entries if entry.link]
    return [
        entry
        for entry in entries
        if not entry.what.endswith(": began") or links.count(entry.link) < 2
    ][:RECENT]


def _given_path(text: str) -> Path:
    """A path on this machine that somebody names on purpose."""
    from recloak.io import InputPath

    path = Path(text.strip()).expanduser()
    if not path.is_absolute():
        raise ParameterError("is not a whole path", where=text, hint="It begins with / or ~.")
    InputPath(path).head  # noqa: B018 - a missing file is refused in the words of the command
    return path


def _remember(studio: Studio, wanted: str, paths: list[Path]) -> Response:
    name = studio.workspace.free_name("files", tidy_name(Path(wanted).stem), ".json")
    studio.workspace.save_file(DataFile(name, tuple(map(str, paths))))
    link = f"/files/{name}"
    command = shown_command(["inspect", *map(str, paths)])
    studio.workspace.history.append("opened", subject=name, command=command, link=link)
    return RedirectResponse(link, 303)


def _add_upload(app: FastAPI, studio: Studio) -> None:
    @app.post(UPLOAD)
    async def upload(request: Request, name: str = "") -> Response:
        safe = re.sub(r"[^A-Za-z0-9._-]+", "-", name).lstrip(".-")[-100:] or "data"
        known = studio.workspace.free_name("files", tidy_name(Path(safe).stem), ".json")
        folder = studio.workspace.path("files", known)
        folder.mkdir(mode=0o700, exist_ok=True)
        try:
            with open_whole(folder / safe, mode=0o600) as file:
                async for piece in request.stream():
                    file.write(piece)
        except RecloakError as problem:
            return PlainTextResponse(str(problem), 422)
        answer = _remember(studio, known, [Path("files") / known / safe])
        return JSONResponse({"location": answer.headers["location"]})


def _add_file(app: FastAPI, studio: Studio) -> None:
    @app.get("/files/{name}")
    def show(name: str, form: Form) -> Response:
        return _file_page(studio, studio.workspace.file(name), form)

    @app.post("/files/{name}/command")
    def command(name: str, form: Form) -> Response:
        file = studio.workspace.file(name)
        words = reading_words(_described(file, form, _seen(studio, file)))
        return HTMLResponse(studio.part("command", command=shown_command(["inspect", *words])))

    @app.post("/files/{name}")
    def correct(name: str, form: Form) -> Response:
        file = studio.workspace.file(name)
        changed = replace(file, options=said_about(form, _seen(studio, file).columns))
        try:
            ReadOptions.build("read", changed.options)
        except RecloakError as problem:
            return _file_page(studio, changed, form, problem)
        studio.workspace.save_file(changed)
        link = f"/files/{name}"
        command = shown_command(["inspect", *reading_words(changed)])
        studio.workspace.history.append("described", subject=name, command=command, link=link)
        return RedirectResponse(link, 303)

    @app.post("/files/{name}/look")
    def look(name: str) -> Response:
        file = studio.workspace.file(name)
        words = ["inspect", *reading_words(file)]
        job = studio.jobs.start(words, "inspect", name, back=f"/files/{name}")
        return RedirectResponse(job.link, 303)


def _seen(studio: Studio, file: DataFile, options: ReadOptions | None = None) -> Preview:
    from recloak.io.preview import preview

    known = options or ReadOptions.build("read", file.options)
    return preview([studio.workspace.folder / path for path in file.paths], known)


def _described(file: DataFile, form: Filled, seen: Preview) -> DataFile:
    """The data with what a form says of them that is being filled in; none: as it is known."""
    return replace(file, options=said_about(form, seen.columns)) if form.get("said") else file


def _file_page(
    studio: Studio, file: DataFile, form: Filled, problem: RecloakError | None = None
) -> Response:
    if file.pending and studio.jobs.get(file.pending).state == "running":
        return RedirectResponse(studio.jobs.get(file.pending).link, 303)
    seen = _seen(studio, file, ReadOptions() if problem else None)
    found = problem or seen.problem
    if isinstance(found, InputError) and found.where is None:
        found = InputError(found.what, where=file.paths[0], hint=found.hint)
    described = _described(file, form, seen)
    view: dict[str, Any] = {
        "file": file,
        "seen": seen,
        "played": {column: role for role, column in seen.roles.items()},
        "mapping": mapping_fields(described, seen),
        "groups": reading_fields(described, seen),
        "looks": studio.jobs.of("inspect", file.name)[:3],
    }
    command = shown_command(["inspect", *reading_words(described)])
    return studio.page("file", "/", 422 if found else 200, problem=found, command=command, **view)
