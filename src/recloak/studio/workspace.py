"""Workspace: the folder that holds all that was opened, compared, decided and published."""

from __future__ import annotations

import fcntl
import json
import os
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from recloak.core.errors import InputError, MachineError, ParameterError
from recloak.core.files import machine_errors, write_whole
from recloak.studio.history import WorkspaceHistory

PLACES = (
    "files", "jobs", "releases", "comparisons", "policies", "lists", "secrets", "wallets",
    "models", "notes", "received",
)  # fmt: skip
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}", re.ASCII)
_NAME_HINT = "Use letters, digits, dots, hyphens and underscores, such as spring-2024."


@dataclass(frozen=True)
class DataFile:
    """Ratings that were opened: where they stand, and what was said about them."""

    name: str
    paths: tuple[str, ...]
    options: dict[str, str] = field(default_factory=dict)
    pending: int = 0
    """The number of the job that is making the file; 0 if it was there already."""


class Workspace:
    """One folder; names inside it can never lead out of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()
        with machine_errors(self.folder):
            for place in ("", *PLACES):
                (self.folder / place).mkdir(mode=0o700, parents=not place, exist_ok=True)
        self.history = WorkspaceHistory(self.folder / "history.jsonl")

    def own(self) -> int:
        """Hold the workspace for this process; `MachineError` if another studio has it."""
        handle = os.open(self.folder, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(handle)
            raise MachineError(
                "another studio has this workspace open",
                where=str(self.folder),
                hint="Use that one, end it first, or name another workspace.",
            ) from None
        return handle

    def path(self, place: str, name: str) -> Path:
        """Where something of a name stands; a name that could lead elsewhere is refused."""
        return self.folder / place / checked_name(name)

    def given_path(self, text: str) -> str:
        """A path that was named on purpose: a whole one, or one inside the workspace."""
        path = Path(text).expanduser()
        if path.is_absolute():
            return str(path)
        if not (self.folder / path).resolve().is_relative_to(self.folder.resolve()):
            raise ParameterError(
                "leads out of the workspace", where=text, hint="Give the whole path."
            )
        return text

    def shown(self, path: Path) -> str:
        """A path as commands that run in the workspace are given it."""
        return str(path.relative_to(self.folder))

    def names(self, place: str, ending: str = "") -> list[str]:
        """What there is in a place, by name."""
        found = (path.name for path in (self.folder / place).iterdir())
        return sorted(
            name.removesuffix(ending)
            for name in found
            if name.endswith(ending) and _NAME.fullmatch(name)
        )

    def free_name(self, place: str, wanted: str, ending: str = "") -> str:
        """The wanted name, or the same with a number behind it if that is taken."""
        base = tidy_name(wanted)
        names = (base, *(f"{base}-{number}" for number in range(2, 10_000)))
        return next(one for one in names if not (self.folder / place / f"{one}{ending}").exists())

    def files(self) -> list[DataFile]:
        """All data that were opened."""
        return [self.file(name) for name in self.names("files", ".json")]

    def file(self, name: str) -> DataFile:
        """The data of this name."""
        content = self.read_json("files", f"{name}.json")
        return DataFile(**{**content, "paths": tuple(content["paths"])})

    def save_file(self, file: DataFile) -> None:
        """Remember data and what was said about them."""
        self.write_json("files", f"{file.name}.json", asdict(file))

    def read_json(self, place: str, name: str) -> dict[str, Any]:
        """A record of the workspace; `InputError` if there is none."""
        path = self.path(place, name)
        try:
            content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise InputError("there is nothing of this name", where=f"{place}/{name}") from None
        except (OSError, ValueError) as problem:
            raise InputError(f"cannot be read: {problem}", where=f"{place}/{name}") from None
        return content

    def write_json(self, place: str, name: str, content: dict[str, Any]) -> None:
        """Write a record whole or not at all."""
        text = json.dumps(content, indent=1, ensure_ascii=False)
        data = text.encode("utf-8", "replace")
        write_whole(self.path(place, name), data, mode=0o600, overwrite=True)


def checked_name(name: str) -> str:
    """A name that is one part of a path and nothing else."""
    if not _NAME.fullmatch(name):
        raise ParameterError("is no name", where=repr(name[:80]), hint=_NAME_HINT)
    return name


def tidy_name(text: str) -> str:
    """A name made of any text."""
    kept = re.sub(r"[^A-Za-z0-9_-]+", "-", text).strip("-_")[:60]
    return kept or "data"
