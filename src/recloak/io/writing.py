"""Writing ratings: a file appears whole or not at all, and is never overwritten unasked."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from recloak.core.errors import ParameterError
from recloak.core.files import move_into_place, open_whole, refuse_existing, staging_folder
from recloak.core.ratings import Ratings
from recloak.io._formats import FORMATS
from recloak.io._source import plain_name
from recloak.io._zstd import ZstdFile
from recloak.io.base import Format


def write(
    ratings: Ratings,
    path: str | Path,
    format: str | None = None,  # noqa: A002 - the word that users know
    *,
    overwrite: bool = False,
) -> None:
    """Write ``ratings`` to ``path``, in the format that its ending or ``format`` names.

    Columns are user, item, rating (unless implicit) and time (if known, in seconds since 1970).
    Text is packed if the name ends with .gz or .zst. The same ratings always give the same bytes,
    and reading them gives the same ratings. Raises `InputError` if the format cannot hold them
    and `ParameterError` if ``path`` exists and ``overwrite`` is not set.
    """
    final = Path(path)
    chosen = FORMATS.get(format) if format else _by_ending(final)
    if chosen.writes_folder(final):
        _write_folder(ratings, chosen, final)
        return
    with open_whole(final, overwrite=overwrite) as file, _packed(file, final, chosen) as inner:
        chosen.write(ratings, inner, final)


def writes_blocks(path: str | Path) -> bool:
    """Is ``path`` a file of a format that is written block by block?"""
    chosen = _by_ending(Path(path))
    return chosen.by_blocks and not chosen.writes_folder(Path(path))


def write_blocks(blocks: Iterator[Ratings], path: str | Path) -> None:
    """Write people block by block, of which one is in memory at a time; see `writes_blocks`."""
    final = Path(path)
    with open_whole(final) as file:
        _by_ending(final).write_blocks(blocks, file, final)


def _write_folder(ratings: Ratings, chosen: type[Format], final: Path) -> None:
    refuse_existing(final, "--out")
    with staging_folder(final) as staged:
        content = staged / "content"
        content.mkdir()
        chosen.write_folder(ratings, content)
        move_into_place(content, final)


@contextmanager
def _packed(file: IO[bytes], path: Path, chosen: type[Format]) -> Iterator[IO[bytes]]:
    """The file itself, or one that packs what is written; neither name nor time is kept in it."""
    ending = path.suffix.lower()
    if ending not in (".gz", ".zst"):
        yield file
        return
    if not chosen.text:
        raise ParameterError(
            f"{chosen.name} compresses its own data and is not written as {ending}",
            where=str(path),
            hint=f"Leave {ending} out.",
        )
    if ending == ".gz":
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
            yield cast(IO[bytes], packed)
    else:
        with ZstdFile(file, "w") as packed_zstd:
            yield cast(IO[bytes], packed_zstd)


def _by_ending(path: Path) -> type[Format]:
    endings = {}
    for name in FORMATS:
        for suffix in FORMATS.get(name).suffixes:
            endings[suffix] = FORMATS.get(name)
    ending = Path(plain_name(path)).suffix.lower()
    if ending in endings:
        return endings[ending]
    raise ParameterError(
        f"no format is written to files that end in '{path.suffix}'",
        where=str(path),
        hint=f"End the name with {', '.join(endings)}, or give the --format.",
    )
