"""Sentences on attackers who join rows: no promise beyond what the stronger one allows."""

from __future__ import annotations

from dataclasses import replace

from recloak.evaluation.findings import Audit, Figure, Finding
from recloak.report.wording._risks import kept_sentence
from tests.report.samples import NAN, attacked, linkage, said_first, scored


def bound_sentence(audit: Audit) -> str | None:
    return said_first("subset-bound", audit)


def linking_sentence(audit: Audit) -> str | None:
    return said_first("fragment-linking", audit)


def counted(known: int, share: float, items: float) -> Finding:
    figures = (
        Figure("singled_out", share, share - 0.01, share + 0.01),
        Figure("items_singled_out", items, items - 1, items + 1, "count"),
    )
    return Finding("attack", "subset-bound", {"known": known}, "s", "l", figures, 500, 7)


def linked(*figures: Figure) -> Finding:
    return Finding("attack", "fragment-linking", {}, "s", "knows the release", figures, 1000, 7)


def test_the_attacker_who_joins_rows_speaks_where_he_was_tried() -> None:
    one, many = scored(20, 32.0, 144.0), scored(20, 65.0, 144.0)
    single = Figure("gain_single", 32.0, 31.0, 33.0, "count")
    many = replace(many, name="scoreboard-multi", figures=(*many.figures, single))
    sentence = kept_sentence(attacked(one, many, scored(5, 90.0, 100.0)))
    assert sentence == (
        "About a person of whom they know 20 ratings, an attacker who joins all rows that fit "
        "together would learn 144 further items from the unprotected data on average; from the "
        "release they learn 65, 45.1% of that (one who names a single row, 32)."
    )


def test_the_count_is_told_for_the_most_that_is_known() -> None:
    sentence = bound_sentence(attacked(counted(2, 0.1, 2.0), counted(20, 0.98, 40.0)))
    assert sentence == (
        "About 98 (97–99) of 100 ways to choose 20 ratings of a person single out a row of theirs "
        "beyond doubt, with 40 further ratings in these rows on average; an attacker who goes by "
        "likelihood, or by which rows cannot be one person's, can find more."
    )
    assert bound_sentence(attacked(linkage(4, 0.5))) is None
    assert "further ratings" not in str(bound_sentence(attacked(counted(2, 0.1, NAN))))


def test_linking_is_told_beside_chance() -> None:
    both = linked(Figure("top1", 0.13, 0.11, 0.15), Figure("top1_random", 0.0007, 0.0, 0.004))
    sentence = str(linking_sentence(attacked(both)))
    assert "about 13 (11–15) of 100 rows" in sentence
    assert "a random choice" in sentence
    assert linking_sentence(attacked(linked())) is None
    assert linking_sentence(attacked(linkage(4, 0.5))) is None
