"""Jobs: commands in processes of their own, stopped cleanly; what becomes of them is told."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import httpx
import pytest

from recloak.studio.jobs import Job, Jobs
from recloak.studio.workspace import Workspace
from tests.studio.conftest import Served, served_at

LONG = ["simulate", "--like", "netflix", "--ratings", "500000000", "--seed", "1"]
LONG += ["--out", "files/long.parquet"]


def reporting(job: Job) -> None:
    """Wait until the command tells how far it is."""
    until = time.monotonic() + 120
    while not job.steps:
        assert job.is_running, job.notes
        assert time.monotonic() < until
        time.sleep(0.02)


def test_a_command_runs_reports_and_ends(served: Served, client: httpx.Client) -> None:
    answer = client.post("/files/made-up", data={"like": "ml-100k", "users": "30", "seed": "1"})
    job = served.ended(served.started_by(answer).number)
    assert job.state == "done"
    assert job.output["users"] == 30
    assert (served.workspace.folder / "files" / f"{job.subject}.csv").is_file()
    assert "--json" not in job.command
    assert client.get(job.link).status_code == 200
    told = [entry.what for entry in served.workspace.history.entries() if entry.link == job.link]
    until = time.monotonic() + 30
    while len(told) < 2 and time.monotonic() < until:
        time.sleep(0.05)
        told = [one.what for one in served.workspace.history.entries() if one.link == job.link]
    assert told == ["simulate: ended", "simulate: began"]


def test_what_is_wrong_is_told_as_the_command_tells_it(
    served: Served, client: httpx.Client
) -> None:
    job = served.jobs.start(["inspect", "files/none.csv"], "inspect", "none")
    job = served.ended(job.number)
    assert job.state == "failed"
    assert job.problem is not None
    assert job.problem["what"] == "there is no such file"
    assert "there is no such file" in client.get(f"{job.link}/part").text


def test_a_command_is_stopped_cleanly(served: Served, client: httpx.Client) -> None:
    job = served.jobs.start(LONG, "simulate", "long")
    reporting(job)
    assert "under way: <a" in client.get("/history").text
    assert "under way: <a" not in client.get(job.link).text  # it tells so itself, and that it ended
    assert client.post(f"{job.link}/stop").status_code == 303
    job = served.ended(job.number)
    assert job.state == "stopped"
    assert [
        one for one in (served.workspace.folder / "files").iterdir() if "long" in one.name
    ] == []
    assert "stopped on request" in client.get(f"{job.link}/part").text


def test_a_killed_command_is_told_of(served: Served, client: httpx.Client) -> None:
    job = served.jobs.start(LONG, "simulate", "long")
    reporting(job)
    os.killpg(int((job.folder / "process").read_text()), signal.SIGKILL)
    job = served.ended(job.number)
    assert job.state == "died"
    assert "ended without a message" in client.get(f"{job.link}/part").text


def test_work_goes_on_without_the_studio(tmp_path: Path) -> None:
    with served_at(tmp_path / "w") as first:
        job = first.jobs.start(LONG, "simulate", "long")
        reporting(job)
    assert job.is_running
    with served_at(tmp_path / "w") as second:
        again = second.jobs.get(job.number)
        assert again.state == "running"
        again.stop()
        assert second.ended(job.number).state == "stopped"
        until = time.monotonic() + 30
        while not (notes := [one.note for one in second.workspace.history.entries() if one.note]):
            assert time.monotonic() < until
            time.sleep(0.05)
        assert notes[0] == "stopped"  # the first studio shares this process, and may say it too


def test_what_ended_meanwhile_is_written_down(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "w")
    folder = workspace.folder / "jobs" / "00001"
    folder.mkdir()
    facts = {"words": ["methods", "--json"], "kind": "methods", "subject": "x", "begun": "then"}
    workspace.write_json("jobs/00001", "job.json", {**facts, "back": "/", "more": {}})
    (workspace.folder / "jobs" / "00002").mkdir()  # killed before it was written down
    with served_at(workspace.folder) as served:
        assert [job.number for job in served.jobs.all()] == [1]
        assert [entry.note for entry in served.workspace.history.entries()] == ["died"]


def test_two_jobs_never_share_a_folder(tmp_path: Path) -> None:
    jobs = Jobs(Workspace(tmp_path / "w"))
    numbers = [jobs.start(["methods"], "methods", "x").number for _ in range(2)]
    assert numbers == [1, 2]
    while jobs.running():
        time.sleep(0.05)
    assert [job.state for job in jobs.all()] == ["done", "done"]


def test_steps_tell_stage_setting_and_what_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "time", lambda: 130.0)
    job = Job(1, tmp_path, ("compare",), "compare", "x", "then")
    told = [
        (1, "Comparing on 80 people", 1, 4, False),
        (2, "a:k=1: Attacks", 3, 9, False),
        (3, "b: Reading", 0, 9, False),
        (4, "a:k=1: Attack 4 of 9, label: Guessing", 0, 1, False),
        (5, "b: Attack 1 of 9, label: Guessing", 1, 1, True),
    ]
    keys = ("task", "label", "done", "total", "ended")
    lines = [json.dumps({**dict(zip(keys, one, strict=True)), "began": 100.0}) for one in told]
    (tmp_path / "progress").write_text("\n".join([*lines, '{"task": 6, "la']))
    steps = job.steps
    assert [step.label for step in steps] == [told[at][1] for at in (0, 1, 3, 2)]
    left = {step.label: step.left for step in steps}
    assert left["Comparing on 80 people"] == "about 1.5 min left if the rest takes as long"
    assert left["a:k=1: Attacks"] == ""  # one attack takes longer than all others: nobody can tell
    assert left["b: Reading"] == ""  # nothing is done yet: nobody can tell
    assert [step.is_counted for step in steps] == [True, True, False, True]


def test_progress_is_streamed(served: Served, client: httpx.Client) -> None:
    job = served.jobs.start(LONG, "simulate", "streamed")
    reporting(job)
    with client.stream("GET", f"{job.link}/events") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        lines = answer.iter_lines()
        assert next(lines) == "event: progress"
        job.stop()
        events = [line for line in lines if line.startswith("event: ")]
    assert events[-1] == "event: ended"
