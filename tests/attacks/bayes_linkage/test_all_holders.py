"""The Bayesian adversary names the same rows among all rows, block by block, as in memory."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from recloak.attacks import attack
from recloak.attacks._all_rows import among_all, support_of
from recloak.attacks.bayes_linkage._adversary import Adversary, AdversaryOfAll
from recloak.attacks.bayes_linkage._all_holders import AllHolders
from recloak.attacks.bayes_linkage._choice import candidates_of, rows_by_block
from recloak.attacks.bayes_linkage._holders import HolderWeigher
from recloak.attacks.bayes_linkage._knowledge import KnowledgeModel, Model
from recloak.core.progress import SILENT
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext
from recloak.testing.contexts import context_of
from recloak.testing.data import random_ratings
from tests.support.rows_in_blocks import RowsInBlocks, sampled

METHODS: dict[str, dict[str, Any]] = {
    "pseudonymize": {},
    "gaussian-noise": {"sigma": 0.7},
    "uniform-noise": {"sigma": 0.5, "rounding": "step"},
}
PEOPLE = np.arange(0, 90, 3)


@pytest.fixture(scope="module")
def original() -> Ratings:
    return random_ratings(90, 12, 0.5)


def of_all(part: AuditContext, model: KnowledgeModel) -> AllHolders:
    assert part.everyone is not None
    maker = rows_by_block(part, part.everyone, SILENT)
    assert maker is not None
    pickle.dumps(maker)
    every = part.everyone.released
    return AllHolders(every, support_of(every, SILENT), maker, model)


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize(
    ("model", "known", "wrong", "values"),
    [
        ("uniform", 2, 0.0, True),
        ("uniform", 0, 0.0, True),
        ("popular", 3, 0.0, False),
        ("rare", 2, 0.0, True),
        ("uniform", 3, 0.2, True),
    ],
)
@pytest.mark.parametrize("blocks", [1, 6])
def test_each_try_names_the_same_rows_with_the_same_confidence(
    original: Ratings, name: str, model: Model, known: int, wrong: float, values: bool, blocks: int
) -> None:
    whole = context_of(original, name, **METHODS[name])
    part = sampled(whole, PEOPLE, blocks, seed=blocks)
    assert part.everyone is not None
    here = KnowledgeModel.of(among_all(part, part.everyone), model, known, wrong, values=values)
    there = KnowledgeModel.of(whole, model, known, wrong, values=values)
    weigher = HolderWeigher(_rows(whole, there), there)
    adversary = AdversaryOfAll(part, of_all(part, here), here)
    able = np.flatnonzero(part.original.user_counts >= max(known, 1))
    found = adversary.attack(able, 2, np.random.default_rng(4), SILENT)
    rng = np.random.default_rng(4)
    for at, user in enumerate(np.tile(able, 2).tolist()):
        about = there.draw(whole.original, int(PEOPLE[user]), rng)
        rows, confidence = weigher.named(about)
        own = set(whole.linkage.rows_of(int(PEOPLE[user])).tolist())
        success = len(own.intersection(rows.tolist())) / max(len(rows), 1)
        cell = divmod(at, len(able))
        assert found.success[cell] == pytest.approx(success)
        assert found.confidence[cell] == pytest.approx(confidence)
        assert found.nobody[cell] == (len(rows) == 0)
    assert found.success.max() > 0


def _rows(context: AuditContext, model: KnowledgeModel) -> Any:
    weights = model.weights_in_release(context.rows.n_items)
    return candidates_of(context, context.original.values.astype(float), weights)


def test_as_many_people_are_attacked_as_in_memory(original: Ratings) -> None:
    whole = context_of(original)
    model = KnowledgeModel.of(whole, "uniform", 2, 0.0, values=True)
    holders = of_all(sampled(whole, np.arange(90), 2), model)
    assert holders.work == HolderWeigher(_rows(whole, model), model).work
    part = sampled(whole, np.arange(90), 2)
    everyone = np.arange(90)
    count = AdversaryOfAll(part, holders, model).affordable(everyone, 50, 2)
    assert count == Adversary(_rows(whole, model), model).affordable(original, everyone, 50, 2)


def test_rows_of_others_are_rivals_and_the_finding_says_so(original: Ratings) -> None:
    part = sampled(context_of(original), PEOPLE[:6], 4)
    found = attack("bayes-linkage:known=2,values=no").run(part)
    assert any("among all 90 rows" in note for note in found.notes)
    assert found.figure("success").value < 0.3


def test_fragments_are_sought_in_the_sample(original: Ratings) -> None:
    """What a fragment tells hangs on all others: that is no sum over rows."""
    whole = context_of(original, "fragmentation", fragments=3, factors=4)
    found = attack("bayes-linkage:known=2").run(sampled(whole, PEOPLE, 4))
    assert found.figures
    assert not any("among all" in note for note in found.notes)


def test_a_block_without_any_holder_changes_nothing(original: Ratings) -> None:
    part = sampled(context_of(original), PEOPLE, 3)
    assert part.everyone is not None
    every = part.everyone.released
    assert isinstance(every, RowsInBlocks)
    model = KnowledgeModel.of(among_all(part, part.everyone), "uniform", 2, 0.0, values=True)
    known = [model.draw(part.original, 0, np.random.default_rng(1))]
    more = RowsInBlocks(every.rows, every.ids, 200)  # some of them hold no row at all
    few, many = (
        AllHolders(one, support_of(every, SILENT), _maker(part), model).named(
            known, [np.empty(0, np.int64)], SILENT
        )
        for one in (every, more)
    )
    assert few[0].named.tolist() == many[0].named.tolist()
    assert few[1].tolist() == pytest.approx(many[1].tolist())


def _maker(part: AuditContext) -> Any:
    assert part.everyone is not None
    return rows_by_block(part, part.everyone, SILENT)
