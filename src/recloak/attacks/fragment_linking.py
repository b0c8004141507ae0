"""Attack `fragment-linking`: which rows are one person's, from the release alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from recloak.attacks._adversary_training import adversary_training, has_several_rows
from recloak.attacks._figures import GAIN_JOINED, GAIN_SINGLE, PRECISION_JOINED
from recloak.attacks._joined_rows import NamedRows, joined_figures
from recloak.attacks._pair_scorer import (
    PairScorer,
    PairTable,
    co_rating_vectors,
    owners_of,
    sibling_rows,
    siblings,
    strangers,
)
from recloak.attacks.base import Attack
from recloak.core.arrays import Floats, Indices, Mask
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress, Task
from recloak.core.randomness import Randomness
from recloak.evaluation.context import AuditContext
from recloak.evaluation.figures import DeclaredFigure
from recloak.evaluation.findings import Audit, Figure, Finding
from recloak.evaluation.formatting import figure_shown, of_100
from recloak.evaluation.intervals import share_figure

PAIRS_AT_MOST = 4e8
FEWEST_ROWS = 20
NO_FACTORS = np.empty((0, 0), dtype=np.float32)


class FragmentLinkingParameters(Parameters):
    """How many rows are tried, and what the adversary has besides the release."""

    rows: int = Field(default=1000, ge=2, le=1_000_000)
    """For how many rows, at most, a partner is sought; fewer where there are very many rows."""

    share: float = Field(default=0.5, gt=0, lt=1)
    """The share of the people whom the adversary knows in full and makes a release of, to learn
    from; rows of the rest are attacked."""

    factors: Literal["unknown", "known"] = "unknown"
    """Does the adversary know the item features by which the rows were split? They are never
    published; this shows why."""

    known: int = Field(default=20, ge=1)
    """How many known ratings Scoreboard-RH uses to name a row to which partners are joined."""

    tries: int = Field(default=300, ge=2, le=1_000_000)
    """How many such tries to make."""


_FIGURES = (
    DeclaredFigure(
        "top1",
        worse="more",
        heading="Top1, AUC",
        meaning="How often the row that looks most like another is the same person's; and how "
        "often a row of the same person looks more alike than one of somebody else (one half by "
        "chance).",
    ),
    DeclaredFigure("top1_random"),
    DeclaredFigure("auc", worse="more"),
    GAIN_JOINED,
    GAIN_SINGLE,
    PRECISION_JOINED,
)


class FragmentLinking(Attack):
    """Seeks for a row the other rows of the same person, knowing nothing about the person.

    Pairs are scored by their biases, their sizes, how common their items are, whether
    people rate such items together, the rarest items (each was made around one, and it is at most
    as common as any other item of the person), their times if these are published, and the
    publisher's item features if these are known. Two rows of one person share no item. Which of
    these help most is learnt from a release that the adversary makes of other people. Then
    Scoreboard-RH names rows, and rows that probably belong to them are joined.
    """

    name: ClassVar[str] = "fragment-linking"
    summary: ClassVar[str] = "Seeks rows of the same person by what the rows look like."
    figures: ClassVar[tuple[DeclaredFigure, ...]] = _FIGURES
    applies_to: ClassVar[str] = "where people have several rows"
    takes_turns: ClassVar[str] = "adversary training"
    Parameters: ClassVar[type[Parameters]] = FragmentLinkingParameters
    parameters: FragmentLinkingParameters

    @property
    def label(self) -> str:
        parameters = self.parameters
        return "knows the release" + (
            " and the item features" if parameters.factors == "known" else ""
        )

    @classmethod
    def sentences(cls, findings: Sequence[Finding], audit: Audit) -> list[str]:
        finding = next(iter(findings), None)
        right = finding.share("top1") if finding else None
        blind = finding.share("top1_random") if finding else None
        if right is None or blind is None:
            return []
        return [
            "Someone who knows nothing about a person and only looks at the rows picks another "
            f"row of the same person for {of_100(right)} of 100 rows, where a random choice would "
            f"do so for {figure_shown(blind)} of them."
        ]

    def applies(self, context: AuditContext) -> bool:
        return has_several_rows(context)

    def run(self, context: AuditContext, seed: int = 0, progress: Progress = SILENT) -> Finding:
        if not has_several_rows(context):
            return self._finding(context, seed, (), 0, ("Nobody has several rows: not measured.",))
        with progress.task("Linking rows") as task:
            training = adversary_training(context, self.parameters.share, seed, progress)
            if training.context is None:
                return self._finding(context, seed, (), 0, (training.note,))
            rng = Randomness.from_seed(seed).generator(self.name)
            mine, theirs = self._tables(training.context, context, seed, progress)
            scorer = PairScorer.trained(mine, rng, task)
            rows = sibling_rows(context, self._affordable(context), rng, training.targets)
            if scorer is None or len(rows) == 0:
                return self._finding(context, seed, (), 0, ("Too few people have several rows.",))
            figures = _link_figures(theirs, scorer, rows, rng, task)
            figures += self._joined(theirs, scorer, training.targets, rng, task)
        notes = [training.note, f"Partners were sought for {len(rows):,} rows, among all."]
        return self._finding(context, seed, figures, len(rows), tuple(notes))

    def _affordable(self, context: AuditContext) -> int:
        limit = max(int(PAIRS_AT_MOST / max(context.rows.n_users, 1)), FEWEST_ROWS)
        return min(self.parameters.rows, limit)

    def _tables(
        self, rehearsal: AuditContext, context: AuditContext, seed: int, progress: Progress
    ) -> tuple[PairTable, PairTable]:
        """The adversary's own rows and those of the release, ready to be compared."""
        both = (rehearsal, context)
        vectors = co_rating_vectors(rehearsal, both, seed, progress)
        known = self.parameters.factors == "known"
        factors = [one.factors(progress) if known and one.factors else NO_FACTORS for one in both]
        if any(one.shape[1] == 0 for one in factors):
            factors = [NO_FACTORS, NO_FACTORS]
        several = np.diff(rehearsal.linkage.offsets)
        each = float(several.sum() / max((several > 0).sum(), 1))
        first, second = (
            PairTable.of(*given, each) for given in zip(both, vectors, factors, strict=True)
        )
        return first, second

    def _joined(
        self,
        table: PairTable,
        scorer: PairScorer,
        targets: Mask,
        rng: np.random.Generator,
        task: Task,
    ) -> tuple[Figure, ...]:
        """What Scoreboard-RH gains with the row that it names, and with those joined to it."""
        parameters, context = self.parameters, table.context
        trials = min(parameters.tries, self._affordable(context))
        named = NamedRows.by_scoreboard(context, parameters.known, targets, trials, rng, task)
        if named is None:
            return ()
        joined = named.outcome(lambda rows: scorer.partners(table, rows, task))
        return joined_figures(joined, named.alone())

    def _finding(
        self,
        context: AuditContext,
        seed: int,
        figures: tuple[Figure, ...],
        sample: int,
        notes: tuple[str, ...],
    ) -> Finding:
        missing = self.parameters.factors == "known" and context.factors is None
        unknown = ("The item features are not at hand: attacked without.",) if missing else ()
        summary = f"The adversary {self.label}. {self.summary}"
        all_notes = (context.linkage.note, *notes, *unknown)
        return self.finding(summary, figures, sample, seed, all_notes)


def _link_figures(
    table: PairTable,
    scorer: PairScorer,
    rows: Indices,
    rng: np.random.Generator,
    task: Task,
) -> tuple[Figure, ...]:
    owners = owners_of(table.context)
    partner = scorer.partners(table, rows, task)[0][:, 0]
    right = (partner >= 0) & (owners[partner] == owners[rows])
    counts = np.diff(table.context.linkage.offsets)[owners[rows]]
    blind = (counts - 1) / max(table.context.rows.n_users - 1, 1)
    return (
        share_figure("top1", right.astype(float), "rows whose best partner is the same person's"),
        share_figure("top1_random", blind, "the same for a partner taken at random"),
        share_figure("auc", _auc(table, scorer, rows, rng), _AUC),
    )


_AUC = "how often a row of the same person looks likelier than one of somebody else"


def _auc(table: PairTable, scorer: PairScorer, rows: Indices, rng: np.random.Generator) -> Floats:
    """Of each row, the share of (own, other) pairs that are in the right order; ties count half."""
    first, own = siblings(table.context, rows)
    other_first, other = strangers(table.context, rows, rng)
    mine, theirs = (
        scorer.odds(table.pair_features(*pair)) for pair in ((first, own), (other_first, other))
    )
    shares = []
    for row in rows:
        those = np.sort(theirs[other_first == row])
        ours = mine[first == row]
        below = np.searchsorted(those, ours) + np.searchsorted(those, ours, side="right")
        if len(those):
            shares.append(below.mean() / (2 * len(those)))
    return np.array(shares)
