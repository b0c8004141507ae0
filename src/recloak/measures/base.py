"""What every measure offers: a figure of utility or of information lost."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from recloak.component import Component
from recloak.findings import Finding
from recloak.progress import SILENT, Progress
from recloak.scene import Scene


class Measure(Component, ABC):
    """Says what a release is still good for."""

    figures: ClassVar[tuple[str, ...]] = ()
    """Names of the figures that a finding may hold; a policy can judge these."""
    family: ClassVar[str] = "measure"

    @abstractmethod
    def run(self, scene: Scene, seed: int = 0, progress: Progress = SILENT) -> Finding:
        """Measure; the same seed gives the same finding."""
