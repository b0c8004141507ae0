"""Method `disassociation`: records split into chunks, so that no few terms single anybody out."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from recloak.core.claim import Claim
from recloak.core.errors import InputError, ParameterError
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.methods.base import Applied, Method
from recloak.methods.disassociation._cluster_kernels import TERM_CHUNK
from recloak.methods.disassociation._plan import (
    DisassociationPlan,
    clusters_of,
    rating_terms,
    with_chunks,
    with_joints,
)
from recloak.methods.disassociation._rows import SubrecordChooser, published_rows
from recloak.releases.disassociated import DisassociatedRelease
from recloak.releases.secret import Secret


class DisassociationParameters(Parameters):
    """How many must be alike, in how much, and how large a cluster may be."""

    k: int = Field(default=2, ge=2)
    """Whoever knows up to m terms of a person still faces at least k records."""

    m: int = Field(default=2, ge=1, le=8)
    """How many terms of a person the adversary may know. The work grows steeply with it."""

    max_cluster: int = Field(default=100, ge=4, le=1_000_000)
    """A cluster has at most so many people; at least twice k."""

    values: bool = True
    """Is a term an item with its rating (yes), or an item whatever its rating (no)?"""

    spread: bool = False
    """May the values of an item stand in different chunks? Sub-records get longer and easier to
    find, the more so in large clusters. Matters only if terms have values."""

    refine: bool = True
    """May neighbouring clusters share chunks for what is rare in each of them?"""


class Disassociation(Method):
    """Splits people into clusters and their records into chunks whose rows cannot be rejoined.

    Clusters (HORPART) come from splitting on the most frequent term, again and again; no part is
    ever smaller than k: a term that would leave fewer on a side does not split, and where none
    does, people are cut into equal parts at random. In a cluster (VERPART) the terms that k people
    hold go to record chunks, all such values of an item together unless they may spread, items
    with most raters first, each chunk taking what keeps it sound (see `_chunk_kernels`).
    All other terms are listed once in the cluster's term chunk, however many hold them, so for
    k > 2 there are fewer ratings than in the original. A rare value of an item that nearly all of
    the cluster rated is left out, at most k - 1 for each item of a cluster: listed, it could only
    be held by one. Neighbouring clusters become a joint (REFINE) where shared chunks take terms
    out of their term chunks.

    A record chunk tells that its sub-records are somebody's in the cluster; if all of them hold a
    term, everyone in the cluster does (the cover problem: Awad et al., arXiv 1904.03112).
    """

    name: ClassVar[str] = "disassociation"
    summary: ClassVar[str] = "Records torn into chunks within clusters of people (k^m-anonymity)."
    promise: ClassVar[str] = (
        "Who knows up to m terms of somebody cannot tell which of at least k records is theirs. "
        "What is listed in a term chunk stands there once, and a few rare values are left out, so "
        "there may be fewer ratings than in the original."
    )
    reference: ClassVar[str] = (
        "Terrovitis, Mamoulis, Liagouris, Skiadopoulos: Privacy Preservation by Disassociation. "
        "PVLDB 5(10), 2012."
    )
    Parameters: ClassVar[type[Parameters]] = DisassociationParameters
    parameters: DisassociationParameters
    threads: ClassVar[int] = 2
    """In how many threads clusters are torn into chunks; the release is the same with any."""

    def apply(
        self,
        ratings: Ratings,
        randomness: Randomness | None = None,
        progress: Progress = SILENT,
    ) -> Applied:
        chosen, drawn = self.parameters, randomness or Randomness.from_entropy()
        self._refuse_too_few(ratings)
        data = rating_terms(ratings, values=chosen.values)
        order = drawn.stream("order").permutation(ratings.n_users)
        clusters = clusters_of(data, order, chosen.k, chosen.max_cluster, progress)
        plan = with_chunks(
            data,
            clusters,
            chosen.k,
            chosen.m,
            progress,
            spread=chosen.spread,
            threads=self.threads,
        )
        if chosen.refine:
            plan = with_joints(data, plan, chosen.k, chosen.m, progress)
        with progress.task("Laying out chunks", 1) as task:
            rows, places, row_owners = published_rows(ratings.without_times(), data, plan, drawn)
            task.advance()
        manifest = self.manifest(rows, drawn, DisassociatedRelease.kind)
        secret = Secret(
            release_id=manifest.release_id,
            root=drawn.root,
            user_labels=ratings.user_labels,
            owners=row_owners.owners,
            pseudonyms=row_owners.pseudonyms,
            chooser=SubrecordChooser(ratings, plan, row_owners),
        )
        notes = self._notes(plan, ratings.n_ratings, rows.n_ratings)
        return Applied(DisassociatedRelease(manifest, rows, places), secret, notes)

    def claims(self) -> list[Claim]:
        said = self.parameters.model_dump(include={"k", "m", "values"})
        return [Claim("km-anonymity", said)]

    def _notes(self, plan: DisassociationPlan, before: int, after: int) -> tuple[str, ...]:
        """What was lost: ratings that are not there, and most of what stood together."""
        notes = []
        if after < before:
            notes.append(
                f"{before - after:,} of {before:,} ratings are not in the release: a term chunk "
                "lists a term once, however many hold it, and a rare value that could only be one "
                "person's is left out"
            )
        listed = float((plan.place == TERM_CHUNK).mean())
        if listed > 0.5:
            helps = ["a smaller k"] if self.parameters.k > 2 else []
            helps += ["a coarser scale", "--values false"] if self.parameters.values else []
            advice = f"; {' or '.join(helps)} would keep more together" if helps else ""
            notes.append(
                f"{listed:.0%} of the ratings stand alone in term chunks, most because fewer than "
                f"{self.parameters.k} people of their cluster hold them{advice}"
            )
        return tuple(notes)

    def _refuse_too_few(self, ratings: Ratings) -> None:
        k, most = self.parameters.k, self.parameters.max_cluster
        if most < 2 * k:
            raise ParameterError(
                f"is {most}, less than twice k = {k}",
                where=f"method {self.name}, parameter 'max-cluster'",
                hint=f"Use at least {2 * k}, better ten times k.",
            )
        people = int((ratings.user_counts > 0).sum())
        if people < k:
            raise InputError(
                f"only {people} {'person has' if people == 1 else 'people have'} ratings, "
                f"fewer than k = {k}",
                where=f"method {self.name}",
                hint="Use a smaller k or more data." if k > 2 else "Use more data.",
            )
