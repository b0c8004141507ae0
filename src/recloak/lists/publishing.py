"""Publishing lists: written beside, read back, verified from disk, and only then in place."""

from __future__ import annotations

from pathlib import Path

from recloak.errors import ClaimError, MachineError
from recloak.files import (
    machine_errors,
    move_into_place,
    parent_of,
    refuse_existing,
    staging_folder,
)
from recloak.findings import Verdict
from recloak.guarantees import guarantee
from recloak.guarantees.delta_bound import DeltaBound
from recloak.lists.folder import claim_of, open_history, same_lists, save_history
from recloak.lists.history import History
from recloak.progress import SILENT, Progress
from recloak.ratings import Ratings


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
    history: History, ratings: Ratings, out: str | Path, progress: Progress = SILENT
) -> Verdict | None:
    """Publish a history as the folder ``out``, whole or not at all.

    What was written is read back and attacked with the ratings; a promise that is broken or
    undecided stops the publication.
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
            raise MachineError("what was written cannot be read back the same", where=str(final))
        verdict = verify_history(written, ratings, progress)
        if verdict is not None and not verdict.holds:
            shown = "; ".join(f"{key}: {told}" for key, told in (verdict.witness or {}).items())
            raise ClaimError(
                f"the claim '{verdict.claim}' is {verdict.status}. {verdict.how}",
                hint=f"Witness: {shown}" if shown else None,
            )
        move_into_place(folder, final)
    return verdict
