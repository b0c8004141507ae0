"""Recombining: a client that knows its own pseudonyms turns their predictions into one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from recloak.core.arrays import Floats, Integers, Labels, code_by_name
from recloak.core.errors import InputError
from recloak.core.progress import SILENT, Progress
from recloak.core.ratings import Ratings
from recloak.recommenders import RECOMMENDERS
from recloak.releases.base import Release
from recloak.releases.linkage import row_codes
from recloak.releases.wallets import Wallet


@dataclass(frozen=True)
class Recombined:
    """What a client sees: a line for each item, a column for each of its rows."""

    items: Labels
    rows: Labels
    predictions: Floats

    @property
    def combined(self) -> Floats:
        """One prediction for each item: the mean of the rows' predictions."""
        return np.asarray(self.predictions.mean(axis=1))

    def top(self, count: int) -> Recombined:
        """The ``count`` items with the highest combined prediction, best first."""
        best = np.argsort(-self.combined, kind="stable")[:count]
        return Recombined(self.items[best], self.rows, self.predictions[best])


def recombine(
    release: Release,
    wallet: Wallet,
    items: Sequence[str] = (),
    recommender: str = "factorization",
    progress: Progress = SILENT,
) -> Recombined:
    """Train on the release as any recipient would, then combine as only the client can.

    The recipient predicts for each row; which rows are one person's stays with the client.

    Parameters
    ----------
    release
        A release in which a person may have several rows.
    wallet
        The person's own pseudonyms, which say which rows are theirs.
    items
        What is predicted; by default all items that none of the person's rows holds.
    recommender
        The name of the recommender that learns from the release.
    progress
        Where to report how far the work is.

    Returns
    -------
    Recombined
        A prediction for each item.

    Raises
    ------
    InputError
        An item is not in the release.
    SecretError
        The wallet is of another release.
    """
    rows = release.as_ratings()
    wallet.of_release(release.manifest.release_id, "wallet")
    own = row_codes(rows.user_labels, np.array(wallet.pseudonyms))
    wanted = _codes(rows, items) if items else _not_rated(rows, own)
    trained = RECOMMENDERS.get(recommender)().fit(rows, progress)
    asked = np.repeat(wanted, len(own)), np.tile(own, len(wanted))
    predicted = trained.predict(asked[1], asked[0]).reshape(len(wanted), len(own))
    return Recombined(rows.item_labels[wanted], rows.user_labels[own], predicted)


def _codes(rows: Ratings, items: Sequence[str]) -> Integers:
    code_of = code_by_name(rows.item_labels)
    unknown = [item for item in items if str(item) not in code_of]
    if unknown:
        raise InputError(
            f"the release has no item '{unknown[0]}'",
            where="--item",
            hint=f"Its items are named like '{next(iter(code_of), 'none')}'.",
        )
    return np.array([code_of[str(item)] for item in items], dtype=np.int64)


def _not_rated(rows: Ratings, own: Integers) -> Integers:
    rated = [rows.row(int(row))[0] for row in own]
    return np.setdiff1d(np.arange(rows.n_items), np.concatenate([*rated, np.empty(0, np.int32)]))
