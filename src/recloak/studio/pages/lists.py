"""Lists: replay a history of related-item lists, and what comparing releases gives away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from fastapi import Depends, FastAPI
from starlette.responses import HTMLResponse, RedirectResponse, Response

from recloak.core.errors import RecloakError
from recloak.io.options import ReadOptions
from recloak.studio.commands import flag_words, option_words, shown_command
from recloak.studio.forms import (
    Filled,
    FormField,
    field_of_parameter,
    filled_in,
    given_values,
)
from recloak.studio.pages._list_entries import list_of_item
from recloak.studio.pages._reading import reading_words
from recloak.studio.studio import Studio
from recloak.studio.workspace import DataFile, checked_name

Form = Annotated[Filled, Depends(filled_in)]
PARAMETER, HISTORY = "parameter.", "history."
OF_HISTORY = {
    "start": "share of the ratings in the first release",
    "gap": "share that each further release adds",
    "releases": "how many after the first",
    "similarity": "how alike items are",
    "algorithm": "how lists are protected",
}
DEFAULTS = {"releases": "all", "similarity": "cosine", "algorithm": "constructive"}
REPLAY, ATTACK = "replay.", "attack."
OF_REPLAY = (
    FormField(
        f"{REPLAY}lists",
        "your own lists",
        flag="--lists",
        help="instead of similarity: a CSV or Parquet file on this machine with item, related, "
        "score, and for several releases release",
    ),
    FormField(
        f"{REPLAY}policy",
        "policy",
        "choice",
        "--policy",
        "publish only if every line passes",
        default="none",
    ),
    FormField(
        f"{REPLAY}audit-seed", "audit seed", "number", "--audit-seed", "of samples", step="1"
    ),
)
OF_ATTACK = (
    FormField(
        f"{ATTACK}lists",
        "protected lists",
        "choice",
        "--lists",
        "published before; else they are made as above",
        default="as above",
    ),
    FormField(f"{ATTACK}variance", "variance", "number", "--variance", "of the noise", default="1"),
    FormField(f"{ATTACK}seed", "seed", "number", "--seed", "of noise and samples", default="0"),
)


def add(app: FastAPI, studio: Studio) -> None:
    """The routes of this part."""

    @app.get("/lists")
    def lists() -> Response:
        files = studio.workspace.files()
        jobs = [job for job in studio.jobs.all() if job.kind.startswith("lists")]
        return studio.page("lists", "/lists", files=files, jobs=jobs, names=_published(studio))

    @app.get("/files/{name}/lists")
    def form(name: str, filled: Form) -> Response:
        return _page(studio, studio.workspace.file(name), filled)

    @app.post("/files/{name}/lists/command")
    def command(name: str, filled: Form) -> Response:
        file = studio.workspace.file(name)
        try:
            text = shown_command(_words(studio, file, filled))
        except RecloakError as problem:
            return HTMLResponse(studio.part("not_yet", problem=problem))
        return HTMLResponse(studio.part("command", command=text))

    @app.post("/files/{name}/lists")
    def replay(name: str, filled: Form) -> Response:
        file = studio.workspace.file(name)
        try:
            words = _words(studio, file, filled)
            _refuse_early(filled)
        except RecloakError as problem:
            return _page(studio, file, filled, problem)
        attack = filled.get("action") == "attack"
        back, subject = f"/files/{name}/lists", name if attack else filled.get("name")
        more = {} if attack else {"report": _report(subject), "file": name}
        kind = "lists attack" if attack else "lists"
        job = studio.jobs.start(words, kind, subject, back=back, more=more)
        return RedirectResponse(job.link, 303)

    _add_published(app, studio)


def _add_published(app: FastAPI, studio: Studio) -> None:
    @app.get("/lists/{name}")
    def published(name: str, filled: Form) -> Response:
        made = studio.jobs.of("lists", name)
        command = made[0].command if made else shown_command(["lists", "export", f"lists/{name}"])
        view = list_of_item(studio.workspace.path("lists", name), filled.get("item"))
        asked = filled.get("item", view["item"])
        status = 422 if view["problem"] else 200
        return studio.page(
            "list", "/lists", status, name=name, command=command, asked=asked, **view
        )

    @app.post("/lists/{name}/verify")
    def verify(name: str) -> Response:
        """With the ratings that they were made from: without, nobody can tell."""
        made = studio.jobs.of("lists", studio.workspace.path("lists", name).name)
        words = ["lists", "verify", f"lists/{name}"]
        if made:
            file = studio.workspace.file(made[0].more["file"])
            words += ["--original", file.paths[0], *option_words(ReadOptions, file.options)]
        job = studio.jobs.start(words, "lists verify", name, back=f"/lists/{name}")
        return RedirectResponse(job.link, 303)


def _published(studio: Studio) -> tuple[str, ...]:
    folder = studio.workspace.folder / "lists"
    names = studio.workspace.names("lists")
    return tuple(name for name in names if (folder / name / "manifest.json").is_file())


def _report(name: str) -> str:
    return f"lists/{name}-report.html"


def _page(
    studio: Studio, file: DataFile, filled: Filled, problem: RecloakError | None = None
) -> Response:
    from recloak.lists.protection import ALGORITHMS, ProtectionParameters
    from recloak.recommenders.similarity import SIMILARITIES
    from recloak.releases.lists.unprotected import GAP, START

    name = filled.get("name", studio.workspace.free_name("lists", f"{file.name}-lists"))
    given = filled.under(PARAMETER)

    choices = {"similarity": SIMILARITIES.names(), "algorithm": ALGORITHMS.names()}
    defaults = {"start": START, "gap": GAP, **DEFAULTS}
    fields = [
        FormField(
            f"{HISTORY}{key}",
            key,
            "choice" if key in choices else "text",
            f"--{key}",
            heading,
            filled.get(f"{HISTORY}{key}"),
            str(defaults[key]),
            tuple(choices.get(key, ())),
        )
        for key, heading in OF_HISTORY.items()
    ]
    protection = [
        field_of_parameter(info, f"{PARAMETER}{info.name}", given.get(info.name, ""))
        for info in ProtectionParameters.described()
    ]
    try:
        command = shown_command(_words(studio, file, Filled([*filled.pairs, ("name", name)])))
    except RecloakError:
        command = ""
    return studio.page(
        "lists_form",
        "/lists",
        422 if problem else 200,
        problem=problem,
        file=file,
        name=name,
        fields=fields,
        protection=protection,
        replay=_with_choices(OF_REPLAY, filled, studio.workspace.names("policies", ".toml")),
        attack=_with_choices(OF_ATTACK, filled, _published(studio)),
        command=command,
    )


def _with_choices(
    fields: Sequence[FormField], filled: Filled, choices: Sequence[str]
) -> list[FormField]:
    """The fields, filled in; what can be chosen from is in the workspace."""
    return [
        replace(
            one, value=filled.get(one.name), choices=tuple(choices) if one.kind == "choice" else ()
        )
        for one in fields
    ]


def _own_words(studio: Studio, filled: Filled, prefix: str) -> list[str]:
    """What is said for this action alone."""
    given = given_values(filled.under(prefix))
    if "policy" in given:
        given["policy"] = studio.workspace.given_path(f"policies/{given['policy']}.toml")
    if "lists" in given:
        chosen = given["lists"] if prefix == REPLAY else f"lists/{given['lists']}"
        given["lists"] = studio.workspace.given_path(chosen)
    return [word for flag, value in given.items() for word in flag_words(flag, value)]


def _words(studio: Studio, file: DataFile, filled: Filled) -> list[str]:
    attack = filled.get("action") == "attack"
    words = ["lists", "attack" if attack else "replay", *reading_words(file)]
    for key, value in given_values(filled.under(HISTORY)).items():
        words += flag_words(key, value)
    for key, value in given_values(filled.under(PARAMETER)).items():
        if value == "true":
            words.append(f"--{key.replace('_', '-')}")  # what is yes or no is a switch there
        elif value != "false":
            words += flag_words(key.replace("_", "-"), value)
    words += _own_words(studio, filled, ATTACK if attack else REPLAY)
    if attack:
        return words
    name = checked_name(filled.get("name"))
    return [*words, "--out", f"lists/{name}", "--report", _report(name)]


def _refuse_early(filled: Filled) -> None:
    """What is wrong with a parameter is said at once, in the words of the command."""
    from recloak.lists.protection import ALGORITHMS

    chosen = filled.get(f"{HISTORY}algorithm") or DEFAULTS["algorithm"]
    ALGORITHMS.get(chosen)(**given_values(filled.under(PARAMETER)))
