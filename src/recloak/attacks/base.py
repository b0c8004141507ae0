"""What every attack offers: run an adversary against a release whose answers are known."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from recloak.findings import Finding
from recloak.parameters import Parameters
from recloak.progress import SILENT, Progress
from recloak.scene import Scene


class Attack(ABC):
    """A simulated adversary; the auditor knows who is who, the adversary does not."""

    name: ClassVar[str]
    summary: ClassVar[str]
    reference: ClassVar[str] = ""
    Parameters: ClassVar[type[Parameters]] = Parameters

    def __init__(self, **values: Any) -> None:
        self.parameters = self.Parameters.build(f"attack {self.name}", values)

    @abstractmethod
    def run(self, scene: Scene, seed: int = 0, progress: Progress = SILENT) -> Finding:
        """Attack; the same seed gives the same finding."""
