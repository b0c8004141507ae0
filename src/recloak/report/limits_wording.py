"""Limits wording: what each line of a policy leaves open, and how far the strongest attack gets."""

from __future__ import annotations

import re
from dataclasses import replace

from recloak.card.meanings import left_open
from recloak.findings import Audit, Figure, Finding, Light
from recloak.report.amounts import figure_shown, is_number, of_100
from recloak.report.chart import MISSING, Table
from recloak.report.risk_wording import share_of, strongest_attack, titled
from recloak.report.wording import Headline, counted, label

# Of these more is worse for people; others may be judged in either direction.
WORSE_IF_MORE = frozenset(
    {"success", "worst_tenth", "gain", "gain_kept", "group_found", "identified", "learned"}
)
_LIMIT = re.compile(r": (?P<name>\w+) (?P<side>at most|at least) (?P<limit>[-+.0-9e]+)$")
NOT_MEASURED = "All of it: nothing was measured."
OF_USE = "How well people are hidden, and every other use of the data."
OTHER_ATTACKS = "Whoever knows more, or goes about it otherwise."


def line_leaves_open(light: Light, audit: Audit) -> str:
    """What a line of the policy does not cover, met or not."""
    if light.status == "not measured":
        return NOT_MEASURED
    if any(verdict.claim == light.of for verdict in audit.verdicts) and not light.figure:
        return left_open(light.of)
    finding = next((one for one in audit.findings if one.spec == light.of), None)
    if finding is None:
        return "Whatever it does not name."
    if finding.family == "measure":
        return OF_USE
    return f"{OTHER_ATTACKS}{_further(finding, light.figure, audit)}"


def line_in_words(light: Light, audit: Audit) -> str:
    """A line as it is written, but with words for names and per cent for shares."""
    found = _LIMIT.search(light.line)
    if not light.figure or found is None or found["name"] != light.figure:
        return light.line
    judged = next((one for one in audit.findings if one.spec == light.of), None)
    figure = judged.figure(light.figure) if judged else None
    share = figure is not None and figure.unit == "share"
    limit = f"{100 * float(found['limit']):g}%" if share else found["limit"]
    name = label(light.figure)
    name = name if name[:2].isupper() else name.lower()
    return f"{light.line[: found.start()]}: {name} {found['side']} {limit}"


def _further(finding: Finding, name: str, audit: Audit) -> str:
    """The attack that got furthest by the same figure, if it is another one."""
    own = finding.figure(name)
    if own is None or name not in WORSE_IF_MORE:
        return ""
    # What is not about finding people calls other things by these names.
    alike = [one for one in audit.attacks if _finds_people(one) == _finds_people(finding)]
    rivals = [(found.value, one, found) for one in alike if (found := _like(one, own))]
    reached, strongest, figure = max(rivals, key=lambda rival: rival[0], default=(0.0, None, own))
    if strongest is None or not reached > own.value:
        return ""
    return f" Of the attacks tried, {titled(strongest)} gets to {figure_shown(figure)}."


def _finds_people(finding: Finding) -> bool:
    return finding.figure("success") is not None


def _like(finding: Finding, own: Figure) -> Figure | None:
    found = finding.figure(own.name)
    if found is None or found.unit != own.unit or finding.sample == 0:
        return None
    return found if is_number(found.value) else None


def bounded(headline: Headline, audit: Audit) -> Headline:
    """A verdict that passes says in the same breath how far the strongest attack got."""
    if headline.tone != "pass":
        return headline
    strongest = strongest_attack(audit)
    success = share_of(strongest, "success") if strongest else None
    if strongest is None or success is None:
        said = "How many people could be found was not measured."
    else:
        said = (
            f"All the same the strongest attack that was tried, {titled(strongest)}, succeeds in "
            f"{of_100(success)} of 100 tries."
        )
    return replace(headline, sentence=f"{headline.sentence} {said}")


def worst_off_table(audit: Audit) -> Table | None:
    """For each kind of attack the run that hits the worst-off tenth hardest."""
    hardest: dict[str, tuple[Figure, Finding]] = {}
    for one in audit.attacks:
        worst = share_of(one, "worst_tenth")
        known = hardest.get(one.name)
        if worst and share_of(one, "success") and (not known or worst.value > known[0].value):
            hardest[one.name] = (worst, one)
    rows = tuple(
        (titled(one), _shown(share_of(one, "success")), figure_shown(worst))
        for worst, one in hardest.values()
    )
    caption = "How often an attack succeeds, on everyone and on those whom it hits hardest"
    return Table(caption, ("Attack", "Everyone", "Worst-off tenth"), rows) if rows else None


def worst_off_statement(audit: Audit) -> str:
    """How the tenth of people who fare worst are hit by whatever hits them hardest."""
    tried = [one for one in audit.attacks if share_of(one, "worst_tenth")]
    tried = [one for one in tried if share_of(one, "success")]
    hardest = max(tried, key=_worst, default=None)
    worst = share_of(hardest, "worst_tenth") if hardest else None
    if hardest is None or worst is None:
        return "No attack that was run tells how the tenth of people who fare worst are hit."
    return (
        "An average can look harmless while some people, mostly those with rare tastes, are "
        f"always found. Of {counted(len(tried), 'attack')} that tell, {titled(hardest)} hits them "
        f"hardest: of 100 tries on the worst-off tenth, {of_100(worst)} succeed."
    )


def _worst(finding: Finding) -> float:
    figure = share_of(finding, "worst_tenth")
    return figure.value if figure else 0.0


def _shown(figure: Figure | None) -> str:
    return figure_shown(figure) if figure else MISSING
