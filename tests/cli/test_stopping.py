"""Whoever asks a command to stop waits for moments, and finds nothing half done."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest

from recloak.io import write
from recloak.publishing.run import publish
from recloak.releases.base import open_release
from recloak.testing import random_ratings
from tests.support.busy_commands import HANGS, PUBLISH, STUCK, busy, go_on, left
from tests.support.forked_commands import Nursery


@pytest.fixture
def place(tmp_path: Path) -> Path:
    write(random_ratings(40, 20, 0.4), tmp_path / "ratings.csv")
    return tmp_path


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_compiled_work_that_knows_of_no_steps_is_left(place: Path, number: int) -> None:
    with busy(place, STUCK, PUBLISH) as job:
        assert len(left(place)) == 2, "it is writing"
        job.send_signal(number)
        _, told = job.communicate(timeout=HANGS)
    assert (job.returncode, told) == (130, "recloak: stopped on request\n")
    assert left(place) == ["ratings.csv"]


def test_programs_are_told_in_json(place: Path) -> None:
    with busy(place, STUCK, [*PUBLISH, "--json"]) as job:
        job.send_signal(signal.SIGINT)
        told, _ = job.communicate(timeout=HANGS)
    assert '"exit_code": 130' in told


def test_a_second_signal_ends_it_at_once_and_the_next_run_cleans_up(place: Path) -> None:
    patient = "\nimport recloak.cli._shared.watching as w\nw.PATIENCE_SECONDS = 3600"
    with busy(place, STUCK + patient, PUBLISH) as job:
        job.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            job.wait(0.5)
        job.send_signal(signal.SIGTERM)  # two of the same can reach a busy machine as one
        job.wait(HANGS)
    assert job.returncode == 130
    assert "release" not in left(place)
    publish(place / "ratings.csv", "pseudonymize", out=place / "other", audited=False)
    assert left(place) == ["other", "ratings.csv"]


def test_threads_that_are_busy_do_not_hold_it_up(place: Path) -> None:
    change = "import recloak.comparison._trial_runs as runs\nruns.audit = compiled_work"
    words = ["compare", "ratings.csv", "--methods", "pseudonymize", "--out", "comparison"]
    with busy(place, change, words) as job:
        job.send_signal(signal.SIGINT)
        _, told = job.communicate(timeout=HANGS)
    assert job.returncode == 130
    assert "the same command goes on from here" in told


def test_advice_that_keeps_nothing_says_so_and_leaves_nothing(place: Path) -> None:
    change = "import recloak.comparison._trial_runs as runs\nruns.audit = compiled_work"
    words = ["advise", "ratings.csv", "--methods", "pseudonymize", "--require", "success<=0.2"]
    (place / "temporary").mkdir()
    aside = f"import tempfile\ntempfile.tempdir = {str(place / 'temporary')!r}\n"
    with busy(place, aside + change, words) as job:
        assert left(place / "temporary")
        job.send_signal(signal.SIGTERM)
        _, told = job.communicate(timeout=HANGS)
    assert job.returncode == 130
    assert "Nothing is kept without --out" in told
    assert left(place / "temporary") == []


def test_what_appears_as_one_is_not_cut_in_two(place: Path) -> None:
    change = """
import recloak.publishing._appearing as appearing
import recloak.cli._shared.watching as w
w.PATIENCE_SECONDS = 0.1
move = appearing.move_into_place
def slowly(*words, **options):
    busy_until_told()
    time.sleep(0.5)
    move(*words, **options)
appearing.move_into_place = slowly
"""
    with busy(place, change, PUBLISH) as job:
        for _ in range(3):
            job.send_signal(signal.SIGINT)
            time.sleep(0.2)
        go_on(place)
        _, told = job.communicate(timeout=HANGS)
    assert (job.returncode, told) == (0, "")
    assert open_release(place / "release").manifest.ratings > 0
    assert left(place) == ["ratings.csv", "release", "release-report.html", "release-report.json"]


def test_a_request_after_the_publication_comes_too_late(place: Path) -> None:
    """Exit code 130 says that nothing was published."""
    change = """
import recloak.cli.publish as command
show = command.show_published
def slowly(*words, **options):
    busy_until_told()
    time.sleep(1)
    return show(*words, **options)
command.show_published = slowly
"""
    with busy(place, change, PUBLISH) as job:
        job.send_signal(signal.SIGINT)
        go_on(place)
        job.communicate(timeout=HANGS)
    assert job.returncode == 0
    assert (place / "release").exists()


def test_processes_that_it_started_end_with_it(place: Path) -> None:
    change = """
from multiprocessing import get_context
import recloak.publishing._publication as publication
def compute(*_, **__):
    child = get_context("spawn").Process(target=time.sleep, args=(3600,))
    child.start()
    open("child", "w").write(str(child.pid))
    compiled_work()
publication.check_claims = compute
"""
    with busy(place, change, PUBLISH) as job:
        job.send_signal(signal.SIGTERM)
        job.communicate(timeout=HANGS)
    assert job.returncode == 130
    with pytest.raises(ProcessLookupError):
        for _ in range(100):
            os.kill(int((place / "child").read_text()), 0)
            time.sleep(0.1)


COMMANDS = {
    "publish": "publish ratings.csv --method microaggregation --out out",
    "replay": "lists replay ratings.csv --out out",
    "compare": "compare ratings.csv --methods gaussian-noise --out comparison",
    "verify": "verify ratings.csv --claim k-anonymity:k=3",
    "study": "study goncalves-table3 --data synthetic-ml-100k --seeds 1",
}


def test_at_any_moment_a_command_stops_and_leaves_nothing(tmp_path: Path) -> None:
    write(random_ratings(300, 60, 0.3, times=True), tmp_path / "ratings.csv")
    nursery = Nursery(tmp_path)
    moments = random.Random(0)
    for command in COMMANDS.values():
        for number in (signal.SIGINT, signal.SIGTERM):
            job = nursery.start(command.split())
            time.sleep(moments.random() * 2)
            with suppress(ProcessLookupError):
                os.kill(job, number)
            asked = time.monotonic()
            code = nursery.wait()
            assert time.monotonic() - asked < HANGS
            assert code in (130, 0, 3), f"{command}: neither stopped nor done"
            assert not list(tmp_path.glob(".recloak-partial-*"))
            assert code == 0 or not (tmp_path / "out").exists()
            clear(tmp_path)
    nursery.close()


def clear(folder: Path) -> None:
    for path in folder.iterdir():
        if path.name != "ratings.csv":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
