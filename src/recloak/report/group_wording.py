"""Group wording: what is promised of groups of k people, and which of it holds on these data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from recloak.attacks.link_existence import WHOSE
from recloak.findings import Audit, Figure, Finding
from recloak.report.amounts import amount, figure_shown, is_number, of_100
from recloak.report.risk_wording import share_of, titled
from recloak.report.wording import Tone, enumerated

_STATES: dict[bool | None, tuple[str, Tone]] = {
    True: ("Holds", "pass"),
    False: ("Does not hold", "fail"),
    None: ("Undecided", "unknown"),
}


LINK_PRIVACY = "That a member rated an item of the profile, nobody can be surer than"


@dataclass(frozen=True)
class Promise:
    """A promise of the literature on groups, its state as a word and a tone, and the numbers."""

    name: str
    word: str
    tone: Tone
    found: str


def promises(audit: Audit) -> list[Promise]:
    """What is promised of groups of k people, as far as it was measured."""
    links = _finding(audit, "link-existence")
    limit = share_of(links, "promise") if links else None
    if links is None or limit is None or limit.value <= 0:
        return []
    found = [_found_people(audit, limit), _links(links, limit), _links_by_popularity(links)]
    return [one for one in found if one]


def link_sentence(audit: Audit) -> str | None:
    """Link privacy in one sentence: the promise that seldom holds."""
    told = next((one for one in promises(audit) if one.name.startswith(LINK_PRIVACY)), None)
    if told is None:
        return None
    lead = {
        "pass": "A profile tells no more of what its members rated than one in k would.",
        "fail": "Being one of k does not hide what a person rated.",
        "unknown": "Whether being one of k hides what a person rated is not certain.",
    }
    return f"{lead[told.tone]} {told.found}"


def group_found_sentence(audit: Audit) -> str | None:
    """How often the right group is found, where success is bounded by a guess among its members."""
    tried = [(one, found) for one in audit.attacks if (found := share_of(one, "group_found"))]
    if not tried:
        return None
    finding, found = max(tried, key=lambda pair: pair[1].value)
    return (
        "Who of a group it is, an attacker can only guess; that protects nobody from what its "
        "members have in common. The person's group, and with it all that its profile tells, is "
        f"named in {of_100(found)} of 100 tries by {titled(finding)}."
    )


def homogeneity_sentence(audit: Audit) -> str | None:
    """What a group tells of a member, beside what averages tell."""
    finding = _finding(audit, "homogeneity")
    told = share_of(finding, "half_step") if finding else None
    mean = share_of(finding, "item_mean") if finding else None
    if told is None or mean is None:
        return None
    return (
        f"Of 100 other ratings of a person whose group is known, {of_100(told)} can be read from "
        f"its profile within half a step; the average rating of each item tells {of_100(mean)}."
    )


def absence_sentence(audit: Audit) -> str | None:
    """What a profile lacks tells as well."""
    finding = _finding(audit, "link-existence")
    absent = finding.figure("absent") if finding else None
    true = finding.figure("absent_true") if finding else None
    if absent is None or true is None or not (is_number(absent.value) and is_number(true.value)):
        return None
    if absent.value <= 0:
        return "Profiles list every item, so that nothing follows from what they lack."
    return (
        f"An item that a profile lacks should be one that none of its group rated: that tells of "
        f"{absent.value:,.0f} items per person that they did not rate, truly of {true.value:,.0f}."
    )


def verbatim_sentence(audit: Audit) -> str | None:
    """Ratings that stand in a profile as one person gave them."""
    finding = _finding(audit, "profile-inversion")
    alone = share_of(finding, "alone") if finding else None
    printed = share_of(finding, "verbatim") if finding else None
    if alone is None or printed is None or alone.value <= 0:
        return None
    return (
        f"Of 100 ratings, {of_100(alone)} are the only one of the item in the person's group, and "
        f"{of_100(printed)} of 100 stand in the profile just as that person gave them"
        f"{_by_chance(audit)}."
    )


def _by_chance(audit: Audit) -> str:
    stated = audit.release.get("parameters")
    floor = stated.get("floor") if isinstance(stated, Mapping) else None
    if not isinstance(floor, int) or floor < 2:
        return ""
    return f": by chance, if no label rests on fewer than {floor} ratings as the release states"


def _finding(audit: Audit, name: str) -> Finding | None:
    return next((one for one in audit.attacks if one.name == name and one.sample > 0), None)


def _found_people(audit: Audit, limit: Figure) -> Promise | None:
    tried = [(success, one) for one in audit.attacks if (success := share_of(one, "success"))]
    if not tried:
        return None
    success, finding = max(tried, key=lambda pair: pair[0].value)
    said = f"{titled(finding)} finds {figure_shown(success)}, the most of {len(tried)} attacks."
    kept = _kept(success, limit.value)
    if kept is None and any(one.holds and _is_k(one.claim) for one in audit.verdicts):
        kept = True  # what reaches beyond is the sample's, for the rows themselves were compared
    return Promise(
        f"Nobody is found with a chance above {_share(limit)} (1/k)", *_STATES[kept], said
    )


def _is_k(claim: str) -> bool:
    return claim.partition(":")[0] == "k-anonymity"


def _links(links: Finding, limit: Figure) -> Promise | None:
    chances = list(_chances(links))
    if not chances:
        return None
    worst, whose = max(chances, key=lambda one: one[0].value)
    over_all, prior = share_of(links, "rated_given_edge"), share_of(links, "prior")
    said = f"The chance is {figure_shown(worst)} for items that {whose}"
    said += f", and {figure_shown(over_all)} over all that profiles list" if over_all else ""
    said += f"; popularity alone would tell {figure_shown(prior)}" if prior else ""
    name = f"{LINK_PRIVACY} {_share(limit)} (1/k)"
    return Promise(name, *_STATES[_kept(worst, limit.value)], f"{said}.")


def _links_by_popularity(links: Finding) -> Promise:
    name = "If a share p ≤ 1/k of people rated it, nobody can be surer than 1/k + p/(2 − kp)"
    compared = [
        (figure, bound, whose)
        for figure, whose in _chances(links)
        if (bound := share_of(links, figure.name.replace("rated_", "bound_")))
    ]
    if not compared:
        return Promise(name, "Does not apply", "unknown", "All bands have items with p above 1/k.")
    kept = [_kept(figure, bound.value) for figure, bound, _ in compared]
    state = _STATES[False if False in kept else None if None in kept else True]
    said = enumerated(
        [
            f"{figure_shown(figure)} against {_share(bound)} for items that {whose}"
            for figure, bound, whose in compared
        ]
    )
    return Promise(name, *state, f"It is {said}.")


def _chances(links: Finding) -> Iterator[tuple[Figure, str]]:
    for band, whose in WHOSE.items():
        figure = share_of(links, f"rated_{band}")
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
