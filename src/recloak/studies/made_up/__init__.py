"""Studies of made-up people: what they are worth and give away, beside a prototype's figures."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

from recloak.attacks import attack
from recloak.auditing.control_rehearsal import control_group
from recloak.auditing.evaluation_registry import evaluation
from recloak.core.progress import Progress
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext, match_items
from recloak.evaluation.findings import Finding
from recloak.methods.base import Method
from recloak.releases.linkage import Linkage
from recloak.studies.base import Cell, Measured, Study

MEMBERSHIP = attack("membership:known=0").spec
INFERENCE = attack("inference:known=20,worst_tenth=no").spec
FOLD_IN = "fold-in"
EVERYBODY = 1 << 62  # of ratings: nobody is left out of a rehearsal for want of time
PROTOCOL = (
    "Each method is run on nine of ten people, another tenth left out for each seed. The people "
    "left out have two roles. They are the newcomers: a recommender that was trained on the "
    "release gets half of their ratings and predicts the others (`fold-in`). They are also the "
    "control group of the attacks: the same attacker is tried on them and on as many members "
    "with about as many ratings. If there are few people, several tenths are left out in turn. ± "
    "is the standard deviation over seeds."
)
PROTOTYPE_NOTE = (
    "Prototype: one split, one seed, a script of its own; its settings of `synthetic` were "
    "chosen on the same outsiders; the other methods ran with untuned settings."
)


class MadeUpStudy(Study):
    """A study of the method `synthetic`, which has no paper."""

    reference: ClassVar[str] = (
        "No paper: a method of our own. Explained in docs/explanation/synthetic.md."
    )
    data_sets: ClassVar[tuple[str, ...]] = ("ml-100k", "ml-1m")


class MethodRun(NamedTuple):
    """What was found of one method with one seed, and the CPU seconds that it took to run."""

    findings: dict[str, Finding]
    seconds: float

    def value(self, spec: str, figure: str) -> float | None:
        """A figure of an attack or a measure; None if it was not run or not measured."""
        finding = self.findings.get(spec)
        found = finding.figure(figure) if finding else None
        return None if found is None else found.value


def tried(
    ratings: Ratings, method: Method, specs: Sequence[str], seed: int, progress: Progress
) -> MethodRun:
    """Run the method without some people, and each attack and measure on what it makes."""
    control = control_group(ratings, method, seed, most_ratings=EVERYBODY)
    started = time.process_time()
    rows = control(0, 0, progress).rehearsed.rows
    seconds = time.process_time() - started
    nobody = Linkage.of_nobody(ratings.n_users)
    context = AuditContext(ratings, rows, nobody, match_items(ratings, rows), control=control)
    found: dict[str, Finding] = {}
    for spec in specs:
        one: Any = evaluation(spec)
        found[spec] = one.run(context, seed, progress)
    return MethodRun(found, seconds)


def mean_of(runs: Sequence[MethodRun], spec: str, figure: str) -> Measured | None:
    """A figure over the seeds; nothing if no run has it."""
    values = [value for run in runs if (value := run.value(spec, figure)) is not None]
    return Measured.of(values) if values else None


def place_of(cell: Cell | Measured) -> float | None:
    """A cell as a place in a chart; None for one without a number."""
    if isinstance(cell, Measured):
        return cell.mean
    return float(cell) if isinstance(cell, (int, float)) else None
