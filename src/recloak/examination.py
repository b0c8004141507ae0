"""What attacks and measures have in common: they look at a scene and report figures."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Literal

from recloak.component import Component
from recloak.findings import Figure, Finding
from recloak.progress import SILENT, Progress
from recloak.scene import Scene


class Examination(Component, ABC):
    """Finds something out about a release whose answers are known."""

    family: ClassVar[Literal["attack", "measure"]]
    figures: ClassVar[tuple[str, ...]] = ()
    """Names of the figures that a finding may hold; a policy can judge these."""

    @abstractmethod
    def run(self, scene: Scene, seed: int = 0, progress: Progress = SILENT) -> Finding:
        """Find out; the same seed gives the same finding."""

    def finding(
        self,
        summary: str,
        figures: tuple[Figure, ...],
        sample: int,
        seed: int,
        notes: tuple[str, ...],
    ) -> Finding:
        """What was found, under the examination's name; without figures the notes say why."""
        return Finding(
            family=self.family,
            name=self.name,
            parameters=self.parameters.public(),
            summary=summary,
            label=self.label,
            figures=figures,
            sample=sample,
            seed=seed,
            notes=notes,
        )
