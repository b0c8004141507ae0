"""Publishing: every option of the command in a form."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import Depends, FastAPI
from starlette.responses import HTMLResponse, RedirectResponse, Response

from recloak.core.errors import ParameterError, RecloakError
from recloak.core.files import write_whole
from recloak.publishing.options import SECRET, PublishOptions
from recloak.studio.commands import flag_words, option_words, shown_command
from recloak.studio.forms import (
    Filled,
    FormField,
    field_of_flag,
    field_of_parameter,
    filled_in,
    given_values,
)
from recloak.studio.jobs import Job
from recloak.studio.pages._reading import reading_words
from recloak.studio.pages.releases import release_names
from recloak.studio.studio import Studio
from recloak.studio.workspace import DataFile, checked_name

Form = Annotated[Filled, Depends(filled_in)]
OPTION, PARAMETER = "option.", "parameter."
# Where the studio puts what an option names: by the name of the release, inside the workspace.
KEPT = {
    "keep_secret": "secrets/{name}.secret",
    "split_secret": "wallets/{name}",
    "keep_model": "models/{name}.model",
}
LISTED = {"exclude_users": "notes/{name}-excluded.txt", "public_items": "notes/{name}-items.txt"}
OWN = {
    "out": "the name of the release says it",
    "report": "it is beside the release, where its page finds it",
    "export": "the studio writes nothing outside its workspace",
    "encrypt_parts": "the studio shows and verifies its releases, so it must be able to read them",
}
"""Options that have no field, and why."""
LOCK = (
    FormField(
        "passphrase", "passphrase", "password", help="locks what is kept; it is not recorded"
    ),
    FormField(
        "lock.key-file",
        "or a key file",
        flag="--key-file",
        help="locks what is kept: a file of 32 random bytes on this machine, by its path",
    ),
    FormField(
        "lock.passphrase-file",
        "or a passphrase file",
        flag="--passphrase-file",
        help="locks what is kept: a file on this machine whose first line is the passphrase",
    ),
)


def add(app: FastAPI, studio: Studio) -> None:
    """The routes of this part."""

    @app.get("/files/{name}/publish")
    def form(name: str, filled: Form) -> Response:
        return _form_page(studio, studio.workspace.file(name), filled)

    @app.post("/files/{name}/publish/command")
    def command(name: str, filled: Form) -> Response:
        file = studio.workspace.file(name)
        try:
            text = shown_command(_words(studio, file, filled))
        except RecloakError as problem:
            return HTMLResponse(studio.part("not_yet", problem=problem))
        return HTMLResponse(studio.part("command", command=text))

    @app.get("/files/{name}/publish/parameters")
    def parameters(name: str, filled: Form) -> Response:
        fields = _parameter_fields(studio.workspace.file(name), filled)
        return HTMLResponse(studio.part("parameters", fields=fields, method=filled.get("method")))

    @app.post("/files/{name}/publish")
    def publish(name: str, filled: Form) -> Response:
        file = studio.workspace.file(name)
        try:
            words = _words(studio, file, filled)
            _refuse_early(file, filled)
            _write_lists(studio, filled)
        except RecloakError as problem:
            return _form_page(studio, file, filled, problem)
        return RedirectResponse(_start(studio, words, file, filled).link, 303)


def _start(studio: Studio, words: list[str], file: DataFile, filled: Filled) -> Job:
    """Publish, or only estimate what that needs."""
    release = filled.get("name")
    estimate = filled.get("action") == "estimate"
    return studio.jobs.start(
        words,
        "estimate" if estimate else "publish",
        release,
        back=f"/files/{file.name}/publish",
        more={} if estimate else {"report": f"releases/{release}-report.html", "file": file.name},
        passphrase=filled.get("passphrase"),
    )


def _form_page(
    studio: Studio, file: DataFile, filled: Filled, problem: RecloakError | None = None
) -> Response:
    from recloak.methods import METHODS

    wanted = filled.get("name", _free(studio, f"{file.name}-release"))
    known = Filled([*filled.pairs, ("name", wanted)])
    methods = [(name, METHODS.get(name).summary) for name in METHODS.names()]
    chosen = filled.get("method") or _usual(file)
    known = Filled([*known.pairs, ("method", chosen)])
    try:
        command = shown_command(_words(studio, file, known))
    except RecloakError:
        command = ""
    return studio.page(
        "publish",
        "/releases",
        422 if problem else 200,
        problem=problem,
        command=command,
        file=file,
        name=wanted,
        methods=methods,
        method=chosen,
        fields=_parameter_fields(file, known),
        groups=_option_fields(studio, known),
    )


def _usual(file: DataFile) -> str:
    survey = file.options.get("sensitive") or file.options.get("format") == "survey"
    return "proximity" if survey else "synthetic"


def _parameter_fields(file: DataFile, filled: Filled) -> list[FormField]:
    """The parameters of the method; what is sensitive is said of the file."""
    from recloak.methods import METHODS

    given = filled.under(PARAMETER)
    described = METHODS.get(filled.get("method") or _usual(file)).Parameters.described()
    return [
        field_of_parameter(info, f"{PARAMETER}{info.name}", given.get(info.name, ""))
        for info in described
        if info.name not in ("sensitive", "non_sensitive")
    ]


def _option_fields(studio: Studio, filled: Filled) -> dict[str, list[FormField]]:
    """A field for each option of publishing, under the titles of the help."""
    given = filled.under(OPTION)
    groups: dict[str, list[FormField]] = {}
    for name, flag in PublishOptions.flags().items():
        if name in OWN:
            continue
        one = field_of_flag(flag, f"{OPTION}{name}", given.get(name, ""))
        if name in KEPT:
            help_text = f"{one.help}, in {KEPT[name].format(name='NAME')}"
            one = replace(one, kind="switch", help=help_text)
        elif name in LISTED:
            one = replace(one, kind="lines")
        elif name in ("policy", "previous"):
            choices = _policies(studio) if name == "policy" else _releases(studio)
            one = FormField(
                one.name, one.label, "choice", one.flag, one.help, one.value, "none", choices
            )
        groups.setdefault(flag.group or "publication", []).append(one)
    locks = [replace(one, value=filled.get(one.name) if one.flag else "") for one in LOCK]
    groups.setdefault(SECRET, []).extend(locks)
    return groups


def _policies(studio: Studio) -> tuple[str, ...]:
    return tuple(f"policies/{name}.toml" for name in studio.workspace.names("policies", ".toml"))


def _releases(studio: Studio) -> tuple[str, ...]:
    return tuple(f"releases/{name}" for name in release_names(studio))


def _free(studio: Studio, wanted: str) -> str:
    """A name that neither a release nor the report of a refused one has."""
    folder, base, number = studio.workspace.folder / "releases", wanted, 1
    while (folder / wanted).exists() or (folder / f"{wanted}-report.html").exists():
        number += 1
        wanted = f"{base}-{number}"
    return wanted


def _words(studio: Studio, file: DataFile, filled: Filled) -> list[str]:
    """The command that the form stands for."""
    name = checked_name(filled.get("name"))
    given = given_values(filled.under(OPTION))
    for option, place in {**KEPT, **LISTED}.items():
        if option in given:
            given[option] = place.format(name=name)
    if given.get("policy") and given["policy"] not in _policies(studio):
        raise ParameterError("is not a policy of this workspace", where=given["policy"])
    if given.get("previous") and given["previous"] not in _releases(studio):
        raise ParameterError("is not a release of this workspace", where=given["previous"])
    own = {"out": f"releases/{name}", "report": f"releases/{name}-report.html"}
    words = ["publish", *reading_words(file), "--method", filled.get("method")]
    for parameter, value in given_values(filled.under(PARAMETER)).items():
        words += flag_words(parameter.replace("_", "-"), value)
    words += option_words(PublishOptions, {**given, **own})
    for flag, path in given_values(filled.under("lock.")).items():
        words += flag_words(flag, studio.workspace.given_path(path))
    return [*words, "--dry-run"] if filled.get("action") == "estimate" else words


def _refuse_early(file: DataFile, filled: Filled) -> None:
    """What is wrong with a parameter is said at once, in the words of the command."""
    from recloak.methods import METHODS, method

    values = given_values(filled.under(PARAMETER))
    issues = {
        name: file.options[name] for name in ("sensitive", "non_sensitive") if name in file.options
    }
    known = {info.name for info in METHODS.get(filled.get("method")).Parameters.described()}
    method(filled.get("method"), **values, **{k: v for k, v in issues.items() if k in known})
    kept = [name for name in ("keep_secret", "keep_model") if filled.get(f"{OPTION}{name}")]
    locks = [one.label for one in LOCK if filled.get(one.name)]
    if kept and not locks:
        raise ParameterError(
            "is needed to encrypt what is kept", where="a passphrase", hint="Or name a key file."
        )
    if len(locks) > 1:
        raise ParameterError("give only one of these", where=", ".join(locks))


def _write_lists(studio: Studio, filled: Filled) -> None:
    """What was typed line by line becomes the file that the command reads."""
    given = given_values(filled.under(OPTION))
    for option, place in LISTED.items():
        if option in given:
            path = studio.workspace.folder / place.format(name=checked_name(filled.get("name")))
            write_whole(path, f"{given[option]}\n".encode(), mode=0o600, overwrite=True)
