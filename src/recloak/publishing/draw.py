"""Drawing again: another release of made-up people from a model that was kept, without any data."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from recloak.auditing.leak_scan import scan_for_leaks
from recloak.auditing.verification import check_claims
from recloak.core.errors import ParameterError
from recloak.core.files import (
    machine_errors,
    move_into_place,
    parent_of,
    refuse_existing,
    staging_folder,
)
from recloak.core.progress import Progress
from recloak.core.progress.shown import SHOWN
from recloak.core.randomness import Randomness
from recloak.evaluation.refusals import refuse_broken
from recloak.methods import METHODS
from recloak.methods.synthetic import Synthetic
from recloak.methods.synthetic.model import SyntheticModel, open_model
from recloak.publishing._appearing import write_and_read_back
from recloak.releases.base import Release
from recloak.releases.secret import Lock


def draw(
    model: SyntheticModel | str | Path,
    out: str | Path,
    *,
    lock: Lock | None = None,
    people: int | None = None,
    seed: int | str | None = None,
    table_format: str = "parquet",
    progress: Progress = SHOWN,
) -> Release:
    """A release of people drawn from ``model`` now, as the folder ``out``.

    The release claims what the first release of the model did, and spends nothing further. A claim
    that needs the original (a floor) was checked when the model was made and is not checked again.

    Parameters
    ----------
    model
        What people are drawn from: a model, or the file that ``keep_model`` named.
    out
        The folder of the release, which must not exist.
    lock
        What opens the file of a model.
    people
        How many are drawn; by default as the parameters of the model say.
    seed
        Makes it reproducible; below 128 bits never for publication.
    table_format
        ``parquet`` or ``csv``.
    progress
        Where to report how far the work is.

    Returns
    -------
    Release
        The release as it was read back.

    Raises
    ------
    ParameterError
        ``out`` exists already, or a value is out of range.
    ClaimError
        A claim does not hold of what was drawn.
    MachineError
        It cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> import recloak
    >>> ratings = recloak.synthesize("ml-100k", users=200, ratings=8_000, seed=1)
    >>> made = recloak.method("synthetic").apply(ratings, recloak.Randomness.from_seed(1))
    >>> model = made.secret.model
    >>> with tempfile.TemporaryDirectory() as place:
    ...     release = recloak.draw(model, f"{place}/release", people=50, seed=2)
    >>> release.as_ratings().n_users
    50

    """
    if isinstance(model, str | Path):
        if lock is None:
            raise ParameterError(
                "is encrypted, and neither a passphrase nor a key file was given", where=str(model)
            )
        model = open_model(model, lock)
    folder = Path(out)
    refuse_existing(folder, "--out")
    parent_of(folder, "--out")
    drawn = Randomness.from_seed(seed)
    drawn = replace(drawn, guessable=drawn.guessable or model.guessable)
    given = {**model.parameters, **({} if people is None else {"people": people})}
    recipe = Synthetic(**given)
    release = recipe.release_of(model, drawn, progress)
    config = _config(recipe, table_format)
    release = replace(release, manifest=release.manifest.model_copy(update={"config": config}))
    with staging_folder(folder) as staging:
        staged = staging / "release"
        with machine_errors(folder):
            again = write_and_read_back(release, staging, table_format)
        verdicts = check_claims(again, again.manifest.claimed, progress)
        refuse_broken([verdict for verdict in verdicts if verdict.status == "broken"])
        refuse_broken(scan_for_leaks(staged, METHODS, opened=again, canonical=False))
        move_into_place(staged, folder)
    return again


def _config(recipe: Synthetic, table_format: str) -> dict[str, Any]:
    return {
        "method": recipe.name,
        "parameters": recipe.parameters.public(),
        "table_format": table_format,
        "users_excluded": False,
        "secret": "none",
        "policy_enforced": False,
        "audited": False,
        "audit_seed": 0,
    }
