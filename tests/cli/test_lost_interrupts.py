"""Interrupts that a library swallows, that come late or while everything is loading."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from recloak.io import write
from recloak.lists.store.store import Store
from recloak.releases.base import open_release
from recloak.testing import random_ratings
from tests.lists.store.shop import Shop, protector, release_next
from tests.support.busy_commands import HANGS, PUBLISH, STUCK, busy, go_on, left

STOPPED = (130, "recloak: stopped on request\n")
BOTH = [signal.SIGINT, signal.SIGTERM]
HURRIED = "\nimport recloak.cli._shared.watching as w\nw.PATIENCE_SECONDS = 0.0\n"
SLEEPY = """
import recloak.cli._shared.watching as w
wait_for_next = w.SignalWatch._next
def late(self, seconds=None):
    number = wait_for_next(self, seconds)
    time.sleep(0.5)
    return number
w.SignalWatch._next = late
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    write(random_ratings(40, 20, 0.4), tmp_path / "ratings.csv")
    return tmp_path


def ended(job: subprocess.Popen[str]) -> tuple[int, str]:
    _, told = job.communicate(timeout=HANGS)
    return job.returncode, told


@pytest.mark.parametrize("number", BOTH)
def test_python_does_not_replace_the_code_by_a_signal(place: Path, number: int) -> None:
    """It does if an interrupt passes through the exec of a text, as dataclasses have one."""
    change = """
import recloak.publishing._publication as publication
text = "print('busy', flush=True)\\nwhile True: time.sleep(0.01)"
publication.check_claims = lambda *_, **__: exec(text, {"time": time})
"""
    with busy(place, change, PUBLISH) as job:
        job.send_signal(number)
        assert ended(job) == STOPPED
    assert left(place) == ["ratings.csv"]


def test_an_interrupt_that_cannot_be_raised_is_followed_without_a_traceback(place: Path) -> None:
    change = (
        STUCK
        + """
class Kept:
    def __del__(self):
        print("busy", flush=True)
        while True:
            time.sleep(0.01)
def compute(*_, **__):
    kept = Kept()
    del kept
    compiled_work()
publication.check_claims = compute
"""
    )
    with busy(place, change, PUBLISH) as job:
        job.send_signal(signal.SIGINT)
        assert ended(job) == STOPPED
    assert left(place) == ["ratings.csv"]


@pytest.mark.parametrize("change", ["", SLEEPY])
def test_a_thread_for_which_nobody_waits_does_not_hold_it_up(place: Path, change: str) -> None:
    """A pool that was interrupted while it started a thread does not know of it."""
    forgotten = """
from threading import Thread
import recloak.publishing._publication as publication
def compute(*_, **__):
    Thread(target=compiled_work).start()
    while True:
        time.sleep(0.01)
publication.check_claims = compute
"""
    with busy(place, change + forgotten, PUBLISH) as job:
        job.send_signal(signal.SIGINT)
        assert ended(job) == STOPPED


def test_signals_during_what_appears_as_one_are_dropped_however_late_they_are_seen(
    place: Path,
) -> None:
    change = """
import recloak.publishing._appearing as appearing
move = appearing.move_into_place
def slowly(*words, **options):
    busy_until_told()
    move(*words, **options)
appearing.move_into_place = slowly
import recloak.cli.publish as command
show = command.show_published
def later(*words, **options):
    time.sleep(1.5)
    return show(*words, **options)
command.show_published = later
"""
    with busy(place, SLEEPY + change, PUBLISH) as job:
        for number in (*BOTH, *BOTH):
            job.send_signal(number)
        go_on(place)
        assert ended(job) == (0, "")
    assert open_release(place / "release").manifest.ratings > 0


def test_whoever_asked_is_told_even_if_telling_takes_long(place: Path) -> None:
    change = """
module = sys.modules["recloak.cli.main"]
worded = module._worded
def slowly(*words):
    time.sleep(0.5)
    return worded(*words)
module._worded = slowly
import recloak.publishing._publication as publication
publication.check_claims = busy_until_told
"""
    with busy(place, HURRIED.replace("0.0", "0.2") + change, PUBLISH) as job:
        job.send_signal(signal.SIGINT)
        assert ended(job) == STOPPED


@pytest.mark.parametrize("number", BOTH)
def test_a_signal_while_the_command_line_is_loading_stops_it(number: int) -> None:
    probe = f"""
import os, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "recloak.cli.main":
            os.kill(os.getpid(), {number})
sys.meta_path.insert(0, Finder())
from recloak.__main__ import main
sys.exit(main())
"""
    words = [sys.executable, "-c", probe, "--version"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == STOPPED


@pytest.mark.parametrize("number", BOTH)
@pytest.mark.parametrize(
    ("module", "words"),
    [
        ("lists.service.serving", "lists serve --store lists.db --port 0 --quiet"),
        ("studio.serving", "studio --port 0 --quiet"),
    ],
)
def test_a_service_ends_well_however_long_its_end_takes(
    tmp_path: Path, module: str, words: str, number: int
) -> None:
    store = Store.at(f"{tmp_path}/lists.db", make=True)
    release_next(store, Shop(1).ratings(), protector())
    change = f"""
import recloak.{module} as serving
run = serving.serve
def slowly(*words):
    print("busy", flush=True)
    try:
        run(*words)
    finally:
        time.sleep(1)
serving.serve = slowly
"""
    with busy(tmp_path, HURRIED + change, words.split()) as job:
        job.send_signal(number)
        assert ended(job)[0] == 0
