"""The page: complete, well formed, self-contained, and harmless whatever the labels say."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from itertools import pairwise

import pytest

from recloak.core.page_text._glossary_links import linked
from recloak.evaluation.findings import Audit, PolicyResult, Verdict
from recloak.report import render_html
from tests.report.samples import HOSTILE, attacked, linkage
from tests.report.wording.test_glance import SINGLED, TOLD
from tests.support.page_reader import Element, read_page

ADDRESS = re.compile(r"^\s*(?:[a-z]+:|//)", re.IGNORECASE)


@pytest.fixture
def page(any_audit: Audit) -> Element:
    return read_page(render_html(any_audit))


def _everything(element: Element) -> list[Element]:
    return [one for child in element.children for one in (child, *_everything(child))]


def test_one_heading_at_the_top_and_no_level_left_out(page: Element) -> None:
    levels = [int(one.tag[1]) for one in _everything(page) if re.fullmatch("h[1-6]", one.tag)]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_language_and_title_are_given(page: Element) -> None:
    (html,) = page.all("html")
    assert html.attributes["lang"] == "en"
    assert all(title.text for title in page.all("title"))


def test_tables_can_be_read_by_ear(page: Element) -> None:
    for table in page.all("table"):
        assert len(list(table.all("caption"))) == 1
        assert all(cell.attributes.get("scope") in ("row", "col") for cell in table.all("th"))
        widths = {sum(cell.tag in ("th", "td") for cell in row.children) for row in table.all("tr")}
        assert len(widths) == 1


def test_pictures_are_named_and_described(page: Element) -> None:
    identities = [one.attributes["id"] for one in _everything(page) if "id" in one.attributes]
    assert len(identities) == len(set(identities))
    for svg in page.all("svg"):
        assert svg.attributes["role"] == "img"
        assert [child.tag for child in svg.children[:2]] == ["title", "desc"]
        assert all(child.text for child in svg.children[:2])
        assert set(svg.attributes["aria-labelledby"].split()) <= set(identities)


def test_what_scrolls_can_be_reached_by_keyboard(page: Element) -> None:
    regions = [one for one in page.all("div") if one.attributes.get("class") == "scroll"]
    assert all(one.attributes["tabindex"] == "0" for one in regions)
    assert all(one.attributes["aria-label"] for one in regions)
    targets = {one.attributes.get("id") for one in _everything(page)}
    assert all(link.attributes["href"].removeprefix("#") in targets for link in page.all("a"))


def test_terms_lead_to_their_entry_in_the_glossary() -> None:
    page = read_page(render_html(attacked(SINGLED, TOLD)))
    entries = {one.attributes["id"]: one for one in page.all("div") if "id" in one.attributes}
    links = [one for one in page.all("a") if one.attributes.get("class") == "term"]
    assert {"singling out", "linkability", "inference", "control"} <= {
        one.text.lower() for one in links
    }
    for link in links:
        entry = entries[link.attributes["href"].removeprefix("#")]
        assert link.text.lower() == next(iter(entry.all("dt"))).text.lower()


def test_a_term_is_linked_once_and_never_inside_another_word() -> None:
    glossary = [("Control", ""), ("Release", ""), ("Worst-off tenth", "")]
    found = linked("A control & another control in controlled <b> worst-off tenth", glossary)
    assert found == (
        'A <a class="term" href="#term-control">control</a> &amp; another control in controlled '
        '&lt;b&gt; <a class="term" href="#term-worst-off-tenth">worst-off tenth</a>'
    )


def test_nothing_is_loaded_from_elsewhere(page: Element) -> None:
    assert not [one.tag for one in _everything(page) if one.tag in ("img", "link", "iframe")]
    (script,) = page.all("script")
    assert script.attributes == {}
    for caller in ("fetch", "XMLHttpRequest", "import", "WebSocket", "sendBeacon", "eval", "http:"):
        assert caller not in script.text.replace("http://www.w3.org/2000/svg", "")
    for one in _everything(page):
        for name, value in one.attributes.items():
            assert not name.startswith("on")
            if name in ("src", "href", "xlink:href", "action", "data"):
                assert not ADDRESS.match(value)
    (style,) = page.all("style")
    assert "url(" not in style.text
    assert "@import" not in style.text


def test_the_page_forbids_itself_to_load_anything(page: Element) -> None:
    (policy,) = [
        one.attributes["content"]
        for one in page.all("meta")
        if one.attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert re.findall(r"img-src ([^;]*)", policy) == ["data:"]
    for kind in ("style", "script"):
        (own,) = page.all(kind)
        digest = base64.b64encode(hashlib.sha256("".join(own.texts).encode()).digest()).decode()
        assert re.findall(rf"{kind}-src ([^;]*)", policy) == [f"'sha256-{digest}'"]


def test_hostile_texts_are_shown_as_text(hostile: Audit) -> None:
    text = render_html(hostile)
    assert text.count("<script") == 1  # ours: the policy of the page lets no other run
    assert "<img" not in text
    page = read_page(text)
    (heading,) = page.all("h1")
    assert HOSTILE.replace("  ", " ") in heading.text


def test_what_is_not_a_number_is_never_printed(any_audit: Audit) -> None:
    page = read_page(render_html(any_audit))
    (body,) = page.all("body")
    assert not re.search(r"\b(nan|inf|infinity)\b", body.text, re.IGNORECASE)
    for one in _everything(page):
        drawn = {"x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "points", "width", "height"}
        for name in drawn & set(one.attributes):
            assert not re.search("nan|inf", one.attributes[name])


def test_control_characters_and_half_pairs_do_not_reach_the_page(hostile: Audit) -> None:
    text = render_html(hostile)
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]", text)
    text.encode()


def test_the_same_audit_gives_the_same_page(any_audit: Audit) -> None:
    assert render_html(any_audit) == render_html(replace(any_audit))


def test_the_officer_comes_first_then_the_analyst_then_the_appendix(full: Audit) -> None:
    page = read_page(render_html(full))
    assert [one.text for one in page.all("h2")] == ["Verdict", "Analysis", "Appendix"]


def test_whoever_signs_finds_data_day_policy_and_its_digest(full: Audit) -> None:
    signed = replace(full, data="our ratings", date="2026-11-18", policy_digest="ab" * 32)
    page = read_page(render_html(signed))
    (heading,) = page.all("h1")
    assert heading.text == "Audit of our ratings"
    (block,) = [one for one in page.all("div") if one.attributes.get("class") == "signature"]
    for expected in ("our ratings", "2026-11-18", "default", "ab" * 32, "recloak 0.1.0"):
        assert expected in block.text


def test_no_sentence_stands_in_many_rows(full: Audit) -> None:
    texts = [one.text for one in read_page(render_html(full)).all("td")]
    long = [text for text in texts if len(text) > 40]
    assert len(long) == len(set(long))


def test_every_kind_of_dot_is_explained(full: Audit) -> None:
    page = read_page(render_html(full))
    drawn = {one.attributes.get("class") for one in page.all("circle")}
    (legend,) = [one for one in page.all("ul") if one.attributes.get("class") == "dots"]
    explained = {one.attributes["class"].removeprefix("dot ") for one in legend.all("span")}
    kinds = {"found", "struck-person", "hidden-person"}
    assert explained == drawn & kinds


def test_the_top_says_that_the_report_is_internal(page: Element) -> None:
    (body,) = page.all("body")
    first = next(one for one in body.children if one.tag == "p")
    assert "do not hand it out with the release" in first.text


def test_a_release_not_for_publication_says_so_before_the_verdict(full: Audit) -> None:
    text = render_html(full)
    assert text.index("Made under a seed of fewer than 128 bits.") < text.index('id="verdict"')
    public = replace(full, release={**full.release, "not_for_publication": []})
    assert 'class="banner"' in text
    assert 'class="banner"' not in render_html(public)


def test_every_figure_note_parameter_and_fact_is_shown(full: Audit) -> None:
    shown = read_page(render_html(full)).text
    for finding in full.findings:
        assert finding.spec in shown
        assert all(figure.meaning in shown for figure in finding.figures)
        assert all(note in shown for note in finding.notes)
    for expected in (
        "93.0% 91.0%–95.0%",
        "0.0040 (−0.0060 to 0.0140)",
        "0.0610",
        "b81f",
        "Only a sample was compared.",
        "Columns left out age, zip",
        "6.3%",
        "Seed 7",
        "3.11.2",
        "12.3 s",
        "Utility is measured on a rehearsal",
        "The policy was not enforced",
    ):
        assert expected in shown


def test_policy_results_are_told_in_words(full: Audit) -> None:
    page = read_page(render_html(full))
    (policy_results,) = [
        one for one in page.all("table") if "policy-results" in one.attributes.get("class", "")
    ]
    states = [one.text for one in policy_results.all("span")]
    assert states == ["Failed", "Met", "Not measured"]


def test_a_finding_without_figures_is_shown(full: Audit) -> None:
    nobody = replace(linkage(4, 0.5), figures=(), sample=0, notes=("Nobody has 4 ratings.",))
    shown = read_page(render_html(replace(full, attacks=(nobody,)))).text
    assert "Nobody has 4 ratings." in shown
    assert "There are no figures." in shown


def test_a_passing_audit_with_a_claim_that_holds(minimal: Audit) -> None:
    passing = replace(
        minimal,
        verdicts=(Verdict("k-anonymity:k=5", "holds", "All rows were compared."),),
        policy_results=(PolicyResult("k-anonymity:k=5 holds", "pass", "holds"),),
    )
    shown = read_page(render_html(passing)).text
    assert "Passes" in shown
    assert "What was checked to hold is k-anonymity:k=5." in shown


def test_of_what_a_model_was_asked_the_page_has_names_not_every_query(full: Audit) -> None:
    query = {"name": "taste moments", "entries": 9, "sensitivity": 1.0, "share": 0.0, "sigma": 0.0}
    account = {"unit": "user", "floor": 10, "queries": [query] * 3}
    made = replace(full, release={**full.release, "account": account})
    html = render_html(made)
    assert "3 looks at the data, each in the manifest: taste moments" in html
    assert "sensitivity" not in html
    assert made.release["account"] == account


def test_a_found_figure_has_a_real_minus_sign(full: Audit) -> None:
    result = PolicyResult("excess at most 0.1", "fail", "0.0% (-20.4% to 20.4%)", "so it is")
    assert "0.0% (−20.4% to 20.4%)" in render_html(replace(full, policy_results=(result,)))
