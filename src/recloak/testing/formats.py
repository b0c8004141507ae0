"""What every format must do; its test inherits all that fits it and makes a file."""

from __future__ import annotations

import errno
import gzip
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

from recloak.core.building import assemble
from recloak.core.errors import InputError, MachineError, ParameterError
from recloak.core.progress import SILENT
from recloak.core.ratings import Ratings
from recloak.io import FORMATS, Collector, Format, InputPath, ZstdFile, load, read, write
from recloak.io.options import ReadOptions

EXAMPLE = Ratings.from_columns(
    [10, 10, 20, 30], [7, 8, 7, 9], [5, 3, 1, 4], [978300760, 978302109, 0, -5], scale="1..5"
)


class FormatContract:
    """Tests of a format: set ``component`` (or ``name`` if it is registered) and write ``make``."""

    component: ClassVar[type[Format]]
    name: ClassVar[str]
    example: ClassVar[Ratings] = EXAMPLE
    """The ratings that ``make`` stores."""

    @abstractmethod
    def make(self, folder: Path) -> Path:
        """Store ``example`` in ``folder``, without help of the format; give the file or folder."""

    @classmethod
    def member(cls) -> type[Format]:
        """The format under test."""
        return getattr(cls, "component", None) or FORMATS.get(cls.name)

    @pytest.fixture
    def source(self, tmp_path: Path) -> Path:
        """The file or folder that is read."""
        return self.make(tmp_path)

    def read(self, source: Path, **options: Any) -> Ratings:
        """The ratings in ``source``."""
        return read(source, format=self.member().name, **({"scale": self.example.scale} | options))

    def test_describes_itself(self) -> None:
        member = self.member()
        assert FORMATS.get(member.name) is member
        assert member.summary
        assert member.__doc__
        assert member.text == isinstance(self, Packed)

    def test_reads_what_was_written(self, source: Path) -> None:
        assert self.read(source).equals(self.example)

    def test_batches_can_be_had_twice(self, source: Path) -> None:
        opened = self.member().open(InputPath(source), ReadOptions())
        first, second = (Collector(opened.batches(SILENT)) for _ in range(2))
        assert len(first) == self.example.n_ratings
        one, two = (assemble(Ratings, each.coded()) for each in (first, second))
        assert one.equals(two)

    def test_places_name_lines_and_files(self, source: Path) -> None:
        opened = self.member().open(InputPath(source), ReadOptions())
        assert sum(batch.height for batch in opened.batches(SILENT)) == self.example.n_ratings
        places = opened.places(range(self.example.n_ratings))
        assert len(places) == self.example.n_ratings
        assert {place.path for place in places} <= set(opened.files)

    def test_progress_can_cancel(self, source: Path) -> None:
        with pytest.raises(KeyboardInterrupt):
            self.read(source, progress=Impatient())

    def test_missing_file(self, source: Path) -> None:
        with pytest.raises(InputError, match="no such file") as caught:
            self.read(source.with_name("absent"))
        assert "absent" in (caught.value.where or "")

    def test_empty_file(self, source: Path) -> None:
        data_file(source).write_bytes(b"")
        with pytest.raises(InputError, match="empty"):
            self.read(source)

    def test_cut_short_anywhere(self, source: Path) -> None:
        """A prefix of the file is refused, or gives a prefix of its ratings; never a traceback."""
        file = data_file(source)
        content = file.read_bytes()
        for size in range(len(content)):
            file.write_bytes(content[:size])
            assert self._outcome(source) <= self.example.n_ratings

    def test_unreadable(self, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def denied(*_: object, **__: object) -> None:
            raise PermissionError(errno.EACCES, "Permission denied")

        monkeypatch.setattr(Path, "open", denied)
        with pytest.raises(MachineError, match="permission denied") as caught:
            self.read(source)
        assert caught.value.exit_code == 4

    def test_changed_while_read(self, source: Path) -> None:
        with pytest.raises(InputError, match="changed while it was read"):
            self.read(source, progress=Meddling(data_file(source)))

    def test_round_trip(self, tmp_path: Path) -> None:
        for suffix in self.member().suffixes:
            file = tmp_path / f"written{suffix}"
            write(self.example, file)
            assert read(file, scale=self.example.scale).equals(self.example)
            again = tmp_path / f"again{suffix}"
            write(self.example, again)
            assert file.read_bytes() == again.read_bytes()

    def test_what_it_has_no_use_for_is_refused(self, source: Path) -> None:
        options = {"id_column": "a", "issues": ["b"]}
        if self.member().name != "survey":
            for option, value in options.items():
                with pytest.raises(ParameterError, match="takes no"):
                    self.read(source, **{option: value})

    def _outcome(self, source: Path) -> int:
        """How many ratings are read; none if the file is refused as bad input."""
        try:
            return self.read(source, scale=None).n_ratings
        except InputError as problem:
            return 0 if problem.where else 1 << 30


class Sniffed(FormatContract):
    """The format is found out and need not be said."""

    def test_is_sniffed(self, source: Path) -> None:
        loaded = load(source, scale=self.example.scale)
        assert loaded.format == self.member().name
        assert loaded.source == source.name
        assert loaded.ratings.equals(self.example)


class SelfNaming(Sniffed):
    """The format is told by its content alone, whatever the file is called."""

    def test_needs_no_extension(self, source: Path) -> None:
        bare = data_file(source).rename(source.with_name("somefile"))
        assert load(bare).format == self.member().name


class Packed(FormatContract):
    """The format is text, which others pack; a binary one is packed inside."""

    @pytest.mark.parametrize("packing", ["gzip", "zstd"])
    def test_packed(self, source: Path, packing: str) -> None:
        pack(data_file(source), packing)
        assert self.read(source).equals(self.example)
        if isinstance(self, Sniffed):
            assert load(source).format == self.member().name

    @pytest.mark.parametrize("packing", ["gzip", "zstd"])
    def test_packed_and_damaged(self, source: Path, packing: str) -> None:
        file = data_file(source)
        pack(file, packing)
        content = file.read_bytes()
        for size in range(4, len(content), 3):
            file.write_bytes(content[:size])
            with pytest.raises(InputError, match="damaged or cut short"):
                self.read(source)


class Scaled(FormatContract):
    """The format has values."""

    too_narrow = "1..4"
    """A scale that the example leaves."""

    def test_scale_is_held(self, source: Path) -> None:
        with pytest.raises(InputError, match="not on the scale") as caught:
            self.read(source, scale=self.too_narrow)
        where = caught.value.where or ""
        assert str(data_file(source)) in where
        assert "column" in where


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


def data_file(source: Path) -> Path:
    """The first file with ratings: the source itself, or one of a folder."""
    return source if source.is_file() else min(path for path in source.rglob("*") if path.is_file())


def pack(file: Path, packing: str) -> None:
    """Pack a file where it stands; its name does not tell."""
    content = file.read_bytes()
    if packing == "gzip":
        file.write_bytes(gzip.compress(content))
        return
    with ZstdFile(file, "w") as packed:
        packed.write(content)


def example_rows() -> Iterator[Sequence[int]]:
    """The example as user, item, rating and time."""
    frame = EXAMPLE.to_polars()
    yield from (tuple(int(cell) for cell in row) for row in frame.iter_rows())
