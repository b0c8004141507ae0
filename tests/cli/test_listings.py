"""Finding one's way: what there is, what is missing, and what editors are told."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from recloak.attacks import ATTACKS
from recloak.auditing.policy import template_text
from recloak.auditing.policy.schema import policy_schema
from recloak.cli._shared.config_schema import config_schema
from recloak.cli.main import main
from recloak.guarantees import GUARANTEES
from recloak.io import FORMATS
from recloak.measures import MEASURES
from recloak.methods import METHODS
from recloak.recommenders import RECOMMENDERS

FAMILIES: list[Any] = [ATTACKS, FORMATS, GUARANTEES, MEASURES, METHODS, RECOMMENDERS]


@pytest.mark.parametrize("registry", FAMILIES, ids=lambda one: one.family)
def test_a_family_is_listed_for_people_and_programs(
    registry: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([registry.family]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1:] if line][: len(registry.names())] == list(
        registry
    )
    assert main([registry.family, "--json"]) == 0
    members = json.loads(capsys.readouterr().out)[registry.family]
    assert [one["name"] for one in members] == list(registry)


@pytest.mark.parametrize("registry", FAMILIES, ids=lambda one: one.family)
def test_each_member_is_shown_in_full(registry: Any, capsys: pytest.CaptureFixture[str]) -> None:
    for name in registry:
        assert main([registry.family, name]) == 0
        told = capsys.readouterr().out
        assert registry.get(name).summary.split()[-1] in told
        assert f"\nrecloak {'' if registry is not METHODS else 'publish'}" in told
    assert main([registry.family, "nonsense"]) == 2
    assert "Known: " in capsys.readouterr().err


def test_an_attack_names_its_figures(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["attacks", "record-linkage"]) == 0
    told = capsys.readouterr().out
    assert "worst_tenth" in told
    assert "record-linkage:known=4" in told
    assert "--attack record-linkage" in told


def test_who_names_no_method_is_told_which_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["publish", "ratings.csv", "--out", "release"]) == 2
    told = capsys.readouterr().err
    assert "--method is missing" in told
    assert all(name in told for name in METHODS)


def test_the_schema_of_policies_takes_ours_and_refuses_slips() -> None:
    checked = jsonschema_rs.validator_for(policy_schema())
    for name in ("default", "survey", "partner", "public"):
        checked.validate(tomllib.loads(template_text(name)))
    for line in (
        {"attack": "record-linkage", "figure": "success"},
        {"attack": "record-linking", "figure": "success", "at_most": 1},
        {"attack": "record-linkage", "figure": "sucess", "at_most": 1},
        {"claim": "k-anonymity:k=5", "at_most": 1},
        {"claim": "k-anonymity:k=5", "attack": "record-linkage"},
        {"claim": "k-anonymity:k=5", "becuase": "a slip"},
    ):
        assert not checked.is_valid({"require": [line]}), line


def test_the_schema_of_configs_takes_what_commands_take() -> None:
    checked = jsonschema_rs.validator_for(config_schema())
    checked.validate(
        tomllib.loads(
            'method = "gaussian-noise"\nquiet = true\n[publish]\nfile = ["a.csv", "b.csv"]\n'
            'sigma = 0.5\nno-audit = true\ntable_format = "csv"\n[advise]\n'
            'require = ["excess<=0.08"]\njobs = 2\n[lists]\nstore = "lists.db"\n'
        )
    )
    for slip in (
        "quite = true",
        'quiet = "yes"',
        '[publish]\ntable-format = "xls"',
        "[audit]\nsigma = 1",
        '[advise]\njobs = "two"',
    ):
        assert not checked.is_valid(tomllib.loads(slip)), slip


@pytest.mark.parametrize("command", ["policy", "config"])
def test_schemas_are_printed(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "schema"]) == 0
    assert json.loads(capsys.readouterr().out)["title"] == f"recloak {command}"


def test_the_log_tells_start_stages_notes_and_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("twice.csv").write_text("user,item,rating\n1,1,3\n1,1,4\n2,1,5\n")
    assert main(["inspect", "twice.csv", "--log", "log.jsonl", "--quiet"]) == 0
    assert main(["inspect", "gone.csv", "--log", "log.jsonl", "--quiet"]) == 2
    events = [json.loads(line) for line in Path("log.jsonl").read_text().splitlines()]
    kinds = [event["event"] for event in events]
    assert kinds[0] == "start"
    assert kinds[-3:] == ["start", "error", "end"]
    assert [event["exit_code"] for event in events if event["event"] == "end"] == [0, 2]
    assert any("repeated" in event["text"] for event in events if event["event"] == "note")
    stages = [event for event in events if event["event"] == "stage"]
    assert all(stage["ended"] == "done" for stage in stages)
    assert "reading twice.csv" in [stage["label"] for stage in stages]
    assert "gone.csv" in events[-2]["where"]


def test_a_log_that_cannot_be_written_is_refused_before_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["methods", "--log", str(tmp_path / "no" / "log.jsonl")]) == 2
    told = capsys.readouterr()
    assert "--log" in told.err
    assert told.out == ""
