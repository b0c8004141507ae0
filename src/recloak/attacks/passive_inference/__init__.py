"""Attack `passive-inference`: guesses what a person rated from how related-item lists change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from recloak.attacks.base import ListAttack
from recloak.attacks.passive_inference._list_changes import KnownItems, ListChanges, within
from recloak.core.arrays import Floats, Indices, places_within
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.evaluation.figures import WORST_BREACH, DeclaredFigure
from recloak.evaluation.findings import Audit, Figure, Finding
from recloak.evaluation.formatting import of_100
from recloak.evaluation.intervals import ratio_figure, wilson
from recloak.evaluation.list_context import ListContext
from recloak.releases.lists.changes import changed_lists

_MEANINGS = {
    "inference_precision": "guesses that are ratings which the person added between two releases",
    "inference_rated": "guesses of items that the person had rated by the later release at all",
    "inference_recall": "ratings added between the two releases that were guessed",
    "inference_prior": "what popularity alone tells: of all others who could be tried, the share "
    "that added the item that was guessed",
}


class PassiveInferenceParameters(Parameters):
    """What the adversary knows, and when they guess."""

    known: int = Field(default=20, ge=1)
    """How many items the adversary knows that a person had rated by the earlier release."""

    at_least: int = Field(default=1, ge=1)
    """In the lists of how many known items an item must be new or better placed to be guessed."""

    active: bool = True
    """Try only people who rated something in between: the adversary knows that they were there."""

    tries: int = Field(default=1000, ge=1)
    """How many people are tried for each pair of releases, at most."""


_FIGURES = (
    DeclaredFigure(
        "inference_precision",
        worse="more",
        heading="Inference precision, recall, rated, prior",
        meaning="Of the guesses of somebody who watches the lists of items that a person is known "
        "to have rated, the share that the person rated between the two releases; of what people "
        "rated in between, the share that is guessed; the guesses that the person had rated at "
        "all; and what the popularity of the guessed items alone would give.",
    ),
    DeclaredFigure("inference_rated", worse="more"),
    DeclaredFigure("inference_recall", worse="more"),
    DeclaredFigure("inference_prior"),
    DeclaredFigure("guesses", "count"),
    WORST_BREACH,
)


class PassiveInference(ListAttack):
    """Knows items of a person and watches their lists from one release to the next.

    An item that newly enters, or climbs in, enough of these lists is guessed to be what the
    person rated in between. How often that is true is measured on the ratings themselves; beside
    it stands the worst breach, what a background tells in the worst case by the bound.
    """

    name: ClassVar[str] = "passive-inference"
    summary: ClassVar[str] = "Guesses what people rated from changes of related-item lists."
    reference: ClassVar[str] = (
        "Calandrino, Kilzer, Narayanan, Felten, Shmatikov: “You Might Also Like”: Privacy Risks of "
        "Collaborative Filtering. S&P 2011."
    )
    figures: ClassVar[tuple[DeclaredFigure, ...]] = _FIGURES
    applies_to: ClassVar[str] = "of lists"
    audited_with: ClassVar[tuple[str, ...]] = tuple(
        f"known={known},at_least={lists}" for known in (5, 20) for lists in (1, 2, 3)
    )
    compared_with: ClassVar[tuple[str, ...]] = ()
    Parameters: ClassVar[type[Parameters]] = PassiveInferenceParameters
    parameters: PassiveInferenceParameters

    @property
    def label(self) -> str:
        parameters = self.parameters
        return f"knows {parameters.known} items, guesses from {parameters.at_least} of their lists"

    @classmethod
    def sentences(cls, findings: Sequence[Finding], audit: Audit) -> list[str]:
        tried = [(right, one) for one in findings if (right := one.share("inference_precision"))]
        if not tried:
            return []
        right, finding = max(tried, key=lambda pair: pair[0].value)
        prior = finding.share("inference_prior")
        beside = f"; by popularity alone {of_100(prior)} would be" if prior else ""
        return [
            f"Of 100 guesses from changed lists by somebody who {finding.label}, {of_100(right)} "
            f"are right{beside}."
        ]

    def run_lists(
        self, context: ListContext, seed: int = 0, progress: Progress = SILENT
    ) -> Finding:
        counted: list[TrialCounts] = []
        with progress.task("Guessing from lists", len(context.places)) as task:
            for place in context.places:
                if place > 0:
                    rng = Randomness.from_seed(seed).generator(self.name, place)
                    counted += self._trial_counts(context, place, rng)
                task.advance()
        people = sum(len(one.guesses) for one in counted)
        if not people:
            why = f"Nobody with {self.parameters.known} known items was there between two releases."
            return self.list_finding((), 0, seed, (f"{why} Not measured.",))
        worst = _worst(context, progress)
        notes = (_rounds(len(counted), self.parameters.active),)
        return self.list_finding((*_figures(counted), *worst), people, seed, notes)

    def _trial_counts(
        self, context: ListContext, place: int, rng: np.random.Generator
    ) -> Iterator[TrialCounts]:
        parameters = self.parameters
        list_changes = ListChanges.of(context, place)
        people = list_changes.people(parameters.known, active=parameters.active)
        if not len(people):
            return
        chosen = np.sort(rng.permutation(people)[: parameters.tries])
        known = list_changes.draw(chosen, parameters.known, rng)
        yield _guess(
            context,
            place,
            list_changes,
            known,
            parameters.at_least,
            list_changes.popularity(people),
        )


class TrialCounts(NamedTuple):
    """Of each person: guesses, those added and those rated at all, ratings added, and chances."""

    guesses: Floats
    added: Floats
    rated: Floats
    new: Floats
    chances: Floats


def _guess(
    context: ListContext,
    place: int,
    list_changes: ListChanges,
    known: KnownItems,
    at_least: int,
    popularity: tuple[Indices, int],
) -> TrialCounts:
    """Guess every item that distinguishes the lists of enough of the known ones."""
    n_items, n_tries = context.n_items, len(known.people)
    keys = _guessed(context, place, known, at_least)
    new, rated = (list_changes.keys(known.people, new=only) for only in (True, False))
    added = within(keys, new)
    adding, people = popularity
    others = (adding[keys % n_items] - added) / max(1, people - 1)
    each = (np.ones(len(keys)), added, within(keys, rated), others)
    guesses, hits, seen, chances = (
        np.bincount(keys // n_items, weights=one, minlength=n_tries).astype(np.float64)
        for one in each
    )
    total = np.bincount(new // n_items, minlength=n_tries).astype(np.float64)
    return TrialCounts(guesses, hits, seen, total, chances)


def _guessed(context: ListContext, place: int, known: KnownItems, at_least: int) -> Indices:
    """The guesses, as try × items + item; what is known is not guessed."""
    n_items = context.n_items
    lists, targets = _distinguished(context, place)
    starts = np.searchsorted(lists, np.arange(n_items + 1))
    counts = np.diff(starts)[known.items]
    moved = targets[np.repeat(starts[known.items], counts) + places_within(counts)]
    keys, votes = np.unique(np.repeat(known.trials, counts) * n_items + moved, return_counts=True)
    own = np.sort(known.trials * n_items + known.items)
    guessed: Indices = keys[(votes >= at_least) & ~within(keys, own)]
    return guessed


def _distinguished(context: ListContext, place: int) -> tuple[Indices, Indices]:
    """Every list and an item that is new or better placed in it, by list."""
    moved = changed_lists(context.tables[place], context.tables[place - 1])
    targets = np.repeat(np.arange(len(moved.starts) - 1), np.diff(moved.starts))
    order = np.argsort(moved.locations, kind="stable")
    return moved.locations[order].astype(np.int64), targets[order]


def _figures(counted: list[TrialCounts]) -> Iterator[Figure]:
    columns = (np.concatenate(column) for column in zip(*counted, strict=True))
    guesses, added, rated, new, chances = columns
    parts = {
        "inference_precision": (added, guesses),
        "inference_rated": (rated, guesses),
        "inference_recall": (added, new),
        "inference_prior": (chances, guesses),
    }
    for name, (part, whole) in parts.items():
        if whole.sum():
            yield _safe(ratio_figure(name, part, whole, _MEANINGS[name]), part, whole)
    said = "how often the adversary guessed"
    yield Figure("guesses", float(guesses.sum()), unit="count", meaning=said)


def _safe(figure: Figure, part: Floats, whole: Floats) -> Figure:
    """No narrower than if guesses were independent: a few that all fail prove little."""
    low, high = wilson(float(part.sum()), int(whole.sum()))
    return replace(
        figure, low=min(low, figure.low or 0.0), high=max(high, figure.high or figure.value)
    )


def _worst(context: ListContext, progress: Progress) -> Iterator[Figure]:
    shares = [one.share for place in context.places if (one := context.worst(place, progress))]
    meaning = "the largest share of those with a background who rated what the lists hint at"
    yield Figure("worst_breach", float(max(shares, default=0)), meaning=meaning)


def _rounds(pairs: int, active: bool) -> str:
    who = "People who rated in between" if active else "People, whether or not they rated since,"
    return f"{who} were tried on {pairs:,} pairs of a release and the one before it."
