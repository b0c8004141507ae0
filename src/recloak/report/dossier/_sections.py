"""Sections: what guidance asks about one release, filled in from its report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from recloak.auditing.evaluation_registry import evaluation_of, figure_as, share_as
from recloak.evaluation import Evaluation
from recloak.evaluation.findings import Audit, Figure, Finding
from recloak.evaluation.formatting import (
    enumerated,
    figure_shown,
    label,
    sentence_case,
    with_minus_signs,
)
from recloak.report.dossier._assessment import assessment_of
from recloak.report.dossier._document import Block, BulletList, Section
from recloak.report.dossier._evidence import Evidence
from recloak.report.dossier._recipients import PROFILES, Recipient
from recloak.report.table import MISSING, Table
from recloak.report.wording import made_sentence, not_covered, result_words, size_words
from recloak.report.wording._risks import strongest_of
from recloak.report.wording.glance import at_a_glance
from recloak.report.wording.surveys import in_its_words
from recloak.report.wording.three_risks import (
    CAPTION,
    COLUMNS,
    risks_found,
    three_risks,
)
from recloak.report.wording.verdict import line_in_words

GUIDANCE = (
    "Opinion 05/2014 of the Article 29 Working Party on anonymisation techniques names three "
    "risks: singling out, linkability and inference. Each is measured with people in the release "
    "and, by the same attack, with people who are not in it (the control). Only the difference "
    "comes from the release."
)
NO_RISK = (
    "No attack of this audit was compared with people who are not in the release, so none of the "
    "three risks is measured. 'recloak audit --rehearse' measures them where the method is known."
)
INTRUDER = (
    "A motivated intruder is a competent person without special rights who wants to find people. "
    "Every run below is one such intruder, simulated with the knowledge that is named. The auditor "
    "knows whose row is whose and scores what the intruder says; the intruder does not know it."
)
NOT_LEGAL = (
    "These are measurements. Whether the release is anonymous in law, and to whom it may be given, "
    "is for the controller to decide."
)


def sections_of(evidence: Evidence, *, many: bool) -> tuple[Section, ...]:
    """All sections about one release; with ``many`` releases each heading names its own."""
    audit = in_its_words(evidence.audit)
    evidence = replace(evidence, audit=audit)
    of = f" ({evidence.name})" if many else ""
    return (
        Section(f"Summary{of}", _summary(evidence)),
        Section(f"The three risks{of}", _risks(audit)),
        Section(f"Motivated-intruder test{of}", _intruders(audit)),
        Section(f"Recipients{of}", _recipients(audit)),
        Section(f"Policy{of}", _policy(audit)),
        Section(f"For the impact assessment{of}", (NOT_LEGAL,)),
        *assessment_of(evidence),
        Section(f"What this does not cover{of}", (_limits(audit),)),
        Section(f"Versions and digests{of}", _versions(evidence)),
    )


def _summary(evidence: Evidence) -> tuple[Block, ...]:
    audit = evidence.audit
    at_first = [f"{sentence_case(name)}: {text}" for name, text in at_a_glance(audit)]
    facts = [
        f"Data: {audit.data or 'not named'}. Date of the audit: {audit.date or 'not recorded'}."
    ]
    reasons = [f"Not for publication: {one}." for one in evidence.manifest.not_for_publication]
    return (made_sentence(audit), BulletList((*facts, *reasons, *at_first)))


def _risks(audit: Audit) -> tuple[Block, ...]:
    return (GUIDANCE, three_risks(audit) or NO_RISK)


def _intruders(audit: Audit) -> tuple[Block, ...]:
    if not audit.attacks:
        return (INTRUDER, "No intruder was simulated: the release was not attacked.")
    rows = tuple(_intruder(finding) for finding in audit.attacks if finding.figures)
    columns = ("Intruder", "Knows", "People tried", "Outcome", "With people not in the release")
    tried = (Table("Every intruder that was tried", columns, rows),) if rows else ()
    return (INTRUDER, *tried, *_not_tried(audit))


def _not_tried(audit: Audit) -> tuple[Block, ...]:
    """Intruders without any outcome, once for each reason: rows of them would say nothing."""
    reasons: dict[str, list[str]] = {}
    for finding in audit.attacks:
        if not finding.figures:
            reasons.setdefault("".join(finding.notes[-1:]), []).append(finding.title)
    listed = tuple(f"{enumerated(who)}. {why}".rstrip() for why, who in reasons.items())
    return ("These intruders could not be tried:", BulletList(listed)) if listed else ()


def _intruder(finding: Finding) -> tuple[str, ...]:
    """Who attacked with what, on how many, and what came out."""
    acts = getattr(evaluation_of(finding), "adversary_acts", "attacks")
    who, knows = f"{finding.name}: {acts}", finding.label.removeprefix("knows ")
    return (who, knows, f"{finding.sample:,}", *_outcome(finding))


def _outcome(finding: Finding) -> tuple[str, str]:
    """The figures that say how far the intruder got, and the control of each that has one."""
    kind = evaluation_of(finding)
    controlled = [one for one in kind.figures if one.risk and finding.figure(one.name)]
    success = figure_as(finding, "success")
    found = [*([success] if success else []), *_found(finding, (one.name for one in controlled))]
    what_was_found = "; ".join(_named(figure, kind) for figure in found or finding.figures[:1])
    beside = _found(finding, (one.control for one in controlled))
    chance = [f"guessing reaches {one.chance:.0%}" for one in controlled if one.chance]
    return what_was_found, "; ".join([*map(figure_shown, beside), *chance]) or MISSING


def _found(finding: Finding, names: Iterable[str]) -> list[Figure]:
    return [figure for name in names if (figure := finding.figure(name)) is not None]


def _named(figure: Figure, kind: type[Evaluation]) -> str:
    declared = kind.declared(figure.name)
    heading = (declared.heading if declared else "") or label(figure.name)
    return f"{heading.lower()} {figure_shown(figure)}"


def _recipients(audit: Audit) -> tuple[Block, ...]:
    columns = ("Recipient", "Who", "Can know", "Bound by", "Policy template")
    survey = bool(size_words(audit.release))
    who = tuple(one.row(survey=survey) for one in PROFILES)
    found = {one.name: _risks_for(one, audit) for one in PROFILES}
    rows = tuple(
        (name, risk, *cells)
        for name, risks in found.items()
        for risk, cells in risks.items()
        if cells
    )
    missing = _not_measured(found)
    return (
        Table("Kinds of recipients and what each can know", columns, who),
        "For each recipient, the strongest attack that their knowledge allows:",
        *((Table(CAPTION, ("Recipient", *COLUMNS), rows),) if rows else ()),
        *((missing,) if missing else ()),
    )


def _not_measured(found: Mapping[str, Mapping[str, tuple[str, ...]]]) -> str:
    """The risks that rows are missing for, in one sentence; nothing where there are none."""
    lacking: dict[str, list[str]] = {}
    for name, risks in found.items():
        for risk in (risk for risk, cells in risks.items() if not cells):
            lacking.setdefault(risk.lower(), []).append(name.lower())
    listed = "; ".join(f"{risk} ({', '.join(names)})" for risk, names in lacking.items())
    why = "Not measured, because no attack within reach of the recipient has a figure for it"
    return f"{why}: {listed}." if listed else ""


def _risks_for(recipient: Recipient, audit: Audit) -> dict[str, tuple[str, ...]]:
    """What the strongest attack finds for each risk; nothing where none measures it."""
    allowed = [one for one in audit.attacks if recipient.can(one)]
    cells = {"Naming the right row": _found_by(allowed)}
    for risk, worst in risks_found(audit, allowed).items():
        cells[sentence_case(risk)] = (
            (worst.finding.title, worst.in_release, worst.not_in_release, worst.difference)
            if worst
            else ()
        )
    return cells


def _found_by(allowed: Sequence[Finding]) -> tuple[str, ...]:
    """How often the recipient names the right row, whether or not they can be sure of it."""
    strongest = strongest_of(allowed)
    success = share_as(strongest, "success") if strongest else None
    if strongest is None or success is None:
        return ()
    return (strongest.title, figure_shown(success), MISSING, MISSING)


def _policy(audit: Audit) -> tuple[Block, ...]:
    if not audit.policy_results:
        return ("No policy was applied.",)
    enforced = (
        "enforced: a line that fails stops the publication" if audit.enforced else "not enforced"
    )
    rows = tuple(
        (
            line_in_words(one, audit),
            result_words(one)[0],
            with_minus_signs(one.found),
            one.because,
        )
        for one in audit.policy_results
    )
    columns = ("Line", "Result", "Found", "Because")
    return (
        f"The policy “{audit.policy}” was {enforced}.",
        Table(f"Policy: {audit.policy}", columns, rows),
    )


def _limits(audit: Audit) -> BulletList:
    return BulletList(tuple(f"{name} {rest}" for name, rest in not_covered(audit)))


def _versions(evidence: Evidence) -> tuple[Block, ...]:
    manifest, audit = evidence.manifest, evidence.audit
    facts = (
        ("Release", manifest.release_id),
        ("Release made with", f"recloak {manifest.recloak}"),
        *((f"Audit: {name}", str(version)) for name, version in audit.versions.items()),
        ("Policy", audit.policy_digest or "not recorded"),
        ("Manifest", evidence.manifest_digest),
        (f"Report ({evidence.report.name})", evidence.report_digest),
        *((name, entry.sha256) for name, entry in manifest.files.items()),
    )
    note = "Digests are SHA-256. Those of files were computed anew for this dossier."
    return (note, Table("Versions and digests", ("What", "Version or digest"), facts))
