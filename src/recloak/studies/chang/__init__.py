"""What the studies of Chang et al. share: releases of `predictive`, and whose groups they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from recloak.attacks.structure import Structure
from recloak.core.parameters import Parameters
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext, match_items
from recloak.methods import Method, method
from recloak.methods.base import Applied
from recloak.releases.grouped import GroupedRelease
from recloak.releases.linkage import Linkage, row_codes
from recloak.studies.base import Measured, Study, StudyParameters
from recloak.studies.data import DataSet

DATA_SETS = ("ml-100k", "ml-1m", "synthetic-netflix")
SIZES = (5, 50)
BARE = {"floor": 0, "grid": 0.0}
DEFAULTS: dict[str, Any] = {}


class ChangParameters(StudyParameters):
    """How often, and for groups of which size."""

    k: int = Field(default=0, ge=0)
    """Only groups of at least this size; 0 does 5 and 50. At the size of Netflix 5 needs more
    memory than most machines have."""


class ChangStudy(Study):
    """A study of this paper."""

    reference: ClassVar[str] = Structure.reference
    data_sets: ClassVar[tuple[str, ...]] = DATA_SETS
    Parameters: ClassVar[type[Parameters]] = ChangParameters
    parameters: ChangParameters

    def sizes(self, data: DataSet) -> Sequence[int]:
        """The sizes of groups to make."""
        wanted = (self.parameters.k,) if self.parameters.k else SIZES
        return [k for k in wanted if k <= data.ratings.n_users]


def predictive(k: int, mode: str, **more: Any) -> Method:
    """The paper's method; with `BARE` exactly as published, without it with our floor and grid."""
    return method("predictive", k=k, mode=mode, **more)


def context_of(original: Ratings, applied: Applied) -> AuditContext:
    """A release of groups before attackers and measures.

    The rows of all members are never written out: at the size of Netflix no machine holds them.
    What is run on this context must read the release itself.
    """
    release, secret = applied.release, applied.secret
    assert isinstance(release, GroupedRelease)
    names = np.sort(release.row_labels)
    linkage = Linkage.from_pairs(
        original.codes_of_users(secret.user_labels)[secret.owners],
        row_codes(names, secret.pseudonyms),
        original.n_users,
        "secret",
        "",
    )
    items = match_items(original, release.profiles)
    return AuditContext(original, release.profiles, linkage, items, release=release)


def over_seeds(found: Sequence[dict[str, float]], name: str) -> Measured | None:
    """A figure over the runs; None if none of them has it."""
    values = [one[name] for one in found if name in one]
    return Measured.of(values) if values else None
