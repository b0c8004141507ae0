"""Places: where the parts of a publication will stand, checked before any work begins."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from recloak.errors import ParameterError
from recloak.files import parent_of, refuse_existing
from recloak.release import TABLE_FORMATS
from recloak.report.rendering import json_beside
from recloak.secret import Lock


@dataclass(frozen=True)
class Places:
    """Where the parts will stand; all are free and writable before any work begins."""

    out: Path
    html: Path
    secret: Path | None
    wallets: Path | None

    @property
    def json(self) -> Path:
        return json_beside(self.html)

    @classmethod
    def check(
        cls,
        out: str | Path,
        report: str | Path | None,
        secret: str | Path | None,
        wallets: str | Path | None,
        lock: Lock | None,
        table_format: str,
    ) -> Places:
        if table_format not in TABLE_FORMATS:
            known = " or ".join(TABLE_FORMATS)
            raise ParameterError(f"'{table_format}' is not {known}", where="--table-format")
        if (secret is None) != (lock is None):
            raise ParameterError(
                "a kept secret needs a passphrase or a key file, and these need a file to lock",
                where="--keep-secret",
            )
        if wallets is not None and not str(wallets):
            raise ParameterError("names no folder", where="--split-secret")
        folder = Path(out)
        parent_of(folder, "--out")
        html = Path(report) if report else folder.with_name(f"{folder.name}-report.html")
        places = cls(
            folder, html, Path(secret) if secret else None, Path(wallets) if wallets else None
        )
        places._refuse_bad()
        return places

    def _refuse_bad(self) -> None:
        taken: dict[Path, str] = {}
        parts = [("--out", self.out), ("--report", self.html), ("--report", self.json)]
        parts += [("--keep-secret", self.secret)] if self.secret else []
        parts += [("--split-secret", self.wallets)] if self.wallets else []
        for flag, path in parts:
            if self.out.absolute() in path.absolute().parents:
                raise ParameterError("never stands inside the release", where=f"{flag} {path}")
            parent_of(path, flag)
            refuse_existing(path, flag)
            place = path.absolute().parent.resolve() / path.name
            if place in taken:
                raise ParameterError(f"is also where {taken[place]} goes", where=f"{flag} {path}")
            taken[place] = flag
