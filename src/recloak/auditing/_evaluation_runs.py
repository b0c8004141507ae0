"""Running the attacks and measures of an audit, several at once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass, replace

from recloak.attacks import attack
from recloak.auditing._allocator import give_back_memory
from recloak.auditing._blas import one_blas_thread
from recloak.core.parallel import thread_count
from recloak.core.progress import Progress, Staged, Task
from recloak.core.side_by_side import Steps, side_by_side
from recloak.evaluation import Evaluation
from recloak.evaluation.context import AuditContext
from recloak.evaluation.findings import Finding
from recloak.measures import measure
from recloak.releases.linkage import NO_ROW, Linkage

# Of more ratings one evaluation runs at a time, on all cores where it can: what each of them holds
# in memory would else be held several times.
MOST_RATINGS = 10_000_000
GIVEN_BACK = 1_000_000
"""Of so many ratings an evaluation leaves enough memory behind for it to be given back."""


def run_all(
    attacks: Iterable[str],
    measures: Iterable[str],
    context: AuditContext,
    seed: int,
    progress: Progress,
) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """The findings of attacks and of measures, each in the order in which they are written.

    The same thing written in two ways counts as one.
    """
    families = [_each_once(map(attack, attacks)), _each_once(map(measure, measures))]
    with ExitStack() as tasks, one_blas_thread():
        stages = [stage for one in families for stage in _stages(one, progress, tasks)]
        found = dict(_found(stages, context, seed, progress)) if stages else {}
    of_attacks, of_measures = (tuple(found[one.spec] for one in family) for family in families)
    return of_attacks, of_measures


@dataclass(frozen=True)
class _Stage:
    """An evaluation, what it is called while it runs, and the task that counts those like it."""

    runner: Evaluation
    label: str
    task: Task


_Found = list[tuple[str, Finding]]


def _each_once(runners: Iterable[Evaluation]) -> list[Evaluation]:
    return list({runner.spec: runner for runner in runners}.values())


def _stages(family: list[Evaluation], progress: Progress, tasks: ExitStack) -> list[_Stage]:
    if not family:
        return []
    what, count = family[0].family.capitalize(), len(family)
    task = tasks.enter_context(progress.task(f"{what}s", count))
    return [
        _Stage(runner, f"{what} {number} of {count}, {runner.name}", task)
        for number, runner in enumerate(family, 1)
    ]


def _found(stages: list[_Stage], context: AuditContext, seed: int, progress: Progress) -> _Found:
    """What all find; those that share something first, for together they take longest."""
    turns: dict[str, list[_Stage]] = {}
    for stage in stages:
        turns.setdefault(stage.runner.takes_turns or stage.runner.spec, []).append(stage)
    most = _most_at_once(context)
    works = [_one_by_one(turn, context, seed) for turn in _in_order([*turns.values()], most)]
    return [one for found in side_by_side(works, most, progress, stages[0].task) for one in found]


def _in_order(turns: list[list[_Stage]], most: int) -> list[list[_Stage]]:
    """Those that take longest first; one at a time, measures come before attacks.

    What attacks look rows up in stays in memory, and some measures need much for a while.
    """
    longest_first = sorted(turns, key=len, reverse=True)
    if most > 1:
        return longest_first
    return sorted(longest_first, key=lambda turn: turn[0].runner.family == "attack")


def _most_at_once(context: AuditContext) -> int:
    """How many run at once; ratings that are not all in memory are as many as very many are."""
    few = context.original.n_ratings <= MOST_RATINGS and context.everyone is None
    return thread_count() if few else 1


def _one_by_one(turn: list[_Stage], context: AuditContext, seed: int) -> Callable[[Steps], _Found]:
    def work(steps: Steps) -> _Found:
        found = []
        for stage in turn:
            started = time.perf_counter()
            finding = stage.runner.run(context, seed, Staged(steps, stage.label))
            finding = replace(
                _explained(finding, context.linkage), seconds=time.perf_counter() - started
            )
            if context.original.n_ratings >= GIVEN_BACK:
                give_back_memory()
            found.append((stage.runner.spec, finding))
            steps.finished(task=stage.task)
        return found

    return work


def _explained(finding: Finding, linkage: Linkage) -> Finding:
    """What nobody could score says what would make it measurable, whoever wrote the evaluation."""
    if finding.figures or linkage.links or NO_ROW in finding.notes:
        return finding
    if linkage.is_of_nobody and linkage.note in finding.notes:
        return replace(finding, notes=(NO_ROW,))
    if linkage.note in finding.notes:
        return finding
    return replace(finding, notes=(*finding.notes, linkage.note))
