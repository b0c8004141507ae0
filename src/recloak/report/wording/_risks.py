"""Risk wording: what attacks and measures found, in sentences; true for any figures."""

from __future__ import annotations

from collections.abc import Sequence

from recloak.attacks import Attack
from recloak.auditing.evaluation_registry import declared_as, evaluation_of, figure_as, share_as
from recloak.evaluation.figures import DeclaredFigure, filled_in
from recloak.evaluation.findings import Audit, Figure, Finding
from recloak.evaluation.formatting import (
    amount,
    counted,
    fact_shown,
    figure_shown,
    is_number,
    of_100,
)
from recloak.report.wording._made_up import OPENING, is_made_up

USUAL_KNOWLEDGE = 4  # ratings; enough to single out almost everyone in the data sets we know
MOST, MANY, SOME = 0.5, 0.25, 0.05


def first_attack(audit: Audit) -> Finding | None:
    """The attack to begin with: an acquaintance who knows four ratings, or the nearest to that."""
    tried = [finding for finding, _ in success_rates(audit.attacks)]
    return min(tried, key=_distance_from_usual, default=None)


def success_rates(attacks: Sequence[Finding]) -> list[tuple[Finding, Figure]]:
    """Every attack that finds people, and how often it does."""
    return [(one, success) for one in attacks if (success := share_as(one, "success"))]


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
    success = share_as(finding, "success")
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
    success = share_as(finding, "success")
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
    worst = share_as(finding, "worst-off tenth")
    if worst is None:
        return None
    outcome = "would be found" if _opens(finding) else "would succeed"
    against = f"on whom {finding.title} does best"
    return f"Among the tenth of people {against}, {of_100(worst)} of 100 {outcome}."


def gain_sentence(finding: Finding) -> str | None:
    """What the attacker learns on average."""
    gain = figure_as(finding, "gain")
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
    gain = figure_as(finding, "gain")
    return known_items(finding) or 0, gain.value if gain else 0.0


def _beside(finding: Finding) -> str:
    """What figures of the same attack declare to be said in brackets."""
    asides = [
        declared.gain_aside.format(value=amount(figure.value, figure.unit))
        for declared in _attack(finding).figures
        if declared.gain_aside
        and (figure := finding.figure(declared.name))
        and is_number(figure.value)
    ]
    return f" ({'; '.join(asides)})" if asides else ""


def _before_and_after(finding: Finding) -> tuple[str, ...] | None:
    """The gain from the original, if there is any, that from the release, and the share left."""
    gain = _attack(finding).declared_as("gain")
    names = (gain.original, gain.name, gain.change) if gain else ("",)
    figures = [finding.figure(name) for name in names]
    known = [one for one in figures if one and is_number(one.value)]
    if len(known) < len(figures) or known[0].value <= 0:  # a share of nothing says nothing
        return None
    return tuple(amount(one.value, one.unit) for one in known)


def caveats(audit: Audit) -> list[str]:
    """What attacks declare to be said beside the rate of success, each about who gets furthest."""
    furthest: dict[str, tuple[Figure, Finding]] = {}
    for finding in audit.attacks:
        for declared in _with_caveat(finding):
            found, best = finding.share(declared.name), furthest.get(declared.caveat)
            if found and (best is None or found.value > best[0].value):
                furthest[declared.caveat] = (found, finding)
    return [filled_in(text, found, one.title) for text, (found, one) in furthest.items()]


def _with_caveat(finding: Finding) -> list[DeclaredFigure]:
    return [declared for declared in evaluation_of(finding).figures if declared.caveat]


def strongest_attack(audit: Audit) -> Finding | None:
    """The attack that succeeds most often; no sentence may promise more than it allows."""
    return strongest_of(audit.attacks)


def strongest_of(attacks: Sequence[Finding]) -> Finding | None:
    """The one of these attacks that succeeds most often."""
    tried = [finding for finding, _ in success_rates(attacks)]
    return max(tried, key=_success, default=None)


def strongest_sentence(audit: Audit, shown: Finding) -> str | None:
    """The most successful attack of all, if it is not the one that is shown first."""
    tried = success_rates(audit.attacks)
    strongest = strongest_attack(audit) or shown
    success = share_as(strongest, "success")
    if success is None or success.value <= _success(shown):
        return None
    reached = f"{strongest.title}, succeeds in {of_100(success)} of 100 tries"
    return f"The strongest of {counted(len(tried), 'attack')}, {reached}."


def utility_sentence(audit: Audit) -> str | None:
    """What recommendations lose, by the recommender that does best on the original."""
    measured = [(errors, one) for one in audit.measures if (errors := _errors(one))]
    if not measured:
        return None
    (before, after, share), finding = min(measured, key=lambda pair: pair[0][:2])
    who = finding.parameters.get("recommender")
    learner = f"the recommender {fact_shown(who)}" if who is not None else "a recommender"
    return (
        f"Trained on the release, {learner} is off by {amount(after, 'rating')} on a rating "
        f"it has not seen (root mean square); trained on the original, by "
        f"{amount(before, 'rating')}{_change(before, after, share)}."
    )


def _errors(finding: Finding) -> tuple[float, float, Figure | None] | None:
    """The error of a recommender before and after, and the change as a share of the scale."""
    error = declared_as(finding, "prediction error")
    if error is None or finding.sample == 0:
        return None
    after, before = finding.figure(error.name), finding.figure(error.original)
    if after is None or before is None or not (is_number(after.value) and is_number(before.value)):
        return None
    return before.value, after.value, finding.figure(error.change_in_scale)


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
    success = share_as(finding, "success")
    return success.value if success else 0.0
