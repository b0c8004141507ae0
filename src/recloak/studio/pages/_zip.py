"""A folder as a zip that is made while it is sent: nothing is written to the disk."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

PIECE = 1 << 18
MOMENT = (1980, 1, 1, 0, 0, 0)  # when a release was made is not told by its files


class _Sink(io.RawIOBase):
    """What was written since it was last taken away."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, piece: object) -> int:
        content = bytes(piece)  # type: ignore[call-overload]
        self.pieces.append(content)
        return len(content)

    def taken(self) -> bytes:
        pieces, self.pieces = self.pieces, []
        return b"".join(pieces)


def zipped(folder: Path) -> Iterator[bytes]:
    """The files of a folder, in the order of their names, under the folder's name."""
    sink = _Sink()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(one for one in folder.rglob("*") if one.is_file()):
            name = f"{folder.name}/{path.relative_to(folder).as_posix()}"
            entry = zipfile.ZipInfo(name, MOMENT)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            with path.open("rb") as file, archive.open(entry, "w", force_zip64=True) as inside:
                while piece := file.read(PIECE):
                    inside.write(piece)
                    yield sink.taken()
    yield sink.taken()
