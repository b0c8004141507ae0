"""Sentences on who holds two releases."""

from __future__ import annotations

from recloak.evaluation.findings import Audit, Figure, Finding
from tests.report.samples import attacked, definitions_for, linkage, said_by


def difference_sentences(audit: Audit) -> tuple[str, ...]:
    return tuple(said_by("release-difference", audit))


def compared(*figures: Figure, note: str = "how") -> Finding:
    given = {"recent": 3}
    return Finding("attack", "release-difference", given, "s", "l", figures, 500, 7, notes=(note,))


LINKED = Figure("linked", 0.57, 0.47, 0.66)


def test_nothing_is_said_without_an_earlier_release() -> None:
    assert difference_sentences(attacked(linkage(4, 0.5))) == ()


def test_what_was_not_attacked_is_said() -> None:
    (sentence,) = difference_sentences(attacked(compared(note="They are unlike: not attacked.")))
    assert str(sentence).endswith("gives away: They are unlike: not attacked.")


def test_rows_that_changed_and_what_is_new() -> None:
    audit = attacked(
        compared(
            LINKED,
            Figure("linked_newer", 0.2, 0.13, 0.28),
            Figure("changed_rows", 0.04, 0.03, 0.05),
            Figure("gain_joined", 61.5, 50, 73, "count"),
            Figure("gain_single", 32.9, 27, 38, "count"),
            Figure("found_recent", 0.74, 0.72, 0.76),
            Figure("found_recent_newer", 0.22, 0.2, 0.24),
        )
    )
    rows, recent = map(str, difference_sentences(audit))
    assert "57 (47–66) of 100 of them; from this release alone, for about 20 (13–28)" in rows
    assert "tell 61.5 further items; that row alone, 32.9." in rows
    assert recent.startswith(
        "Someone who knows 3 ratings that a person gave since then finds a row of theirs in"
    )
    assert {"Linked", "Found recent"} <= dict(definitions_for(audit)).keys()


def test_groups_and_single_rows() -> None:
    people = (
        Figure("candidates", 1.5, 1, 2, "count"),
        Figure("candidates_newer", 5, 4, 6, "count"),
    )
    (sentence,) = difference_sentences(attacked(compared(LINKED, *people)))
    assert "left with 1.5 people on average instead of 5" in str(sentence)
    half_steps = (Figure("half_step_both", 0.5, 0.4, 0.6), Figure("half_step_newer", 0.4, 0.3, 0.5))
    (sentence,) = difference_sentences(attacked(compared(LINKED, *half_steps)))
    assert "recognises the rows of about 57" in str(sentence)
    (sentence,) = difference_sentences(attacked(compared(LINKED)))
    assert "what belongs to one person" in str(sentence)
