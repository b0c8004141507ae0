"""A release that came as a zip: unpacked into the workspace, within bounds, whole or not at all."""

from __future__ import annotations

import shutil
import stat
import tempfile
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from recloak.core.errors import InputError
from recloak.core.files import machine_errors
from recloak.studio.workspace import Workspace, tidy_name

PLACE = "received"
MOST_FILES = 10_000
MOST_GROWTH = 100  # times the zip; tables take up ten times as much, and a trap a thousand times
PIECE = 1 << 20
ENCRYPTED = 0x1  # bit of the flags of an entry
HINT = "Unpack it yourself if you trust it, and name the folder."


def received_in(workspace: Workspace, given: str) -> Path | None:
    """Where a zip belongs, which is elsewhere once it was changed; None if it is no zip."""
    path = workspace.folder / given
    if path.suffix.lower() != ".zip" or not path.is_file():
        return None
    seen = path.stat()
    state = zlib.crc32(f"{seen.st_size} {seen.st_mtime_ns}".encode())
    return workspace.path(PLACE, f"{tidy_name(path.stem)}-{state:08x}")


def unpack(archive: Path, folder: Path) -> None:
    """Unpack a zip, unless that was done before."""
    if folder.exists():
        return
    with machine_errors(folder):
        draft = Path(tempfile.mkdtemp(dir=folder.parent, prefix="."))
    try:
        with machine_errors(folder), zipfile.ZipFile(archive) as opened:
            _write(opened, _entries(opened, archive), draft, _room(archive, draft))
            draft.rename(folder)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError) as problem:
        raise InputError(f"the zip cannot be read: {problem}", where=str(archive)) from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _entries(opened: zipfile.ZipFile, archive: Path) -> dict[PurePosixPath, zipfile.ZipInfo]:
    """The files of a zip by where they go, without a folder that all of them stand in."""
    files = [one for one in opened.infolist() if not one.is_dir()]
    if not 0 < len(files) <= MOST_FILES:
        raise InputError(
            f"the zip has {len(files):,} files", where=str(archive), hint=f"1 to {MOST_FILES:,}."
        )
    for one in files:
        _refuse_trap(one, archive)
    paths = [PurePosixPath(one.filename) for one in files]
    if len(set(paths)) < len(paths):
        raise InputError("the zip has two files of one name", where=str(archive), hint=HINT)
    tops = {path.parts[0] if len(path.parts) > 1 else "" for path in paths}
    common = tops.pop() if len(tops) == 1 else ""
    return {
        path.relative_to(common) if common else path: one
        for path, one in zip(paths, files, strict=True)
    }


def _refuse_trap(one: zipfile.ZipInfo, archive: Path) -> None:
    """What would be written elsewhere, or is no file."""
    path, kind = PurePosixPath(one.filename), stat.S_IFMT(one.external_attr >> 16)
    if path.is_absolute() or ".." in path.parts or "\\" in one.filename or not path.parts:
        what = "a file that would be written elsewhere"
    elif kind not in (0, stat.S_IFREG):
        what = "a link or a device, not a file"
    elif one.flag_bits & ENCRYPTED:
        what = "a file under a password"
    else:
        return
    where = f"{archive}, {one.filename[:200]!r}"
    raise InputError(f"the zip has {what}", where=where, hint=HINT)


def _room(archive: Path, draft: Path) -> int:
    """How many bytes it may become."""
    return min(MOST_GROWTH * archive.stat().st_size, shutil.disk_usage(draft).free // 2)


def _write(
    opened: zipfile.ZipFile,
    entries: dict[PurePosixPath, zipfile.ZipInfo],
    draft: Path,
    room: int,
) -> None:
    """Write the files; what is counted is what comes out, not what the zip says of itself."""
    for path, one in entries.items():
        target = draft / path
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with opened.open(one) as packed, target.open("xb") as file:
            while piece := packed.read(PIECE):
                room -= len(piece)
                if room < 0:
                    raise InputError(
                        "the zip becomes too large", where=str(opened.filename), hint=HINT
                    )
                file.write(piece)
