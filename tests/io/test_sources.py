"""Where ratings come from: packed files, standard input, several files, folders."""

from __future__ import annotations

import gzip
import io
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from recloak.core.errors import InputError, ParameterError
from recloak.io import load, read, write
from recloak.io._zstd import ZstdFile
from recloak.testing.formats import EXAMPLE
from tests.io.test_csv import cells

HEADER = "user,item,rating\n"


def packed_by_zstd(content: bytes) -> bytes:
    """What `gzip.compress` does, with zstd."""
    packed = io.BytesIO()
    with ZstdFile(packed, "w") as file:
        file.write(content)
    return packed.getvalue()


class TestPacked:
    @pytest.mark.parametrize("ending", [".gz", ".zst"])
    @pytest.mark.parametrize("suffix", [".csv", ".tsv"])
    def test_round_trip_and_same_bytes(self, tmp_path: Path, suffix: str, ending: str) -> None:
        first, second = tmp_path / f"a{suffix}{ending}", tmp_path / f"b{suffix}{ending}"
        write(EXAMPLE, first)
        write(EXAMPLE, second)
        assert first.read_bytes() == second.read_bytes()
        assert read(first, scale="1..5").equals(EXAMPLE)
        assert b"a.csv" not in first.read_bytes()

    def test_more_than_one_member(self, tmp_path: Path) -> None:
        file = tmp_path / "data.gz"
        file.write_bytes(gzip.compress(b"1,2,3\n") + gzip.compress(b"1,3,4\n"))
        assert read(file).n_ratings == 2

    def test_rubbish_behind(self, tmp_path: Path) -> None:
        file = tmp_path / "data.gz"
        file.write_bytes(gzip.compress(b"1,2,3\n") + b"rubbish")
        with pytest.raises(InputError, match="damaged"):
            read(file)

    def test_cut_far_inside(self, tmp_path: Path) -> None:
        text = "".join(f"{user},{user % 7},3\n" for user in range(400_000)).encode()
        for content in (gzip.compress(text, 1), packed_by_zstd(text)):
            (tmp_path / "data").write_bytes(content[: len(content) * 9 // 10])
            with pytest.raises(InputError, match="cut short") as caught:
                read(tmp_path / "data")
            assert caught.value.where == str(tmp_path / "data")

    @pytest.mark.parametrize("pack", [gzip.compress, packed_by_zstd])
    def test_a_bomb_is_refused_before_it_fills_the_memory(
        self, tmp_path: Path, pack: Callable[[bytes], bytes]
    ) -> None:
        file = tmp_path / "bomb.csv"
        file.write_bytes(pack(HEADER.encode() + b"1,2,3\n" * (12 << 20)))
        with pytest.raises(InputError, match="decompresses to more than 64 MB") as caught:
            read(file)
        assert caught.value.where == str(file)
        assert "decompress it yourself" in str(caught.value.hint)

    def test_parquet_is_not_packed_again(self, tmp_path: Path) -> None:
        with pytest.raises(ParameterError, match="compresses its own data"):
            write(EXAMPLE, tmp_path / "data.parquet.gz")
        write(EXAMPLE, tmp_path / "data.parquet")
        packed = gzip.compress((tmp_path / "data.parquet").read_bytes())
        (tmp_path / "data.gz").write_bytes(packed)
        with pytest.raises(InputError, match="compressed Parquet file"):
            read(tmp_path / "data.gz")


class TestStandardInput:
    @pytest.fixture(autouse=True)
    def fed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.feed = lambda content: monkeypatch.setattr(
            sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content))
        )

    @pytest.mark.parametrize("pack", [bytes, gzip.compress])
    def test_read(self, pack: object) -> None:
        self.feed(pack(b"1,2,3\n1,3,4\n"))  # type: ignore[operator]
        loaded = load("-")
        assert loaded.ratings.n_ratings == 2
        assert loaded.source == "standard input"

    def test_complaints_say_standard_input(self) -> None:
        self.feed(HEADER.encode() + b"1,2,x\n")
        with pytest.raises(InputError) as caught:
            load("-")
        assert caught.value.where == "standard input, line 2, column rating"

    def test_empty(self) -> None:
        self.feed(b"")
        with pytest.raises(InputError, match="empty"):
            load("-")

    def test_among_other_files(self, tmp_path: Path) -> None:
        (tmp_path / "a.csv").write_text(HEADER + "1,2,3\n")
        self.feed(HEADER.encode() + b"2,2,3\n")
        assert load([tmp_path / "a.csv", "-"]).ratings.n_users == 2

    @pytest.mark.parametrize("ending", ["csv", "parquet", "arrow"])
    def test_every_kind_of_file(self, tmp_path: Path, ending: str) -> None:
        write(EXAMPLE, tmp_path / f"data.{ending}")
        self.feed((tmp_path / f"data.{ending}").read_bytes())
        assert read("-", scale="1..5").equals(EXAMPLE)

    @pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
    def test_a_killed_run_leaves_nothing_of_it(self, tmp_path: Path) -> None:
        killed = (
            "import os, signal\n"
            "from recloak.io import loading\n"
            "loading.open_sources = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
            "loading.load('-')\n"
        )
        ended = subprocess.run(
            [sys.executable, "-c", killed],
            input=b"ann,alien,5\n",
            env={**os.environ, "TMPDIR": str(tmp_path)},
            check=False,
        )
        assert ended.returncode == -signal.SIGKILL
        assert not [path for path in tmp_path.rglob("*") if path.is_file()]


class TestConcatenated:
    def put(self, folder: Path, *texts: str) -> list[Path]:
        paths = [folder / f"part{number}.csv" for number in range(len(texts))]
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text)
        return paths

    def test_are_one(self, tmp_path: Path) -> None:
        files = self.put(tmp_path, HEADER + "1,2,3\n", "rating;item;user\n4;2;2\n")
        loaded = load(files)
        assert cells(loaded.ratings) == [(1, 2, 3.0), (2, 2, 4.0)]
        assert loaded.source == "part0.csv and 1 more"

    def test_numbers_in_one_and_text_in_another(self, tmp_path: Path) -> None:
        files = self.put(tmp_path, HEADER + "1,2,3\n10,2,3\n", HEADER + "x,2,3\n1,3,3\n")
        assert read(files).user_labels.tolist() == ["1", "10", "x"]

    def test_the_right_file_is_named(self, tmp_path: Path) -> None:
        files = self.put(tmp_path, HEADER + "1,2,3\n", HEADER + "1,3,x\n")
        with pytest.raises(InputError) as caught:
            read(files)
        assert caught.value.where == f"{files[1]}, line 2, column rating"

    def test_off_scale(self, tmp_path: Path) -> None:
        files = self.put(tmp_path, HEADER + "1,2,3\n", HEADER + "1,3,4\n1,4,9\n")
        with pytest.raises(InputError, match="rating 9") as caught:
            read(files, scale="1..5")
        assert caught.value.where == f"{files[1]}, line 3, column rating"

    def test_duplicates_across(self, tmp_path: Path) -> None:
        files = self.put(tmp_path, HEADER + "9,9,1\n1,2,3\n", HEADER + "1,2,4\n")
        with pytest.raises(InputError, match="repeat") as caught:
            read(files)
        assert f"({files[0]}, line 3 and {files[1]}, line 2)" in caught.value.what
        assert caught.value.where == f"{files[1]}, line 2"

    def test_other_columns(self, tmp_path: Path) -> None:
        files = self.put(tmp_path, HEADER + "1,2,3\n", "user,item\n1,3\n")
        with pytest.raises(InputError, match="columns are not those of") as caught:
            read(files)
        assert caught.value.where == str(files[1])

    def test_given_twice(self, tmp_path: Path) -> None:
        files = self.put(tmp_path, HEADER + "1,2,3\n")
        with pytest.raises(ParameterError, match="twice"):
            read(files * 2)

    def test_none(self) -> None:
        with pytest.raises(ParameterError, match="no file"):
            read([])

    def test_one_is_not_there(self, tmp_path: Path) -> None:
        files = self.put(tmp_path, HEADER + "1,2,3\n")
        with pytest.raises(InputError, match="no such file"):
            read([*files, tmp_path / "absent"])


class TestFolders:
    def test_the_only_file_with_ratings(self, tmp_path: Path) -> None:
        (tmp_path / "README.txt").write_text("user item rating\n1 2 3\n")
        (tmp_path / "notes.txt").write_text("Some words about it.\nAnd more words.\n")
        (tmp_path / "votes.csv").write_text(HEADER + "1,2,3\n")
        loaded = load(tmp_path)
        assert loaded.format == "csv"
        assert loaded.ratings.n_ratings == 1

    def test_several_with_ratings(self, tmp_path: Path) -> None:
        for name in ("january.csv", "february.csv"):
            (tmp_path / name).write_text(HEADER + "1,2,3\n")
        with pytest.raises(InputError, match="several files") as caught:
            load(tmp_path)
        assert "february.csv, january.csv" in caught.value.what

    def test_packed_inside(self, tmp_path: Path) -> None:
        (tmp_path / "u.data.gz").write_bytes(gzip.compress(b"1\t2\t3\t4\n"))
        assert load(tmp_path).format == "movielens-100k"
