"""Release: what would be published, in memory or in its folder."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import polars as pl
from numpy.typing import NDArray

from recloak.core.arrays import Integers, Labels
from recloak.core.errors import InputError
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.core.registry import Registry
from recloak.releases.card import CARD_NAME, CROISSANT_NAME, card_of, croissant_of
from recloak.releases.manifest import MANIFEST_NAME, Manifest
from recloak.releases.parts import entries_of, table_names
from recloak.releases.tables import read_table


class Counts(NamedTuple):
    """How much a release holds, as its manifest states it."""

    rows: int
    items: int
    ratings: int


@dataclass(frozen=True, repr=False)
class Release(ABC):
    """What is published: tables, a manifest, and the ratings that a recipient would train on.

    >>> import recloak
    >>> ratings = recloak.synthesize("ml-100k", users=200, ratings=8_000, seed=1)
    >>> applied = recloak.method("pseudonymize").apply(ratings, recloak.Randomness.from_seed(1))
    >>> applied.release.as_ratings().n_users
    200
    """

    kind: ClassVar[str]
    tables: ClassVar[dict[str, tuple[str, ...]]] = {"ratings": ("user", "item", "rating", "time")}
    """The tables of a folder of this kind, and the columns that each may have."""
    wide: ClassVar[bool] = False
    """Has its first table a column for each item? Else it has a row for each rating."""
    made_up: ClassVar[bool] = False
    """Are its rows made-up people, none of whom is anybody?"""
    row_word: ClassVar[str] = "row"
    """What an id in the first column of its first table stands for."""
    manifest: Manifest

    @abstractmethod
    def as_ratings(self) -> Ratings:
        """What a recipient would load to train a recommender; users are the release's rows."""

    @abstractmethod
    def write_tables(self, folder: Path, table_format: str) -> None:
        """Write the tables into ``folder``."""

    @classmethod
    @abstractmethod
    def read_tables(cls, folder: Path, manifest: Manifest) -> Self:
        """Read what `write_tables` wrote."""

    @classmethod
    def read_frames(cls, folder: Path) -> dict[str, pl.DataFrame]:
        """The tables as frames, by name, from the folder where `write_tables` wrote them."""
        there = [name for name in cls.tables if any(folder.glob(f"{name}.*"))]
        return {name: read_table(folder, name) for name in there}

    @property
    def counts(self) -> Counts:
        """What `as_ratings` holds."""
        rows = self.as_ratings()
        return Counts(rows.n_users, rows.n_items, rows.n_ratings)

    @property
    def row_labels(self) -> Labels:
        """The names of the rows."""
        return self.as_ratings().user_labels

    @property
    def listed(self) -> Ratings:
        """The ratings as the first table lists them."""
        return self.as_ratings()

    def parts(self) -> Iterator[Ratings]:
        """What the first table lists, a part at a time; all at once where it is in memory."""
        yield self.listed

    def further_ids(self) -> dict[str, tuple[Integers, NDArray[Any]]]:
        """Other random ids by what they stand for, each with a number that no order may follow."""
        return {}

    @property
    def group_sizes(self) -> Integers | None:
        """How many people share what is listed of a group; None if nothing is listed by group."""
        return None

    def columns_of(self, table: str) -> tuple[str, ...]:
        """The columns that a table of this release may have, the names of its rows first."""
        return self.tables[table]

    def read_back(self, folder: Path) -> Release:
        """What was written of it into ``folder``, opened as anybody would."""
        return open_release(folder)

    def moved_to(self, folder: Path) -> Self:
        """The same once its folder has another name; what is in memory does not mind."""
        return self

    def same_tables(self, other: Release) -> bool:
        """Do both hold the same? What was written is compared with what is read back."""
        return self.as_ratings().equals(other.as_ratings())

    def sample(self, randomness: Randomness) -> Ratings:
        """One original that the release may have come from, as far as it tells."""
        return self.as_ratings()

    def __repr__(self) -> str:
        shown = self.manifest
        claims = ", ".join(shown.claims) or "no formal claim"
        return (
            f"Release({shown.method}: {shown.ratings:,} ratings of {shown.items:,} items in "
            f"{shown.rows:,} rows; {claims})"
        )

    def _repr_html_(self) -> str:
        facts = self.manifest.model_dump(include={"method", "rows", "items", "ratings", "claims"})
        cells = "".join(
            f"<tr><th>{name}</th><td>{escape(str(shown))}</td></tr>"
            for name, shown in facts.items()
        )
        return f"<table><caption>Release</caption>{cells}</table>"


KINDS: Registry[type[Release]] = Registry(
    "kinds",
    "kind of release",
    {
        "ratings": "recloak.releases.ratings:RatingsRelease",
        "disassociated": "recloak.releases.disassociated:DisassociatedRelease",
        "grouped": "recloak.releases.grouped:GroupedRelease",
        "survey": "recloak.releases.survey:SurveyRelease",
        "made-up": "recloak.releases.made_up:MadeUpRelease",
        "made-up-survey": "recloak.releases.made_up:MadeUpSurvey",
    },
)


def save_release(release: Release, folder: Path, table_format: str = "parquet") -> Manifest:
    """Write tables, cards for the recipient and the manifest; returns the manifest as written."""
    release.write_tables(folder, table_format)
    return save_cards(release.manifest, card_of(release.manifest, table_names(folder)), folder)


def save_cards(described: Manifest, card: str, folder: Path) -> Manifest:
    """Write the cards and the manifest beside the tables that they describe."""
    files = entries_of(folder)
    croissant = croissant_of(described, folder, files)
    (folder / CARD_NAME).write_text(card, encoding="utf-8")
    (folder / CROISSANT_NAME).write_text(croissant, encoding="utf-8")
    files |= entries_of(folder, besides=files)
    manifest = described.model_copy(update={"files": dict(sorted(files.items()))})
    (folder / MANIFEST_NAME).write_text(manifest.to_json(), encoding="utf-8")
    return manifest


def open_release(folder: str | Path, *, parts_key: str | Path | None = None) -> Release:
    """Read a release from its folder.

    Parameters
    ----------
    folder
        The folder that ``recloak publish`` made.
    parts_key
        The key file of a release that was encrypted for its recipient.

    Returns
    -------
    Release
        The release, of the kind that its manifest names.

    Raises
    ------
    InputError
        If there is no release, its kind is unknown, or a file was changed since it was written.
    SecretError
        If the key is not that of the release.

    Examples
    --------
    >>> import recloak
    >>> ratings = recloak.open_release("release").as_ratings()  # doctest: +SKIP

    """
    from recloak.releases.encrypted import opened_folder

    with opened_folder(folder, parts_key) as (path, manifest):
        return _read_release(path, manifest)


def _read_release(path: Path, manifest: Manifest) -> Release:
    if manifest.kind not in KINDS.names():
        raise InputError(
            f"holds a release of unknown kind '{manifest.kind}'",
            where=str(path),
            hint="Use 'recloak lists verify'." if manifest.kind == "lists" else None,
        )
    try:
        release = KINDS.get(manifest.kind).read_tables(path, manifest)
    except (pl.exceptions.PolarsError, OSError) as problem:
        raise InputError(f"cannot be read: {problem}", where=str(path)) from problem
    _check_counts(release, path)
    return release


def is_release(path: Path) -> bool:
    """Is this a folder with a manifest?"""
    return (path / MANIFEST_NAME).is_file()


def _check_counts(release: Release, folder: Path) -> None:
    manifest = release.manifest
    for name, count in release.counts._asdict().items():
        if getattr(manifest, name) != count:
            raise InputError(
                f"says {getattr(manifest, name):,} {name}, but the table has {count:,}",
                where=str(folder / MANIFEST_NAME),
                hint="The release was edited or damaged.",
            )
