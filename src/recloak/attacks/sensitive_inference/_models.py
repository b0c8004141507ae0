"""What a release tells of sensitive answers, by three models: two of near rows, one learnt."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from recloak.attacks._answer_distances import distance
from recloak.core.arrays import Floats, Levels
from recloak.core.kernels import kernel
from recloak.core.parallel import in_threads
from recloak.core.progress import Progress
from recloak.core.survey import NULL, Survey


@kernel
def weigh_rows(
    first: int,
    end: int,
    queries: Levels,
    known: Levels,
    hidden: Levels,
    apart: int,
    weights: Floats,
    votes: Floats,
) -> None:
    """Add to ``votes`` of the people first..end what all rows answer, the nearest most.

    ``weights`` has a line for each way to weigh, and a column for each distance beyond that of
    the nearest row; farther rows weigh nothing. ``votes`` has a count for each person, way,
    sensitive issue and level.
    """
    most = apart * queries.shape[1]
    beyond = weights.shape[1]
    for person in range(first, end):
        least = most
        for row in range(len(known)):
            least = min(least, distance(queries[person], known, row, apart, least))
        for row in range(len(known)):
            farther = distance(queries[person], known, row, apart, least + beyond) - least
            if farther < beyond:
                for issue in range(hidden.shape[1]):
                    level = hidden[row, issue]
                    if level >= 0:
                        for way in range(len(weights)):
                            votes[person, way, issue, level] += weights[way, farther]


DECAYS = (1.0, 5.0)  # of a row's weight, as exp(−decay · level farther than the nearest row)
FARTHEST = 20  # levels beyond the nearest row, where the slower decay has left 2e-9
PRIOR_ROWS = 0.5  # how many rows the distribution over all respondents counts as
PEOPLE_PER_BLOCK = 50


def log_chances(queries: Levels, survey: Survey, progress: Progress) -> Floats:
    """Log-chances of each person, sensitive issue and level by each model (the last axis).

    ``queries`` are the known answers; what is not known of an issue is not asked.
    """
    overall = np.stack([_frequencies(column, survey.r) for column in survey.hidden.T])
    votes = _votes(queries, survey, progress)
    blended = votes + PRIOR_ROWS * overall
    near = np.log(blended / blended.sum(axis=3, keepdims=True))
    learnt = np.stack(
        [_naive_bayes(queries, survey.known, column, survey.r) for column in survey.hidden.T],
        axis=1,
    )
    return np.stack([*near.transpose(1, 0, 2, 3), learnt], axis=3)


def most_frequent(survey: Survey) -> Levels:
    """For each sensitive issue the answer that most rows give."""
    levels = [_frequencies(column, survey.r).argmax() for column in survey.hidden.T]
    return np.array(levels, dtype=np.int8)


def _frequencies(column: Levels, levels: int) -> Floats:
    """The shares of the answers to one issue; none of them is impossible."""
    counts = np.bincount(column[column != NULL], minlength=levels) + 0.5
    return np.asarray(counts / counts.sum())


def _votes(queries: Levels, survey: Survey, progress: Progress) -> Floats:
    """By person, decay, sensitive issue and level: the weight of the rows that answer so."""
    weights = np.exp(-np.outer(DECAYS, np.arange(FARTHEST + 1)))
    people, issues = len(queries), len(survey.hidden_issues)
    votes = np.zeros((people, len(DECAYS), issues, survey.r))

    def work(first: int, end: int) -> None:
        weigh_rows(first, end, queries, survey.known, survey.hidden, survey.r, weights, votes)

    starts = range(0, people, PEOPLE_PER_BLOCK)
    blocks = [(start, min(start + PEOPLE_PER_BLOCK, people)) for start in starts]
    with progress.task("Weighing rows by known answers", len(blocks)) as task:
        in_threads(work, blocks, task)
    return votes


def _naive_bayes(queries: Levels, known: Levels, answers: Levels, levels: int) -> Floats:
    """Log-chances of each level of one sensitive issue for each person."""
    given = answers != NULL
    odds = np.tile(np.log(_frequencies(answers, levels)), (len(queries), 1))
    for issue, table in enumerate(_tables(known[given], answers[given], levels)):
        asked = np.flatnonzero(queries[:, issue] >= NULL)
        odds[asked] += table[queries[asked, issue].astype(np.int64) - NULL]
    odds -= odds.max(axis=1, keepdims=True)
    return np.asarray(odds - np.log(np.exp(odds).sum(axis=1, keepdims=True)))


def _tables(known: Levels, answers: Levels, levels: int) -> Iterator[Floats]:
    """For each non-sensitive issue the log-chances of its answers, by answer and sensitive level.

    No answer is an answer of its own.
    """
    for column in known.T.astype(np.int64):
        cells = (column - NULL) * levels + answers
        counts = np.bincount(cells, minlength=(levels + 1) * levels) + 1.0
        table = counts.reshape(levels + 1, levels)
        yield np.log(table / table.sum(axis=0))
