"""Assessment: paragraphs for a data protection impact assessment, with the figures filled in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recloak.evaluation.findings import Audit
from recloak.evaluation.formatting import enumerated, sentence_case
from recloak.report.dossier._document import Section
from recloak.report.dossier._evidence import Evidence
from recloak.report.wording import made_sentence, size_words
from recloak.report.wording.glance import claim_line, how_far, utility_line, verdict_line
from recloak.report.wording.three_risks import RiskFound, risks_found

TO_FILL_IN = "[To be filled in by the controller: {what}.]"
_SECRETS = {
    "destroyed": "What would re-link rows to people was destroyed.",
    "kept": "What would re-link rows to people is kept encrypted, apart from the release.",
    "split": "What would re-link rows to people was split, and each person has their own part.",
    "kept and split": "What would re-link rows to people is kept encrypted, apart from the "
    "release, and each person has their own part.",
    "none": "The rows are made-up people, so nothing re-links them to anybody.",
}


def assessment_of(evidence: Evidence) -> tuple[Section, ...]:
    """The parts that Article 35 (7) GDPR asks for."""
    audit = evidence.audit
    parts = (
        ("Description of the processing", _description(audit)),
        ("Necessity and proportionality", _necessity(audit)),
        ("Risks to the rights and freedoms of people", _risks(audit)),
        ("Measures against these risks", _measures(evidence)),
        ("Remaining risk and review", _remaining(audit)),
    )
    return tuple(Section(heading, (text,), level=3) for heading, text in parts)


def _description(audit: Audit) -> str:
    data = f"the data “{audit.data}”" if audit.data else "the data"
    sizes = _sizes(audit.original, size_words(audit.release))
    held = f"The controller holds {data}{f' with {sizes}' if sizes else ''}."
    purpose = TO_FILL_IN.format(what="the purpose, the recipients and the legal basis")
    return f"{held} {made_sentence(audit)} {purpose}"


def _sizes(facts: Mapping[str, Any], called: dict[str, str]) -> str:
    names = {"users": "people", "items": "items", "ratings": "ratings"} | called
    known = [(facts.get(key), noun) for key, noun in names.items()]
    return enumerated([f"{value:,} {noun}" for value, noun in known if isinstance(value, int)])


def _necessity(audit: Audit) -> str:
    purpose = TO_FILL_IN.format(what="why the purpose needs data about individuals")
    return f"{utility_line(audit)} {purpose}"


def _risks(audit: Audit) -> str:
    return " ".join(_risk(name, one) for name, one in risks_found(audit).items())


def _risk(name: str, found: RiskFound | None) -> str:
    if found is None:
        return f"{sentence_case(name)} was not measured."
    return f"{sentence_case(name)}: {how_far(found)}. The difference is {found.difference}."


def _measures(evidence: Evidence) -> str:
    audit, manifest = evidence.audit, evidence.manifest
    no_times = manifest.times == "dropped"  # says so too if there never were any
    times = "No times are published." if no_times else f"Times: {manifest.times}."
    secret = _SECRETS.get(str(manifest.config.get("secret")), "")
    left_out = audit.release.get("columns_left_out") or []
    columns = (
        f"Columns that were left out: {enumerated(list(map(str, left_out)))}." if left_out else ""
    )
    ids = (
        "Row ids are random." if manifest.row_ids == "random" else "Row ids are the original ones."
    )
    claims = f"Formal claims: {claim_line(audit)}"
    return " ".join(filter(None, (claims, ids, times, columns, secret)))


def _remaining(audit: Audit) -> str:
    accept = TO_FILL_IN.format(what="whether the remaining risk is accepted, by whom, until when")
    again = (
        "The audit is to be repeated before another release of the same people, and when stronger "
        "attacks or other data become known."
    )
    return f"{verdict_line(audit)} {again} {accept}"
