"""Secret: what re-links a release. Destroyed by default; kept only encrypted."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import polars as pl

from recloak.core.arrays import Indices, Integers, Labels
from recloak.core.errors import SecretError
from recloak.core.frames import label_series
from recloak.core.ratings import Ratings
from recloak.releases.linkage import Linkage, row_codes
from recloak.releases.sealing import Lock, Sealed, open_sealed, seal_content

__all__ = ["Lock", "NoSecret", "RowFor", "Secret", "open_secret", "seal"]

RowFor = Callable[[Indices, Indices], Indices]

_MAGIC = b"RECLOAK SECRET 1\n"
_FOUNDER = "founder"


@dataclass(frozen=True, repr=False)
class Secret:
    """The pseudonyms of each user, and the root that every random draw came from.

    ``pseudonyms[i]`` is a row of the user ``user_labels[owners[i]]``. A method that gives people
    several rows says with ``chooser`` which of them predicts: for users (places in
    ``user_labels``) and items (codes of the ratings that it was applied to) it returns places in
    ``pseudonyms``, -1 for none. It lives in memory only and is not kept with the secret.
    ``founders`` is the item that each row was made around, if the method has such; ``waiting`` are
    ratings (columns user, item, rating and perhaps time) that a later extension is to publish.

    >>> import recloak
    >>> ratings = recloak.synthesize("ml-100k", users=200, ratings=8_000, seed=1)
    >>> applied = recloak.method("pseudonymize").apply(ratings, recloak.Randomness.from_seed(1))
    >>> applied.secret.table().columns
    ['user', 'pseudonym']
    """

    release_id: str
    root: bytes
    user_labels: Labels
    owners: Integers
    pseudonyms: Labels
    chooser: Callable[[Indices, Indices], Indices] | None = None
    founders: Labels | None = None
    waiting: pl.DataFrame | None = None

    def linkage(self, original: Ratings, rows: Ratings) -> Linkage:
        """Who is who, in codes of the original and of the release's rows."""
        users = original.codes_of_users(self.user_labels)
        return Linkage.from_pairs(
            users[self.owners],
            row_codes(rows.user_labels, self.pseudonyms),
            original.n_users,
            "secret",
            "Rows were linked to people with the release's own secret.",
        )

    def row_for(
        self, linkage: Linkage, original: Ratings, rows: Ratings, items_of: Indices
    ) -> RowFor:
        """Which row of ``rows`` predicts for (users, items) of ``original``, -1 for none.

        ``linkage`` is the secret's own between the two. ``items_of`` maps items of ``original``
        to those of the ratings that the method was applied to, -1 for items that these lacked.
        """
        chooser = self.chooser
        if chooser is None:
            return lambda users, items: linkage.first_row(users)
        row_of = np.append(row_codes(rows.user_labels, self.pseudonyms), -1)
        place_of = np.full(original.n_users, -1, dtype=np.int64)
        place_of[original.codes_of_users(self.user_labels)] = np.arange(len(self.user_labels))

        def chosen(users: Indices, items: Indices) -> Indices:
            places, codes = place_of[users], items_of[items]
            known = np.flatnonzero(places >= 0)
            found = np.full(len(users), -1, dtype=np.int64)
            found[known] = chooser(places[known], codes[known])
            return row_of[found]

        return chosen

    def table(self) -> pl.DataFrame:
        """Columns user and pseudonym."""
        users = label_series(self.user_labels).gather(pl.Series(self.owners))
        return pl.DataFrame({"user": users, "pseudonym": label_series(self.pseudonyms)})

    def __repr__(self) -> str:
        return f"Secret(release {self.release_id[:8]}…, {len(self.pseudonyms):,} pseudonyms)"


class KeptModel(Protocol):
    """A model that made-up people are drawn from."""

    def sealed(self, lock: Lock, release_id: str) -> bytes:
        """The model, encrypted."""
        ...


@dataclass(frozen=True, repr=False)
class NoSecret(Secret):
    """Of a release of made-up people: there is nobody to link a row to.

    ``model`` is what they were drawn from; it can be kept instead.
    """

    model: KeptModel | None = None

    @classmethod
    def of(
        cls, release_id: str, root: bytes, user_labels: Labels, model: KeptModel | None = None
    ) -> NoSecret:
        """The secret that links none of these users."""
        none = np.empty(0, np.int64)
        return cls(release_id, root, user_labels, none, none, model=model)

    def linkage(self, original: Ratings, rows: Ratings) -> Linkage:
        return Linkage.of_nobody(original.n_users)


def seal(secret: Secret, lock: Lock) -> bytes:
    """Encrypt with AES-256-GCM; the header is authenticated too."""
    return seal_content(_packed(secret), lock, Sealed(_MAGIC, secret.release_id, "secret"))


def open_secret(path: str | Path, lock: Lock, *, release_id: str | None = None) -> Secret:
    """Open the file of a secret that was kept.

    Parameters
    ----------
    path
        The file that ``keep_secret`` named.
    lock
        What the file was locked with.
    release_id
        The id in the manifest of the release that it must belong to; None for any.

    Raises
    ------
    InputError
        The file cannot be read.
    SecretError
        The lock is a wrong one, the file is damaged, or the secret is another release's.

    """
    plain, belongs_to = open_sealed(Path(path), lock, _MAGIC, "secret")
    if release_id is not None and belongs_to != release_id:
        raise SecretError(
            f"belongs to release {belongs_to[:8]}…, not to {release_id[:8]}…", where=str(path)
        )
    return _unpacked(plain)


def _packed(secret: Secret) -> bytes:
    table = secret.table()
    if secret.founders is not None:
        table = table.with_columns(label_series(secret.founders).alias(_FOUNDER))
    parts = [_parquet(table)]
    facts: dict[str, Any] = {"release_id": secret.release_id, "root": secret.root.hex()}
    if secret.waiting is not None:
        parts.append(_parquet(secret.waiting))
        facts["table_bytes"] = len(parts[0])  # where the second table begins
    return json.dumps(facts).encode() + b"\n" + b"".join(parts)


def _parquet(table: pl.DataFrame) -> bytes:
    content = io.BytesIO()
    table.write_parquet(content, compression="zstd")
    return content.getvalue()


def _unpacked(plain: bytes) -> Secret:
    facts_text, _, table_bytes = plain.partition(b"\n")
    facts: dict[str, Any] = json.loads(facts_text)
    end = facts.get("table_bytes", len(table_bytes))
    table, rest = pl.read_parquet(io.BytesIO(table_bytes[:end])), table_bytes[end:]
    labels = table["user"].unique(maintain_order=True)
    position = {label: at for at, label in enumerate(labels.to_list())}
    return Secret(
        release_id=facts["release_id"],
        root=bytes.fromhex(facts["root"]),
        user_labels=_labels(labels),
        owners=np.array([position[label] for label in table["user"].to_list()], dtype=np.int64),
        pseudonyms=_labels(table["pseudonym"]),
        founders=_labels(table[_FOUNDER]) if _FOUNDER in table.columns else None,
        waiting=pl.read_parquet(io.BytesIO(rest)) if rest else None,
    )


def _labels(series: pl.Series) -> Labels:
    if series.dtype == pl.String:
        return np.array(series.to_list(), dtype=object)
    return series.to_numpy().astype(np.int64)
