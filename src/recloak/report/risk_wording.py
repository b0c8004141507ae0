"""Risk wording: what attacks and measures found, in sentences; true for any figures."""

from __future__ import annotations

from recloak.findings import Audit, Figure, Finding
from recloak.report.amounts import amount, fact_shown, figure_shown, is_number, of_100
from recloak.report.wording import counted

USUAL_KNOWLEDGE = 4  # ratings; enough to single out almost everyone in the data sets we know
MOST, MANY, SOME = 0.5, 0.25, 0.05


def share_of(finding: Finding, name: str) -> Figure | None:
    """The figure ``name`` if it is a share that is known and somebody was tried."""
    figure = finding.figure(name)
    if figure is None or figure.unit != "share" or not is_number(figure.value):
        return None
    return figure if finding.sample > 0 else None


def titled(finding: Finding) -> str:
    """The attack or measure in a few words: ``record-linkage (knows 4 ratings)``."""
    return f"{finding.name} ({finding.label})" if finding.label else finding.spec


def first_attack(audit: Audit) -> Finding | None:
    """The attack to begin with: an acquaintance who knows four ratings, or the nearest to that."""
    tried = [finding for finding in audit.attacks if share_of(finding, "success")]
    return min(tried, key=_distance_from_usual, default=None)


def _distance_from_usual(finding: Finding) -> tuple[bool, float, float]:
    known = known_items(finding)
    apart = abs(known - USUAL_KNOWLEDGE) if known else float("inf")
    return finding.name != "record-linkage", apart, -_success(finding)


def known_items(finding: Finding) -> int | None:
    """How many items the attacker knows, 0 for all; None if the attack does not say so."""
    known = finding.parameters.get("known")
    if finding.parameters.get("oracle", "no") != "no":
        return None  # he holds all of the original, of which what one person rated is no measure
    countable = isinstance(known, int) and not isinstance(known, bool) and known >= 0
    return known if countable else None


def knowledge(finding: Finding) -> str | None:
    """What the attacker knows in words: ``4 ratings``."""
    known = known_items(finding)
    if known is None:
        return None
    settings = finding.parameters
    by_items = settings.get("matching") == "items" or finding.name == "structure"
    if settings.get("values", True) and not by_items:
        return "every rating" if known == 0 else _amount_known(finding, "rating")
    what = "every rated item" if known == 0 else _amount_known(finding, "rated item")
    return f"{what}, but not the ratings themselves"


def _amount_known(finding: Finding, noun: str) -> str:
    known, upto = known_items(finding) or 0, finding.parameters.get("upto")
    return f"{known:,} to {counted(upto, noun)}" if upto else counted(known, noun)


def found_sentence(finding: Finding) -> str | None:
    """How many people the attack finds; None where it has no such figure."""
    success = share_of(finding, "success")
    if success is None:
        return None
    known = knowledge(finding)
    if finding.name != "record-linkage" or known is None:
        return f"Out of 100 tries of {titled(finding)}, {of_100(success)} would succeed."
    found = f"{of_100(success)} would be found."
    return f"Out of 100 people of whom an acquaintance knows {known}, {found}"


def no_attack_sentence(audit: Audit) -> str:
    """For an audit whose attacks tell no rate of success."""
    if audit.attacks:
        return "No attack that was run tells how many people could be found."
    return "No attack was run: how many people could be found is not known."


def meaning_sentence(finding: Finding) -> str | None:
    """What the rate of success means for a person in the data."""
    success = share_of(finding, "success")
    if success is None:
        return None
    if success.value >= MOST:
        return (
            "Whoever knows that much about a person can expect to find their row, and with it "
            "whatever else the row tells."
        )
    if success.value >= MANY:
        return "A try has a fair chance: a good part of the people would be found."
    if success.value >= SOME:
        return "Most tries fail, but anyone may be among those who are found."
    if success.high is not None and is_number(success.high) and success.high >= SOME:
        return "Few were found, but too few people were tried to rule out more."
    return "Such an attacker rarely finds anyone; it does not follow that nobody can be found."


def worst_off_sentence(finding: Finding) -> str | None:
    """The same for those who fare worst."""
    worst = share_of(finding, "worst_tenth")
    if worst is None:
        return None
    outcome = "would be found" if finding.name == "record-linkage" else "would succeed"
    against = f"who fare worst against {titled(finding)}"
    return f"Among the tenth of people {against}, {of_100(worst)} of 100 {outcome}."


def gain_sentence(finding: Finding) -> str | None:
    """What the attacker learns on average."""
    gain = finding.figure("gain")
    if gain is None or gain.unit != "count" or not is_number(gain.value) or finding.sample == 0:
        return None
    learnt = f"{figure_shown(gain)} true new facts about the person"
    return f"On average, one try of {titled(finding)} yields {learnt}."


def kept_sentence(audit: Audit) -> str | None:
    """What the best informed attacker learns, beside what the unprotected data would tell."""
    compared = [one for one in audit.attacks if one.sample > 0 and _before_and_after(one)]
    finding = max(compared, key=_knowledge_then_gain, default=None)
    if finding is None:
        return None
    before, after, kept = _before_and_after(finding) or ("", "", "")
    who = knowledge(finding)
    whom = f"About a person of whom he knows {who}" if who else f"By {titled(finding)}"
    return (
        f"{whom}, an attacker who {_way(finding)} would learn {before} further items from the "
        f"unprotected data on average; from the release he learns {after}, {kept} of that"
        f"{_beside(finding)}."
    )


def _knowledge_then_gain(finding: Finding) -> tuple[int, float]:
    gain = finding.figure("gain")
    return known_items(finding) or 0, gain.value if gain else 0.0


def _way(finding: Finding) -> str:
    joins = finding.name == "scoreboard-multi"
    return "joins all rows that fit together" if joins else "names one row"


def _beside(finding: Finding) -> str:
    """What the attacker who names one row learns, where one who joins rows was tried."""
    single = finding.figure("gain_single")
    if single is None or not is_number(single.value):
        return ""
    return f" (one who names a single row, {amount(single.value, single.unit)})"


def _before_and_after(finding: Finding) -> tuple[str, str, str] | None:
    """The gain from the original, from the release, and the share that is left, as text."""
    figures = [finding.figure(name) for name in ("gain_original", "gain", "gain_kept")]
    told = [amount(one.value, one.unit) for one in figures if one and is_number(one.value)]
    return (told[0], told[1], told[2]) if len(told) == len(figures) else None


def inversion_sentence(audit: Audit) -> str | None:
    """What the profiles of groups tell by themselves."""
    inverted = (one for one in audit.attacks if one.name == "profile-inversion")
    finding = next(inverted, None)
    truly = share_of(finding, "read_back") if finding else None
    right = share_of(finding, "right") if finding else None
    if truly is None:
        return None
    said = (
        f"From the profiles alone {of_100(truly)} of 100 ratings can be read back, though not whose"
    )
    sure = f"; of 100 such statements {of_100(right)} are true" if right else ""
    return f"{said} in the group they are{sure}."


def strongest_attack(audit: Audit) -> Finding | None:
    """The attack that succeeds most often; no sentence may promise more than it allows."""
    tried = [finding for finding in audit.attacks if share_of(finding, "success")]
    return max(tried, key=_success, default=None)


def strongest_sentence(audit: Audit, shown: Finding) -> str | None:
    """The most successful attack of all, if it is not the one that is shown first."""
    tried = [finding for finding in audit.attacks if share_of(finding, "success")]
    strongest = strongest_attack(audit) or shown
    success = share_of(strongest, "success")
    if success is None or success.value <= _success(shown):
        return None
    reached = f"{titled(strongest)} succeeds in {of_100(success)} of 100 tries"
    return f"The strongest of {counted(len(tried), 'attack')} does better: {reached}."


def utility_sentence(audit: Audit) -> str | None:
    """What recommendations lose, by the recommender that does best on the original."""
    blended = ("tailoring-utility", "group-prediction")  # with the item mean
    single = [one for one in audit.measures if one.name not in blended]
    measured = [(errors, one) for one in single if (errors := _errors(one))]
    if not measured:
        return None
    (before, after), finding = min(measured, key=lambda pair: pair[0])
    who = finding.parameters.get("recommender")
    learner = f"the recommender {fact_shown(who)}" if who is not None else "a recommender"
    return (
        f"Trained on the release, {learner} is off by {amount(after, 'rating')} on a rating "
        f"it has not seen (root mean square); trained on the original, by "
        f"{amount(before, 'rating')}{_change(before, after)}."
    )


def _errors(finding: Finding) -> tuple[float, float] | None:
    """The error of prediction before and after."""
    after, before = finding.figure("rmse"), finding.figure("rmse_original")
    if after is None or before is None or finding.sample == 0:
        return None
    known = is_number(after.value) and is_number(before.value)
    return (before.value, after.value) if known else None


def _change(before: float, after: float) -> str:
    if before <= 0:
        return ""
    change = 100 * (after / before - 1)
    if abs(change) < 0.05:
        return ", which is no difference to speak of"
    return f", so the release is {abs(change):.1f}% {'worse' if change > 0 else 'better'}"


def _success(finding: Finding) -> float:
    success = share_of(finding, "success")
    return success.value if success else 0.0
