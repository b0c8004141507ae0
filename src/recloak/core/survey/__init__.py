"""Survey: answers of respondents to issues as whole levels, the sensitive ones kept apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from recloak.core.arrays import Labels, Levels, code_by_name
from recloak.core.errors import InputError, ParameterError
from recloak.core.issue_names import names_in
from recloak.core.parameters import Parameters
from recloak.core.ratings import Ratings

NULL = -1
MOST_LEVELS = 100
MOST_CELLS = 2_000_000_000
SLACK = 1e-9  # of a deviation: what floats may be off by where it is exactly as asked for


class SurveyParameters(Parameters):
    """Which issues an adversary may know about somebody, and which must not come out."""

    sensitive: str = ""
    """Names of the sensitive issues, with + between them."""

    non_sensitive: str = ""
    """Names of the issues that an adversary may know, with + between them; left out, all that are
    not sensitive."""


@dataclass(frozen=True)
class Survey:
    """Levels count from 0; a question that was not answered is `NULL`, apart from all levels.

    ``known`` holds a row for each respondent and a column for each non-sensitive issue, ``hidden``
    one for each sensitive issue. ``r`` is the number of levels, and the distance between an answer
    and none.
    """

    known: Levels
    hidden: Levels
    known_issues: tuple[str, ...]
    hidden_issues: tuple[str, ...]
    r: int
    respondents: Labels
    lowest: int = 1
    """The answer that level 0 stands for."""

    @classmethod
    def of(cls, ratings: Ratings, declared: SurveyParameters, where: str = "survey") -> Survey:
        """The answers in ``ratings`` to the issues that are declared."""
        levels = _level_count(ratings, where)
        hidden = names_in(declared.sensitive)
        known = names_in(declared.non_sensitive) or _others(ratings, hidden)
        _refuse_wrong(ratings, known, hidden, where)
        return cls(
            known=_answers(ratings, _codes(ratings, known, where)),
            hidden=_answers(ratings, _codes(ratings, hidden, where)),
            known_issues=tuple(known),
            hidden_issues=tuple(hidden),
            r=levels,
            respondents=ratings.user_labels,
            lowest=round(ratings.scale.low),
        )

    @property
    def n(self) -> int:
        """The number of respondents."""
        return len(self.known)


def deviations(survey: Survey) -> dict[str, float]:
    """The population deviation of each sensitive issue over those who answered; 0 for nobody."""
    columns = zip(survey.hidden_issues, survey.hidden.T, strict=True)
    return {name: deviation_of(column) for name, column in columns}


def least_deviation(l: float) -> float:  # noqa: E741
    """What a deviation must reach: ``l``, or the last bits below it.

    Answers that are all the same never reach it, however small it is.
    """
    return l * (1 - SLACK)


def deviation_of(column: Levels) -> float:
    """The population deviation of the answers in a column; 0 if nobody answered."""
    answered = column[column != NULL].astype(np.float64)
    return float(answered.std()) if len(answered) else 0.0


def feasibility(survey: Survey, k: int, l: float, where: str = "survey") -> tuple[str, ...]:  # noqa: E741
    """Refuse with the number what no release of all respondents can reach; returns warnings."""
    if survey.n < k:
        raise InputError(
            f"{survey.n:,} respondents cannot make a group of k = {k:,}",
            where=where,
            hint="Ask for a smaller k; it can be no more than the number of respondents.",
        )
    for name, deviation in deviations(survey).items() if l > 0 else ():
        answered = int((survey.hidden[:, survey.hidden_issues.index(name)] != NULL).sum())
        if answered and deviation < least_deviation(l):
            raise InputError(
                f"the deviation of '{name}' among all respondents is {deviation:.4g}, "
                f"below l = {l:g}",
                where=where,
                hint="Groups cannot all deviate more than everybody together: ask for a smaller l.",
            )
    if 2 * l > survey.r - 1 + SLACK:
        raise InputError(
            f"no answers on {survey.r} levels deviate by l = {l:g}",
            where=where,
            hint=f"They deviate by {(survey.r - 1) / 2:g} at most: ask for a smaller l.",
        )
    if l > 0 and 2 * l > survey.r - 1 - SLACK:
        return (
            f"l = {l:g} on {survey.r} levels is the most that there can be: in every group, half "
            "must give the lowest and half the highest answer to each sensitive issue.",
        )
    return ()


def only_most_rated(
    ratings: Ratings, count: int, beside: Sequence[str] = ()
) -> tuple[Ratings, str]:
    """The ratings of so many items, the most rated, and of those ``beside``; what to say of it."""
    named = set(beside)
    wanted = np.array([str(label) in named for label in ratings.item_labels], dtype=np.bool_)
    others = np.flatnonzero(~wanted)
    most = np.argsort(-ratings.item_support[others], kind="stable")[:count]
    wanted[others[most]] = True
    kept = ratings.keep(wanted[ratings.items]).compact()
    gone = ratings.n_users - kept.n_users
    return kept, (
        f"{kept.n_items:,} of {ratings.n_items:,} items were kept, the most rated; "
        f"{gone:,} people rated none of them and are left out."
    )


def _others(ratings: Ratings, hidden: Sequence[str]) -> list[str]:
    taken = set(hidden)
    return [str(label) for label in ratings.item_labels if str(label) not in taken]


def _level_count(ratings: Ratings, where: str) -> int:
    scale = ratings.scale
    if scale.implicit or scale.step != 1:
        raise InputError(
            f"answers must be whole numbers on a scale, not {scale}",
            where=where,
            hint="Say --scale 1..5 if they are, or multiply or round them first.",
        )
    levels = round(scale.span) + 1
    if not 2 <= levels <= MOST_LEVELS:
        raise InputError(
            f"a scale of {levels:,} levels ({scale}) is not a scale of answers",
            where=where,
            hint=f"It must have 2 to {MOST_LEVELS} levels; say --scale 1..5 if it has others.",
        )
    return levels


def _refuse_wrong(
    ratings: Ratings, known: Sequence[str], hidden: Sequence[str], where: str
) -> None:
    both = sorted(set(known) & set(hidden))
    if both:
        raise ParameterError(
            f"'{both[0]}' is declared both sensitive and non-sensitive",
            where=where,
            hint="Leave it on one side: sensitive if nobody should learn it.",
        )
    for names in (known, hidden):
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ParameterError(
                f"'{twice[0]}' is declared twice", where=where, hint="Name each issue once."
            )
    if not known:
        raise ParameterError(
            "there is no non-sensitive issue, so there is nothing to tell people apart by",
            where=where,
            hint="Declare fewer issues sensitive, or take more columns as issues (--issues). A "
            "column of words also needs their order (--order).",
        )
    cells = ratings.n_users * (len(known) + len(hidden))
    if cells > MOST_CELLS:
        raise InputError(
            f"{ratings.n_users:,} respondents × {len(known) + len(hidden):,} issues are too many",
            where=where,
            hint="Declare the issues that matter with --non-sensitive, such as the most rated 20.",
        )


def _codes(ratings: Ratings, names: Sequence[str], where: str) -> list[int]:
    code_of = code_by_name(ratings.item_labels)
    for name in names:
        if name not in code_of:
            shown = ", ".join(map(str, ratings.item_labels[:8]))
            more = ", …" if ratings.n_items > 8 else ""
            raise ParameterError(
                f"there is no issue '{name}'", where=where, hint=f"There are: {shown}{more}."
            )
    return [code_of[name] for name in names]


def _answers(ratings: Ratings, codes: Sequence[int]) -> Levels:
    """A column for each of ``codes``, a row for each respondent."""
    place = np.full(ratings.n_items, -1, dtype=np.int64)
    place[codes] = np.arange(len(codes))
    answers = np.full((ratings.n_users, len(codes)), NULL, dtype=np.int8)
    taken = place[ratings.items]
    wanted = taken >= 0
    levels = np.rint(ratings.values[wanted] - ratings.scale.low).astype(np.int8)
    answers[ratings.user_codes()[wanted], taken[wanted]] = levels
    return answers
