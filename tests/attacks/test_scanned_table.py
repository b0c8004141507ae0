"""Tries against all rows, block by block, name the same rows as where all are in memory."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recloak.attacks import _scoring, attack
from recloak.attacks._all_rows import support_of
from recloak.attacks._attacked_table import unprotected_context
from recloak.attacks._match_rules import match_rules_of
from recloak.attacks._scanned_table import ScannedTable
from recloak.attacks._scoring import ScoreboardAttack
from recloak.attacks._trials import TargetSampler
from recloak.core.progress import SILENT
from tests.attacks.test_scoreboard import BOTH, fragmented
from tests.support.rivals import in_memory, of_all
from tests.support.rows_in_blocks import sampled

TRIES = 25


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10**6),
    name=st.sampled_from(BOTH),
    known=st.integers(1, 3),
    days=st.sampled_from([0, 0.5, 1]),
    few=st.booleans(),
    blocks=st.integers(1, 7),
)
def test_every_try_comes_out_as_in_memory(
    seed: int, name: str, known: int, days: float, few: bool, blocks: int
) -> None:
    whole = fragmented(seed, times=days > 0, few=few)
    people = np.sort(np.random.default_rng(seed).permutation(whole.original.n_users)[:7])
    part = sampled(whole, people, blocks, seed)
    made = attack(
        f"{name}:phi=0.5,days={days}" if name == "scoreboard-rh" else f"{name}:days={days}"
    )
    assert isinstance(made, ScoreboardAttack)
    sampler = TargetSampler.of(part, known)
    if len(sampler) == 0:
        return
    trials = sampler.draw(TRIES, 0.3, np.random.default_rng(seed))
    rules = match_rules_of(part, "strongest")
    tables = (
        (ScannedTable.of_release(part, rules, days, SILENT), whole),
        (ScannedTable.of_original(part, rules, days), unprotected_context(whole)),
    )
    for table, context in tables:
        expected = in_memory(made, context, of_all(trials, part, whole), days)
        found = made.outcomes_among_all(table, trials, table.scanned(trials, SILENT))
        assert [str(one.match_rule) for one in found] == [str(one.match_rule) for one in expected]
        for there, here in zip(expected.values(), found.values(), strict=True):
            for one, other in zip(there, here, strict=True):
                assert other.tolist() == pytest.approx(one.tolist())


def test_rows_of_others_are_rivals_and_the_finding_says_so() -> None:
    whole = fragmented(3)
    part = sampled(whole, np.arange(4), 3)
    made = attack("scoreboard:known=2,matching=items,width=0.5,at_least=300")
    alone = made.run(replace(part, everyone=None))
    among_all = made.run(part)
    success = [one.figure("success").value for one in (alone, among_all)]
    assert success[1] < success[0]
    assert any("among all 24 rows" in note for note in among_all.notes)
    assert among_all.sample == 300


def test_of_very_many_ratings_fewer_tries_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    part = sampled(fragmented(3), np.arange(4), 3)
    assert part.everyone is not None
    ratings = int(part.everyone.item_support.sum())
    made = attack("scoreboard:known=2,matching=items,width=0.02,at_least=30")
    assert made.run(part).sample > 2_000
    for affordable, tries in ((200, 200), (5, 30)):
        monkeypatch.setattr(_scoring, "_MOST_COMPARISONS", affordable * ratings)
        assert made.run(part).sample == tries


def test_what_travels_to_workers_can_be_pickled_and_rows_are_counted_once() -> None:
    part = sampled(fragmented(3), np.arange(4), 3)
    assert part.everyone is not None
    every = part.everyone.released
    counted = support_of(every, SILENT)
    assert support_of(every, SILENT) is counted
    assert counted.sum() == every.rows.n_ratings  # type: ignore[attr-defined]
    seen: list[bytes] = []

    class Pickling(type(every)):  # type: ignore[misc]
        def gathered(self, work: object, merged: object, *rest: object) -> object:
            seen.append(pickle.dumps((work, merged)))
            return super().gathered(work, merged, *rest)

    pickling = Pickling(every.rows, every.ids, 2)  # type: ignore[attr-defined]
    part = replace(part, everyone=replace(part.everyone, released=pickling))
    attack("scoreboard-rh:known=2").run(part)
    assert len(seen) == 2
