"""What is promised of groups of k people, and which of it holds on these data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recloak.evaluation.findings import Audit, Figure, Finding
from recloak.evaluation.formatting import Tone, amount, enumerated, figure_shown, is_number
from recloak.evaluation.promises import Promise

# What is said of the items of each band of popularity.
WHOSE = {
    "rare": "fewer than 1 in 100 people rated",
    "uncommon": "1 to 3 in 100 people rated",
    "known": "3 to 10 in 100 people rated",
    "common": "at least 10 in 100 people rated",
}
_STATES: dict[bool | None, tuple[str, Tone]] = {
    True: ("Holds", "pass"),
    False: ("Does not hold", "fail"),
    None: ("Undecided", "unknown"),
}


LINK_PRIVACY = "Nobody can be surer that a member rated an item of the profile than"


def promises_of(
    findings: Sequence[Finding], audit: Audit, rates: Sequence[tuple[Finding, Figure]]
) -> list[Promise]:
    """What is promised of groups of k people, as far as it was measured.

    ``rates`` has every attack that finds people, and how often it does.
    """
    links, limit = _first_with_limit(findings)
    if links is None or limit is None:
        return []
    found = [_found_people(audit, limit, rates), _links(links, limit), _links_by_popularity(links)]
    return [one for one in found if one]


def _first_with_limit(findings: Sequence[Finding]) -> tuple[Finding | None, Figure | None]:
    """The first finding that says what is promised, 1/k, and that figure of it."""
    measured = ((one, one.share("promise")) for one in findings)
    links, limit = next(((one, share) for one, share in measured if share), (None, None))
    return (links, limit) if limit is not None and limit.value > 0 else (None, None)


def link_sentence(findings: Sequence[Finding]) -> str | None:
    """Link privacy in one sentence: the promise that seldom holds."""
    links, limit = _first_with_limit(findings)
    link = _links(links, limit) if links and limit else None
    if link is None:
        return None
    lead = {
        "pass": "A profile tells no more of what its members rated than one in k would.",
        "fail": "Being one of k does not hide what a person rated.",
        "unknown": "Whether being one of k hides what a person rated is not certain.",
    }
    return f"{lead[link.tone]} {link.found}"


def absence_sentence(finding: Finding) -> str | None:
    """What a profile lacks tells as well."""
    absent, true = finding.figure("absent"), finding.figure("absent_true")
    if absent is None or true is None or not (is_number(absent.value) and is_number(true.value)):
        return None
    if absent.value <= 0:
        return "Profiles list every item, so that nothing follows from what they lack."
    return (
        f"An item that a profile lacks was probably rated by nobody in its group. That says of "
        f"{absent.value:,.0f} items per person that they did not rate them, and it is true of "
        f"{true.value:,.0f}."
    )


def _found_people(
    audit: Audit, limit: Figure, rates: Sequence[tuple[Finding, Figure]]
) -> Promise | None:
    if not rates:
        return None
    finding, success = max(rates, key=lambda pair: pair[1].value)
    sentence = f"{finding.title} finds {figure_shown(success)}, the most of {len(rates)} attacks."
    kept = _kept(success, limit.value)
    if kept is None and any(one.holds and _is_k(one.claim) for one in audit.verdicts):
        kept = True  # what reaches beyond is the sample's, for the rows themselves were compared
    return Promise(
        f"The chance of finding anybody is at most {_share(limit)} (1/k)", *_STATES[kept], sentence
    )


def _is_k(claim: str) -> bool:
    return claim.partition(":")[0] == "k-anonymity"


def _links(links: Finding, limit: Figure) -> Promise | None:
    chances = list(_chances(links))
    if not chances:
        return None
    worst, whose = max(chances, key=lambda one: one[0].value)
    over_all, prior = links.share("rated_given_edge"), links.share("prior")
    sentence = f"The chance is {figure_shown(worst)} for items that {whose}"
    sentence += f", and {figure_shown(over_all)} over all that profiles list" if over_all else ""
    sentence += f"; popularity alone would tell {figure_shown(prior)}" if prior else ""
    name = f"{LINK_PRIVACY} {_share(limit)} (1/k)"
    return Promise(name, *_STATES[_kept(worst, limit.value)], f"{sentence}.")


def _links_by_popularity(links: Finding) -> Promise:
    name = "If a share p ≤ 1/k of people rated it, nobody can be surer than 1/k + p/(2 − kp)"
    compared = [
        (figure, bound, whose)
        for figure, whose in _chances(links)
        if (bound := links.share(figure.name.replace("rated_", "bound_")))
    ]
    if not compared:
        return Promise(name, "Does not apply", "unknown", "All bands have items with p above 1/k.")
    kept = [_kept(figure, bound.value) for figure, bound, _ in compared]
    state = _STATES[False if False in kept else None if None in kept else True]
    sentence = enumerated(
        [
            f"{figure_shown(figure)} against {_share(bound)} for items that {whose}"
            for figure, bound, whose in compared
        ]
    )
    return Promise(name, *state, f"It is {sentence}.")


def _chances(links: Finding) -> Iterator[tuple[Figure, str]]:
    for band, whose in WHOSE.items():
        figure = links.share(f"rated_{band}")
        if figure is not None:
            yield figure, whose


def _kept(figure: Figure, limit: float) -> bool | None:
    """By the unfavourable end of the interval; None if that alone lies beyond."""
    if figure.value > limit * (1 + 1e-9):
        return False
    high = figure.value if figure.high is None or not is_number(figure.high) else figure.high
    return True if high <= limit * (1 + 1e-9) else None


def _share(figure: Figure) -> str:
    return amount(figure.value, "share")
