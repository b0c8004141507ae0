"""What is promised of groups, in words that follow the numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from recloak.attacks.link_existence import BANDS
from recloak.evaluation.findings import Audit, Figure, Finding, Verdict
from recloak.evaluation.promises import Promise
from recloak.report import render_html
from recloak.report._view import view_of
from recloak.report.charts import charts_of
from recloak.report.wording._risks import caveats, knowledge
from tests.report.samples import NAN, attacked, definitions_for, linkage, said_by, said_first


def promises(audit: Audit) -> list[Promise]:
    return view_of(audit).promises


def link_sentence(audit: Audit) -> str | None:
    sentences = said_by("link-existence", audit)
    return next((one for one in sentences if "one of k" in one or "one in k" in one), None)


def absence_sentence(audit: Audit) -> str | None:
    sentence = said_by("link-existence", audit)
    return next((one for one in sentence if "profile lacks" in one or "they lack" in one), None)


def homogeneity_sentence(audit: Audit) -> str | None:
    return said_first("homogeneity", audit)


def verbatim_sentence(audit: Audit) -> str | None:
    return said_first("profile-inversion", audit, "the only one of the item")


def around(name: str, value: float, half: float = 0.01, unit: str = "share") -> Figure:
    return Figure(name, value, value - half, value + half, unit)  # type: ignore[arg-type]


def finding(name: str, *figures: Figure, **parameters: object) -> Finding:
    return Finding("attack", name, parameters, "s", "l", figures, 500, 7)


def links(rare: float = 0.19, common: float = 0.32, absent: float = 1300.0) -> Finding:
    return finding(
        "link-existence",
        around("rated_given_edge", 0.28),
        around("prior", 0.11),
        Figure("promise", 0.2, 0.2, 0.2),
        around("rated_rare", rare),
        Figure("prior_rare", 0.005, 0.005, 0.005),
        Figure("bound_rare", 0.203, 0.203, 0.203),
        around("rated_common", common),
        Figure("prior_common", 0.2, 0.2, 0.2),
        around("absent", absent, 5, "count"),
        around("absent_true", 0.9 * absent, 5, "count"),
    )


def structure(success: float) -> Finding:
    return finding("structure", around("success", success), known=4, tries=1000)


def states(audit: Audit) -> list[str]:
    return [one.word for one in promises(audit)]


def test_each_promise_is_judged_by_its_numbers() -> None:
    audit = attacked(structure(0.03), structure(0.02), links())
    assert states(audit) == ["Holds", "Does not hold", "Holds"]
    found, link, popular = promises(audit)
    assert "at most 20.0% (1/k)" in found.name
    assert "finds 3.0% (2.0%–4.0%), the most of 2 attacks" in found.found
    assert link.found == (
        "The chance is 32.0% (31.0%–33.0%) for items that at least 10 in 100 people rated, and "
        "28.0% (27.0%–29.0%) over all that profiles list; popularity alone would tell 11.0% "
        "(10.0%–12.0%)."
    )
    assert popular.found == (
        "It is 19.0% (18.0%–20.0%) against 20.3% for items that fewer than 1 in 100 people rated."
    )


@pytest.mark.parametrize(
    ("common", "word"), [(0.18, "Holds"), (0.195, "Undecided"), (0.21, "Does not hold")]
)
def test_an_interval_that_reaches_beyond_leaves_it_undecided(common: float, word: str) -> None:
    assert states(attacked(links(0.1, common)))[0] == word


def test_rows_that_were_compared_decide_what_a_sample_leaves_open() -> None:
    audit = attacked(structure(0.195), links())
    assert states(audit)[0] == "Undecided"
    proved = replace(audit, verdicts=(Verdict("k-anonymity:k=5", "holds", "compared"),))
    assert states(proved)[0] == "Holds"
    assert states(replace(proved, attacks=(structure(0.3), links())))[0] == "Does not hold"


def test_the_second_promise_fails_by_itself_and_may_not_apply() -> None:
    assert states(attacked(links(rare=0.25)))[1] == "Does not hold"
    one = links()
    without = tuple(figure for figure in one.figures if figure.name != "bound_rare")
    assert states(attacked(replace(one, figures=without)))[1] == "Does not apply"


def test_sentences_tell_the_numbers() -> None:
    audit = attacked(
        linkage(4, 0.1),
        links(),
        finding("homogeneity", around("half_step", 0.75), around("item_mean", 0.37)),
        finding("profile-inversion", around("alone", 0.46), around("verbatim", 0.46)),
    )
    assert str(link_sentence(audit)).startswith("Being one of k does not hide what a person rated.")
    assert "about 75 (74–76) of 100 of their other ratings can be read" in str(
        homogeneity_sentence(audit)
    )
    assert "gives about 37 (36–38)" in str(homogeneity_sentence(audit))
    assert "1,300 items per person" in str(absence_sentence(audit))
    assert "it is true of 1,170" in str(absence_sentence(audit))
    assert "about 46 (45–47) are the only one" in str(verbatim_sentence(audit))
    assert "by chance" not in str(verbatim_sentence(audit))
    floor = replace(audit, release={"parameters": {"floor": 3}})
    assert "by chance, if no label rests on fewer than 3 ratings" in str(verbatim_sentence(floor))
    view = view_of(audit)
    assert link_sentence(audit) in view.sentences
    assert [one.word for one in view.promises] == ["Holds", "Does not hold", "Holds"]


def test_nothing_is_said_of_what_was_not_measured() -> None:
    for audit in (
        attacked(linkage(4, 0.5)),
        attacked(replace(links(), sample=0)),
        attacked(replace(links(), figures=())),
        attacked(replace(links(), figures=(Figure("promise", NAN),))),
    ):
        assert promises(audit) == []
        for sentence in (link_sentence, homogeneity_sentence, absence_sentence, verbatim_sentence):
            assert sentence(audit) is None
    assert "list every item" in str(absence_sentence(attacked(links(absent=0.0))))


def test_a_chart_by_popularity_has_the_bound_where_there_is_one() -> None:
    audit = attacked(links())
    (chart,) = [one for one in charts_of(audit) if one.identity == "link-existence"]
    assert len(chart.table.rows) == 2 < len(BANDS)
    assert chart.table.rows[0][3] == "20.3% (20.3%–20.3%)"
    assert chart.table.rows[1][3] == "—"
    assert any("promise" in term for term, _ in definitions_for(audit))


def test_structure_knows_items_not_ratings() -> None:
    assert knowledge(structure(0.1)) == "4 rated items, but not the ratings themselves"


def test_the_page_shows_promises_where_there_are_groups() -> None:
    page = render_html(attacked(structure(0.03), links()))
    assert "What groups of k are said to promise" in page
    assert page.count("Does not hold") == 1
    assert "What groups of k" not in render_html(attacked(linkage(4, 0.5)))


def test_a_low_rate_is_no_comfort_where_the_group_is_found() -> None:
    found = finding("structure", around("success", 0.19), around("group_found", 0.93), known=4)
    audit = attacked(linkage(4, 0.1), found)
    (sentence,) = caveats(audit)
    assert sentence.endswith("is named in about 93 (92–94) of 100 tries by structure (l).")
    sentences = view_of(audit).sentences
    assert sentence in sentences
    assert not any("Most tries fail" in one or "rarely finds" in one for one in sentences)
    certain = attacked(linkage(4, 0.9), found)
    assert sentence in view_of(certain).sentences
    assert any("can expect to find" in one for one in view_of(certain).sentences)
    assert caveats(attacked(linkage(4, 0.1))) == []
