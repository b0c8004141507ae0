"""Risk wording: what attacks and measures found, in sentences; true for any figures."""

from __future__ import annotations

from collections.abc import Sequence

from recloak.attacks import Attack
from recloak.auditing.evaluation_registry import evaluation_of
from recloak.evaluation.findings import Audit, Figure, Finding
from recloak.evaluation.formatting import (
    amount,
    counted,
    fact_shown,
    figure_shown,
    is_number,
    of_100,
)
from recloak.measures import Measure
from recloak.report.wording._made_up import OPENING, is_made_up

USUAL_KNOWLEDGE = 4  # ratings; enough to single out almost everyone in the data sets we know
MOST, MANY, SOME = 0.5, 0.25, 0.05


def first_attack(audit: Audit) -> Finding | None:
    """The attack to begin with: an acquaintance who knows four ratings, or the nearest to that."""
    tried = [finding for finding in audit.attacks if finding.share("success")]
    return min(tried, key=_distance_from_usual, default=None)


def _distance_from_usual(finding: Finding) -> tuple[bool, float, float]:
    known = known_items(finding)
    apart = abs(known - USUAL_KNOWLEDGE) if known else float("inf")
    return not _opens(finding), apart, -_success(finding)


def known_items(finding: Finding) -> int | None:
    """How many items the attacker knows, 0 for all; None if the attack does not say so."""
    return _attack(finding).known_items(finding.parameters)


def knowledge(finding: Finding) -> str | None:
    """What the attacker knows in words: ``4 ratings``."""
    known = known_items(finding)
    if known is None:
        return None
    if _attack(finding).knows_values(finding.parameters):
        return "every rating" if known == 0 else _amount_known(finding, "rating")
    what = "every rated item" if known == 0 else _amount_known(finding, "rated item")
    return f"{what}, but not the ratings themselves"


def _attack(finding: Finding) -> type[Attack]:
    found = evaluation_of(finding)
    return found if issubclass(found, Attack) else Attack


def _opens(finding: Finding) -> bool:
    return _attack(finding).opens_report


def _amount_known(finding: Finding, noun: str) -> str:
    known, upto = known_items(finding) or 0, finding.parameters.get("upto")
    return f"{known:,} to {counted(upto, noun)}" if upto else counted(known, noun)


def found_sentence(finding: Finding) -> str | None:
    """How many people the attack finds; None where it has no such figure."""
    success = finding.share("success")
    if success is None:
        return None
    known = knowledge(finding)
    if not _opens(finding) or known is None:
        return f"Out of 100 tries of {finding.title}, {of_100(success)} would succeed."
    found = f"{of_100(success)} would be found."
    return f"Out of 100 people of whom an acquaintance knows {known}, {found}"


def no_attack_sentence(audit: Audit) -> str:
    """For an audit whose attacks tell no rate of success."""
    if is_made_up(audit):
        return OPENING
    if audit.attacks:
        return "No attack that was run tells how many people could be found."
    return "No attack was run: how many people could be found is not known."


def meaning_sentence(finding: Finding) -> str | None:
    """What the rate of success means for a person in the data."""
    success = finding.share("success")
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
    worst = finding.share("worst_tenth")
    if worst is None:
        return None
    outcome = "would be found" if _opens(finding) else "would succeed"
    against = f"on whom {finding.title} does best"
    return f"Among the tenth of people {against}, {of_100(worst)} of 100 {outcome}."


def gain_sentence(finding: Finding) -> str | None:
    """What the attacker learns on average."""
    gain = finding.figure("gain")
    if gain is None or gain.unit != "count" or not is_number(gain.value) or finding.sample == 0:
        return None
    learnt = f"{figure_shown(gain)} true new facts about the person"
    return f"On average, one try of {finding.title} yields {learnt}."


def kept_sentence(audit: Audit) -> str | None:
    """What the best informed attacker learns, beside what the unprotected data would tell."""
    compared = [one for one in audit.attacks if one.sample > 0 and _before_and_after(one)]
    finding = max(compared, key=_knowledge_then_gain, default=None)
    if finding is None:
        return None
    before, after, kept = _before_and_after(finding) or ("", "", "")
    who = knowledge(finding)
    whom = f"About a person of whom they know {who}" if who else f"By {finding.title}"
    acts = _attack(finding).adversary_acts
    return (
        f"{whom}, an attacker who {acts} would learn {before} further items from the "
        f"unprotected data on average; from the release they learn {after}, {kept} of that"
        f"{_beside(finding)}."
    )


def _knowledge_then_gain(finding: Finding) -> tuple[int, float]:
    gain = finding.figure("gain")
    return known_items(finding) or 0, gain.value if gain else 0.0


def _beside(finding: Finding) -> str:
    """What the attacker who names one row learns, where one who joins rows was tried."""
    single = finding.figure("gain_single")
    if single is None or not is_number(single.value):
        return ""
    return f" (one who names a single row, {amount(single.value, single.unit)})"


def _before_and_after(finding: Finding) -> tuple[str, str, str] | None:
    """The gain from the original, from the release, and the share that is left, as text."""
    figures = [finding.figure(name) for name in ("gain_original", "gain", "gain_kept")]
    shown = [amount(one.value, one.unit) for one in figures if one and is_number(one.value)]
    return (shown[0], shown[1], shown[2]) if len(shown) == len(figures) else None


def group_found_sentence(audit: Audit) -> str | None:
    """How often the right group is found, where success is bounded by a guess among its members."""
    tried = [(one, found) for one in audit.attacks if (found := one.share("group_found"))]
    if not tried:
        return None
    finding, found = max(tried, key=lambda pair: pair[1].value)
    return (
        "An attacker can only guess which member of a group somebody is; that protects nobody "
        "from what the members have in common. The person's group, and with it all that its "
        "profile tells, is "
        f"named in {of_100(found)} of 100 tries by {finding.title}."
    )


def strongest_attack(audit: Audit) -> Finding | None:
    """The attack that succeeds most often; no sentence may promise more than it allows."""
    return strongest_of(audit.attacks)


def strongest_of(attacks: Sequence[Finding]) -> Finding | None:
    """The one of these attacks that succeeds most often."""
    tried = [finding for finding in attacks if finding.share("success")]
    return max(tried, key=_success, default=None)


def strongest_sentence(audit: Audit, shown: Finding) -> str | None:
    """The most successful attack of all, if it is not the one that is shown first."""
    tried = [finding for finding in audit.attacks if finding.share("success")]
    strongest = strongest_attack(audit) or shown
    success = strongest.share("success")
    if success is None or success.value <= _success(shown):
        return None
    reached = f"{strongest.title} succeeds in {of_100(success)} of 100 tries"
    return f"The strongest of {counted(len(tried), 'attack')} does better: {reached}."


def utility_sentence(audit: Audit) -> str | None:
    """What recommendations lose, by the recommender that does best on the original."""
    single = [one for one in audit.measures if _quotes_recommender(one)]
    measured = [(errors, one) for one in single if (errors := _errors(one))]
    if not measured:
        return None
    (before, after), finding = min(measured, key=lambda pair: pair[0])
    who = finding.parameters.get("recommender")
    learner = f"the recommender {fact_shown(who)}" if who is not None else "a recommender"
    return (
        f"Trained on the release, {learner} is off by {amount(after, 'rating')} on a rating "
        f"it has not seen (root mean square); trained on the original, by "
        f"{amount(before, 'rating')}{_change(before, after, finding.figure('rmse_loss_share'))}."
    )


def _quotes_recommender(finding: Finding) -> bool:
    found = evaluation_of(finding)
    return issubclass(found, Measure) and found.quotes_recommender


def _errors(finding: Finding) -> tuple[float, float] | None:
    """The error of prediction before and after."""
    after, before = finding.figure("rmse"), finding.figure("rmse_original")
    if after is None or before is None or finding.sample == 0:
        return None
    known = is_number(after.value) and is_number(before.value)
    return (before.value, after.value) if known else None


def _change(before: float, after: float, share: Figure | None) -> str:
    """In the unit that policies judge: a share of another thing beside it would contradict it."""
    if before <= 0:
        return ""
    if abs(after / before - 1) < 0.0005:
        return ", which is a negligible difference"
    known = share is not None and is_number(share.value)
    of_scale = f", {amount(abs(share.value), 'share')} of the scale" if share and known else ""
    rose = "rose" if after > before else "fell"
    return f", so that the error {rose} by {amount(abs(after - before), 'rating')}{of_scale}"


def _success(finding: Finding) -> float:
    success = finding.share("success")
    return success.value if success else 0.0
