"""What every measure offers: a figure of utility or of information lost."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from recloak.findings import Finding
from recloak.parameters import Parameters
from recloak.progress import SILENT, Progress
from recloak.scene import Scene


class Measure(ABC):
    """Says what a release is still good for."""

    name: ClassVar[str]
    summary: ClassVar[str]
    reference: ClassVar[str] = ""
    Parameters: ClassVar[type[Parameters]] = Parameters

    def __init__(self, **values: Any) -> None:
        self.parameters = self.Parameters.build(f"measure {self.name}", values)

    @abstractmethod
    def run(self, scene: Scene, seed: int = 0, progress: Progress = SILENT) -> Finding:
        """Measure; the same seed gives the same finding."""
