"""What every attack offers: run an adversary against a release whose answers are known."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from recloak.component import Component
from recloak.findings import Figure, Finding
from recloak.progress import SILENT, Progress
from recloak.scene import Scene


class Attack(Component, ABC):
    """A simulated adversary; the auditor knows who is who, the adversary does not."""

    figures: ClassVar[tuple[str, ...]] = ()
    """Names of the figures that a finding may hold; a policy can judge these."""
    family: ClassVar[str] = "attack"

    @abstractmethod
    def run(self, scene: Scene, seed: int = 0, progress: Progress = SILENT) -> Finding:
        """Attack; the same seed gives the same finding."""

    def reported(
        self,
        summary: str,
        figures: tuple[Figure, ...],
        sample: int,
        seed: int,
        notes: tuple[str, ...],
    ) -> Finding:
        """What was found, under the attack's own name; without figures the notes say why."""
        return Finding(
            family="attack",
            name=self.name,
            parameters=self.parameters.public(),
            summary=summary,
            label=self.label,
            figures=figures,
            sample=sample,
            seed=seed,
            notes=notes,
        )
