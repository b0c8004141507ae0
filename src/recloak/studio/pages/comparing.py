"""Comparing: choose methods and values, watch the frontier fill in, stop, and go on later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

from fastapi import Depends, FastAPI
from starlette.responses import HTMLResponse, RedirectResponse, Response

from recloak.core.described import ParameterInfo
from recloak.core.errors import ParameterError, RecloakError
from recloak.core.files import write_whole
from recloak.studio.commands import flag_words, shown_command
from recloak.studio.forms import Filled, FormField, filled_in
from recloak.studio.jobs import Job
from recloak.studio.pages import _frontier
from recloak.studio.pages._reading import reading_words
from recloak.studio.pages.work import view_of
from recloak.studio.studio import Studio
from recloak.studio.workspace import DataFile, checked_name

Form = Annotated[Filled, Depends(filled_in)]
METHOD, VALUES = "method.", "values."
FIELDS = (
    FormField(
        "seed",
        "seed",
        "number",
        "--seed",
        "seed of releases and samples",
        default="0",
        least=0,
        step="1",
    ),
    FormField(
        "policy",
        "policy",
        "choice",
        "--policy",
        "judge every setting by it",
        default="the default policy",
    ),
    FormField(
        "jobs",
        "at once",
        "number",
        "--jobs",
        "how many settings",
        default="as memory allows",
        least=1,
        step="1",
    ),
)
MANY = "Several values, with commas between them, are all tried."


def add(app: FastAPI, studio: Studio) -> None:
    """The routes of this part."""
    _add_form(app, studio)
    _add_comparisons(app, studio)


def _add_form(app: FastAPI, studio: Studio) -> None:
    @app.get("/comparisons")
    def comparisons() -> Response:
        names = studio.workspace.names("comparisons")
        files = studio.workspace.files()
        return studio.page("comparisons", "/comparisons", names=names, files=files)

    @app.get("/files/{name}/compare")
    def form(name: str, filled: Form) -> Response:
        return _form_page(studio, studio.workspace.file(name), filled)

    @app.post("/files/{name}/compare/command")
    def command(name: str, filled: Form) -> Response:
        file = studio.workspace.file(name)
        text = shown_command(_words(file, filled.get("name"), _more(filled)))
        return HTMLResponse(studio.part("command", command=text))

    @app.post("/files/{name}/compare")
    def compare(name: str, filled: Form) -> Response:
        file = studio.workspace.file(name)
        try:
            comparison = _made(studio, file, filled)
        except RecloakError as problem:
            return _form_page(studio, file, filled, problem)
        _go_on(studio, comparison)
        return RedirectResponse(f"/comparisons/{comparison}", 303)


def _form_page(
    studio: Studio, file: DataFile, filled: Filled, problem: RecloakError | None = None
) -> Response:
    name = filled.get("name", studio.workspace.free_name("comparisons", file.name))
    usual = _usual_grid(studio, file)
    choices = {"policy": tuple(studio.workspace.names("policies", ".toml"))}
    fields = [
        replace(one, value=filled.get(one.name), choices=choices.get(one.name, ()))
        for one in FIELDS
    ]
    return studio.page(
        "compare",
        "/comparisons",
        422 if problem else 200,
        problem=problem,
        command=shown_command(_words(file, name, _more(filled))),
        file=file,
        name=name,
        entries=_entries(usual, filled),
        fields=fields,
        many=MANY,
    )


def _usual_grid(studio: Studio, file: DataFile) -> list[tuple[str, Mapping[str, Any]]]:
    """The grid of the command, by what was found out about the data if somebody looked."""
    from recloak.comparison.settings import default_grid, survey_grid
    from recloak.core.scale import Scale
    from recloak.methods import METHODS

    looks = [job for job in studio.jobs.of("inspect", file.name) if job.state == "done"]
    found = looks[0].output if looks else {}
    if is_survey(file):
        issues = (found.get("survey") or {}).get("issues", [])
        deviations = [one["deviation"] for one in issues if one["sensitive"]]
        grid = survey_grid(min(deviations, default=None))
    else:
        scale = Scale.parse(found["scale"]) if found else None
        grid = default_grid((scale.span if scale else 4.0) or 1.0, found.get("users", 0))
    known = [(name, lists) for name, entries in grid.items() for lists in entries]
    others = [name for name in METHODS.names() if name not in grid and name != "identity"]
    return [*known, *((name, {}) for name in others)]


def is_survey(file: DataFile) -> bool:
    """Is it said that the data are a survey?"""
    options = file.options
    return options.get("format") == "survey" or any(
        options.get(name) for name in ("id_column", "issues", "sensitive", "non_sensitive")
    )


def _entries(usual: list[tuple[str, Mapping[str, Any]]], filled: Filled) -> list[dict[str, Any]]:
    """For each method whether it is tried, and a field for the values of each parameter."""
    from recloak.methods import METHODS

    ticked = filled.every("method")
    entries = []
    for place, (name, lists) in enumerate(usual):
        method = METHODS.get(name)
        described = [
            info
            for info in method.Parameters.described()
            if info.name not in ("sensitive", "non_sensitive")
        ]
        fields, unchanged = (
            [
                _values_field(info, f"{VALUES}{place}.{info.name}", lists, given)
                for info in described
            ]
            for given in (filled, Filled([]))
        )
        chosen = str(place) in ticked if filled.pairs else bool(lists) or name == "pseudonymize"
        shown = {"place": place, "name": name, "summary": method.summary, "chosen": chosen}
        tried = "; ".join(f"{one.label} {one.value}" for one in fields if one.value)
        shown |= {"fields": fields, "tried": tried, "changed": fields != unchanged}
        entries.append(shown)
    return entries


def _values_field(
    info: ParameterInfo, key: str, lists: Mapping[str, Any], filled: Filled
) -> FormField:
    usual = ", ".join(map(_written, lists.get(info.name, ())))
    value = filled.get(key) if filled.pairs else usual
    allowed = f" ({info.allowed})" if info.allowed else ""
    default = "" if info.default is None else _written(info.default)
    label = info.flag.replace("-", " ")
    return FormField(key, label, help=f"{info.doc}{allowed}", value=value, default=default)


def _written(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _made(studio: Studio, file: DataFile, filled: Filled) -> str:
    """The folder of a new comparison with its grid, which is checked before anything runs."""
    from recloak.comparison.grid_file import grid_text
    from recloak.comparison.settings import read_grid

    name = checked_name(filled.get("name"))
    usual = _usual_grid(studio, file)
    entries = [_chosen(usual[int(place)][0], place, filled) for place in filled.every("method")]
    if not entries:
        raise ParameterError("no method is ticked", hint="Tick at least one.")
    if filled.get("policy") and filled.get("policy") not in studio.workspace.names(
        "policies", ".toml"
    ):
        raise ParameterError("is not a policy of this workspace", where=filled.get("policy"))
    folder = studio.workspace.path("comparisons", name)
    if folder.exists():
        raise ParameterError("exists already", where=name, hint="Choose another name.")
    draft = studio.workspace.path("notes", f"{name}-grid.toml")
    write_whole(draft, grid_text(entries).encode(), overwrite=True)
    read_grid(draft)
    folder.mkdir(mode=0o700)
    draft.rename(folder / "grid.toml")
    record = {"file": file.name, "more": _more(filled)}
    studio.workspace.write_json(f"comparisons/{name}", "studio.json", record)
    return name


def _more(filled: Filled) -> dict[str, str]:
    """What is said beside the grid."""
    return {key: filled.get(key) for key in ("seed", "policy", "jobs") if filled.get(key)}


def _chosen(method: str, place: str, filled: Filled) -> tuple[str, dict[str, list[Any]]]:
    given = filled.under(f"{VALUES}{place}.")
    lists = {
        key: [_value(part.strip()) for part in text.split(",") if part.strip()]
        for key, text in given.items()
        if text.strip()
    }
    return method, lists


def _value(text: str) -> Any:
    """A value as TOML has it."""
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _words(file: DataFile, name: str, more: Mapping[str, str]) -> list[str]:
    place = f"comparisons/{name}"
    words = ["compare", *reading_words(file), "--grid", f"{place}/grid.toml"]
    for key, value in more.items():
        words += flag_words(key, f"policies/{value}.toml" if key == "policy" else value)
    return [*words, "--out", place]


def _go_on(studio: Studio, name: str) -> Job:
    """Run the comparison, or the rest of it; one that runs already is left alone."""
    known = studio.jobs.of("compare", name)
    if known and known[0].is_running:
        return known[0]
    file, more = _frontier.record_of(studio, name)
    back = f"/comparisons/{name}"
    return studio.jobs.start(_words(file, name, more), "compare", name, back=back)


def _add_comparisons(app: FastAPI, studio: Studio) -> None:
    @app.get("/comparisons/{name}")
    def show(name: str) -> Response:
        return studio.page("comparison", "/comparisons", **_view(studio, name))

    @app.get("/comparisons/{name}/part")
    def part(name: str) -> Response:
        return HTMLResponse(studio.part("comparison_part", **_view(studio, name)))

    @app.get("/comparisons/{name}/found")
    def found(name: str) -> Response:
        return HTMLResponse(studio.part("comparison_found", **_frontier.seen(studio, name)))

    @app.post("/comparisons/{name}/go-on")
    def go_on(name: str) -> Response:
        _go_on(studio, name)
        return RedirectResponse(f"/comparisons/{name}", 303)


def _view(studio: Studio, name: str) -> dict[str, Any]:
    file, more = _frontier.record_of(studio, name)
    jobs = studio.jobs.of("compare", name)
    view = view_of(studio, jobs[0]) if jobs else {"job": None, "state": "stopped"}
    found = _frontier.seen(studio, name)
    return {
        **view,
        "name": name,
        "file": file,
        "command": shown_command(_words(file, name, more)),
        **found,
    }
