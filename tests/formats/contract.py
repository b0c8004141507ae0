"""What every format must do; a test class of a format inherits this and says how to make a file."""

from __future__ import annotations

import errno
from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl
import pytest

from recloak.errors import InputError, MachineError
from recloak.formats import FORMATS, load, read, write
from recloak.formats.base import Options
from recloak.progress import SILENT
from recloak.ratings import Ratings

EXAMPLE = Ratings.from_columns(
    [10, 10, 20, 30], [7, 8, 7, 9], [5, 3, 1, 4], [978300760, 978302109, 0, -5], scale="1..5"
)


class FormatContract:
    """``name`` is the format's; ``make`` puts ``EXAMPLE`` where it is told and returns the file."""

    name: str
    self_naming = True
    """Is the format told by its content alone, whatever the file is called?"""

    def make(self, folder: Path) -> Path:
        raise NotImplementedError

    @pytest.fixture
    def source(self, tmp_path: Path) -> Path:
        return self.make(tmp_path)

    def test_describes_itself(self) -> None:
        member = FORMATS.get(self.name)
        assert member.name == self.name
        assert member.summary
        assert member.__doc__

    def test_reads_what_was_written(self, source: Path) -> None:
        assert read(source, format=self.name, scale="1..5").equals(EXAMPLE)

    def test_is_sniffed(self, source: Path) -> None:
        loaded = load(source, scale="1..5")
        assert loaded.format == self.name
        assert loaded.source == source.name
        assert loaded.ratings.equals(EXAMPLE)

    def test_needs_no_extension(self, source: Path) -> None:
        if not self.self_naming:
            pytest.skip("this format is told by the name of its file")
        bare = source.rename(source.with_name("somefile"))
        assert load(bare).format == self.name

    def test_batches_can_be_had_twice(self, source: Path) -> None:
        opened = FORMATS.get(self.name).open(source, Options())
        first, second = (pl.concat(opened.batches(SILENT)) for _ in range(2))
        assert first.equals(second)
        assert first.height == EXAMPLE.n_ratings
        assert first.null_count().sum_horizontal().item() == 0

    def test_places_tell_every_rating_apart(self, source: Path) -> None:
        opened = FORMATS.get(self.name).open(source, Options())
        assert len(set(opened.places(range(4)))) == 4

    def test_progress_can_cancel(self, source: Path) -> None:
        with pytest.raises(KeyboardInterrupt):
            read(source, format=self.name, progress=Impatient())

    def test_missing_file(self, source: Path) -> None:
        with pytest.raises(InputError, match="no such file") as caught:
            read(source.with_name("absent"), format=self.name)
        assert "absent" in (caught.value.where or "")

    def test_empty_file(self, source: Path) -> None:
        data_file(source).write_bytes(b"")
        with pytest.raises(InputError, match="empty"):
            read(source, format=self.name)

    def test_cut_short_anywhere(self, source: Path) -> None:
        """A prefix of the file is refused, or gives a prefix of its ratings; never a traceback."""
        file = data_file(source)
        content = file.read_bytes()
        for size in range(len(content)):
            file.write_bytes(content[:size])
            assert _outcome(source, self.name) <= EXAMPLE.n_ratings

    def test_scale_is_held(self, source: Path) -> None:
        with pytest.raises(InputError, match="not on the scale") as caught:
            read(source, scale="1..4")
        assert str(data_file(source)) in caught.value.where
        assert "column" in caught.value.where

    def test_unreadable(self, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def denied(*_: object, **__: object) -> None:
            raise PermissionError(errno.EACCES, "Permission denied")

        monkeypatch.setattr(Path, "open", denied)
        with pytest.raises(MachineError, match="permission denied") as caught:
            read(source, format=self.name)
        assert caught.value.exit_code == 4

    def test_changed_while_read(self, source: Path) -> None:
        with pytest.raises(InputError, match="changed while it was read"):
            read(source, format=self.name, progress=Meddling(data_file(source)))

    def test_round_trip(self, tmp_path: Path) -> None:
        for suffix in FORMATS.get(self.name).suffixes:
            file = tmp_path / f"written{suffix}"
            write(EXAMPLE, file)
            assert read(file, scale="1..5").equals(EXAMPLE)
            again = tmp_path / f"again{suffix}"
            write(EXAMPLE, again)
            assert file.read_bytes() == again.read_bytes()


class Impatient:
    """A progress whose owner stops the work at the first sign of it."""

    def task(self, label: str, total: float | None = None) -> Impatient:
        return self

    def __enter__(self) -> Impatient:
        return self

    def __exit__(self, *problem: object) -> None:
        pass

    def advance(self, amount: float = 1) -> None:
        raise KeyboardInterrupt


class Meddling(Impatient):
    """A progress that writes to the file that is being read."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def advance(self, amount: float = 1) -> None:
        with self.file.open("ab") as file:
            file.write(b"more")


def _outcome(source: Path, name: str) -> int:
    """How many ratings are read; none if the file is refused as bad input."""
    try:
        return read(source, format=name).n_ratings
    except InputError as problem:
        return 0 if problem.where else 1 << 30


def data_file(source: Path) -> Path:
    """The file with the ratings: the source itself, or the only file of a folder."""
    return source if source.is_file() else next(iter(source.iterdir()))


def example_rows() -> Iterator[Sequence[int]]:
    frame = EXAMPLE.to_polars()
    yield from (tuple(int(cell) for cell in row) for row in frame.iter_rows())
