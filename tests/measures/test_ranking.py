from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from recloak.auditing.rehearsal import held_out, rehearsed
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext, Rehearsal
from recloak.evaluation.findings import Finding
from recloak.measures import measure
from recloak.measures._models import trained
from recloak.measures.ranking import Ranking
from recloak.methods import method
from recloak.testing import MeasureContract, context_of, random_ratings, with_rehearsal
from tests.measures.test_tailoring_utility import rehearsal_of, tasteful, torn, values_of


class TestRanking(MeasureContract):
    name = "ranking"
    parameters = {"top": 3}


class TestItemMean(MeasureContract):
    name = "ranking"
    parameters = {"recommender": "item-mean", "liked": 0.0}


def plain_list(rehearsal: Rehearsal, user: int, side: str, top: int) -> list[int]:
    """Every item that the person has not rated, one by one."""
    support = rehearsal.known.item_support
    scored = []
    for item in range(rehearsal.known.n_items):
        if item in rehearsal.known.row(user)[0]:
            continue
        score = float(support[item])
        if side == "":
            code = rehearsal.item_in_release[item]
            if code < 0:
                continue
            row = rehearsal.row_for(np.array([user]), np.array([item]))
            score = estimate(rehearsal, "release", row, code)
        if side == "_original":
            score = estimate(rehearsal, "original", np.array([user]), item)
        scored.append((-score, -support[item], item))
    return [item for *_, item in sorted(scored)[:top]]


def estimate(rehearsal: Rehearsal, side: str, row: np.ndarray, item: int) -> float:
    model = trained(rehearsal, "factorization", side).recommender  # type: ignore[arg-type]
    cell = row.astype(np.int32), np.array([item], np.int32)
    return float(model.estimate(*cell, None)[0])  # type: ignore[arg-type]


@pytest.mark.parametrize("side", ["", "_original", "_popular"])
def test_equals_a_plain_ranking(side: str) -> None:
    context = torn(tasteful(60, 30))
    rehearsal = rehearsal_of(context)
    found = values_of(measure("ranking:top=4,liked=0.6").run(context))
    precision, recall, ndcg = [], [], []
    for user in np.unique(rehearsal.users):
        mine = (rehearsal.users == user) & (rehearsal.truth >= 1 + 0.6 * 4)
        wanted = set(rehearsal.items[mine].tolist())
        if not wanted:
            continue
        hits = [item in wanted for item in plain_list(rehearsal, user, side, 4)]
        gains = [1 / np.log2(place + 2) for place in range(4)]
        precision.append(sum(hits) / 4)
        recall.append(sum(hits) / len(wanted))
        ndcg.append(np.dot(hits, gains) / sum(gains[: len(wanted)]))
    assert found[f"precision{side}"] == pytest.approx(np.mean(precision))
    assert found[f"recall{side}"] == pytest.approx(np.mean(recall))
    assert found[f"ndcg{side}"] == pytest.approx(np.mean(ndcg))


def test_tastes_make_better_lists_than_popularity() -> None:
    found = values_of(measure("ranking").run(with_rehearsal(context_of(tasteful()))))
    assert found["ndcg"] > 1.2 * found["ndcg_popular"]
    assert found["ndcg"] == pytest.approx(found["ndcg_original"], rel=0.1)


class InSmallBlocks(Ranking):
    cells_per_block = 200


def test_blocks_of_people_make_no_difference() -> None:
    context = with_rehearsal(context_of(tasteful()))
    whole = measure("ranking").run(context)
    assert InSmallBlocks().run(context) == whole


def test_a_sample_of_people_is_drawn_under_the_seed() -> None:
    context = with_rehearsal(context_of(tasteful()))
    one, two = (measure("ranking:people=50").run(context, seed=seed) for seed in (1, 2))
    assert one.sample == two.sample == 50
    assert values_of(one) != values_of(two)


def test_what_is_bought_counts_as_liked_and_falls_back_on_popularity() -> None:
    cells = random_ratings(100, 30, 0.3)
    bought = Ratings.from_columns(cells.user_codes(), cells.items)
    found = values_of(measure("ranking").run(with_rehearsal(context_of(bought))))
    assert found["precision"] == found["precision_popular"] > 0


def test_nobody_liked_anything() -> None:
    cells = random_ratings(100, 30, 0.3)
    context = with_rehearsal(context_of(cells.with_values(np.ones(len(cells), np.float32))))
    finding: Finding = measure("ranking").run(context)
    assert finding.figures == ()
    assert "liked" in finding.notes[0]


def test_more_asked_for_than_there_is() -> None:
    context = with_rehearsal(context_of(random_ratings(60, 8, 0.5)))
    found = values_of(measure("ranking:top=50").run(context))
    assert found["recall"] == found["recall_original"] == found["recall_popular"] == 1


def test_a_release_that_could_not_be_rehearsed_is_ranked_too() -> None:
    context = context_of(tasteful())
    rehearsal = held_out(context.original, context.rows, context.linkage)
    foreign: AuditContext = replace(context, rehearsal=rehearsal)
    found = values_of(measure("ranking").run(foreign))
    assert found["ndcg"] > found["ndcg_popular"]


def test_an_item_that_the_release_lacks_is_not_recommended() -> None:
    original = tasteful()
    rehearsal = rehearsed(original, method("pseudonymize"))
    lacking = replace(rehearsal, item_in_release=np.full(original.n_items, -1))
    found = values_of(measure("ranking").run(replace(context_of(original), rehearsal=lacking)))
    assert found["recall"] == 0
    assert found["recall_original"] > 0
