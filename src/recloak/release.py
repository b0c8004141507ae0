"""Release: what would be published, in memory or in its folder."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, Self

import polars as pl
from polars.io.plugins import register_io_source

from recloak.card import CARD_NAME, card_of
from recloak.errors import InputError
from recloak.files import digest_of
from recloak.formats import read
from recloak.formats.csv_writing import write_csv
from recloak.frames import from_frame, to_polars
from recloak.manifest import MANIFEST_NAME, FileEntry, Manifest
from recloak.randomness import Randomness
from recloak.ratings import Labels, Ratings
from recloak.registry import Registry
from recloak.scale import Scale

TABLE_FORMATS = ("parquet", "csv")


class Counts(NamedTuple):
    """How much a release holds, as its manifest states it."""

    rows: int
    items: int
    ratings: int


@dataclass(frozen=True, repr=False)
class Release(ABC):
    """Its tables, its manifest, and the ratings that a recipient would train on."""

    kind: ClassVar[str]
    tables: ClassVar[dict[str, tuple[str, ...]]] = {"ratings": ("user", "item", "rating", "time")}
    """The tables of a folder of this kind, and the columns that each may have."""
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

    @property
    def counts(self) -> Counts:
        """What `as_ratings` holds."""
        rows = self.as_ratings()
        return Counts(rows.n_users, rows.n_items, rows.n_ratings)

    @property
    def row_labels(self) -> Labels:
        """The names of the rows."""
        return self.as_ratings().user_labels

    def columns_of(self, table: str) -> tuple[str, ...]:
        """The columns that a table of this release may have, the names of its rows first."""
        return self.tables[table]

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
            f"<tr><th>{name}</th><td>{shown}</td></tr>" for name, shown in facts.items()
        )
        return f"<table><caption>Release</caption>{cells}</table>"


@dataclass(frozen=True, repr=False)
class RatingsRelease(Release):
    """A table of ratings.

    Rows are in the order of their pseudonyms, then of their items: an order that follows from
    what is published and so tells nothing more.
    """

    kind: ClassVar[str] = "ratings"
    ratings: Ratings

    def as_ratings(self) -> Ratings:
        return self.ratings

    def write_tables(self, folder: Path, table_format: str) -> None:
        if table_format == "csv":
            with (folder / "ratings.csv").open("wb") as file:
                write_csv(self.ratings, file, ",")
            return
        table = to_polars(self.ratings)
        table.write_parquet(folder / "ratings.parquet", compression="zstd", statistics=False)

    @classmethod
    def read_tables(cls, folder: Path, manifest: Manifest) -> Self:
        parquet, text = folder / "ratings.parquet", folder / "ratings.csv"
        scale = Scale.parse(manifest.scale)
        if parquet.exists():
            return cls(manifest, from_frame(pl.read_parquet(parquet), scale=scale))
        return cls(manifest, read(text, format="csv", scale=scale))


def write_table(table: pl.DataFrame, path: Path) -> None:
    """A further table of a release, in the same canonical form as its ratings.

    Text in quotes tells an item called 7 from the number, as in any CSV file that we read.
    """
    if path.suffix == ".csv":
        table.write_csv(path, quote_style=_quotes(table.schema))
    else:
        table.write_parquet(path, compression="zstd", statistics=False)


def write_blocks(tables: Callable[[], Iterator[pl.DataFrame]], path: Path) -> None:
    """As `write_table`, of a table that comes in parts and is never whole in memory."""
    schema = next(tables()).schema

    def parts(*_: Any) -> Iterator[pl.DataFrame]:
        yield from tables()

    streamed = register_io_source(parts, schema=schema)
    if path.suffix == ".csv":
        streamed.sink_csv(path, quote_style=_quotes(schema))
    else:
        streamed.sink_parquet(path, compression="zstd", statistics=False)


def _quotes(schema: pl.Schema) -> Literal["non_numeric", "necessary"]:
    return "non_numeric" if schema.get("item") == pl.String else "necessary"


def read_table(folder: Path, name: str, columns: list[str] | None = None) -> pl.DataFrame:
    """What `write_table` wrote under this name, in either form; all of it or some columns."""
    path = folder / f"{name}.parquet"
    if path.exists():
        return pl.read_parquet(path, columns=columns)
    path = folder / f"{name}.csv"
    table = pl.read_csv(path, infer_schema=False, columns=columns)
    with path.open("rb") as file:
        quoted = file.readline().startswith(b'"item"') and file.readline().startswith(b'"')
    return table.with_columns(
        _numbers(column) for column in table if not (quoted and column.name == "item")
    )


def _numbers(column: pl.Series) -> pl.Series:
    """A column of text as numbers; items are called 007 or 1.50 and stay text then."""
    whole = column.cast(pl.Int64, strict=False)
    if not whole.has_nulls() and whole.cast(pl.String).equals(column):
        return whole
    decimals = column.cast(pl.Float64, strict=False)
    return column if column.name == "item" or decimals.has_nulls() else decimals


KINDS: Registry[type[Release]] = Registry(
    "kinds",
    "kind of release",
    {
        "ratings": "recloak.release:RatingsRelease",
        "disassociated": "recloak.disassociated:DisassociatedRelease",
        "grouped": "recloak.grouped:GroupedRelease",
        "survey": "recloak.surveyed:SurveyRelease",
    },
)


def save_release(release: Release, folder: Path, table_format: str = "parquet") -> Manifest:
    """Write tables, a card for the recipient and the manifest; returns the manifest as written."""
    release.write_tables(folder, table_format)
    card = card_of(release.manifest, [path.name for path in folder.iterdir()])
    (folder / CARD_NAME).write_text(card, encoding="utf-8")
    files = {
        path.name: FileEntry(bytes=path.stat().st_size, sha256=digest_of(path))
        for path in sorted(folder.iterdir())
    }
    manifest = release.manifest.model_copy(update={"files": files})
    (folder / MANIFEST_NAME).write_text(manifest.to_json(), encoding="utf-8")
    return manifest


def open_release(folder: str | Path) -> Release:
    """Read a release from its folder; a file that was changed since is refused."""
    path = Path(folder)
    if not path.is_dir():
        raise InputError("there is no such folder", where=str(path))
    manifest = Manifest.read(path)
    check_files(path, manifest)
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


def check_files(folder: Path, manifest: Manifest) -> None:
    """Refuse a folder whose files are not exactly those of its manifest."""
    found = {path.name for path in folder.iterdir()} - {MANIFEST_NAME}
    listed = set(manifest.files)
    if found != listed:
        extra, missing = sorted(found - listed), sorted(listed - found)
        said = [f"'{name}' is not in the manifest" for name in extra]
        said += [f"'{name}' is missing" for name in missing]
        raise InputError("; ".join(said), where=str(folder), hint="The release was edited.")
    for name, entry in manifest.files.items():
        if digest_of(folder / name) != entry.sha256:
            raise InputError(
                "does not match its digest in the manifest",
                where=str(folder / name),
                hint="The release was edited or damaged; get it again from whoever published it.",
            )
