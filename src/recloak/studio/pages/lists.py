"""Lists: replay a history of related-item lists, and what comparing releases gives away."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, FastAPI
from starlette.responses import HTMLResponse, RedirectResponse, Response

from recloak.core.errors import RecloakError
from recloak.studio.commands import flag_words, shown_command
from recloak.studio.forms import Filled, FormField, field_of_parameter, filled_in, given_values
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


def add(app: FastAPI, studio: Studio) -> None:
    """The routes of this part."""

    @app.get("/lists")
    def lists() -> Response:
        files = studio.workspace.files()
        jobs = [job for job in studio.jobs.all() if job.kind.startswith("lists")]
        return studio.page("lists", "/lists", files=files, jobs=jobs)

    @app.get("/files/{name}/lists")
    def form(name: str, filled: Form) -> Response:
        return _page(studio, studio.workspace.file(name), filled)

    @app.post("/files/{name}/lists/command")
    def command(name: str, filled: Form) -> Response:
        file = studio.workspace.file(name)
        try:
            text = shown_command(_words(file, filled))
        except RecloakError as problem:
            return HTMLResponse(studio.part("not_yet", problem=problem))
        return HTMLResponse(studio.part("command", command=text))

    @app.post("/files/{name}/lists")
    def replay(name: str, filled: Form) -> Response:
        file = studio.workspace.file(name)
        try:
            words = _words(file, filled)
            _refuse_early(filled)
        except RecloakError as problem:
            return _page(studio, file, filled, problem)
        attack = filled.get("action") == "attack"
        back, subject = f"/files/{name}/lists", name if attack else filled.get("name")
        kind, more = ("lists attack", {}) if attack else ("lists", {"report": _report(subject)})
        job = studio.jobs.start(words, kind, subject, back=back, more=more)
        return RedirectResponse(job.link, 303)


def _report(name: str) -> str:
    return f"lists/{name}-report.html"


def _page(
    studio: Studio, file: DataFile, filled: Filled, problem: RecloakError | None = None
) -> Response:
    from recloak.lists.protection import ALGORITHMS, ProtectionParameters
    from recloak.recommenders.similarity import SIMILARITIES
    from recloak.releases.lists.unprotected import GAP, START

    name = filled.get("name") or studio.workspace.free_name("lists", f"{file.name}-lists")
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
    known = Filled([*filled.pairs, ("name", name)])
    return studio.page(
        "lists_form",
        "/lists",
        422 if problem else 200,
        problem=problem,
        file=file,
        name=name,
        fields=fields,
        protection=protection,
        command=shown_command(_words(file, known)),
    )


def _words(file: DataFile, filled: Filled) -> list[str]:
    attack = filled.get("action") == "attack"
    words = ["lists", "attack" if attack else "replay", *reading_words(file)]
    for key, value in given_values(filled.under(HISTORY)).items():
        words += flag_words(key, value)
    for key, value in given_values(filled.under(PARAMETER)).items():
        if value == "true":
            words.append(f"--{key.replace('_', '-')}")  # what is yes or no is a switch there
        elif value != "false":
            words += flag_words(key.replace("_", "-"), value)
    if attack:
        return words
    name = checked_name(filled.get("name"))
    return [*words, "--out", f"lists/{name}", "--report", _report(name)]


def _refuse_early(filled: Filled) -> None:
    """What is wrong with a parameter is said at once, in the words of the command."""
    from recloak.lists.protection import ALGORITHMS

    chosen = filled.get(f"{HISTORY}algorithm") or DEFAULTS["algorithm"]
    ALGORITHMS.get(chosen)(**given_values(filled.under(PARAMETER)))
