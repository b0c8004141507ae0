"""All pages of the studio: work that fills them, and what tells that none is missing."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from fastapi.routing import APIRoute

from recloak.cli import main
from recloak.io import write
from recloak.simulation import synthesize
from recloak.studio.application import application
from recloak.studio.studio import Studio
from recloak.studio.workspace import DataFile
from tests.studio.conftest import Served

PAGES = ("/", "/files/small", "/files/small/publish", "/files/small/compare", "/files/small/lists",
         "/check", "/policies", "/policies/signed", "/history", "/releases", "/comparisons",
         "/lists", "/lists/shop", "/nothing")  # fmt: skip
NO_PAGES = ("/part", "/found", "/events", "/report", "/card", "/zip", "/parameters")
HISTORY = ["--start", "0.8", "--gap", "0.1", "--top", "3"]


@pytest.fixture(scope="module")
def worked(served: Served) -> None:
    """Work of the kinds that no other test leaves behind, each on its page."""
    served.small()
    path = served.workspace.folder / "files" / "shop.csv"
    write(synthesize("ml-100k", users=60, ratings=1_500, seed=1), path)
    served.workspace.save_file(DataFile("shop", ("files/shop.csv",)))
    policy = served.workspace.folder / "policies" / "signed.toml"
    assert main(["policy", "init", "--out", str(policy), "--quiet"]) == 0
    lists = ["--out", "lists/shop", "--report", "lists/shop-report.html"]
    pseudonymized = ["publish", "files/shop.csv", "--method", "pseudonymize", "--out", "releases/n"]
    report = {"report": "lists/shop-report.html", "file": "shop"}
    audited = {"report": "notes/a.html"}
    started = [
        served.jobs.start(["lists", "replay", "files/shop.csv", *HISTORY, *lists], "lists", "shop",
                          more=report),
        served.jobs.start(["lists", "attack", "files/shop.csv", *HISTORY], "lists attack", "shop"),
        served.jobs.start(["audit", "files/shop.csv", "files/shop.csv", "--report", "notes/a.html"],
                          "audit", "shop", more=audited),
        served.jobs.start([*pseudonymized, "--no-audit", "--dry-run"], "estimate", "n"),
    ]  # fmt: skip
    ended_well = [served.ended(job.number).state for job in started]
    assert ended_well == ["done"] * len(started)
    verify = ["lists", "verify", "lists/shop", "--original", "files/shop.csv"]
    assert served.ended(served.jobs.start(verify, "lists verify", "shop").number).state == "done"


def pages_of(served: Served) -> list[str]:
    """Those that are always there, and those of what tests before have made: releases, work …"""
    releases = [f"/releases/{name}" for name in served.workspace.names("releases")]
    compared = [f"/comparisons/{name}" for name in served.workspace.names("comparisons")]
    work = {(job.kind, job.state): job.link for job in served.jobs.all() if job.kind != "compare"}
    pages = [path for path in releases if not path.endswith((".html", ".json"))]
    return [*PAGES, *pages, *compared, *(f"{path}/decide" for path in compared), *work.values()]


def unvisited(served: Served, paths: Sequence[str]) -> set[str]:
    """Addresses of whole pages that are not among the paths."""
    routes = application(Studio(served.jobs), served.access).routes
    found = [one for one in routes if isinstance(one, APIRoute) and "GET" in one.methods]
    return {
        one.path
        for one in found
        if not one.path.startswith("/static/")
        and not one.path.endswith(NO_PAGES)
        and not any(map(one.path_regex.match, paths))
    }
