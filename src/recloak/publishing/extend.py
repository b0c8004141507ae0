"""Extending: new ratings join a fragmented release, whose rows keep their ids and only grow."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from recloak.core.arrays import Integers, offsets_from
from recloak.core.errors import InputError, ParameterError, SecretError
from recloak.core.files import digest_of
from recloak.core.frames import to_polars
from recloak.core.options import takes
from recloak.core.people_draws import PeopleDraws
from recloak.core.progress import Progress
from recloak.core.progress.shown import SHOWN
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.io.given import Given
from recloak.io.options import ReadOptions
from recloak.methods import METHODS, Applied
from recloak.methods.fragmentation import Fragmentation
from recloak.methods.fragmentation.growth import Grown, GrowthParameters, grow
from recloak.publishing._made_up import refuse_misfit
from recloak.publishing._original import without
from recloak.publishing._output_paths import OutputPaths
from recloak.publishing._publication import EarlierPublication, Publication
from recloak.publishing.checked_options import CheckedOptions, refuse_too_large
from recloak.publishing.options import ExtendOptions
from recloak.publishing.published import Published
from recloak.releases.base import Release, open_release
from recloak.releases.extension_state import (
    ChangedRatings,
    ExtensionState,
    NewCells,
    extension_state_of,
    new_cells,
    published_cells,
)
from recloak.releases.manifest import MANIFEST_NAME
from recloak.releases.ratings import RatingsRelease
from recloak.releases.secret import Lock, Secret, open_secret

_UTILITY = (
    "Utility, and what an adversary learns from people whom they know, are those of a "
    "fragmentation of all ratings at once; rows that grew may be cut a little differently."
)
_UNCAPPED = (
    "The cap on a fragment's share held when the rows were cut; rows that grew may be above it."
)


@takes(ExtendOptions, ReadOptions)
def extend(
    release: str | Path,
    ratings: Any,
    *,
    secret: Secret | str | Path,
    options: ExtendOptions | None = None,
    progress: Progress = SHOWN,
    **growth: Any,
) -> Published:
    """Publish as ``out`` the fragmented ``release`` together with new ``ratings``.

    Rows keep their ids and all that is in them; new ratings join the row of the same person where
    they belong, or found new ones. The new secret is kept, split or destroyed as by
    `recloak.publish`. Ratings that wait for a later extension are in the new secret, so it must be
    kept then. The audit also asks what the difference of the two releases gives away.

    Parameters
    ----------
    release
        The folder of a release that fragmentation or this function made.
    ratings
        New ratings, of the same people or of others; or whatever `recloak.read` takes.
    secret
        The secret of ``release``, which says whose its rows are; or its file, which ``lock`` opens.
    options
        All options at once; those that are given one by one win.
    progress
        Where to report how far the work is.
    **growth
        The options below one by one, also those of reading, and `GrowthParameters`: what hides
        which rows grow together.

    Returns
    -------
    Published
        The new release as it was read back, its audit, and where everything is.

    Raises
    ------
    InputError
        ``release`` was not made by fragmentation, or the ratings do not go with it.
    SecretError
        The secret belongs to another release.
    ParameterError, ClaimError, PolicyError, MachineError
        As by `recloak.publish`.

    Examples
    --------
    >>> import tempfile, recloak
    >>> from recloak.releases.secret import Lock, open_secret
    >>> ratings = recloak.synthesize("ml-100k", users=60, ratings=2_000, seed=1)
    >>> old, new = (ratings.take_users(at).compact() for at in (range(40), range(40, 60)))
    >>> folder, lock = tempfile.mkdtemp(), Lock.passphrase("longer than twelve letters")
    >>> kept = dict(keep_secret=f"{folder}/secret", lock=lock, audited=False)
    >>> first = recloak.publish(old, "fragmentation", p1=1, out=f"{folder}/1", **kept)
    >>> secret = open_secret(f"{folder}/secret", lock)
    >>> done = recloak.extend(
    ...     f"{folder}/1", new, secret=secret, out=f"{folder}/2", audited=False, rows_per_person=0
    ... )
    >>> done.release.as_ratings().n_ratings == ratings.n_ratings
    True

    """
    given, growth = ExtendOptions.split(growth)
    reading, growth = ReadOptions.split(growth)
    rules = GrowthParameters.build("extend", growth)
    chosen = ExtendOptions.of("extend", options, given)
    checked = CheckedOptions.of(chosen)
    before = open_release(release)
    recipe = fragmentation_of(before, str(release))
    refuse_misfit(recipe, chosen)
    if isinstance(secret, str | Path):
        secret = _opened(secret, chosen.lock, before)
    scale = before.manifest.scale
    ratings = Given.of(ratings, reading, progress=progress, scale=scale).ratings
    new = without(ratings, chosen.exclude_users)
    state, fresh = _state_with(recipe, before, secret, new, chosen.changed)
    refuse_too_large(state.ratings, audited=chosen.audited)
    drawn = Randomness.from_seed(chosen.seed)
    drawn = replace(drawn, guessable=drawn.guessable or before.manifest.reproducible)
    grown = grow(recipe, state, rules, drawn, progress)
    applied = _applied(recipe, state, grown, drawn, before.manifest.release_id)
    _refuse_few(state, grown, rules)
    _refuse_lost(applied.secret, checked.paths)
    config = {
        "users_excluded": new.n_users < ratings.n_users,
        **chosen.config,
        "extends": {
            "release_id": before.manifest.release_id,
            "manifest_sha256": digest_of(Path(release) / MANIFEST_NAME),
            **rules.public(),
        },
    }
    notes = _notes(state, grown, fresh) + ((_UTILITY,) if chosen.audited else ())
    notes += (_UNCAPPED,) if recipe.parameters.max_share is not None else ()
    published = state.ratings.keep(grown.row >= 0).compact()
    applied = applied._replace(notes=notes)
    publication = Publication(
        applied, recipe, published, config, EarlierPublication(before, secret)
    )
    return publication.publish(checked, progress)


def _opened(path: str | Path, lock: Lock | None, before: Release) -> Secret:
    if lock is None:
        raise ParameterError(
            "is encrypted, and neither a passphrase nor a key file was given", where="--secret"
        )
    return open_secret(path, lock, release_id=before.manifest.release_id)


def fragmentation_of(release: Release, where: str) -> Fragmentation:
    """The method of a release, with its parameters; refused if it is not fragmentation."""
    made = release.manifest.method
    if made != Fragmentation.name or not isinstance(release, RatingsRelease):
        raise InputError(
            f"was made by {made}; only releases made by {Fragmentation.name} can be extended",
            where=where,
            hint="Publish all ratings again, and audit that with --previous and this release.",
        )
    method = METHODS.get(made)(**release.manifest.parameters)
    assert isinstance(method, Fragmentation)
    if method.parameters.shares_lines:
        raise InputError(
            "its rows were made with --cut shared, and the shared cut was not kept; only rows "
            "made with --cut centroids can grow",
            where=where,
            hint="Publish all ratings again, and audit that with --previous and this release.",
        )
    return method


def _state_with(
    recipe: Fragmentation, before: Release, secret: Secret, given: Ratings, changed: ChangedRatings
) -> tuple[ExtensionState, NewCells]:
    """Where all ratings stand, once it is sure that the new ones fit what is published."""
    if str(given.scale) != before.manifest.scale:
        raise InputError(
            f"the new ratings are on the scale {given.scale}, the release on "
            f"{before.manifest.scale}",
            hint="Convert them, or read them with --scale.",
        )
    published = published_cells(before, secret)
    if secret.release_id != before.manifest.release_id:
        # That of another link of a chain may know the same rows, but not which ratings wait.
        raise SecretError(
            f"belongs to release {secret.release_id[:8]}…, not to "
            f"{before.manifest.release_id[:8]}…",
            hint="Each extension has a new secret, which replaces the one before.",
        )
    fresh = new_cells(_as_published(recipe, before, given), secret.waiting, published, changed)
    if fresh.table.height == 0:
        raise InputError(
            "there is no new rating: all of them are published already"
            if given.n_ratings
            else "there is no new rating",
            hint="Nothing was published; the release is unchanged.",
        )
    return extension_state_of(before, secret, published, fresh.table), fresh


def _as_published(recipe: Fragmentation, before: Release, given: Ratings) -> Ratings:
    """The new ratings with values and times as the release has them."""
    times = recipe.coarse_times(given) if before.as_ratings().times is not None else None
    if before.as_ratings().times is not None and times is None:
        raise InputError(
            f"the release has times ({before.manifest.times}), the new ratings have none",
            hint="Give the ratings with their times; --columns time=NAME says where they are.",
        )
    exact = given.with_values(given.scale.canonical(given.values))
    return replace(exact, times=times)


def _applied(
    recipe: Fragmentation, state: ExtensionState, grown: Grown, drawn: Randomness, earlier: str
) -> Applied:
    """The release with its new rows, and the secret that knows them."""
    names = np.concatenate([state.names, _new_names(state, grown, drawn, earlier)])
    rows = _rows(state.ratings, grown).relabel_users(names).compact()
    unit = recipe.parameters.times
    times = "dropped" if rows.times is None else f"coarsened to the {unit}"
    manifest = recipe.manifest(rows, drawn, RatingsRelease.kind, times)
    # Under the seed of the earlier release, this one is another all the same.
    release_id = drawn.stream("release id", earlier).token()
    manifest = manifest.model_copy(update={"release_id": release_id})
    people, owners = np.unique(grown.owners, return_inverse=True)
    waits = grown.row < 0
    secret = Secret(
        release_id=manifest.release_id,
        root=drawn.root,
        user_labels=state.ratings.user_labels[people],
        owners=owners.astype(np.int64),
        pseudonyms=names,
        founders=state.ratings.item_labels[grown.founders],
        waiting=to_polars(state.ratings.keep(waits)) if waits.any() else None,
    )
    return Applied(RatingsRelease(manifest, rows), secret)


def _new_names(state: ExtensionState, grown: Grown, drawn: Randomness, earlier: str) -> Integers:
    """Names of the new rows, drawn as always, none of them taken."""
    owners = grown.owners[len(state.names) :]
    counts = np.bincount(owners, minlength=state.ratings.n_users)
    people = PeopleDraws.of(drawn, state.ratings.user_labels)
    names = np.empty(len(owners), np.int64)
    names[np.argsort(owners, kind="stable")] = people.pseudonyms(
        counts, "pseudonyms", earlier, taken=state.names
    )
    return names


def _rows(ratings: Ratings, grown: Grown) -> Ratings:
    """All rows, those that were published first, in the order of their numbers."""
    there = np.flatnonzero(grown.row >= 0)
    order = there[np.lexsort((ratings.items[there], grown.row[there]))]
    counts = np.bincount(grown.row[there], minlength=len(grown.owners))
    return replace(
        ratings,
        offsets=offsets_from(counts),
        items=ratings.items[order],
        values=ratings.values[order],
        times=None if ratings.times is None else ratings.times[order],
        user_labels=np.arange(len(grown.owners)),
    )


def _changing(state: ExtensionState, grown: Grown) -> tuple[int, int, int]:
    """How many published rows grow, how many rows are new, and of how many people they are."""
    touched = np.unique(grown.row[(state.row < 0) & (grown.row >= 0)])
    old = int((touched < len(state.names)).sum())
    return old, len(touched) - old, len(np.unique(grown.owners[touched]))


def _refuse_few(state: ExtensionState, grown: Grown, rules: GrowthParameters) -> None:
    people = _changing(state, grown)[2]
    if people < rules.at_least:
        raise InputError(
            f"rows of {people:,} people would change, {rules.at_least:,} are needed: if few "
            "people's rows change, whoever watches the releases knows that these rows belong "
            "together",
            where="--at-least",
            hint="Wait until ratings of more people have come in, and add them all at once.",
        )


def _refuse_lost(secret: Secret, paths: OutputPaths) -> None:
    """Ratings that wait are in the secret alone: without it they would be lost."""
    if secret.waiting is not None and paths.secret is None:
        raise ParameterError(
            f"{secret.waiting.height:,} ratings wait for a later extension, in the new secret; "
            "without it they would be lost",
            where="--keep-secret",
            hint="Keep it, or let all rows change at once: --rows-per-person 0.",
        )


def _notes(state: ExtensionState, grown: Grown, fresh: NewCells) -> tuple[str, ...]:
    old, new, people = _changing(state, grown)
    waits = int((grown.row < 0).sum())
    notes = [
        f"{fresh.table.height - waits:,} ratings were added: {old:,} published rows grew and "
        f"{new:,} are new, of {people:,} people."
    ]
    if waits:
        notes.append(f"{waits:,} ratings wait in the new secret for a later extension.")
    if fresh.repeated:
        notes.append(f"{fresh.repeated:,} ratings were published already and were skipped.")
    if fresh.kept:
        notes.append(
            f"{fresh.kept:,} ratings were published before with another value, which was kept."
        )
    return tuple(notes)
