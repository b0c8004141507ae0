"""The verdict on a release as its report says it first."""

from __future__ import annotations

from recloak.evaluation.findings import Audit
from recloak.report.wording import Headline, headline
from recloak.report.wording._limits import bounded
from recloak.report.wording._limits import line_in_words as line_in_words


def verdict_of(audit: Audit) -> Headline:
    """The verdict, with what it does not look at."""
    return bounded(headline(audit), audit)
