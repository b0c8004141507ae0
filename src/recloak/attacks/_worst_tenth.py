"""How an attack does on the tenth of people that it does best on."""

from __future__ import annotations

import numpy as np
from scipy import special

from recloak.core.arrays import Floats
from recloak.evaluation.findings import Figure
from recloak.evaluation.intervals import wilson

TENTH = 0.1
RESAMPLES = 200


def worst_tenth(success: Floats) -> Figure:
    """The mean chance of being found among the worst-off tenth, with its interval.

    ``success`` has a row for each repetition and a column for each person. A few tries do not
    show who is worst off: picking the tenth by its luck overstates, and measuring it on other
    tries understates the risk. So the spread of people's chances is estimated instead, as a Beta
    distribution that has their mean and the variance between them that luck does not explain, and
    the mean of its upper tenth is taken. It ends at the best chance that any try had: whose rows
    are k alike can never be found more often than once in k. With a single repetition outcomes are
    the chances.
    """
    best = float(success.max())
    if best <= 0:
        best = 1.0
    estimate = _upper_tenth(success, best)
    people = success.shape[1]
    rng = np.random.Generator(np.random.Philox(people))
    picks = rng.integers(0, people, (RESAMPLES, people))
    spread = np.array([_upper_tenth(success[:, pick], best) for pick in picks])
    low, high = np.quantile(spread, [0.025, 0.975])
    surely_low, surely_high = wilson(estimate * people, people)  # where nobody differs
    low, high = min(low, surely_low), max(high, surely_high)
    meaning = "chance of being found among the worst-off tenth of people"
    return Figure("worst_tenth", estimate, float(low), float(high), "share", meaning)


def _upper_tenth(success: Floats, best: float) -> float:
    return best * _beta_tenth(success / best)


def _beta_tenth(success: Floats) -> float:
    repeats, people = success.shape
    chances = success.mean(axis=0)
    if repeats == 1:
        return float(np.sort(chances)[-max(1, round(TENTH * people)) :].mean())
    mean = float(chances.mean())
    luck = float(success.var(axis=0, ddof=1).mean()) / repeats
    between = float(chances.var(ddof=1)) - luck if people > 1 else 0.0
    most = mean * (1 - mean)
    if between <= 1e-9 or most <= 0:
        return mean
    between = min(between, 0.999 * most)
    weight = most / between - 1
    a, b = mean * weight, (1 - mean) * weight
    limit = special.betaincinv(a, b, 1 - TENTH)
    return float(min(1.0, max(mean, mean * special.betaincc(a + 1, b, limit) / TENTH)))
