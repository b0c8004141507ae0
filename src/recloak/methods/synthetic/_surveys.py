"""Surveys: every answer to a question is an item, and a respondent has one of each question.

So columns may be ordinal or categorical, and an empty cell is an answer like any other.
"""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Indices, Labels, offsets_from
from recloak.core.errors import InputError
from recloak.core.parallel import in_threads
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.core.scale import IMPLICIT, Scale
from recloak.methods.synthetic._draw_kernels import draw_answers
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


def draw_survey(
    traits: Traits,
    scale: Scale,
    item_labels: Labels,
    count: int,
    randomness: Randomness,
    progress: Progress = SILENT,
) -> Ratings:
    """``count`` made-up respondents."""
    assert traits.question is not None
    width = _levels(scale) + 1
    issues, question = np.unique(traits.question, return_inverse=True)
    answers = np.zeros((count, len(issues)), np.int32)
    blocks = [
        (start, min(start + PEOPLE_PER_BLOCK, count)) for start in range(0, count, PEOPLE_PER_BLOCK)
    ]

    def fill(start: int, end: int) -> None:
        _fill(traits, question, randomness, answers, start, end)

    with progress.task("Drawing respondents", len(blocks)) as task:
        in_threads(fill, blocks, task)
    level = (traits.items[answers] % width) - 1
    given = level >= 0
    values = (scale.low + (scale.step or 1.0) * level[given]).astype(np.float32)
    items = np.nonzero(given)[1].astype(np.int32)
    offsets = offsets_from(given.sum(axis=1))
    return Ratings(offsets, items, values, scale, np.arange(count), item_labels[issues])


def _fill(
    traits: Traits,
    question: Indices,
    randomness: Randomness,
    answers: np.ndarray,
    start: int,
    end: int,
) -> None:
    stream = randomness.stream("respondents", start)
    people, rank = end - start, traits.directions.shape[1]
    states = stream.words(4 * people).reshape(people, 4).copy()
    drawn = stream.normal(people * rank).reshape(people, rank).astype(np.float32)
    directions = np.ascontiguousarray(traits.directions.T, dtype=np.float32)
    fame = traits.fame.astype(np.float32)
    draw_answers(states, question, fame, directions, drawn, answers[start:end])


def _levels(scale: Scale) -> int:
    levels = scale.levels()
    if levels is None or len(levels) > MOST_LEVELS or scale.implicit:
        raise InputError(
            f"the scale {scale} is not that of a survey",
            where="method synthetic, parameter 'data'",
            hint=f"A survey has up to {MOST_LEVELS} levels; for anything else use --data ratings.",
        )
    return len(levels)
