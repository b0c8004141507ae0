"""Sentences: true and readable for any figures."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recloak.evaluation.findings import Audit, Figure, Finding, PolicyResult, Verdict
from recloak.evaluation.formatting import amount, fact_shown, figure_shown, of_100
from recloak.report.wording import enforcement, headline, made_sentence, not_covered
from recloak.report.wording._risks import (
    first_attack,
    found_sentence,
    gain_sentence,
    kept_sentence,
    knowledge,
    known_items,
    meaning_sentence,
    no_attack_sentence,
    strongest_sentence,
    utility_sentence,
    worst_off_sentence,
)
from tests.report.samples import INFINITY, NAN, attacked, linkage, prediction, said_first, scored


def inversion_sentence(audit: Audit) -> str | None:
    return said_first("profile-inversion", audit, "From the profiles alone")


@pytest.mark.parametrize(
    ("value", "low", "high", "sentence"),
    [
        (0.93, 0.901, 0.949, "about 93 (90–95)"),
        (0.0, None, None, "none"),
        (1.0, None, None, "all"),
        (0.0, 0.0, 0.004, "about 0 (0–1)"),
        (1.0, 0.996, 1.0, "about 100 (99–100)"),
        (0.004, None, None, "fewer than 1"),
        (0.996, None, None, "more than 99"),
        (0.005, None, None, "about 1"),
        (0.9, 0.9, 0.9, "about 90 (90–90)"),
        (0.5, -0.1, 1.2, "about 50 (0–100)"),
        (0.5, NAN, 1.0, "about 50"),
        (NAN, 0.0, 1.0, "a number that is not known"),
    ],
)
def test_shares_as_people_out_of_100(
    value: float, low: float | None, high: float | None, sentence: str
) -> None:
    assert of_100(Figure("success", value, low, high)) == sentence


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_rounding_never_makes_an_interval_narrower(one: float, two: float, three: float) -> None:
    low, value, high = sorted((one, two, three))
    sentence = of_100(Figure("success", value, low, high))
    shown_low, shown_high = map(int, sentence[sentence.index("(") + 1 : -1].split("–"))
    assert shown_low <= 100 * low + 1e-6
    assert shown_high >= 100 * high - 1e-6


@given(st.floats(), st.sampled_from(["share", "rating", "count", "seconds"]))
def test_amounts_are_numbers_or_said_to_be_unknown(value: float, unit: str) -> None:
    shown = amount(value, unit)  # type: ignore[arg-type]
    assert "nan" not in shown
    assert "inf" not in shown
    assert "-" not in shown


def test_intervals_below_zero_stay_readable() -> None:
    assert figure_shown(Figure("loss", -0.002, -0.005, 0.001, "rating")) == (
        "−0.0020 (−0.0050 to 0.0010)"
    )
    assert figure_shown(Figure("loss", -0.00001, None, None, "rating")) == "0.0000"
    assert figure_shown(Figure("loss", 0.0, -0.0001, 0.001)) == "0.0% (0.0%–0.1%)"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "not given"),
        (True, "yes"),
        (1234, "1,234"),
        (-0.5, "−0.5"),
        (INFINITY, "not known"),
        ([], "none"),
        ({"sigma": 1.0, "rounding": "step"}, "sigma = 1, rounding = step"),
        ({"b", "a"}, "a, b"),
        (list(range(23)), ", ".join(map(str, range(20))) + ", … and 3 more"),
    ],
)
def test_facts_of_any_type(value: object, shown: str) -> None:
    assert fact_shown(value) == shown


def test_the_sentence_of_the_first_attack() -> None:
    assert found_sentence(linkage(4, 0.93)) == (
        "Out of 100 people of whom an acquaintance knows 4 ratings, about 93 (91–95) would be "
        "found."
    )
    assert "knows 1 rating, about" in str(found_sentence(linkage(1, 0.5)))
    assert "knows every rating, about" in str(found_sentence(linkage(0, 0.5)))
    assert "knows 2 rated items, but not the ratings themselves, about" in str(
        found_sentence(linkage(2, 0.5, values=False))
    )


def test_an_attack_of_another_kind_has_its_sentence_too() -> None:
    other = replace(linkage(4, 0.25), name="scoreboard", label="8 known, 2 wrong")
    assert found_sentence(other) == (
        "Out of 100 tries of scoreboard (8 known, 2 wrong), about 25 (23–27) would succeed."
    )


def test_four_known_ratings_come_first_then_what_is_nearest() -> None:
    tried = [linkage(0, 1.0), linkage(16, 0.9), linkage(4, 0.3, values=False), linkage(4, 0.6)]
    assert first_attack(attacked(*tried)) is tried[3]
    assert first_attack(attacked(*tried[:2])) is tried[1]
    assert first_attack(attacked(tried[0])) is tried[0]
    assert first_attack(attacked(linkage(4, 0.5, sample=0), tried[1])) is tried[1]


def test_an_attack_on_nobody_claims_nothing() -> None:
    nobody = linkage(4, 0.0, sample=0)
    for sentence in (found_sentence, meaning_sentence, worst_off_sentence, gain_sentence):
        assert sentence(nobody) is None
    assert "not known" not in no_attack_sentence(attacked(nobody))
    assert no_attack_sentence(attacked()).startswith("No attack was run")


@pytest.mark.parametrize(
    ("success", "sentence"),
    [
        (Figure("success", 1.0), "can expect to find"),
        (Figure("success", 0.49), "fair chance"),
        (Figure("success", 0.2), "Most tries fail"),
        (Figure("success", 0.0, 0.0, 0.3), "too few people were tried"),
        (Figure("success", 0.0, 0.0, 0.004), "rarely finds anyone"),
        (Figure("success", 0.0), "rarely finds anyone"),
    ],
)
def test_what_a_rate_means(success: Figure, sentence: str) -> None:
    assert sentence in str(meaning_sentence(replace(linkage(4, 0.5), figures=(success,))))


def test_the_strongest_attack_is_told_only_if_it_is_stronger() -> None:
    shown, stronger = linkage(4, 0.5), linkage(8, 0.9)
    assert strongest_sentence(attacked(shown, stronger), shown) == (
        "The strongest of 2 attacks, record-linkage (knows 8 ratings), succeeds in "
        "about 90 (88–92) of 100 tries."
    )
    assert strongest_sentence(attacked(shown, linkage(8, 0.5)), shown) is None


def test_what_is_left_of_the_gain_is_told_by_the_best_informed() -> None:
    tried = (linkage(0, 1.0), scored(5, 30.0, 140.0), scored(20, 60.5, 144.0))
    assert kept_sentence(attacked(*tried)) == (
        "About a person of whom they know 20 ratings, an attacker who names one row would learn "
        "144 further items from the unprotected data on average; from the release they learn 60.5, "
        "42.0% of that."
    )
    assert kept_sentence(attacked(linkage(4, 0.5))) is None
    nothing = scored(5, 0.0, 1.0)
    none = Figure("gain_original", 0.0, 0.0, 0.0, "count")
    figures = tuple(none if one.name == none.name else one for one in nothing.figures)
    assert kept_sentence(attacked(replace(nothing, figures=figures))) is None
    assert kept_sentence(attacked(scored(5, NAN, 140.0))) is None
    assert kept_sentence(attacked(replace(tried[1], sample=0))) is None


def test_what_is_known_in_words() -> None:
    twenty = scored(20, 60.0, 144.0)
    some = replace(twenty, parameters={"known": 20, "upto": 25, "matching": "items"})
    assert knowledge(twenty) == "20 ratings"
    assert knowledge(some) == "20 to 25 rated items, but not the ratings themselves"


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        (0.92, 0.966, "so that the error rose by 0.0460."),
        (0.92, 0.874, "so that the error fell by 0.0460."),
        (0.92, 0.92, "which is a negligible difference."),
        (0.0, 0.5, "by 0.0000."),
    ],
)
def test_what_recommendations_lose(before: float, after: float, sentence: str) -> None:
    audit = Audit("t", {}, {}, measures=(prediction("factorization", before, after),))
    assert str(utility_sentence(audit)).endswith(sentence)


def test_what_recommendations_lose_is_told_in_the_unit_that_policies_judge() -> None:
    measured = prediction("factorization", 0.92, 0.98)
    share = Figure("rmse_loss_share", 0.015)
    measured = replace(measured, figures=(*measured.figures, share))
    sentence = str(utility_sentence(Audit("t", {}, {}, measures=(measured,))))
    assert sentence.endswith("so that the error rose by 0.0600, 1.5% of the scale.")
    assert "6.5%" not in sentence


def test_utility_is_told_by_the_recommender_that_does_best() -> None:
    measures = (prediction("item-mean", 1.02, 1.03), prediction("factorization", 0.92, 0.95))
    assert "factorization" in str(utility_sentence(Audit("t", {}, {}, measures=measures)))
    unknown = (prediction("item-mean", NAN, 1.0), prediction("neighbours", 1.0, 1.0, sample=0))
    assert utility_sentence(Audit("t", {}, {}, measures=unknown)) is None


PASS, FAIL, OPEN = (
    PolicyResult("a", "pass", "1"),
    PolicyResult("b", "fail", "2"),
    PolicyResult("c", "not measured", "was not run"),
)
HOLDS, BROKEN = Verdict("k:k=2", "holds", "yes"), Verdict("k:k=3", "broken", "no")


@pytest.mark.parametrize(
    ("policy_results", "verdicts", "title", "sentence"),
    [
        ((), (), "No verdict", "No policy was applied, so nothing was passed or failed."),
        ((), (BROKEN,), "Does not pass", "1 claim is broken."),
        ((PASS,), (), "Passes", "Every line of the policy “ours” was measured and met."),
        (
            (PASS,),
            (HOLDS,),
            "Passes",
            "Every line of the policy “ours” was measured and met, and every claim that was "
            "checked holds.",
        ),
        (
            (PASS, OPEN),
            (),
            "Undecided",
            "1 measured line of the policy “ours” passes, but 1 line could not be measured.",
        ),
        ((PASS, FAIL), (), "Does not pass", "1 of 2 lines of the policy “ours” fails."),
        (
            (FAIL, FAIL),
            (BROKEN, BROKEN),
            "Does not pass",
            "2 of 2 lines of the policy “ours” fail and 2 claims are broken.",
        ),
    ],
)
def test_headlines(
    policy_results: tuple[PolicyResult, ...],
    verdicts: tuple[Verdict, ...],
    title: str,
    sentence: str,
) -> None:
    audit = Audit("t", {}, {}, policy_results=policy_results, verdicts=verdicts, policy="ours")
    found = headline(audit)
    assert (found.title, found.sentence) == (title, sentence)
    assert (found.tone == "pass") == (title == "Passes")


def test_what_must_not_be_published_never_passes() -> None:
    audit = Audit("t", {"not_for_publication": ["a caveat"]}, {}, policy_results=(PASS,))
    found = headline(audit)
    assert (found.title, found.tone) == ("Not for publication", "fail")
    assert found.sentence.endswith("It must not be published. A caveat.")


def test_limits_are_always_told() -> None:
    without = dict(not_covered(Audit("t", {}, {})))
    assert "No attack was tried." in without["Stronger attackers."]
    assert "No formal claim was shown to hold." in without["Formal proof."]
    held = dict(
        not_covered(Audit("t", {}, {}, attacks=(linkage(4, 0.1),), verdicts=(HOLDS, BROKEN)))
    )
    assert "These attacks were tried: record-linkage." in held["Stronger attackers."]
    assert "k:k=2" in held["Formal proof."]
    assert "k:k=3" not in held["Formal proof."]


def test_enforcement() -> None:
    assert "stops the publication" in enforcement(Audit("t", {}, {}, enforced=True))
    assert "was not enforced" in enforcement(Audit("t", {}, {}, policy_results=(PASS,)))
    assert enforcement(Audit("t", {}, {})) == "No policy was enforced."


def test_what_the_release_is() -> None:
    release = {"method": "noise", "parameters": {"sigma": 2.0}, "rows": 3, "items": 1000}
    assert made_sentence(Audit("t", release, {})) == (
        "The data were sanitised (method noise, sigma = 2). The release has 3 rows and 1,000 items."
    )
    assert made_sentence(Audit("t", {}, {})) == ""
    known = {
        "method": "predictive",
        "parameters": {"k": 5, "mode": "pure", "floor": 2, "most_density": 1.0},
        "claims": ["k-anonymity:k=5"],
    }
    assert made_sentence(Audit("t", known, {})) == (
        "Groups of people with like predicted ratings share one profile "
        "(method predictive, k = 5, floor = 2)."
    ), "what a claim names or what was chosen, not every default"


def test_findings_without_the_usual_figures_tell_no_lies() -> None:
    bare = Finding("attack", "odd", {}, "s", "l", (Figure("success", 3.0, unit="count"),), 5, 1)
    assert found_sentence(bare) is None
    assert first_attack(attacked(bare)) is None
    assert no_attack_sentence(attacked(bare)).startswith("No attack that was run tells")


def test_an_oracle_is_not_an_acquaintance_who_knows_every_rating() -> None:
    every = linkage(0, 0.4)
    oracle = replace(
        every,
        parameters={**every.parameters, "oracle": "to-release"},
        label="holds the original, seeks each person's row",
    )
    plain = replace(every, parameters={**every.parameters, "oracle": "no"})
    assert known_items(plain) == 0
    assert known_items(oracle) is None
    assert "acquaintance" in (found_sentence(plain) or "")
    sentence = found_sentence(oracle) or ""
    assert sentence.startswith("Out of 100 tries of record-linkage (holds the original, seeks")
    assert first_attack(attacked(oracle, plain)) in (oracle, plain)
    assert first_attack(attacked(oracle, linkage(4, 0.1))) == linkage(4, 0.1)


def inverted(*figures: Figure) -> Finding:
    return Finding(
        "attack", "profile-inversion", {}, "Reads back.", "knows the release", figures, 1000, 7
    )


def test_what_profiles_tell_is_said_where_it_was_measured() -> None:
    both = inverted(Figure("read_back", 0.45, 0.44, 0.46), Figure("right", 0.9, 0.89, 0.91))
    assert inversion_sentence(attacked(linkage(4, 0.1), both)) == (
        "From the profiles alone about 45 (44–46) of 100 ratings can be read back, though not "
        "whose in the group they are; of 100 such statements about 90 (89–91) are true."
    )
    nothing_stated = inversion_sentence(attacked(inverted(Figure("read_back", 0.0, 0.0, 0.0))))
    assert nothing_stated is not None
    assert "statements" not in nothing_stated
    assert inversion_sentence(attacked(inverted())) is None
    assert inversion_sentence(attacked(linkage(4, 0.1))) is None
