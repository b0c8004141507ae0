"""Output paths: where the parts of a publication will stand, checked before any work begins."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from recloak.core.errors import ParameterError
from recloak.core.files import parent_of, refuse_existing
from recloak.io.duckdb import refuse_bad_target
from recloak.publishing.options import PublishOptions
from recloak.report.rendering import json_beside


@dataclass(frozen=True)
class OutputPaths:
    """Where the parts will stand; all are free and writable before any work begins."""

    out: Path
    html: Path
    secret: Path | None
    wallets: Path | None
    model: Path | None = None
    export: str | None = None

    @property
    def json(self) -> Path:
        return json_beside(self.html)

    @classmethod
    def of(cls, options: PublishOptions) -> OutputPaths:
        """The paths that ``options`` ask for; raises if one is taken or cannot be written."""
        secret, wallets = options.keep_secret, options.split_secret
        kept = options.keep_model if secret is None else secret
        where = "--keep-model" if options.keep_model else "--keep-secret"
        if kept is not None and options.lock is None:
            raise ParameterError(
                "what is kept is encrypted, which needs a passphrase or a key file", where=where
            )
        if kept is None and options.lock is not None:
            raise ParameterError(
                "a passphrase or a key file encrypts what is kept, and nothing is", where=where
            )
        if wallets is not None and not str(wallets):
            raise ParameterError("names no folder", where="--split-secret")
        folder = Path(options.out)
        parent_of(folder, "--out")
        report = options.report if options.audited else None
        html = Path(report) if report else folder.with_name(f"{folder.name}-report.html")
        paths = cls(
            folder,
            html,
            Path(secret) if secret else None,
            Path(wallets) if wallets else None,
            Path(options.keep_model) if options.keep_model else None,
            options.export,
        )
        if options.export is not None:
            refuse_bad_target(options.export, "--export")
        paths._refuse_bad()
        return paths

    @property
    def secret_fate(self) -> str:
        """What the manifest says became of the secret."""
        if self.secret and self.wallets:
            return "kept and split"
        return "kept" if self.secret else "split" if self.wallets else "destroyed"

    def _refuse_bad(self) -> None:
        taken: dict[Path, str] = {}
        parts = [("--out", self.out), ("--report", self.html), ("--report", self.json)]
        parts += [("--keep-secret", self.secret)] if self.secret else []
        parts += [("--split-secret", self.wallets)] if self.wallets else []
        parts += [("--keep-model", self.model)] if self.model else []
        for flag, path in parts:
            if self.out.absolute() in path.absolute().parents:
                raise ParameterError("must not be inside the release", where=f"{flag} {path}")
            parent_of(path, flag)
            refuse_existing(path, flag)
            resolved = path.absolute().parent.resolve() / path.name
            if resolved in taken:
                other = taken[resolved]
                raise ParameterError(f"is also the path of {other}", where=f"{flag} {path}")
            taken[resolved] = flag
