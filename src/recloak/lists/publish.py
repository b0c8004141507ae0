"""Publishing lists: replayed, audited, verified from disk, and a report for the inside beside."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from recloak.auditing.policy import Policy
from recloak.core.errors import MachineError
from recloak.core.files import (
    machine_errors,
    move_into_place,
    parent_of,
    refuse_existing,
    staged_file,
    staging_folder,
    sync_tree,
)
from recloak.core.progress import SILENT, Progress
from recloak.core.ratings import Ratings
from recloak.core.stopping import indivisible
from recloak.evaluation.findings import Audit, Verdict
from recloak.evaluation.list_context import context_of
from recloak.evaluation.refusals import refuse_broken
from recloak.guarantees import guarantee
from recloak.guarantees.delta_bound import DeltaBound
from recloak.io.given import Given
from recloak.lists.audit import audit_lists
from recloak.lists.protection import Algorithm
from recloak.lists.replay import replay
from recloak.releases.lists.folder import claim_of, open_history, same_lists, save_history
from recloak.releases.lists.history import History
from recloak.report import render_html, render_json
from recloak.report.refusal import refuse_with_report
from recloak.report.rendering import json_beside


def verify_history(
    history: History, ratings: Ratings, progress: Progress = SILENT
) -> Verdict | None:
    """Is what a history promises true? None if it promises nothing."""
    claim = claim_of(history)
    if claim is None:
        return None
    checker = guarantee(claim)
    assert isinstance(checker, DeltaBound)
    return checker.check_history(history, ratings, progress)


def publish_history(
    history: History,
    ratings: Ratings,
    out: str | Path,
    progress: Progress = SILENT,
    beside: Iterable[Callable[[], None]] = (),
) -> Verdict | None:
    """Publish a history as the folder ``out``, whole or not at all.

    What was written is read back and attacked with the ratings; a promise that is broken or
    undecided stops the publication. What stands ``beside`` appears with it.
    """
    final = Path(out)
    refuse_existing(final, "--out")
    parent_of(final, "--out")
    with staging_folder(final) as staging:
        folder = staging / "lists"
        with machine_errors(final):
            folder.mkdir()
            save_history(history, folder)
        written = open_history(folder)
        if not same_lists(written, history):
            raise MachineError("what is read back differs from what was written", where=str(final))
        verdict = verify_history(written, ratings, progress)
        refuse_broken([verdict] if verdict else [])
        sync_tree(folder)
        with indivisible():
            move_into_place(folder, final, synced=True)
            for appear in beside:
                appear()
    return verdict


@dataclass(frozen=True)
class PublishedLists:
    """Where things are after lists were published."""

    folder: Path
    history: History
    audit: Audit
    report: Path


def publish_lists(
    ratings: Any,
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

    ``ratings`` are those of a shop with their times, or whatever `recloak.read` takes.
    ``replaying`` are the parameters of `recloak.lists.replay.replay` and of the algorithm. The
    report (``out`` with ``-report.html``, and the same as JSON) describes the original data. With
    ``policy`` every line of it must pass; if one does not, only a ``report`` that was asked for by
    its name is left, and says so.
    """
    folder = Path(out)
    html = Path(report) if report else folder.with_name(f"{folder.name}-report.html")
    for flag, path in (("--out", folder), ("--report", html), ("--report", json_beside(html))):
        parent_of(path, flag)
        refuse_existing(path, flag)
    enforced = Policy.read(policy) if isinstance(policy, str | Path) else policy
    ratings = Given.of(ratings, progress=progress).ratings
    history = replay(ratings, algorithm, progress=progress, **replaying)
    found = audit_lists(
        context_of(history, ratings, progress=progress),
        policy=enforced,
        seed=audit_seed,
        progress=progress,
    )
    found = replace(found, enforced=enforced is not None)
    refuse_with_report(found, html if report else None)
    with ExitStack() as staging:
        texts = {html: render_html(found), json_beside(html): render_json(found)}
        appearing = []
        for path, text in texts.items():
            file, appear = staging.enter_context(staged_file(path))
            file.write(text.encode())
            appearing.append(appear)
        publish_history(history, ratings, folder, progress, appearing)
    return PublishedLists(folder, history, found, html)
