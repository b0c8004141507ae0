"""Appearing: a release is written beside its place and read back; all parts appear together."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

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
from recloak.methods import Applied
from recloak.publishing._output_paths import OutputPaths
from recloak.publishing._staged_wallets import StagedWallets
from recloak.releases.base import Release, save_release
from recloak.releases.secret import Lock, NoSecret, seal
from recloak.report import render_html, render_json


def write_and_read_back(applied: Applied, staging: Path, table_format: str) -> Release:
    folder = staging / "release"
    folder.mkdir(mode=0o755)
    save_release(applied.release, folder, table_format)
    staged = applied.release.read_back(folder)
    if not staged.same_tables(applied.release):
        raise MachineError("what was written does not read back the same", where=str(folder))
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
        secret = []
        if paths.secret is not None and lock is not None:
            secret = [_staged(staging, paths.secret, seal(applied.secret, lock), 0o600)]
        model = applied.secret.model if isinstance(applied.secret, NoSecret) else None
        if paths.model is not None and lock is not None and model is not None:
            sealed = model.sealed(lock, applied.release.manifest.release_id)
            secret += [_staged(staging, paths.model, sealed, 0o600)]
        reports = []
        if found is not None:
            texts = {paths.html: render_html(found), paths.json: render_json(found)}
            reports = [_staged(staging, path, text.encode()) for path, text in texts.items()]
        wallets = None
        if paths.wallets is not None:
            place = staging.enter_context(staging_folder(paths.wallets)) / "wallets"
            wallets = StagedWallets(applied.secret, place, paths.wallets)
            task = staging.enter_context(progress.task("Writing wallets", 2 * len(wallets)))
            wallets.prepare(task)
        sync_tree(staged)
        with indivisible(), ExitStack() as undo:
            for path, put in secret:
                put()
                undo.callback(path.unlink, missing_ok=True)
            if wallets is not None:
                wallets.appear()
                undo.callback(wallets.withdraw)
            move_into_place(staged, paths.out, synced=True)
            undo.callback(paths.out.rename, staged)
            for path, put in reports:
                put()
                undo.callback(path.unlink, missing_ok=True)
            undo.pop_all()
        if wallets is not None:
            wallets.finish(task)


def _staged(
    staging: ExitStack, path: Path, content: bytes, mode: int = 0o644
) -> tuple[Path, Callable[[], None]]:
    """A file that is whole on the disk beside its place, and the function that puts it there."""
    file, put = staging.enter_context(staged_file(path, mode=mode))
    with machine_errors(path):
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    return path, put
