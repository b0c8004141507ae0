"""Publishing lists: replayed, audited, verified from disk, and a report for the inside beside."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from recloak.files import parent_of, refuse_existing, staged_file
from recloak.findings import Audit
from recloak.list_auditing import audit_lists
from recloak.lists.history import History
from recloak.lists.protection import Algorithm
from recloak.lists.publishing import publish_history
from recloak.lists.replaying import replay
from recloak.lists.scene import scene_of
from recloak.policy import Policy
from recloak.progress import SILENT, Progress
from recloak.publishing import refuse_failing
from recloak.ratings import Ratings
from recloak.report import render_html, render_json
from recloak.report.rendering import json_beside


@dataclass(frozen=True)
class PublishedLists:
    """Where things are after lists were published."""

    folder: Path
    history: History
    audit: Audit
    report: Path


def publish_lists(
    ratings: Ratings,
    algorithm: Algorithm | str = "constructive",
    *,
    out: str | Path,
    report: str | Path | None = None,
    policy: Policy | str | Path | None = None,
    audit_seed: int = 0,
    progress: Progress = SILENT,
    **replaying: Any,
) -> PublishedLists:
    """Replay a history from times and publish it as the folder ``out``, whole or not at all.

    ``replaying`` are the parameters of `recloak.lists.replaying.replay` and of the algorithm. The
    report (``out`` with ``-report.html``, and the same as JSON) describes the original data. With
    ``policy`` every line of it must pass.
    """
    folder = Path(out)
    html = Path(report) if report else folder.with_name(f"{folder.name}-report.html")
    for flag, path in (("--out", folder), ("--report", html), ("--report", json_beside(html))):
        parent_of(path, flag)
        refuse_existing(path, flag)
    enforced = Policy.read(policy) if isinstance(policy, str | Path) else policy
    history = replay(ratings, algorithm, progress=progress, **replaying)
    found = audit_lists(
        scene_of(history, ratings, progress=progress),
        policy=enforced,
        seed=audit_seed,
        progress=progress,
    )
    found = replace(found, enforced=enforced is not None)
    refuse_failing(found)
    with ExitStack() as staging:
        texts = {html: render_html(found), json_beside(html): render_json(found)}
        appearing = []
        for path, text in texts.items():
            file, appear = staging.enter_context(staged_file(path))
            file.write(text.encode())
            appearing.append(appear)
        publish_history(history, ratings, folder, progress)
        for appear in appearing:
            appear()
    return PublishedLists(folder, history, found, html)
