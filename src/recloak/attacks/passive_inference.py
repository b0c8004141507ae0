"""Attack `passive-inference`: guesses what a person rated from how related-item lists change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recloak.attacks.between import Between, Codes, Known, within
from recloak.attacks.lists import ListAttack
from recloak.findings import Figure, Finding
from recloak.guarantees.delta_bound_counting import changed
from recloak.lists.scene import ListScene
from recloak.parameters import Parameters
from recloak.progress import SILENT, Progress
from recloak.randomness import Randomness
from recloak.statistics import ratio_figure, wilson

Sums = NDArray[np.float64]

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
    figures: ClassVar[tuple[str, ...]] = (*_MEANINGS, "guesses", "worst_breach")
    Parameters: ClassVar[type[Parameters]] = PassiveInferenceParameters
    parameters: PassiveInferenceParameters

    @property
    def label(self) -> str:
        told = self.parameters
        return f"knows {told.known} items, guesses from {told.at_least} of their lists"

    def run_lists(self, scene: ListScene, seed: int = 0, progress: Progress = SILENT) -> Finding:
        tried: list[Tried] = []
        with progress.task("Guessing from lists", len(scene.places)) as task:
            for place in scene.places:
                if place > 0:
                    rng = Randomness.from_seed(seed).generator(self.name, place)
                    tried += self._tried(scene, place, rng)
                task.advance()
        people = sum(len(one.guesses) for one in tried)
        if not people:
            why = f"Nobody with {self.parameters.known} known items was there between two releases."
            return self.watched((), 0, seed, (f"{why} Not measured.",))
        worst = _worst(scene, progress)
        notes = (_rounds(len(tried), self.parameters.active),)
        return self.watched((*_figures(tried), *worst), people, seed, notes)

    def _tried(self, scene: ListScene, place: int, rng: np.random.Generator) -> Iterator[Tried]:
        told = self.parameters
        between = Between.of(scene, place)
        people = between.people(told.known, active=told.active)
        if not len(people):
            return
        chosen = np.sort(rng.permutation(people)[: told.tries])
        known = between.draw(chosen, told.known, rng)
        yield _guess(scene, place, between, known, told.at_least, between.popularity(people))


class Tried(NamedTuple):
    """Of each person: guesses, those added and those rated at all, ratings added, and chances."""

    guesses: Sums
    added: Sums
    rated: Sums
    new: Sums
    chances: Sums


def _guess(
    scene: ListScene,
    place: int,
    between: Between,
    known: Known,
    at_least: int,
    popularity: tuple[Codes, int],
) -> Tried:
    """Guess every item that distinguishes the lists of enough of the known ones."""
    n_items, n_tries = scene.n_items, len(known.people)
    keys = _guessed(scene, place, known, at_least)
    new, rated = (between.keys(known.people, new=only) for only in (True, False))
    added = within(keys, new)
    adding, people = popularity
    others = (adding[keys % n_items] - added) / max(1, people - 1)
    each = (np.ones(len(keys)), added, within(keys, rated), others)
    guesses, hits, seen, chances = (
        np.bincount(keys // n_items, weights=one, minlength=n_tries).astype(np.float64)
        for one in each
    )
    total = np.bincount(new // n_items, minlength=n_tries).astype(np.float64)
    return Tried(guesses, hits, seen, total, chances)


def _guessed(scene: ListScene, place: int, known: Known, at_least: int) -> Codes:
    """The guesses, as try × items + item; what is known is not guessed."""
    n_items = scene.n_items
    lists, targets = _distinguished(scene, place)
    starts = np.searchsorted(lists, np.arange(n_items + 1))
    counts = np.diff(starts)[known.items]
    first = np.repeat(starts[known.items] - np.cumsum(counts) + counts, counts)
    moved = targets[first + np.arange(len(first))]
    keys, votes = np.unique(np.repeat(known.tries, counts) * n_items + moved, return_counts=True)
    own = np.sort(known.tries * n_items + known.items)
    guessed: Codes = keys[(votes >= at_least) & ~within(keys, own)]
    return guessed


def _distinguished(scene: ListScene, place: int) -> tuple[Codes, Codes]:
    """Every list and an item that is new or better placed in it, by list."""
    moved = changed(scene.tables[place], scene.tables[place - 1])
    targets = np.repeat(np.arange(len(moved.starts) - 1), np.diff(moved.starts))
    order = np.argsort(moved.locations, kind="stable")
    return moved.locations[order].astype(np.int64), targets[order]


def _figures(tried: list[Tried]) -> Iterator[Figure]:
    columns = (np.concatenate(column) for column in zip(*tried, strict=True))
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


def _safe(figure: Figure, part: Sums, whole: Sums) -> Figure:
    """No narrower than if guesses were independent: a few that all fail prove little."""
    low, high = wilson(float(part.sum()), int(whole.sum()))
    return replace(
        figure, low=min(low, figure.low or 0.0), high=max(high, figure.high or figure.value)
    )


def _worst(scene: ListScene, progress: Progress) -> Iterator[Figure]:
    shares = [one.share for place in scene.places if (one := scene.worst(place, progress))]
    meaning = "the largest share of those with a background who rated what the lists hint at"
    yield Figure("worst_breach", float(max(shares, default=0)), meaning=meaning)


def _rounds(pairs: int, active: bool) -> str:
    who = "People who rated in between" if active else "People, whether or not they rated since,"
    return f"{who} were tried on {pairs:,} pairs of a release and the one before it."
