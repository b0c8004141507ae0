"""A studio on a real port, a client that was let in, and a browser."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from recloak.core.sockets import listening_at
from recloak.io import write
from recloak.studio.guard import Access
from recloak.studio.jobs import Job, Jobs
from recloak.studio.serving import opened, server_of
from recloak.studio.studio import Studio
from recloak.studio.workspace import DataFile, Workspace
from recloak.testing import random_ratings
from tests.support.browsing import WIDE, Visit, browser, watching

if TYPE_CHECKING:
    from playwright.sync_api import Browser

__all__ = ["browser"]
LONGEST = 120_000  # milliseconds: the machine may be busy
EXPECTED = ("status of 4",)  # the browser notes answers that say what is wrong


@dataclass
class Served:
    """A studio that runs in a thread of this process."""

    base: str
    access: Access
    jobs: Jobs

    @property
    def workspace(self) -> Workspace:
        return self.jobs.workspace

    @property
    def entry(self) -> str:
        """An address that lets somebody in, as often as a test needs one."""
        self.access.used = False
        return f"{self.base}/?token={self.access.token}"

    def client(self, **headers: str) -> httpx.Client:
        """Somebody who was let in, on pages of the studio itself."""
        cookies = {self.access.cookie: self.access.session}
        sent = {"Origin": self.base, **headers}
        return httpx.Client(base_url=self.base, cookies=cookies, headers=sent, timeout=60)

    def small(self, name: str = "small", people: int = 40) -> DataFile:
        """Data that were opened: a CSV file in the workspace."""
        path = self.workspace.folder / "files" / f"{name}.csv"
        if not path.exists():
            write(random_ratings(people, 30, 0.5), path)
            self.workspace.save_file(DataFile(name, (f"files/{name}.csv",)))
        return self.workspace.file(name)

    def ended(self, number: int) -> Job:
        """A job once it has ended."""
        until = time.monotonic() + 240
        while (job := self.jobs.get(number)).is_running:
            assert time.monotonic() < until, f"{job.command} takes too long"
            time.sleep(0.05)
        return job

    def started_by(self, answer: httpx.Response) -> Job:
        """The job that a form started."""
        assert answer.status_code == 303, answer.text
        found = re.fullmatch(r"/jobs/(\d+)", answer.headers["location"])
        assert found, answer.headers["location"]
        return self.jobs.get(int(found[1]))


@contextmanager
def served_at(folder: Path) -> Iterator[Served]:
    """A studio of a workspace, on a free port."""
    with opened(Workspace(folder)) as jobs, listening_at("127.0.0.1", 0) as listener:
        access = Access(listener.getsockname()[1])
        server = server_of(Studio(jobs), access)
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        try:
            while not server.started:
                time.sleep(0.01)
            yield Served(f"http://127.0.0.1:{access.port}", access, jobs)
        finally:
            server.should_exit = True
            thread.join(30)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served_at(tmp_path_factory.mktemp("studio") / "workspace") as running:
        yield running


@pytest.fixture
def client(served: Served) -> Iterator[httpx.Client]:
    with served.client() as opened_client:
        yield opened_client


@pytest.fixture
def inside(browser: Browser, served: Served) -> Iterator[Visit]:
    """Somebody who was let in; nothing may be asked of others, and nothing complained of."""
    with watching(browser, **WIDE) as visit:
        visit.page.set_default_timeout(LONGEST)
        visit.page.goto(served.entry)
        yield visit
        assert [url for url in visit.requests if not _own(url, served.base)] == []
        complaints = [said for said in visit.console if not any(one in said for one in EXPECTED)]
        assert complaints == []


def _own(url: str, base: str) -> bool:
    return url.startswith((f"{base}/", "data:"))


def ended(visit: Visit, word: str = "done") -> None:
    """The page of a job tells, by itself, that it ended."""
    visit.page.locator("#state").filter(has_text=word).wait_for()
