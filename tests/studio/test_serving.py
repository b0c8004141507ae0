"""Starting: the first page waits for nothing that only later pages need."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from recloak.studio.jobs import Jobs
from recloak.studio.serving import FIRST_TEMPLATES
from recloak.studio.studio import Studio
from recloak.studio.workspace import Workspace

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


def test_every_template_compiles_before_it_is_asked_for(tmp_path: Path) -> None:
    studio = Studio(Jobs(Workspace(tmp_path / "w")))
    studio.compile()
    known = studio._environment.list_templates(extensions=["j2"])
    assert set(FIRST_TEMPLATES) < set(known)
    assert "parts.html.j2" in known  # of the report
