"""Guesses of attacks that seek people of a sample among all rows, and the same in memory."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from recloak.attacks import attack
from recloak.attacks._all_rows import among_all, support_of
from recloak.attacks._attacked_table import AttackedTable, outcomes_of, unprotected_context
from recloak.attacks._match_rules import known_ratings_of, match_rules_of
from recloak.attacks._scanned_table import ScannedTable
from recloak.attacks._scoring import ScoreboardAttack
from recloak.attacks._strategies import OutcomesByStrategy, Strategy
from recloak.attacks._trials import TargetSampler, Trials
from recloak.attacks.bayes_linkage._adversary import AdversaryOfAll
from recloak.attacks.bayes_linkage._all_holders import AllHolders
from recloak.attacks.bayes_linkage._choice import candidates_of, rows_by_block
from recloak.attacks.bayes_linkage._holders import HolderWeigher
from recloak.attacks.bayes_linkage._knowledge import KnowledgeModel
from recloak.core.arrays import Floats
from recloak.core.progress import SILENT
from recloak.core.ratings import Ratings
from recloak.evaluation.all_rows import Everyone
from recloak.evaluation.context import AuditContext, match_items
from recloak.releases.base import Release
from recloak.releases.secret import Secret

TRIES = 40
SCOREBOARDS = ("scoreboard", "scoreboard-rh:phi=0.5")
Guesses = dict[str, list[list[float]]]


def context_of_audit(
    original: Ratings, release: Release, secret: Secret, everyone: Everyone | None = None
) -> AuditContext:
    """What attacks of an audit look at."""
    rows = release.as_ratings()
    linkage, items = secret.linkage(original, rows), match_items(original, rows)
    return AuditContext(original, rows, linkage, items, release=release, everyone=everyone)


def guesses_among_all(part: AuditContext, *, bayes: bool) -> Guesses:
    """What attacks guess in each try, of people of a sample among the rows of all."""
    trials, rules, found = trials_of(part), match_rules_of(part, "strongest"), {}
    tables = {
        "release": ScannedTable.of_release(part, rules, 0, SILENT),
        "original": ScannedTable.of_original(part, rules[:1], 0),
    }
    for where, table in tables.items():
        scans = list(table.scanned(trials, SILENT))
        for name in SCOREBOARDS:
            made = attack(name)
            assert isinstance(made, ScoreboardAttack)
            outcomes = made.outcomes_among_all(table, trials, scans)
            found |= _listed(f"{name} {where}", outcomes)
    if bayes:
        found["bayes"] = _bayes_among_all(part)
    return found


def guesses_in_memory(whole: AuditContext, part: AuditContext, *, bayes: bool) -> Guesses:
    """The same tries where all rows are in memory."""
    trials, found = of_all(trials_of(part), part, whole), {}
    for name in SCOREBOARDS:
        made = attack(name)
        assert isinstance(made, ScoreboardAttack)
        rules = match_rules_of(whole, "strongest")
        for where, context in {"release": whole, "original": unprotected_context(whole)}.items():
            there = rules if where == "release" else rules[:1]
            outcomes = in_memory(made, context, trials, 0, there)
            found |= _listed(f"{name} {where}", outcomes)
    if bayes:
        found["bayes"] = _bayes_in_memory(whole, part)
    return found


def trials_of(part: AuditContext) -> Trials:
    """Tries against people of a sample."""
    return TargetSampler.of(part, 3).draw(TRIES, 0.2, np.random.default_rng(5))


def in_memory(
    made: ScoreboardAttack, context: AuditContext, trials: Trials, days: float, rules: Any = None
) -> OutcomesByStrategy:
    """The outcomes of tries where all rows are in memory."""
    found: OutcomesByStrategy = {}
    rules = rules or match_rules_of(context, "strongest")
    table = AttackedTable.of(context, rules, days)
    for rule in rules:
        known = known_ratings_of(context, trials, rule, days)
        with SILENT.task("") as task:
            named = made.identify(table, known, trials, ("one", "tie"), task)
        for treatment, one in named.items():
            found[Strategy(rule, treatment)] = outcomes_of(context, trials, one)
    return found


def of_all(trials: Trials, part: AuditContext, whole: AuditContext) -> Trials:
    """Tries of people of a sample as tries of the same among everyone."""
    assert part.everyone is not None
    users = part.everyone.people[trials.users]
    moved = whole.original.offsets[users] - part.original.offsets[trials.users]
    positions = trials.positions + np.repeat(moved, np.diff(trials.offsets))
    return replace(trials, users=users, positions=positions)


def _listed(name: str, outcomes: OutcomesByStrategy) -> Guesses:
    return {
        f"{name}, {rule}, {treatment}": [column.tolist() for column in one]
        for (rule, treatment), one in outcomes.items()
    }


def _bayes_among_all(part: AuditContext) -> list[list[float]]:
    assert part.everyone is not None
    every = part.everyone.released
    maker = rows_by_block(part, part.everyone, SILENT)
    assert maker is not None
    model = _model(among_all(part, part.everyone))
    holders = AllHolders(every, support_of(every, SILENT), maker, model)
    adversary = AdversaryOfAll(part, holders, model)
    found = adversary.attack(_able(part), 1, np.random.default_rng(4), SILENT)
    return [found.success[0].tolist(), found.confidence[0].tolist()]


def _bayes_in_memory(whole: AuditContext, part: AuditContext) -> list[list[float]]:
    assert part.everyone is not None
    model, rng = _model(whole), np.random.default_rng(4)
    weights: Floats = model.weights_in_release(whole.rows.n_items)
    candidates: Any = candidates_of(whole, whole.original.values.astype(float), weights)
    weigher, found = HolderWeigher(candidates, model), []
    for user in part.everyone.people[_able(part)].tolist():
        rows, confidence = weigher.named(model.draw(whole.original, user, rng))
        own = set(whole.linkage.rows_of(user).tolist()).intersection(rows.tolist())
        found.append((len(own) / max(len(rows), 1), confidence))
    return [list(column) for column in zip(*found, strict=True)]


def _model(context: AuditContext) -> KnowledgeModel:
    return KnowledgeModel.of(context, "uniform", 3, 0.0, values=True)


def _able(part: AuditContext) -> Any:
    return np.flatnonzero(part.original.user_counts >= 3)
