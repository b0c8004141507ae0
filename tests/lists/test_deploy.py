"""The files for systemd and compose: every command in them is one that recloak takes."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema_rs
import pytest
import yaml

from recloak.cli._shared.arguments import load, parse

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
COMMANDS = 6
COMMAND = re.compile(r"recloak (lists [^\"\n]*)")
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())

TEXTS = {"type": "array", "items": {"type": "string"}, "minItems": 1}
TIME = {"type": "string", "pattern": "^([0-9]+(us|ms|s|m|h))+$"}


def only(**known: object) -> dict[str, object]:
    """An object with these keys and no other."""
    return {"type": "object", "properties": known, "additionalProperties": False}


def each(value: object) -> dict[str, object]:
    """An object whose values are all like this."""
    return {"type": "object", "additionalProperties": value}


SERVICE = only(
    image={"type": "string"},
    build={"type": "string"},
    command=TEXTS,
    env_file={"type": "string"},
    environment=each({"type": "string"}),
    secrets=TEXTS,
    volumes=TEXTS,
    ports=TEXTS,
    profiles=TEXTS,
    cap_drop=TEXTS,
    security_opt=TEXTS,
    depends_on=each(only(condition={"enum": ["service_started", "service_healthy"]})),
    healthcheck=only(test=TEXTS, interval=TIME),
    stop_grace_period=TIME,
    restart={"enum": ["no", "always", "on-failure", "unless-stopped"]},
)
COMPOSE_SCHEMA = only(
    services=each({**SERVICE, "required": ["image"]}),
    volumes=each({"type": "null"}),
    secrets=each(only(file={"type": "string"})),
    **{"x-recloak": True},
)


def commands() -> list[list[str]]:
    units = [file for file in sorted(DEPLOY.iterdir()) if file.suffix == ".service"]
    written = [found[1] for file in units for found in COMMAND.finditer(file.read_text())]
    started = [one["command"] for one in COMPOSE["services"].values() if "command" in one]
    return [*map(shlex.split, written), *started]


def test_there_are_commands_to_check() -> None:
    assert len(commands()) == COMMANDS


@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_every_command_is_one_that_recloak_takes(command: list[str]) -> None:
    words = command[1:]
    assert parse(load("lists"), "lists", words).action == words[0]


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not here")
def test_systemd_finds_no_fault_with_the_units(tmp_path: Path) -> None:
    units = [file for file in DEPLOY.iterdir() if file.suffix in (".service", ".timer")]
    for file in units:  # the command must exist on the machine that looks at them
        text = file.read_text().replace("/opt/recloak/bin/recloak", str(shutil.which("true")))
        (tmp_path / file.name).write_text(text)
    words = ["systemd-analyze", "verify", *sorted(str(tmp_path / file.name) for file in units)]
    answer = subprocess.run(words, capture_output=True, text=True, check=False)
    assert [line for line in answer.stderr.splitlines() if "recloak-lists" in line] == []
    assert answer.returncode == 0


def test_secrets_and_volumes_of_compose_are_declared() -> None:
    for service in COMPOSE["services"].values():
        assert set(service.get("secrets", ())) <= set(COMPOSE["secrets"])
        named = {volume.split(":")[0] for volume in service.get("volumes", ())}
        assert {name for name in named if not name.startswith("/")} <= set(COMPOSE["volumes"])
        assert "password" not in str(service.get("environment", {})).lower().replace(
            "/run/secrets/postgres_password", ""
        ).replace("postgres_password_file", "")


def test_compose_knows_every_key_and_takes_every_value() -> None:
    """The part of the Compose specification that the file uses, and not a key beside it."""
    jsonschema_rs.validate(COMPOSE_SCHEMA, COMPOSE)
    wrong = {**COMPOSE["services"]["lists"], "stop_graceperiod": "10s"}
    assert not jsonschema_rs.is_valid(COMPOSE_SCHEMA, {"services": {"lists": wrong}})


def test_the_image_runs_as_nobody_in_particular_and_copies_no_data() -> None:
    lines = (ROOT / "Dockerfile").read_text().splitlines()
    last = lines[max(at for at, line in enumerate(lines) if line.startswith("FROM")) :]
    user = next(at for at, line in enumerate(last) if line.startswith("USER "))
    assert last[user] == "USER 10001"  # a number, which every host can check
    assert any("useradd" in line and "--uid 10001" in line for line in last[:user])
    assert any(line.startswith("ENTRYPOINT") for line in last[user:])
    written = [
        to.split(":")[1] for to in COMPOSE["services"]["release"]["volumes"] if ":ro" not in to
    ]
    owned = next(line for line in last[:user] if "chown recloak" in line).split("chown recloak")[1]
    assert set(written) <= set(owned.split())  # a volume is owned as its place in the image is
    kept = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line]
    assert kept[0] == "**"  # nothing is copied but what is named
    assert all((ROOT / line.removeprefix("!")).exists() for line in kept[1:] if line != "!.git")


def test_containers_begin_with_kernels_that_their_user_may_add_to() -> None:
    lines = (ROOT / "Dockerfile").read_text().splitlines()
    first, last = (at for at, line in enumerate(lines) if line.startswith("FROM"))
    made, used = (
        re.search(r"NUMBA_CACHE_DIR=(\S+)", "\n".join(part))
        for part in (lines[first:last], lines[last:])
    )
    assert made
    assert used
    assert f"COPY --from=build --chown=10001 {made[1]} {used[1]}" in lines[last:]
    assert any("recloak warmup" in line for line in lines[first:last])


def test_the_dockerfile_is_free_of_complaints() -> None:
    beside = shutil.which("hadolint", path=Path(sys.executable).parent)
    hadolint = beside or shutil.which("hadolint")
    if hadolint is None:
        pytest.skip("there is no hadolint for this machine")
    done = subprocess.run([hadolint, "--no-color", str(ROOT / "Dockerfile")], capture_output=True)
    assert done.stdout.decode() == ""
    assert done.returncode == 0
