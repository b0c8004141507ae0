"""Grouped releases are written in parts that nobody can tell from one piece."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from recloak.core.arrays import Labels
from recloak.core.errors import InputError
from recloak.core.ratings import Ratings
from recloak.core.scale import Scale
from recloak.releases import grouped
from recloak.releases.grouped import GroupedRelease
from recloak.releases.manifest import Manifest

COUNTS = (0, 3, 0, 5, 1, 0, 4, 0)


def in_blocks_of(cells: int) -> type[GroupedRelease]:
    class InSmallBlocks(GroupedRelease):
        cells_per_block = cells

    return InSmallBlocks


def released(
    names: Labels, counts: tuple[int, ...] = COUNTS, kind: type[GroupedRelease] = GroupedRelease
) -> GroupedRelease:
    """Groups with so many cells each, some with none, over these items."""
    items = np.concatenate([np.arange(0), *(np.arange(count) for count in counts)])
    profiles = Ratings(
        offsets=np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]),
        items=items.astype(np.int32),
        values=(items % 4 + 1).astype(np.float32),
        scale=Scale.parse("1..5"),
        user_labels=np.arange(len(counts)) * 10 + 3,
        item_labels=names,
    )
    manifest = Manifest.model_construct(method="none", parameters={}, scale="1..5")
    return kind(manifest, profiles, np.full(len(counts), 2))


@pytest.mark.parametrize("table_format", ["parquet", "csv"])
@pytest.mark.parametrize("names", [np.arange(6), np.array(["7", 'a "b", c', *"defg"], object)])
@pytest.mark.parametrize("cells", [1, 4, 1000])
def test_parts_read_back_as_the_whole(
    tmp_path: Path,
    table_format: str,
    names: Labels,
    cells: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(grouped, "_CELLS_AT_ONCE", cells)
    release = released(names, kind=in_blocks_of(cells))
    release.write_tables(tmp_path, table_format)
    assert GroupedRelease.read_tables(tmp_path, release.manifest).same_tables(release)


@pytest.mark.parametrize(
    ("column", "value", "says"),
    [("rating", 7.0, "not on the scale"), ("group", 4, "group that is not listed")],
)
def test_what_is_wrong_in_the_last_part_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, column: str, value: float, says: str
) -> None:
    monkeypatch.setattr(grouped, "_CELLS_AT_ONCE", 2)
    release = released(np.arange(6))
    release.write_tables(tmp_path, "csv")
    profiles = pl.read_csv(tmp_path / "profiles.csv")
    cells = profiles[column].to_list()
    last = profiles.with_columns(pl.Series(column, [*cells[:-1], value], strict=False))
    last.write_csv(tmp_path / "profiles.csv")
    with pytest.raises(InputError, match=says):
        GroupedRelease.read_tables(tmp_path, release.manifest)


def test_the_size_of_parts_does_not_show(tmp_path: Path) -> None:
    tables = []
    for cells in (1, 3, 1000):
        release = released(np.arange(6), kind=in_blocks_of(cells))
        folder = tmp_path / str(cells)
        folder.mkdir()
        release.write_tables(folder, "csv")
        tables.append((folder / "profiles.csv").read_bytes())
    assert len(set(tables)) == 1


def test_no_part_holds_much_more_than_a_block() -> None:
    parts = list(released(np.arange(6), kind=in_blocks_of(3))._listed())
    assert max(map(len, parts)) < 3 + max(COUNTS)
    assert len(pl.concat(parts)) == sum(COUNTS)


@pytest.mark.parametrize("table_format", ["parquet", "csv"])
def test_groups_without_any_cell_are_kept(tmp_path: Path, table_format: str) -> None:
    release = released(np.arange(6), (0, 0, 0))
    release.write_tables(tmp_path, table_format)
    assert GroupedRelease.read_tables(tmp_path, release.manifest).same_tables(release)
