"""Appearing: a release is written beside its place and read back; all parts appear together."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import NamedTuple

from recloak.core.errors import MachineError
from recloak.core.files import (
    machine_errors,
    move_into_place,
    staged_file,
    staging_folder,
    sync_tree,
)
from recloak.core.progress import Progress
from recloak.core.stopping import indivisible
from recloak.evaluation.findings import Audit
from recloak.io.duckdb import staged_tables
from recloak.methods import Applied
from recloak.publishing._output_paths import OutputPaths
from recloak.publishing._staged_wallets import StagedWallets
from recloak.releases.base import Release, save_release
from recloak.releases.secret import Lock, NoSecret, seal
from recloak.report import render_html, render_json


def write_and_read_back(release: Release, staging: Path, table_format: str) -> Release:
    """The release as it stands on disk, in ``staging``; `MachineError` if it is another."""
    folder = staging / "release"
    folder.mkdir(mode=0o755)
    save_release(release, folder, table_format)
    staged = release.read_back(folder)
    if not staged.same_tables(release):
        raise MachineError("what is read back differs from what was written", where=str(folder))
    return staged


def appear(
    paths: OutputPaths,
    staged: Path,
    applied: Applied,
    lock: Lock | None,
    found: Audit | None,
    progress: Progress,
) -> None:
    """Write everything beside its place first, then let it appear: secrets, release, reports.

    All is on the disk before the first appears, so that little can go wrong from then on; what
    does is undone. The secret comes first because a release that lost it cannot be mended.
    """
    with ExitStack() as staging:
        secrets = _staged_secrets(staging, paths, applied, lock)
        reports = []
        if found is not None:
            texts = {paths.html: render_html(found), paths.json: render_json(found)}
            reports = [_staged(staging, path, text.encode()) for path, text in texts.items()]
        exported = _staged_export(staging, paths, applied.release, staged)
        wallets = None
        if paths.wallets is not None:
            place = staging.enter_context(staging_folder(paths.wallets)) / "wallets"
            wallets = StagedWallets(applied.secret, place, paths.wallets)
            task = staging.enter_context(progress.task("Writing wallets", 2 * len(wallets)))
            wallets.prepare(task)
        sync_tree(staged)
        split = [PublicationStep(wallets.appear, wallets.withdraw)] if wallets is not None else []
        moved = PublicationStep(
            partial(move_into_place, staged, paths.out, synced=True),
            partial(paths.out.rename, staged),
        )
        with indivisible(), ExitStack() as undo:
            for step in (*secrets, *split, moved, *exported, *reports):
                step.appear()
                undo.callback(step.withdraw)
            undo.pop_all()
        if wallets is not None:
            wallets.finish(task)


class PublicationStep(NamedTuple):
    """One of the things that appear together, and how it is undone if a later one cannot."""

    appear: Callable[[], object]
    withdraw: Callable[[], object]


def _staged_secrets(
    staging: ExitStack, paths: OutputPaths, applied: Applied, lock: Lock | None
) -> list[PublicationStep]:
    """What is kept of the secret or the model, sealed."""
    steps = []
    if paths.secret is not None and lock is not None:
        steps = [_staged(staging, paths.secret, seal(applied.secret, lock), 0o600)]
    model = applied.secret.model if isinstance(applied.secret, NoSecret) else None
    if paths.model is not None and lock is not None and model is not None:
        sealed = model.sealed(lock, applied.release.manifest.release_id)
        steps.append(_staged(staging, paths.model, sealed, 0o600))
    return steps


def _staged_export(
    staging: ExitStack, paths: OutputPaths, release: Release, folder: Path
) -> list[PublicationStep]:
    """The tables of the release in a database, if they are to stand there as well."""
    if paths.export is None:
        return []
    exported = staging.enter_context(staged_tables(paths.export))
    exported.write(release.read_frames(folder))
    return [PublicationStep(exported.appear, exported.withdraw)]


def _staged(staging: ExitStack, path: Path, content: bytes, mode: int = 0o644) -> PublicationStep:
    """A file that is whole on the disk beside its place, and the step that puts it there."""
    file, appear = staging.enter_context(staged_file(path, mode=mode))
    with machine_errors(path):
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    return PublicationStep(appear, partial(path.unlink, missing_ok=True))
