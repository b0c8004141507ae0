"""Checking: verify or audit a release, also one that somebody else made."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from fastapi import Depends, FastAPI
from starlette.responses import HTMLResponse, RedirectResponse, Response

from recloak.core.errors import ParameterError, RecloakError
from recloak.io.options import ReadOptions
from recloak.studio.commands import flag_words, option_words, shown_command
from recloak.studio.forms import Filled, FormField, filled_in
from recloak.studio.pages._unpacking import received_in, unpack
from recloak.studio.studio import Studio
from recloak.studio.workspace import tidy_name

Form = Annotated[Filled, Depends(filled_in)]
VERIFY = (
    FormField(
        "release",
        "the release",
        help="a folder, a zip or a file on this machine, or releases/NAME",
        required=True,
    ),
    FormField(
        "claim", "claims", "lines", "--claim", "claims to check, one on each line: k-anonymity:k=5"
    ),
)
AUDIT = (
    FormField(
        "original",
        "the original",
        "choice",
        help="the data that it was made from",
        default="none: verify only",
    ),
    FormField(
        "secret",
        "secret",
        "text",
        "--secret",
        "of a release of ours, if its sealed secret was kept",
    ),
    FormField("passphrase", "passphrase", "password", help="opens the secret; it is not recorded"),
    FormField(
        "mapping", "mapping", "text", "--mapping", "a CSV file with the columns user, pseudonym"
    ),
    FormField(
        "rehearse",
        "rehearse",
        "switch",
        "--rehearse",
        "without a secret: attack what the release's method makes of the original now",
    ),
    FormField(
        "release_columns",
        "columns of the release",
        "text",
        "--release-columns",
        "if they differ: user=uid,item=film",
    ),
    FormField(
        "previous",
        "an earlier release",
        "text",
        "--previous",
        "of the same people: what does holding both give away?",
    ),
    FormField(
        "policy",
        "policy",
        "choice",
        "--policy",
        "every line of it must pass",
        default="the default one, not enforced",
    ),
    FormField("seed", "seed", "number", "--seed", "of the samples", default="0", least=0, step="1"),
)


def add(app: FastAPI, studio: Studio) -> None:
    """The routes of this part."""

    @app.get("/check")
    def form(filled: Form) -> Response:
        return _page(studio, filled)

    @app.post("/check/command")
    def command(filled: Form) -> Response:
        try:
            words = _words(studio, filled, _subject(filled))
        except RecloakError as problem:
            return HTMLResponse(studio.part("not_yet", problem=problem))
        return HTMLResponse(studio.part("command", command=shown_command(words)))

    @app.post("/check")
    def check(filled: Form) -> Response:
        subject = _subject(filled)
        try:
            words = _words(studio, filled, subject)
            _receive(studio, filled)
        except RecloakError as problem:
            return _page(studio, filled, problem)
        report = words[words.index("--report") + 1] if "--report" in words else ""
        job = studio.jobs.start(
            words,
            words[0],
            subject,
            back="/check",
            more={"report": report} if report else {},
            passphrase=filled.get("passphrase"),
        )
        return RedirectResponse(job.link, 303)


def _receive(studio: Studio, filled: Filled) -> None:
    """Unpack a release that came as a zip."""
    given = studio.workspace.given_path(filled.get("release"))
    folder = received_in(studio.workspace, given)
    if folder:
        unpack(studio.workspace.folder / given, folder)


def _subject(filled: Filled) -> str:
    return tidy_name(Path(filled.get("release")).name)


def _page(studio: Studio, filled: Filled, problem: RecloakError | None = None) -> Response:
    files = tuple(file.name for file in studio.workspace.files())
    policies = tuple(studio.workspace.names("policies", ".toml"))

    choices = {"original": files, "policy": policies}
    fields, audit = (
        [
            replace(one, value=filled.get(one.name), choices=choices.get(one.name, ()))
            for one in some
        ]
        for some in (VERIFY, AUDIT)
    )
    try:
        command = shown_command(_words(studio, filled, _subject(filled)))
    except RecloakError:
        command = shown_command(["verify", "RELEASE"])
    return studio.page(
        "check",
        "/check",
        422 if problem else 200,
        problem=problem,
        fields=fields,
        audit=audit,
        command=command,
    )


def _words(studio: Studio, filled: Filled, subject: str) -> list[str]:
    """Verify without an original, audit with one."""
    if not filled.get("release"):
        raise ParameterError("is missing", where="the release")
    release = studio.workspace.given_path(filled.get("release"))
    received = received_in(studio.workspace, release)
    release = studio.workspace.shown(received) if received else release
    claims = [
        word
        for claim in filled.get("claim").split("\n")
        if claim.strip()
        for word in ("--claim", claim.strip())
    ]
    if not filled.get("original"):
        return ["verify", release, *claims]
    file = studio.workspace.file(filled.get("original"))
    if len(file.paths) > 1:
        raise ParameterError(
            "an audit takes data of one file", where=file.name, hint="Put its files into one."
        )
    words = ["audit", file.paths[0], release, *claims]
    for name in ("secret", "mapping", "previous"):
        if filled.get(name):
            words += flag_words(name, studio.workspace.given_path(filled.get(name)))
    if filled.get("release_columns"):
        words += flag_words("release-columns", filled.get("release_columns"))
    if filled.get("policy"):
        words += ["--policy", f"policies/{filled.get('policy')}.toml"]
    words += flag_words("seed", filled.get("seed")) if filled.get("seed") else []
    words += ["--rehearse"] if filled.get("rehearse") else []
    report = f"notes/{studio.workspace.free_name('notes', f'audit-of-{subject}', '.html')}.html"
    return [*words, "--report", report, *option_words(ReadOptions, file.options)]
