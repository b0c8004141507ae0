"""What every attack on related-item lists offers: run an adversary who watches them change."""

from __future__ import annotations

from abc import abstractmethod

from recloak.attacks.base import Attack
from recloak.findings import Figure, Finding
from recloak.lists.scene import ListScene
from recloak.progress import SILENT, Progress
from recloak.scene import Scene


class ListAttack(Attack):
    """An adversary of a sequence of lists; a table of ratings gives them nothing to watch."""

    @abstractmethod
    def run_lists(self, scene: ListScene, seed: int = 0, progress: Progress = SILENT) -> Finding:
        """Attack; the same seed gives the same finding."""

    def run(self, scene: Scene, seed: int = 0, progress: Progress = SILENT) -> Finding:
        with progress.task("Looking for lists", 1) as task:
            task.advance()
        return self.watched((), 0, seed, ("A table of ratings has no lists: not measured.",))

    def watched(
        self, figures: tuple[Figure, ...], sample: int, seed: int, notes: tuple[str, ...]
    ) -> Finding:
        """What was found, under the attack's own name; without figures the notes say why."""
        summary = f"The adversary {self.label}."
        return self.finding(summary, figures, sample, seed, notes)
