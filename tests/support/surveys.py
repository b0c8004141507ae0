"""Surveys that tests write out, and scenes of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from recloak.auditing.control_rehearsal import control_group
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext, match_items
from recloak.methods import method
from recloak.releases.linkage import Linkage
from recloak.releases.manifest import Manifest
from recloak.releases.ratings import RatingsRelease
from recloak.testing import context_of

Table = list[dict[str, int]]


def survey_of(table: Table, scale: str = "1..5") -> Ratings:
    """Respondents 0, 1, … with their answers; what is not written was not answered."""
    cells = [(at, issue, level) for at, row in enumerate(table) for issue, level in row.items()]
    respondents, issues, levels = zip(*cells, strict=True)
    return Ratings.from_columns(list(respondents), list(issues), list(levels), scale=scale)


def by_hand(
    original: Table, released: dict[int, dict[str, int]], scale: str = "1..5", **public: Any
) -> AuditContext:
    """What was answered, and the row that each respondent (by place) has in the release."""
    before, after = survey_of(original, scale), survey_of(list(released.values()), scale)
    linkage = Linkage.from_pairs(
        np.array(list(released)), np.arange(len(released)), len(original), "mapping", "by hand"
    )
    manifest = Manifest.model_construct(method="none", parameters=public)
    release = RatingsRelease(manifest, after)
    return AuditContext(before, after, linkage, match_items(before, after), release=release)


def unchanged(table: Table, **public: Any) -> AuditContext:
    """A release of the answers as they are."""
    return by_hand(table, dict(enumerate(table)), **public)


def without_issues(context: AuditContext) -> AuditContext:
    """The same, but nothing is declared."""
    manifest = Manifest.model_construct(method="none", parameters={})
    return replace(context, release=RatingsRelease(manifest, context.rows))


def controlled(original: Ratings, name: str = "proximity", **parameters: Any) -> AuditContext:
    """A release by a method that can be rehearsed without some respondents."""
    made = method(name, **parameters)
    context = context_of(original, name, **parameters)
    return replace(context, control=control_group(original, made, seed=1))
