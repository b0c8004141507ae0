"""What every attack offers: run an adversary against a release whose answers are known."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from recloak.component import Component
from recloak.findings import Finding
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
