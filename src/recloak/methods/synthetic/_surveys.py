"""Surveys: every answer to a question is an item, and a respondent has one of each question.

So columns may be ordinal or categorical, and an empty cell is an answer like any other.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from recloak.core.arrays import Indices, offsets_from
from recloak.core.errors import InputError
from recloak.core.parallel import in_threads
from recloak.core.people_draws import PeopleDraws
from recloak.core.progress import SILENT, Progress
from recloak.core.ratings import Ratings
from recloak.core.scale import IMPLICIT, Scale
from recloak.methods.synthetic._draw_kernels import draw_answers
from recloak.methods.synthetic._drawing import MadeUpPeople, generators_of, normal_rows
from recloak.methods.synthetic._public import PublicFacts
from recloak.methods.synthetic._traits import Traits

MOST_LEVELS = 100
PEOPLE_PER_BLOCK = 4096


def survey_facts(n_issues: int, scale: Scale) -> PublicFacts:
    """What is public of a survey: its answers, no answer first, question by question."""
    width = _levels(scale) + 1
    return PublicFacts(n_issues * width, IMPLICIT, np.repeat(np.arange(n_issues), width))


def as_answers(ratings: Ratings) -> Ratings:
    """Every respondent with one answer to each question, row by row."""
    width = _levels(ratings.scale) + 1
    level = np.zeros((ratings.n_users, ratings.n_items), np.int32)
    step = ratings.scale.step or 1.0
    given = np.rint((ratings.values - ratings.scale.low) / step).astype(np.int32) + 1
    level[ratings.user_codes(), ratings.items] = given
    cells = (level + width * np.arange(ratings.n_items, dtype=np.int32)).ravel()
    offsets = np.arange(ratings.n_users + 1, dtype=np.int64) * ratings.n_items
    labels = np.arange(ratings.n_items * width)
    ones = np.ones(len(cells), np.float32)
    return Ratings(offsets, cells, ones, IMPLICIT, ratings.user_labels, labels)


def draw_survey(made_up: MadeUpPeople, progress: Progress = SILENT) -> Ratings:
    """Made-up respondents."""
    traits, scale, count = made_up.traits, made_up.scale, made_up.count
    assert traits.question is not None
    width = _levels(scale) + 1
    issues, question = np.unique(traits.question, return_inverse=True)
    answers = np.zeros((count, len(issues)), np.int32)
    draws = made_up.draws(0, count)
    edges = [*range(0, count, PEOPLE_PER_BLOCK), count]

    def fill(start: int, end: int) -> None:
        _fill(traits, question, draws[start:end], answers[start:end])

    with progress.task("Drawing respondents", len(edges) - 1) as task:
        in_threads(fill, pairwise(edges), task)
    level = (traits.items[answers] % width) - 1
    given = level >= 0
    values = (scale.low + (scale.step or 1.0) * level[given]).astype(np.float32)
    items = np.nonzero(given)[1].astype(np.int32)
    offsets = offsets_from(given.sum(axis=1))
    labels = made_up.item_labels[issues]
    return Ratings(offsets, items, scale.canonical(values), scale, np.arange(count), labels)


def _fill(
    traits: Traits, question: Indices, draws: PeopleDraws, answers: NDArray[np.int32]
) -> None:
    states = generators_of(draws)
    directions = np.ascontiguousarray(traits.directions.T, dtype=np.float32)
    interests = normal_rows(draws, "interests", len(directions))
    draw_answers(states, question, traits.fame.astype(np.float32), directions, interests, answers)


def _levels(scale: Scale) -> int:
    levels = scale.levels()
    if levels is None or len(levels) > MOST_LEVELS or scale.implicit:
        raise InputError(
            f"the scale {scale} is not that of a survey",
            where="method synthetic, parameter 'data'",
            hint=f"A survey has up to {MOST_LEVELS} levels; for anything else use --data ratings.",
        )
    return len(levels)
