"""Checking: the chain of digests, and the bound of each release with the ratings that it covers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from recloak.core.arrays import code_by_name
from recloak.core.errors import InputError
from recloak.core.progress import SILENT, Progress
from recloak.core.ratings import Ratings
from recloak.core.timeline import Timeline
from recloak.evaluation.findings import Verdict
from recloak.guarantees.delta_bound import DeltaBound
from recloak.lists.external import labels_like, with_items
from recloak.lists.store.records import ReleaseRecord, StoredLists, names_of_window, ratings_digest
from recloak.lists.store.safeguards import Safeguards
from recloak.lists.store.store import Rotations, Store
from recloak.releases.lists.history import DatedLists, History

RESTORE_EMPTIED = "If lists were published, restore the store from a backup."


def check_chain(store: Store, known: str | None = None) -> tuple[ReleaseRecord, ...]:
    """All releases; refused if there are none, or any fact or list is not what was published.

    Who rewrites the whole chain is found by ``known``, a digest that was noted elsewhere.
    """
    records, rotations = _chain(store)
    if not records:  # it may have been emptied, and whoever asks relies on what it holds
        raise InputError("holds no lists", where=store.where, hint=RESTORE_EMPTIED)
    for record in records[rotations.count :]:  # one by one: no transaction takes long
        with store.reading() as transaction:
            transaction.texts(record)
    Safeguards(known=known).check_chain(records, rotations.digests, store.where)
    return tuple(records)


def verify_store(
    store: Store,
    originals: Sequence[Ratings],
    progress: Progress = SILENT,
    *,
    newest: bool = False,
) -> tuple[Verdict, ...]:
    """A verdict on each release, with the first of ``originals`` that has the ratings it covers.

    That may be all ratings of one of them, or the first so many in the order of their times.
    ``newest``: only the release in force is looked at.
    """
    records, rotations = _chain(store)
    wanted = records[-1:] if newest else records
    found = _covering(wanted, originals, _keys(store, records))
    verdicts = []
    with progress.task("Verifying releases", len(wanted)) as task:
        for record in wanted:
            verdicts.append(_verdict(store, record, records, rotations, found, progress))
            task.advance()
    return tuple(verdicts)


def _chain(store: Store) -> tuple[Sequence[ReleaseRecord], Rotations]:
    with store.reading() as transaction:
        records = transaction.records()
        return records, transaction.rotated(records)


def _keys(store: Store, records: Sequence[ReleaseRecord]) -> dict[str | None, bytes]:
    """What digests were made with, by the name of the key; older keys are gone."""
    name = next((one.key_name for one in reversed(records) if one.key_name), None)
    return {None: b""} if name is None else {None: b"", name: store.key(name).for_digests}


def laid_out(ratings: Ratings, window: Sequence[StoredLists], size: int) -> tuple[Ratings, History]:
    """The ratings with all items that the window names, and the window in their codes.

    What was published counts, whether its items or ratings are still there or not.
    """
    # everything that there is was given before now; in which order, no release says
    times = np.broadcast_to(np.int64(0), ratings.n_ratings)
    known = code_by_name(ratings.item_labels)
    further = [name for name in names_of_window(window) if name not in known]
    ratings = with_items(replace(ratings, times=times), labels_like(ratings, further))
    labels, n_ratings = ratings.item_labels, ratings.n_ratings
    releases = tuple(one.in_codes(labels, n_ratings) for one in window)
    return ratings, History(releases, size)


def check_release(
    record: ReleaseRecord,
    window: Sequence[DatedLists],
    timeline: Timeline,
    progress: Progress = SILENT,
) -> Verdict:
    """Attack the last of ``window``, the lists of ``record``, with the ratings that it covers.

    The window is in the codes of these ratings, as `laid_out` reads it from the texts of the store.
    """
    checker = DeltaBound(delta=record.delta, window=record.window)
    last = replace(window[-1], protected=True)
    before = (replace(one, protected=False) for one in window[:-1])
    history = History((*before, last), record.window)
    verdict = checker.check_history(history, timeline, progress)
    return replace(verdict, claim=claim_text(record))


def claim_text(record: ReleaseRecord) -> str:
    """What a release promises, and which one it is."""
    return f"delta-bound:delta={record.delta},window={record.window} (release {record.number:03d})"


def _covering(
    records: Sequence[ReleaseRecord], originals: Sequence[Ratings], keys: Mapping[str | None, bytes]
) -> dict[int, Ratings]:
    """The ratings that each release covers, where they are given."""
    found: dict[int, Ratings] = {}
    for ratings in originals:
        timed = ratings.times is not None
        ordered = (
            ratings if timed else replace(ratings, times=np.zeros(ratings.n_ratings, np.int64))
        )
        timelines = {name: Timeline(ordered, key) for name, key in keys.items()}
        for record in records:
            fits = record.n_ratings <= ratings.n_ratings if timed else (
                record.n_ratings == ratings.n_ratings
            )  # fmt: skip
            if record.number in found or not fits or record.key_name not in timelines:
                continue
            snapshot = timelines[record.key_name].at(record.n_ratings)
            if ratings_digest(snapshot) == record.ratings_digest:
                found[record.number] = snapshot.ratings
    return found


def _verdict(
    store: Store,
    record: ReleaseRecord,
    records: Sequence[ReleaseRecord],
    rotations: Rotations,
    found: Mapping[int, Ratings],
    progress: Progress,
) -> Verdict:
    first = max(0, record.number - record.window + 1)
    window = records[first : record.number + 1]
    claim = claim_text(record)
    if not record.protected:
        return Verdict(f"none (release {record.number:03d})", "holds", "Nothing was promised.")
    if first in rotations:
        return Verdict(
            claim, "undecided", "Lists of its window were removed by 'recloak lists rotate'."
        )
    if record.number not in found:
        how = "None of the given ratings are those that it covers; give them with --original."
        return Verdict(claim, "undecided", how)
    with store.reading() as transaction:
        published = [transaction.lists(one) for one in window]
    ratings, history = laid_out(found[record.number], published, record.window)
    return check_release(record, history.releases, Timeline(ratings), progress)
