"""The words of surveys: in what is said of them, people answer questions, and rate nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from recloak.evaluation.findings import Audit, Finding, PolicyResult
from recloak.releases.base import KINDS

SIZES = {"users": "respondents", "items": "issues", "ratings": "answers"}
_WORDS = {"rated item": "issue", "rating": "answer", "item": "issue"}
_WORD = re.compile(rf"\b({'|'.join(_WORDS)})(?=s?\b(?!-))")  # not in names such as item-mean


def is_survey(release: Mapping[str, Any]) -> bool:
    """Is it of a kind that has a row of answers for each respondent?"""
    kind = release.get("kind")
    return kind in KINDS.names() and KINDS.get(str(kind)).wide


def in_its_words(audit: Audit) -> Audit:
    """The audit; of a survey, what attackers know is called answers and issues."""
    if not is_survey(audit.release):
        return audit
    return replace(
        audit,
        attacks=tuple(map(_named, audit.attacks)),
        policy_results=tuple(map(_line, audit.policy_results)),
    )


def of_answers(text: str) -> str:
    """A text about ratings of items as one about answers to issues.

    >>> of_answers("knows 4 ratings of rare items")
    'knows 4 answers to rare issues'
    """
    return _WORD.sub(lambda found: _WORDS[found[1]], text).replace("answers of", "answers to")


def _named(finding: Finding) -> Finding:
    notes = tuple(map(of_answers, finding.notes))
    return replace(finding, label=of_answers(finding.label), notes=notes)


def _line(result: PolicyResult) -> PolicyResult:
    """What an attack knows stands before the colon; the name of its figure after it."""
    about, colon, limit = result.line.partition(": ")
    return replace(result, line=f"{of_answers(about)}{colon}{limit}" if colon else result.line)
