"""Attack `passive-inference`: guesses what a person rated from how related-item lists change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from recloak.attacks.base import ListAttack
from recloak.attacks.passive_inference._control import (
    ControlCounts,
    Pairs,
    control_figures,
    note_on,
    outsider_counts,
)
from recloak.attacks.passive_inference._figures import FIGURES, control_sentence, guessed_sentence
from recloak.attacks.passive_inference._list_changes import KnownItems, ListChanges, within
from recloak.core.arrays import Floats, Indices, places_within
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.evaluation.figures import DeclaredFigure
from recloak.evaluation.findings import Audit, Figure, Finding
from recloak.evaluation.intervals import safe_ratio_figure
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
    """In how many lists of known items an item must be new or placed higher to be guessed."""

    active: bool = True
    """Try only people who rated something in between: the adversary knows that they were there."""

    tries: int = Field(default=1000, ge=1)
    """How many people are tried for each pair of releases, at most."""


class PassiveInference(ListAttack):
    """Knows items of a person and watches their lists from one release to the next.

    An item that newly enters, or climbs in, enough of these lists is guessed to be what the
    person rated in between. How often that is true is measured on the ratings themselves; beside
    it stands the worst breach, what a background tells in the worst case by the bound. The same
    guesses are made about people who rated nothing in between, as a control.
    """

    name: ClassVar[str] = "passive-inference"
    summary: ClassVar[str] = "Guesses what people rated from changes of related-item lists."
    reference: ClassVar[str] = (
        "Calandrino, Kilzer, Narayanan, Felten, Shmatikov: “You Might Also Like”: Privacy Risks of "
        "Collaborative Filtering. S&P 2011."
    )
    figures: ClassVar[tuple[DeclaredFigure, ...]] = FIGURES
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
        return [*guessed_sentence(findings), *control_sentence(findings)]

    def run_lists(
        self, context: ListContext, seed: int = 0, progress: Progress = SILENT
    ) -> Finding:
        counted: list[TrialCounts] = []
        control: list[ControlCounts] = []
        with progress.task("Guessing from lists", len(context.places)) as task:
            for place in context.places:
                if place > 0:
                    drawn = Randomness.from_seed(seed)
                    list_changes = ListChanges.of(context, place)
                    rng = drawn.generator(self.name, place)
                    for tried, counts in self._trial_counts(context, place, list_changes, rng):
                        counted.append(counts)
                        rng = drawn.generator(self.name, "control", place)
                        trial = (list_changes, tried, counts)
                        control.append(self._control_counts(context, place, trial, rng))
                task.advance()
        people = sum(len(one.guesses) for one in counted)
        if not people:
            why = f"Nobody with {self.parameters.known} known items was there between two releases."
            return self.list_finding((), 0, seed, (f"{why} Not measured.",))
        worst = _worst(context, progress)
        beside = tuple(control_figures(control))
        notes = (_rounds(len(counted), self.parameters.active), note_on(control, beside))
        return self.list_finding((*_figures(counted), *worst, *beside), people, seed, notes)

    def _trial_counts(
        self,
        context: ListContext,
        place: int,
        list_changes: ListChanges,
        rng: np.random.Generator,
    ) -> Iterator[tuple[Indices, TrialCounts]]:
        """Who is tried between two releases, and what comes of it; nothing if there is nobody."""
        parameters = self.parameters
        people = list_changes.people(parameters.known, active=parameters.active)
        if not len(people):
            return
        chosen = np.sort(rng.permutation(people)[: parameters.tries])
        known = list_changes.draw(chosen, parameters.known, rng)
        counts = _guess(
            context,
            place,
            list_changes,
            known,
            parameters.at_least,
            list_changes.popularity(people),
        )
        yield chosen, counts

    def _control_counts(
        self,
        context: ListContext,
        place: int,
        trial: tuple[ListChanges, Indices, TrialCounts],
        rng: np.random.Generator,
    ) -> ControlCounts:
        """The same guesses about people who rated nothing in between, beside those who did."""
        list_changes, tried, counts = trial
        pairs = Pairs.of(context, list_changes, tried, self.parameters.known, rng)
        known = list_changes.draw(pairs.outsiders, self.parameters.known, rng)
        keys = _guessed(context, place, known, self.parameters.at_least)
        about_outsiders = outsider_counts(keys, context, list_changes, pairs)
        return ControlCounts(
            counts.guesses[pairs.members], counts.added[pairs.members], *about_outsiders
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
            yield safe_ratio_figure(name, part, whole, _MEANINGS[name])
    meaning = "how often the adversary guessed"
    yield Figure("guesses", float(guesses.sum()), unit="count", meaning=meaning)


def _worst(context: ListContext, progress: Progress) -> Iterator[Figure]:
    shares = [one.share for place in context.places if (one := context.worst(place, progress))]
    meaning = (
        "of the people who rated certain items, the largest share that also rated an item that "
        "entered or climbed in their lists"
    )
    yield Figure("worst_breach", float(max(shares, default=0)), meaning=meaning)


def _rounds(pairs: int, active: bool) -> str:
    who = "People who rated in between" if active else "People, whether or not they rated since,"
    return f"{who} were tried on {pairs:,} pairs of a release and the one before it."
