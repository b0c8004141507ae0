"""Policies: what a release must satisfy, line by line, and who signed it."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Depends, FastAPI
from starlette.responses import RedirectResponse, Response

from recloak.core.errors import ParameterError, RecloakError
from recloak.core.files import write_whole
from recloak.studio.commands import shown_command
from recloak.studio.forms import Filled, filled_in
from recloak.studio.history import now
from recloak.studio.studio import Studio
from recloak.studio.workspace import checked_name

if TYPE_CHECKING:
    from recloak.auditing.policy import Requirement

Form = Annotated[Filled, Depends(filled_in)]
LIMIT, USE, BECAUSE = "limit.", "use.", "because."
NEW = "policy"  # what a new one is called unless somebody says otherwise


def add(app: FastAPI, studio: Studio) -> None:
    """The routes of this part."""

    @app.get("/policies")
    def policies(filled: Form) -> Response:
        names = studio.workspace.names("policies", ".toml")
        comparisons = studio.workspace.names("comparisons")
        return studio.page(
            "policies",
            "/policies",
            names=names,
            comparisons=comparisons,
            name=filled.get("name", NEW),
            command=shown_command(["policy", "init", "--out", "policies/NAME.toml"]),
        )

    @app.post("/policies")
    def begin(filled: Form) -> Response:
        from recloak.auditing.policy import template_text

        name = studio.workspace.free_name("policies", filled.get("name") or NEW, ".toml")
        command = shown_command(["policy", "init", "--out", f"policies/{name}.toml"])
        save_policy(studio, name, template_text(), "policy begun", command)
        return RedirectResponse(f"/policies/{name}", 303)

    @app.get("/policies/{name}")
    def policy(name: str, filled: Form) -> Response:
        return _policy_page(studio, name, filled)

    @app.post("/policies/{name}/change")
    def change(name: str, filled: Form) -> Response:
        """Other limits are another policy: what was signed is never changed."""
        try:
            text = _changed(studio, name, filled)
        except RecloakError as problem:
            return _policy_page(studio, name, filled, problem)
        saved = studio.workspace.free_name("policies", filled.get("name") or name, ".toml")
        command = shown_command(["policy", "check", f"policies/{saved}.toml"])
        save_policy(studio, saved, text, "policy written", command)
        return RedirectResponse(f"/policies/{saved}", 303)

    @app.post("/policies/{name}/sign")
    def sign(name: str, filled: Form) -> Response:
        signer = filled.get("signer")
        if not signer:
            return _policy_page(studio, name, filled, ParameterError("a name is needed to sign"))
        _sign(studio, name, signer, filled.get("comment"))
        return RedirectResponse(f"/policies/{name}", 303)


def line_title(line: Requirement) -> tuple[str, str]:
    """What a line is about, and who finds it out; of a claim, the claim alone."""
    from recloak.auditing.evaluation_registry import declared_figures

    declared = declared_figures().get(line.figure or "")
    if declared is None or not declared.heading:
        return str(line), ""
    return declared.heading, f"{line.checker.name}, {line.checker.label}"


def _policy_path(studio: Studio, name: str) -> Path:
    path = studio.workspace.path("policies", f"{checked_name(name)}.toml")
    if not path.is_file():
        raise ParameterError("there is no such policy", where=name)
    return path


def save_policy(studio: Studio, name: str, text: str, what: str, command: str) -> None:
    """Write a policy that is new, and note it in the history."""
    path = studio.workspace.path("policies", f"{name}.toml")
    write_whole(path, text.encode(), mode=0o600)
    link = f"/policies/{name}"
    studio.workspace.history.append(what, subject=name, command=command, link=link)


def _policy_page(
    studio: Studio, name: str, filled: Filled, problem: RecloakError | None = None
) -> Response:
    from recloak.auditing.policy import Policy

    path = _policy_path(studio, name)
    policy = Policy.read(path)
    digest = _digest(path)
    signatures = [{**one, "valid": one["sha256"] == digest} for one in _signatures(studio, name)]
    return studio.page(
        "policy",
        "/policies",
        422 if problem else 200,
        problem=problem,
        name=name,
        title=policy.title,
        lines=[_line(place, one, filled) for place, one in enumerate(policy.requirements)],
        filled=filled,
        digest=digest,
        signatures=signatures,
        today=now()[:10],
        command=shown_command(["policy", "check", f"policies/{name}.toml"]),
    )


def _line(place: int, line: Requirement, filled: Filled) -> dict[str, Any]:
    """A line as it stands, or as somebody is about to change it."""
    title, by = line_title(line)
    limit = line.at_most if line.at_most is not None else line.at_least
    stands = {USE: "yes", LIMIT: "" if limit is None else str(limit), BECAUSE: line.because}
    if filled.get("changing"):
        stands = {key: filled.get(f"{key}{place}") for key in stands}
    return {
        "place": place,
        "title": title,
        "by": by,
        "used": stands[USE],
        "limit": stands[LIMIT],
        "because": stands[BECAUSE],
        "side": "" if line.claim else "At most" if line.at_most is not None else "At least",
    }


def _changed(studio: Studio, name: str, filled: Filled) -> str:
    from recloak.auditing.policy import Policy

    policy = Policy.read(_policy_path(studio, name))
    lines = []
    for place, line in enumerate(policy.requirements):
        if filled.get(f"{USE}{place}") != "yes":
            continue
        update: dict[str, Any] = {"because": filled.get(f"{BECAUSE}{place}")}
        given = filled.get(f"{LIMIT}{place}")
        if line.claim is None:
            if not re.fullmatch(r"-?\d*\.?\d+", given):
                raise ParameterError("is not a number", where=f"{line}: {given!r}")
            update["at_most" if line.at_most is not None else "at_least"] = float(given)
        lines.append(line.model_copy(update=update))
    if not lines:
        raise ParameterError("no line is left", hint="A policy requires something.")
    return Policy(filled.get("title") or policy.title, tuple(lines)).to_toml()


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _signatures(studio: Studio, name: str) -> list[dict[str, Any]]:
    try:
        found = studio.workspace.read_json("policies", f"{name}.signatures.json")
    except RecloakError:
        return []
    return list(found["signatures"])


def _sign(studio: Studio, name: str, signer: str, comment: str) -> None:
    """Who signed what when, with the digest of what was signed."""
    digest = _digest(_policy_path(studio, name))
    one = {"name": signer, "at": now(), "comment": comment, "sha256": digest}
    record = {"signatures": [*_signatures(studio, name), one]}
    studio.workspace.write_json("policies", f"{name}.signatures.json", record)
    entry = f"signed by {signer}" + (f": {comment}" if comment else "")
    facts = {"subject": name, "link": f"/policies/{name}", "note": f"{entry} (SHA-256 {digest})"}
    studio.workspace.history.append("policy signed", **facts)
