"""What a publication gives: the release, its audit, and where everything is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from recloak.evaluation import notebook_tables
from recloak.evaluation.findings import Audit
from recloak.evaluation.notebook_tables import StatusMark
from recloak.releases.base import Release


@dataclass(frozen=True, repr=False)
class Published:
    """Where things are after a publication."""

    folder: Path
    release: Release
    audit: Audit | None
    report: Path | None
    secret: Path | None
    wallets: Path | None = None
    model: Path | None = None
    notes: tuple[str, ...] = ()
    exported: str | None = None

    def __repr__(self) -> str:
        parts = [f"Published {self.release} in {self.folder}"]
        parts += [f"report: {self.report}"] if self.report else []
        made_up = self.release.made_up
        parts += [f"secret: {self.secret or 'destroyed'}"] if not made_up else []
        parts += [f"model: {self.model or 'destroyed'}"] if made_up else []
        parts += [f"wallets: {self.wallets}"] if self.wallets else []
        parts += [f"exported: {self.exported}"] if self.exported else []
        return "\n  ".join(parts)

    def _repr_html_(self) -> str:
        places: dict[str, Path | str | None] = {"release": self.folder, "report": self.report}
        if self.release.made_up:
            places["model"] = self.model or "destroyed"
        else:
            places |= {"secret": self.secret or "destroyed", "wallets": self.wallets}
        places["exported"] = self.exported
        rows = [(name, str(where)) for name, where in places.items() if where]
        warnings = [*self.release.manifest.not_for_publication, *self.notes]
        rows += [("note", warning) for warning in warnings]
        mark = StatusMark.of(self.audit.status if self.audit else "not audited")
        shown = notebook_tables.table(
            f"Published by {self.release.manifest.method}", rows, mark=mark
        )
        return shown + (self.audit._repr_html_() if self.audit else "")
