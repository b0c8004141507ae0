"""Limits wording: what each line of a policy leaves open, and how far the strongest attack gets."""

from __future__ import annotations

import re
from dataclasses import replace

from recloak.auditing.evaluation_registry import (
    declared_figures,
    evaluation_of,
    figure_as,
    share_as,
)
from recloak.evaluation.figures import DeclaredFigure, filled_in
from recloak.evaluation.findings import Audit, Figure, Finding, PolicyResult
from recloak.evaluation.formatting import (
    counted,
    figure_shown,
    is_number,
    label,
    of_100,
    within_sentence,
)
from recloak.releases.card.meanings import left_open
from recloak.report.table import MISSING, Table
from recloak.report.wording import Headline
from recloak.report.wording._made_up import is_made_up
from recloak.report.wording._risks import strongest_attack, success_rates
from recloak.report.wording.unjudged import not_looked_at

_LIMIT = re.compile(r": (?P<name>\w+) (?P<side>at most|at least) (?P<limit>[-+.0-9e]+)$")
NOT_FOUND_OUT = "How many people could be found was not measured."
LINES_LEAVE_OPEN = (
    "No line covers an attacker who knows more than it says or who works in another way. A line "
    "about use says nothing about how well people are hidden, nor about other uses."
)


def line_leaves_open(result: PolicyResult, audit: Audit) -> str:
    """What a line of the policy itself does not cover, beside what no line covers."""
    if result.status == "not measured":
        return ""
    if any(verdict.claim == result.of for verdict in audit.verdicts) and not result.figure:
        return left_open(result.of)
    finding = next((one for one in audit.findings if one.spec == result.of), None)
    if finding is None or finding.family == "measure":
        return ""
    return _further(finding, result.figure, audit)


def line_in_words(result: PolicyResult, audit: Audit) -> str:
    """A line as it is written, but with words for names and per cent for shares."""
    found = _LIMIT.search(result.line)
    if not result.figure or found is None or found["name"] != result.figure:
        return result.line
    judged = next((one for one in audit.findings if one.spec == result.of), None)
    figure = judged.figure(result.figure) if judged else None
    share = figure is not None and figure.unit == "share"
    limit = f"{100 * float(found['limit']):g}%" if share else found["limit"]
    declared = declared_figures().get(result.figure)
    heading = declared.heading.partition(",")[0] if declared else ""  # others may stand beside it
    name = within_sentence(heading or label(result.figure))
    return f"{result.line[: found.start()]}: {name} {found['side']} {limit}"


def _further(finding: Finding, name: str, audit: Audit) -> str:
    """The attack that got furthest by the same figure, or by one of its role, if it is another."""
    own = finding.figure(name)
    declared = evaluation_of(finding).declared(name)
    if own is None or declared is None or declared.worse != "more":
        return ""
    # What is not about finding people calls other things by these names.
    alike = [one for one in audit.attacks if _finds_people(one) == _finds_people(finding)]
    rivals = [(found.value, one, found) for one in alike if (found := _like(one, own, declared))]
    reached, strongest, figure = max(rivals, key=lambda rival: rival[0], default=(0.0, None, own))
    if strongest is None or not reached > own.value:
        return ""
    return (
        f"The strongest of the attacks that were tried, {strongest.title}, reaches "
        f"{figure_shown(figure)}."
    )


def _finds_people(finding: Finding) -> bool:
    return figure_as(finding, "success") is not None


def _like(finding: Finding, own: Figure, declared: DeclaredFigure) -> Figure | None:
    found = figure_as(finding, declared.role) if declared.role else finding.figure(own.name)
    if found is None or found.unit != own.unit or finding.sample == 0:
        return None
    return found if is_number(found.value) else None


def bounded(headline: Headline, audit: Audit) -> Headline:
    """A verdict that passes says in the same breath what the policy did not look at, and how far
    the strongest attack got.
    """
    if headline.tone != "pass":
        return headline
    strongest = strongest_attack(audit)
    success = share_as(strongest, "success") if strongest else None
    if strongest is None or success is None:
        sentence = "" if is_made_up(audit) else NOT_FOUND_OUT  # the page begins with that
    else:
        sentence = (
            f"The strongest attack that was tried, {strongest.title}, succeeds in "
            f"{of_100(success)} of 100 tries."
        )
    said = (headline.sentence, not_looked_at(audit), sentence)
    return replace(headline, sentence=" ".join(filter(None, said)))


def worst_off_table(audit: Audit) -> Table | None:
    """For each kind of attack the run that hits the worst-off tenth hardest."""
    hardest: dict[str, tuple[Figure, Finding]] = {}
    for one in audit.attacks:
        worst = share_as(one, "worst-off tenth")
        known = hardest.get(one.name)
        if worst and share_as(one, "success") and (not known or worst.value > known[0].value):
            hardest[one.name] = (worst, one)
    rows = tuple(
        (one.title, _shown(share_as(one, "success")), figure_shown(worst))
        for worst, one in hardest.values()
    )
    caption = "How often an attack succeeds, on everyone and on those whom it hits hardest"
    return Table(caption, ("Attack", "Everyone", "Worst-off tenth"), rows) if rows else None


def worst_off_statement(audit: Audit) -> str:
    """How the tenth of people who fare worst are hit by whatever hits them hardest."""
    tried = [
        (worst, one)
        for one, _ in success_rates(audit.attacks)
        if (worst := share_as(one, "worst-off tenth"))
    ]
    if not tried:
        return _worst_off_by_statements(audit)
    worst, hardest = max(tried, key=lambda pair: pair[0].value)
    return (
        "An average can look harmless while some people, mostly those who are unlike others, are "
        f"always found. Of {counted(len(tried), 'attack')} that measure this, {hardest.title} hits "
        f"them hardest: of 100 tries on the worst-off tenth, {of_100(worst)} succeed."
    )


def _worst_off_by_statements(audit: Audit) -> str:
    """Where nobody is found: what is stated about the tenth that is given away most."""
    measured = [
        (found, declared.worst_off_sentence, one)
        for one in audit.attacks
        for declared in evaluation_of(one).figures
        if declared.worst_off_sentence and (found := one.figure(declared.name))
    ]
    if not measured:
        return "No attack that was run measured the worst-off tenth of people."
    worst, sentence, finding = max(measured, key=lambda one: one[0].value)
    return (
        "An average can look harmless while some people, mostly those who are unlike others, are "
        f"given away. {filled_in(sentence, worst, finding.title)}"
    )


def _shown(figure: Figure | None) -> str:
    return figure_shown(figure) if figure else MISSING
