"""Attack `fragment-linking`: which rows are one person's, from the release alone."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recloak.attacks.base import Attack
from recloak.attacks.joining import Named, joined_figures
from recloak.attacks.knowing_people import has_several_rows, rehearsal
from recloak.attacks.pair_scorer import (
    PairScorer,
    PairTable,
    co_rating_vectors,
    owners_of,
    sibling_rows,
    siblings,
    strangers,
)
from recloak.findings import Figure, Finding
from recloak.parameters import Parameters
from recloak.progress import SILENT, Progress, Task
from recloak.randomness import Randomness
from recloak.scene import Scene
from recloak.statistics import share_figure

PAIRS_AT_MOST = 4e8
FEWEST_ROWS = 20
NO_FACTORS = np.empty((0, 0), dtype=np.float32)


class FragmentLinkingParameters(Parameters):
    """How many rows are tried, and what the adversary has besides the release."""

    rows: int = Field(default=1000, ge=2, le=1_000_000)
    """For how many rows a partner is sought at most; fewer where there are very many rows."""

    share: float = Field(default=0.5, gt=0, lt=1)
    """The share of the people whom the adversary knows in full and makes a release of, to learn
    from; rows of the rest are attacked."""

    factors: Literal["unknown", "known"] = "unknown"
    """Does he know the features of items by which the rows were split? They are never published;
    this tells why."""

    known: int = Field(default=20, ge=1)
    """With so many known ratings Scoreboard-RH names a row to which partners are joined."""

    tries: int = Field(default=300, ge=2, le=1_000_000)
    """How many such tries are made."""


class FragmentLinking(Attack):
    """Seeks for a row the other rows of the same person, knowing nothing about the person.

    Pairs are judged by how kindly they rate, their sizes, how common their items are, whether
    people rate such items together, the rarest items (each was made around one, and it is at most
    as common as any other item of the person), their times if these are published, and the
    publisher's item features if these are known. Two rows of one person share no item. What tells
    most is learnt from a release that the adversary makes of other people. Then Scoreboard-RH
    names rows, and those that likely belong to them are joined.
    """

    name: ClassVar[str] = "fragment-linking"
    summary: ClassVar[str] = "Seeks rows of the same person by their looks alone."
    figures: ClassVar[tuple[str, ...]] = (
        "top1",
        "top1_random",
        "auc",
        "gain_joined",
        "gain_single",
        "precision_joined",
    )
    Parameters: ClassVar[type[Parameters]] = FragmentLinkingParameters
    parameters: FragmentLinkingParameters

    @property
    def label(self) -> str:
        told = self.parameters
        return "knows the release" + (" and the item features" if told.factors == "known" else "")

    def run(self, scene: Scene, seed: int = 0, progress: Progress = SILENT) -> Finding:
        if not has_several_rows(scene):
            return self._finding(scene, seed, (), 0, ("Nobody has several rows: not measured.",))
        with progress.task("Linking rows") as task:
            helped = rehearsal(scene, self.parameters.share, seed, progress)
            if helped.scene is None:
                return self._finding(scene, seed, (), 0, (helped.note,))
            rng = Randomness.from_seed(seed).generator(self.name)
            mine, theirs = self._tables(helped.scene, scene, seed, progress)
            scorer = PairScorer.trained(mine, rng, task)
            rows = sibling_rows(scene, self._affordable(scene), rng, helped.targets)
            if scorer is None or len(rows) == 0:
                return self._finding(scene, seed, (), 0, ("Too few people have several rows.",))
            figures = _link_figures(theirs, scorer, rows, rng, task)
            figures += self._joined(theirs, scorer, helped.targets, rng, task)
        notes = [helped.note, f"Partners were sought for {len(rows):,} rows, among all."]
        return self._finding(scene, seed, figures, len(rows), tuple(notes))

    def _affordable(self, scene: Scene) -> int:
        limit = max(int(PAIRS_AT_MOST / max(scene.rows.n_users, 1)), FEWEST_ROWS)
        return min(self.parameters.rows, limit)

    def _tables(
        self, shadow: Scene, scene: Scene, seed: int, progress: Progress
    ) -> tuple[PairTable, PairTable]:
        """The adversary's own rows and those of the release, ready to be compared."""
        both = (shadow, scene)
        vectors = co_rating_vectors(shadow, both, seed, progress)
        known = self.parameters.factors == "known"
        factors = [one.factors(progress) if known and one.factors else NO_FACTORS for one in both]
        if any(one.shape[1] == 0 for one in factors):
            factors = [NO_FACTORS, NO_FACTORS]
        several = np.diff(shadow.linkage.offsets)
        each = float(several.sum() / max((several > 0).sum(), 1))
        first, second = (
            PairTable.of(*given, each) for given in zip(both, vectors, factors, strict=True)
        )
        return first, second

    def _joined(
        self,
        table: PairTable,
        scorer: PairScorer,
        targets: NDArray[np.bool_],
        rng: np.random.Generator,
        task: Task,
    ) -> tuple[Figure, ...]:
        """What Scoreboard-RH gains with the row that it names, and with those joined to it."""
        told, scene = self.parameters, table.scene
        tries = min(told.tries, self._affordable(scene))
        named = Named.by_scoreboard(scene, told.known, targets, tries, rng, task)
        if named is None:
            return ()
        joined = named.outcome(lambda rows: scorer.partners(table, rows, task))
        return joined_figures(joined, named.alone())

    def _finding(
        self,
        scene: Scene,
        seed: int,
        figures: tuple[Figure, ...],
        sample: int,
        notes: tuple[str, ...],
    ) -> Finding:
        missing = self.parameters.factors == "known" and scene.factors is None
        unknown = ("The item features are not at hand: attacked without.",) if missing else ()
        summary = f"The adversary {self.label}. {self.summary}"
        told = (scene.linkage.note, *notes, *unknown)
        return self.finding(summary, figures, sample, seed, told)


def _link_figures(
    table: PairTable,
    scorer: PairScorer,
    rows: NDArray[np.int64],
    rng: np.random.Generator,
    task: Task,
) -> tuple[Figure, ...]:
    owners = owners_of(table.scene)
    partner = scorer.partners(table, rows, task)[0][:, 0]
    right = (partner >= 0) & (owners[partner] == owners[rows])
    counts = np.diff(table.scene.linkage.offsets)[owners[rows]]
    blind = (counts - 1) / max(table.scene.rows.n_users - 1, 1)
    return (
        share_figure("top1", right.astype(float), "rows whose best partner is the same person's"),
        share_figure("top1_random", blind, "the same for a partner taken at random"),
        share_figure("auc", _auc(table, scorer, rows, rng), _AUC),
    )


_AUC = "how often a row of the same person looks likelier than one of somebody else"


def _auc(
    table: PairTable, scorer: PairScorer, rows: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.float64]:
    """Of each row, the share of (own, other) pairs that are in the right order; ties count half."""
    first, own = siblings(table.scene, rows)
    other_first, other = strangers(table.scene, rows, rng)
    mine, theirs = (
        scorer.odds(table.described(*pair)) for pair in ((first, own), (other_first, other))
    )
    shares = []
    for row in rows:
        those = np.sort(theirs[other_first == row])
        ours = mine[first == row]
        below = np.searchsorted(those, ours) + np.searchsorted(those, ours, side="right")
        if len(those):
            shares.append(below.mean() / (2 * len(those)))
    return np.array(shares)
