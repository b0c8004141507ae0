"""Study `chang-privacy`: the paper's promises of section 5, held against what is measured."""

from __future__ import annotations

from typing import Any, ClassVar

from recloak.attacks import attack
from recloak.attacks.link_existence import BANDS
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.studies.base import Cell, Column, Measured, Picture, StudyResult
from recloak.studies.chang import BARE, DEFAULTS, ChangStudy, context_of, over_seeds, predictive
from recloak.studies.data import DataSet

VARIANTS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("pure", "pure", BARE),
    ("pure, floor and grid", "pure", DEFAULTS),
    ("padded", "padded", BARE),
)
_BANDS = {
    "rare": "< 1 %",
    "uncommon": "1–3 %",
    "known": "3–10 %",
    "common": "≥ 10 %",
}


class Privacy(ChangStudy):
    """Link privacy by popularity, non-existence of links, and ratings printed verbatim."""

    name: ClassVar[str] = "chang-privacy"
    summary: ClassVar[str] = "Theorems 5.2 and 5.3: link privacy as promised and as measured."

    def run(self, data: DataSet, progress: Progress = SILENT) -> StudyResult:
        rows: list[tuple[Cell | Measured, ...]] = []
        lines: dict[str, tuple[tuple[float, float], ...]] = {}
        for k in self.sizes(data):
            for name, mode, more in VARIANTS:
                recipe = {"k": k, "mode": mode, **more}
                found = [self._figures(data, recipe, seed, progress) for seed in self._seeds()]
                figures = {one: over_seeds(found, one) for one in _FIGURES}
                bands = [figures[f"rated_{band}"] for band in BANDS]
                rest = [figures[one] for one in _FIGURES[-4:]]
                bounds = _bounds(figures)
                rows.append(
                    (f"{name}, k = {k}", figures["rated_given_edge"], 1 / k, *bands, bounds, *rest)
                )
                lines[f"{name}, k = {k}"] = tuple(
                    (float(at), one.mean) for at, one in enumerate(bands) if one
                )
        columns = [Column("release"), Column("rated, if listed"), Column("Theorem 5.2")]
        columns += [Column(f"items of {band}") for band in _BANDS.values()]
        columns += [Column("Theorem 5.3, same bands"), Column("unrated, known", 0)]
        columns += [Column("of these true", 0), Column("alone"), Column("verbatim")]
        picture = Picture(
            "bars", "", "rated, if listed", tuple(lines.items()), tuple(_BANDS.values())
        )
        return self.result(data, columns, rows, [picture], [_NOTE])

    def _seeds(self) -> range:
        return range(self.parameters.seeds)

    def _figures(
        self, data: DataSet, recipe: dict[str, Any], seed: int, progress: Progress
    ) -> dict[str, float]:
        applied = predictive(**recipe).apply(data.ratings, Randomness.from_seed(seed), progress)
        context = context_of(data.ratings, applied)
        return {
            figure.name: figure.value
            for spec in ("link-existence", "profile-inversion")
            for figure in attack(spec).run(context, seed, progress).figures
        }


_FIGURES = (
    "rated_given_edge",
    *(f"{what}_{band}" for what in ("rated", "bound") for band in BANDS),
    "absent",
    "absent_true",
    "alone",
    "verbatim",
)
_NOTE = (
    "Rated, if listed: the probability that a member of a group rated an item that the group's "
    "profile lists, over all items, and by the share of people who rated the item. Theorem 5.2 "
    "promises at most 1/k, Theorem 5.3 at most 1/k + p/(2 − kp) where p ≤ 1/k; both assume that "
    "people rate independently, and a dash stands where p is larger. Unrated, known: how many "
    "items the profile of a person's group lacks, which reveals that none of its members rated "
    "them. Alone: ratings of items that nobody else in the group rated; verbatim: those of them "
    "that the profile holds unchanged (with a floor, by chance)."
)


def _bounds(figures: dict[str, Measured | None]) -> str:
    shown = (figures[f"bound_{band}"] for band in BANDS)
    return " / ".join(f"{one.mean:.3f}" if one else "—" for one in shown)
