"""What every measure offers: a figure of utility or of information lost."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from recloak.component import Component
from recloak.findings import Figure, Finding
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

    def finding(
        self,
        summary: str,
        figures: tuple[Figure, ...],
        sample: int,
        seed: int,
        notes: tuple[str, ...],
    ) -> Finding:
        """What was found, under the measure's own name; without figures the notes say why."""
        return Finding(
            family="measure",
            name=self.name,
            parameters=self.parameters.public(),
            summary=summary,
            label=self.label,
            figures=figures,
            sample=sample,
            seed=seed,
            notes=notes,
        )
