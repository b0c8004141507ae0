"""Guarantee `km-anonymity`: whoever knows up to m ratings of a person still faces k people."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.core.ratings import Ratings
from recloak.evaluation.findings import Verdict
from recloak.guarantees.base import Guarantee
from recloak.guarantees.km_anonymity._clusters import check_clusters
from recloak.guarantees.km_anonymity._rows import check_rows
from recloak.io.reservations import Subject
from recloak.releases.base import Release
from recloak.releases.disassociated import DisassociatedRelease


class KmAnonymityParameters(Parameters):
    """How many people must share what, and how much of it."""

    k: int = Field(default=2, ge=2)
    """Each set of up to m ratings that anyone has must fit at least k people."""

    m: int = Field(default=2, ge=1)
    """How many ratings of a person an adversary may know."""

    values: bool = True
    """Does the adversary know the ratings themselves, and their times where these are published
    (yes), or only which items (no)?"""

    listed: bool = True
    """Of disassociated data: may term chunks list terms (yes)? Anyone who knows the method knows
    that fewer than k people hold what is listed. If not (no), every term that is published is held
    by k, and people may have held further terms, which were left out."""


class KmAnonymity(Guarantee):
    """Every set of at most m terms that occurs in any row occurs in at least k rows.

    A term is an item with its value (and its time, if there is one), or the item alone. It holds
    against knowledge of up to m terms and says nothing about more, nor about what the k have in
    common.

    For disassociated data: whenever a person may hold a set of at most m terms, as far as the
    release tells, there is an original that fits the release in which at least k people hold it.
    That is not searched for but follows from the structure of the clusters; see
    `recloak.guarantees.km_anonymity._clusters`. Whether the method would have made this release of
    that original is not asked, except of term chunks, with ``listed=no``.
    """

    name: ClassVar[str] = "km-anonymity"
    summary: ClassVar[str] = "Every combination of up to m ratings is shared by at least k rows."
    reference: ClassVar[str] = (
        "Terrovitis, Mamoulis, Kalnis: Privacy-preserving Anonymization of Set-valued Data. "
        "VLDB 2008. For disassociated data: Terrovitis, Liagouris, Mamoulis, Skiadopoulos: "
        "Privacy Preservation by Disassociation. VLDB 2012."
    )
    Parameters: ClassVar[type[Parameters]] = KmAnonymityParameters
    parameters: KmAnonymityParameters

    @property
    def about(self) -> frozenset[Subject]:
        """Everything, or with ``values=no`` the items alone."""
        return super().about if self.parameters.values else frozenset()

    def check(self, rows: Ratings, progress: Progress = SILENT) -> Verdict:
        parameters = self.parameters
        finding = check_rows(rows, parameters.k, parameters.m, parameters.values, progress)
        return Verdict(self.spec, finding.status, finding.how, finding.witness)

    def check_release(self, release: Release, progress: Progress = SILENT) -> Verdict:
        if not isinstance(release, DisassociatedRelease):
            return super().check_release(release, progress)
        given = self.parameters
        finding = check_clusters(release, given.k, given.m, given.values, given.listed, progress)
        return Verdict(self.spec, finding.status, finding.how, finding.witness)
