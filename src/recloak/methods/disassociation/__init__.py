"""Method `disassociation`: records split into chunks, so that no few terms single anybody out."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from recloak.core.claim import Claim
from recloak.core.errors import InputError, ParameterError
from recloak.core.parameters import Parameters
from recloak.core.people_draws import PeopleDraws
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.methods.base import Applied, Method
from recloak.methods.disassociation._cluster_kernels import LEFT_OUT, TERM_CHUNK
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

    max_cluster: int = Field(default=1_000, ge=4, le=1_000_000)
    """A cluster has at most this many people; at least twice k. The larger it is, the fewer terms
    are rare in it; the paper has 100."""

    values: bool = True
    """Is a term an item with its rating (yes), or an item whatever its rating (no)?"""

    spread: bool = False
    """May the values of an item stand in different chunks? Sub-records get longer and easier to
    find, the more so in large clusters. Matters only if terms have values."""

    refine: bool = True
    """May neighbouring clusters share chunks for what is rare in each of them?"""

    rare: Literal["suppressed", "listed"] = "suppressed"
    """What becomes of a term that fewer than k people of a cluster hold: it is left out, or it is
    listed in the cluster's term chunk, as in the paper. Whoever knows the method knows that fewer
    than k hold what is listed: with k = 2 exactly one."""


class Disassociation(Method):
    """Splits people into clusters and their records into chunks whose rows cannot be rejoined.

    Clusters (HORPART) come from splitting on the most frequent term, again and again; no part is
    ever smaller than k: a term that would leave fewer on a side does not split, and where none
    does, people are cut into equal parts at random. In a cluster (VERPART) the terms that k people
    hold go to record chunks, all such values of an item together unless they may spread, items
    with most raters first, each chunk taking what keeps it sound (see `_chunk_kernels`).
    Neighbouring clusters become a joint (REFINE) where shared chunks take what is rarer in each.
    All other terms are suppressed. In the paper they are listed in a term chunk of their cluster:
    once each, however many hold them, so for k > 2 there are fewer ratings than in the original;
    and a rare value of an item that nearly all of the cluster rated is left out, at most k - 1 for
    each item of a cluster: listed, it could only be held by one.

    A record chunk tells that its sub-records are somebody's in the cluster; if all of them hold a
    term, everyone in the cluster does (the cover problem: Awad et al., arXiv 1904.03112).
    """

    name: ClassVar[str] = "disassociation"
    summary: ClassVar[str] = "Records torn into chunks within clusters of people (k^m-anonymity)."
    promise: ClassVar[str] = (
        "Someone who knows up to m terms of a person cannot tell which of at least k records is "
        "theirs. What fewer than k people of a cluster hold is left out, so there are fewer "
        "ratings than in the original; with --rare listed it is listed, and anyone who knows the "
        "method knows that fewer than k hold it."
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
        order = PeopleDraws.of(drawn, ratings.user_labels).order("order")
        clusters = clusters_of(data, order, chosen.k, chosen.max_cluster, progress)
        plan = with_chunks(
            data,
            clusters,
            chosen.k,
            chosen.m,
            progress,
            spread=chosen.spread,
            listing=chosen.rare == "listed",
            threads=self.threads,
        )
        if chosen.refine:
            plan = with_joints(data, plan, chosen.k, chosen.m, progress)
        if chosen.rare == "suppressed":
            plan = self._suppressed(plan)
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
        parameters = self.parameters.model_dump(include={"k", "m", "values"})
        return [Claim("km-anonymity", {**parameters, "listed": self.parameters.rare == "listed"})]

    def _suppressed(self, plan: DisassociationPlan) -> DisassociationPlan:
        """The plan without what would be listed."""
        place = np.where(plan.place == TERM_CHUNK, np.int32(LEFT_OUT), plan.place)
        if (place == LEFT_OUT).all():
            raise InputError(
                f"nothing would be left: no term is held by {self.parameters.k:,} people of a "
                "cluster",
                where=f"method {self.name}",
                hint=f"Use {' or '.join(self._keeps_more)}; --rare listed lists such terms.",
            )
        return replace(plan, place=place)

    @property
    def _keeps_more(self) -> list[str]:
        """Settings under which fewer terms are rare."""
        given = self.parameters
        helps = ["a smaller k"] if given.k > 2 else []
        helps += ["a larger --max-cluster"] if given.rare == "suppressed" else []
        return helps + (["a coarser scale", "--values false"] if given.values else [])

    def _notes(self, plan: DisassociationPlan, before: int, after: int) -> tuple[str, ...]:
        """What was lost: ratings that are not there, and most of what stood together."""
        given, notes = self.parameters, []
        advice = f"; {' or '.join(self._keeps_more)} would keep more" if self._keeps_more else ""
        if after < before and given.rare == "suppressed":
            notes.append(
                f"{before - after:,} of {before:,} ratings ({1 - after / before:.1%}) are not in "
                f"the release: fewer than {given.k:,} people of their cluster hold them{advice}"
            )
        elif after < before:
            notes.append(
                f"{before - after:,} of {before:,} ratings are not in the release: a term chunk "
                "lists a term once, however many hold it, and a rare value that could only be one "
                "person's is left out"
            )
        listed = float((plan.place == TERM_CHUNK).mean())
        if listed > 0:
            notes.append(
                f"anyone who knows the method knows that fewer than {given.k:,} people of a "
                "cluster hold what its term chunk lists"
                f"{', that is exactly one' if given.k == 2 else ''}; --rare suppressed leaves it "
                "out"
            )
        if listed > 0.5:
            notes.append(
                f"{listed:.0%} of the ratings stand alone in term chunks, most because fewer than "
                f"{given.k} people of their cluster hold them{advice and f'{advice} together'}"
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
