"""Rehearsals of a release: by the auditor or by an adversary who knows some people."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from threading import Lock
from weakref import WeakKeyDictionary, WeakValueDictionary

import numpy as np

from recloak.core.arrays import Indices, Integers, Mask, Values
from recloak.core.errors import ParameterError
from recloak.core.kernels.own_cells import own_cells
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext, Factors, Rehearsal, Rehearse, match_items
from recloak.evaluation.sampled_people import MOST_RATINGS, ratings_of, sampled_people
from recloak.methods.base import Method
from recloak.releases.base import Release
from recloak.releases.linkage import Linkage
from recloak.releases.secret import RowFor, Secret

PROBE_SHARE = 0.1
REHEARSAL = "a rehearsal, not this release"
_RELEASE_REHEARSED = (
    "Attacks and measures are those of a rehearsal, not of this release: the method of the "
    "manifest ran once more with its parameters on the original, and it is known whose row of that "
    "is whose. This release was drawn separately, so its own figures differ by chance."
)
_REHEARSED = (
    f"Measured on a rehearsal: {PROBE_SHARE:.0%} of the ratings were held out, the same method ran "
    "on the rest, and a recommender trained on that predicted what was held out."
)
_WHOLE_ROW = (
    f"Measured on a rehearsal on whole rows: the method saw all ratings, then {PROBE_SHARE:.0%} of "
    "them were taken out of what it made, and a recommender trained on the rest predicted these. "
    "The row that a rating was put in can depend on its value, so the method looks better than "
    "it is."
)
_HELD_OUT = (
    "This release could not be rehearsed, so cells were held out of the release itself; what its "
    "maker learned from them is still in the rest, so it looks better than it is."
)


def rehearsed(
    original: Ratings,
    method: Method,
    seed: int = 0,
    progress: Progress = SILENT,
    *,
    whole_row: bool = False,
) -> Rehearsal:
    """Hold out a probe, then run the same method with the same parameters on the rest.

    The published release uses all data; what it is worth is measured on this rehearsal. With
    ``whole_row`` the method sees the probe as well, and its ratings are scrubbed from the released
    rows afterwards: the protocol of the fragmentation paper. The row that held a rating then
    predicts it. Of very many ratings those of some people are rehearsed; codes stay what they are.
    """
    randomness = Randomness.from_seed(seed)
    split = split_of(original, seed)
    original = split.taking_part
    given = split.whole if whole_row else split.rest
    applied = method.apply(given, randomness.child("shadow"), progress)
    released = applied.release.as_ratings()
    linkage = applied.secret.linkage(original, released)
    chosen = applied.secret.row_for(linkage, original, released, match_items(original, given))
    cells = np.flatnonzero(split.probe)
    if whole_row:
        owners, released = _scrubbed(original, released, linkage, cells)
        chosen = _owner_first(original, cells, owners, chosen)
    note = (_WHOLE_ROW if whole_row else _REHEARSED) + split.note
    return _rehearsal(original, split.known, released, cells, chosen, linkage, note, seed)


def release_rehearsal(
    original: Ratings, method: Method | None, seed: int, progress: Progress
) -> tuple[Release, Secret, Linkage]:
    """A release of the same kind whose secret is known, to score attacks where it is not."""
    if method is None:
        raise ParameterError(
            "the release names no method that is installed here, so it cannot be rehearsed",
            where="--rehearse",
            hint="Give --secret or --mapping.",
        )
    randomness = Randomness.from_seed(seed).child("rehearsal of the release")
    applied = method.apply(original, randomness, progress)
    linkage = applied.secret.linkage(original, applied.release.as_ratings())
    return applied.release, applied.secret, replace(linkage, note=_RELEASE_REHEARSED)


def rehearser(original: Ratings, method: Method) -> Rehearse:
    """What an adversary can do who knows some of the people, and the method: make their release.

    The last rehearsal is kept, for several attacks ask for the same.
    """
    kept: dict[tuple[bytes, int], AuditContext] = {}
    lock = Lock()

    def rehearse(users: Indices, seed: int, progress: Progress) -> AuditContext:
        with lock:
            return made(users, seed, progress)

    def made(users: Indices, seed: int, progress: Progress) -> AuditContext:
        key = users.tobytes(), seed
        if key not in kept:
            kept.clear()
            known = original.take_users(users).compact()
            randomness = Randomness.from_seed(seed).child("rehearsal of an adversary")
            applied = method.apply(known, randomness, progress)
            rows = applied.release.as_ratings()
            linkage = applied.secret.linkage(known, rows)
            kept[key] = AuditContext(
                known,
                rows,
                linkage,
                match_items(known, rows),
                release=applied.release,
                factors=factors_of(method, known, randomness, rows),
            )
        return kept[key]

    return rehearse


def factors_of(
    method: Method, given: Ratings, randomness: Randomness, rows: Ratings
) -> Factors | None:
    """How to learn once more the item features by which a method made ``rows``, if it has any."""
    features = getattr(method, "features", None)
    if features is None:
        return None

    def factors(progress: Progress) -> Values:
        return np.asarray(features(given, randomness, progress)[match_items(rows, given)])

    return factors


def probe_of(original: Ratings, seed: int) -> Mask:
    """Which ratings are held out under this seed: each with the same chance."""
    rng = Randomness.from_seed(seed).generator("probe")
    return np.asarray(rng.random(original.n_ratings) < PROBE_SHARE)


@dataclass(frozen=True, eq=False)
class Split:
    """Which ratings are held out under a seed, and what is left."""

    original: Ratings
    taking_part: Ratings
    """The original, or of very many ratings those of some people."""
    probe: Mask

    @property
    def note(self) -> str:
        """What is to be said of who takes part."""
        if self.taking_part is self.original:
            return ""
        people = int(np.count_nonzero(self.taking_part.user_counts))
        return (
            f" Of {self.original.n_users:,} people {people:,} took part, drawn at random; more "
            "rows to learn from would be worth more."
        )

    @cached_property
    def known(self) -> Ratings:
        """What takes part, without the probe."""
        return self.taking_part.keep(~self.probe)

    @cached_property
    def rest(self) -> Ratings:
        """The same without people and items of whom nothing is left."""
        return self.known.compact()

    @cached_property
    def whole(self) -> Ratings:
        """All ratings, as a method is given them."""
        return self.taking_part.compact()


_SPLITS: WeakKeyDictionary[Ratings, WeakValueDictionary[int, Split]] = WeakKeyDictionary()


def split_of(original: Ratings, seed: int) -> Split:
    """The split under a seed; as long as somebody holds it, all who ask share it.

    What is learnt of its parts is shared with them: see `recloak.core.cache`.
    """
    made = _SPLITS.setdefault(original, WeakValueDictionary())
    found = made.get(seed)
    if found is None:
        rng = Randomness.from_seed(seed).generator("people of the rehearsal")
        taking_part = ratings_of(original, sampled_people(original, MOST_RATINGS, rng))
        found = made[seed] = Split(original, taking_part, probe_of(taking_part, seed))
    return found


def held_out(original: Ratings, rows: Ratings, linkage: Linkage, seed: int = 0) -> Rehearsal:
    """For a release that cannot be rehearsed: hold cells out of the release itself.

    Only cells that stand in the release in a row known to be the person's can be held out, and
    whatever the method learned from them stays in the rest: kinder than a rehearsal.
    """
    candidates = np.flatnonzero(probe_of(original, seed))
    owners, released = _scrubbed(original, rows, linkage, candidates)
    probe, owners = candidates[owners >= 0], owners[owners >= 0]
    known = np.ones(original.n_ratings, dtype=np.bool_)
    known[probe] = False
    chosen = _owner_first(original, probe, owners, lambda users, items: linkage.first_row(users))
    return _rehearsal(
        original, original.keep(known), released, probe, chosen, linkage, _HELD_OUT, seed
    )


def _rehearsal(
    original: Ratings,
    known: Ratings,
    released: Ratings,
    probe: Indices,
    row_for: RowFor,
    linkage: Linkage,
    note: str,
    seed: int,
) -> Rehearsal:
    return Rehearsal(
        known=known,
        released=released,
        users=_users_of(original, probe),
        items=original.items[probe].astype(np.int64),
        truth=original.values[probe].astype(np.float64),
        row_for=row_for,
        item_in_release=match_items(original, released),
        linkage=linkage,
        note=note,
        seed=seed,
    )


def _scrubbed(
    original: Ratings, rows: Ratings, linkage: Linkage, cells: Integers
) -> tuple[Indices, Ratings]:
    """The row that held each of ``cells`` (-1 for none), and the rows without these ratings."""
    found = np.zeros(rows.n_ratings, dtype=np.bool_)
    owners = own_cells(
        _users_of(original, cells),
        match_items(original, rows)[original.items[cells]],
        linkage.offsets,
        linkage.rows,
        rows.offsets,
        rows.items,
        found,
    )
    return owners, rows.keep(~found)


def _owner_first(original: Ratings, cells: Indices, owners: Indices, otherwise: RowFor) -> RowFor:
    """The row that held a rating predicts it; ``otherwise`` says who predicts all else."""
    held = owners >= 0
    keys = _users_of(original, cells) * original.n_items + original.items[cells]
    keys, rows = keys[held], owners[held]

    def row_for(users: Indices, items: Indices) -> Indices:
        chosen = otherwise(users, items)
        if len(keys) == 0:
            return chosen
        wanted = users * original.n_items + items
        at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where(keys[at] == wanted, rows[at], chosen)

    return row_for


def _users_of(original: Ratings, cells: Indices) -> Indices:
    return np.searchsorted(original.offsets, cells, side="right") - 1
