"""Starting: the first page waits for nothing that only later pages need."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import httpx

from recloak.studio.jobs import Jobs
from recloak.studio.serving import FIRST_TEMPLATES, opened
from recloak.studio.studio import Studio
from recloak.studio.workspace import Workspace
from tests.studio.test_jobs import reporting

FIRST_PAGE = """
import json, sys
from pathlib import Path
from fastapi.testclient import TestClient
from recloak.studio.application import application
from recloak.studio.guard import Access
from recloak.studio.serving import opened
from recloak.studio.studio import Studio
from recloak.studio.workspace import Workspace

access = Access(80)
with opened(Workspace(Path(sys.argv[1]))) as jobs:
    client = TestClient(application(Studio(jobs), access), base_url="http://127.0.0.1:80")
    page = client.get(f"/?token={access.token}")
    style = client.get("/static/report/style.css")
print(json.dumps([page.status_code, style.status_code, sorted(sys.modules)]))
"""
HEAVY = ("numpy", "numba", "polars", "scipy", "recloak.report", "recloak.methods")


def test_the_first_page_loads_no_method_and_no_compiler(tmp_path: Path) -> None:
    words = [sys.executable, "-c", FIRST_PAGE, str(tmp_path / "w")]
    found = subprocess.run(words, capture_output=True, text=True, check=True)
    page, style, modules = json.loads(found.stdout)
    assert (page, style) == (200, 200)
    assert [name for name in HEAVY if name in modules] == []


def test_a_killed_studio_leaves_a_whole_workspace(tmp_path: Path) -> None:
    """The process itself, in the midst of work: what it had begun goes on and is told of later."""
    words = [sys.executable, "-m", "recloak", "studio", str(tmp_path / "w"), "--json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as studio:
        assert studio.stdout is not None
        text = "".join(iter(studio.stdout.readline, "}\n"))
        address = json.loads(text + "}")["address"]
        base = address.split("/?")[0]
        with httpx.Client(headers={"Origin": base}, follow_redirects=True, timeout=60) as client:
            assert client.get(address).status_code == 200
            form = {"like": "netflix", "seed": "1", "name": "long"}
            assert client.post(f"{base}/files/made-up", data=form).status_code == 200
        studio.kill()
    workspace = Workspace(tmp_path / "w")
    with opened(workspace) as jobs:
        (job,) = jobs.all()
        reporting(job)  # without the studio
        assert [file.pending for file in workspace.files()] == [job.number]
        job.stop()
        while job.is_running:
            time.sleep(0.05)
        assert job.state == "stopped"
    assert sorted(path.name for path in (workspace.folder / "files").iterdir()) == ["long.json"]
    lines = workspace.history.path.read_text().splitlines()
    assert "simulate: began" in [json.loads(line)["what"] for line in lines]  # each is whole


def test_every_template_compiles_before_it_is_asked_for(tmp_path: Path) -> None:
    studio = Studio(Jobs(Workspace(tmp_path / "w")))
    studio.compile()
    known = studio._environment.list_templates(extensions=["j2"])
    assert set(FIRST_TEMPLATES) < set(known)
    assert "parts.html.j2" in known  # of the report
