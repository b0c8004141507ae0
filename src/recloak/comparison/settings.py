"""Settings: which methods with which parameters are compared; the default grid, and grid files."""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any

from recloak.core.errors import InputError, ParameterError, RecloakError
from recloak.core.parameters import format_spec, parse_spec
from recloak.core.ratings import Ratings
from recloak.core.survey import Survey, SurveyParameters, deviations
from recloak.methods import METHODS, Method, method

NOISE_SHARES = (1 / 16, 1 / 8, 1 / 4, 1 / 2)  # of the scale: 0.25, 0.5, 1 and 2 stars of 1..5
BASELINE = "pseudonymize"
MADE_UP = "synthetic"
BUDGETS = (8.0, 2.0, 1.0)
LIKE_PEOPLE = 1.0  # of what the model does not explain: ratings as rough as people's
PEOPLE_FOR_NOISE = 2_000  # among fewer, noise at these budgets leaves hardly more than item means
MOST_SETTINGS = 1000
_GRID: dict[str, dict[str, Sequence[Any]]] = {
    BASELINE: {},
    "gaussian-noise": {},
    "uniform-noise": {},
    "fragmentation": {"cut": ("centroids", "shared"), "fragments": (2, 4, 8, 16)},
    "disassociation": {"k": (2, 3, 5, 10)},
    "microaggregation": {"k": (3, 5, 10, 20)},
    "predictive": {"k": (3, 5, 10, 20)},
    MADE_UP: {"floor": (10, 30, 100)},
}
_SURVEY_GRID: dict[str, dict[str, Sequence[Any]]] = {
    BASELINE: {},
    "proximity": {"k": (3, 5, 10, 20)},
    "proximity-deletion": {"k": (3, 5, 10, 20)},
    MADE_UP: {"data": ("survey",), "floor": (10, 30)},
}
SPREAD_SHARES = (1 / 4, 1 / 2)  # of the deviation that sensitive answers have among everybody
OVERLOOKS = "cannot protect sensitive issues, so the declaration would be ignored"
Grid = dict[str, list[dict[str, Sequence[Any]]]]  # the values to cross, by method
_EXAMPLE = 'Example: [[method]], then name = "microaggregation" and k = [3, 5, 10].'


@dataclass(frozen=True, eq=False)
class Setting:
    """One method with the parameters that were asked for; all others have their defaults.

    ``declared`` are the issues of a survey that are sensitive or not, which is said of the data and
    not of one setting.
    """

    name: str
    given: dict[str, Any]
    declared: Mapping[str, str] = field(default_factory=dict)

    @property
    def method(self) -> Method:
        """The method itself; what is wrong with the parameters is said here."""
        takes = issubclass(METHODS.get(self.name).Parameters, SurveyParameters)
        issues = self.declared if takes else {}
        return method(self.name, **{**issues, **self.given})

    @property
    def overlooks(self) -> str:
        """Why the method must not be used where issues are declared; empty if it may be."""
        chosen = METHODS.get(self.name)
        # of made-up people no answer is anybody's, the sensitive ones as little as the others
        knows = chosen.made_up or issubclass(chosen.Parameters, SurveyParameters)
        return OVERLOOKS if self.declared and not knows else ""

    @property
    def label(self) -> str:
        """Name and what was asked for: ``microaggregation:k=5``."""
        return format_spec(self.name, self.given)

    @property
    def family(self) -> str:
        """The method with what was asked for that is not a number: ``fragmentation:cut=shared``.

        Settings of one family differ in numbers only, so that there is an order between them.
        """
        return format_spec(
            self.name, {k: v for k, v in self.given.items() if k not in self.numbers}
        )

    @property
    def numbers(self) -> dict[str, float]:
        """The numbers that were asked for, by parameter."""
        values = self.method.parameters.public()
        return {
            key: value
            for key in self.given
            if isinstance(value := values.get(key), (int, float)) and not isinstance(value, bool)
        }

    @property
    def within_family(self) -> str:
        """What tells it from others of its family: ``k=5``, or its whole name if nothing does."""
        named = {key: value for key, value in self.given.items() if key in self.numbers}
        return format_spec("", named).removeprefix(":") or self.label

    @property
    def words(self) -> str:
        """The same as the words of a command: ``--method microaggregation --k 5``."""
        flags = [f"--{key.replace('_', '-')} {_quoted(value)}" for key, value in self.given.items()]
        return " ".join([f"--method {self.name}", *flags])


def default_settings(ratings: Ratings, survey: SurveyParameters | None = None) -> list[Setting]:
    """Every method for ratings at several settings, and new names alone as the baseline.

    Of a ``survey``, every method for surveys, with what is declared, instead. Fragmentation has
    four settings for each way to cut: the paper's, and ours that gives away less.
    Noise is a share of the scale, so that it means the same on 1..5 as on −10..10. Made-up people
    have a floor of two sizes; of many people they are also drawn with differential privacy.
    """
    if survey is not None:
        return _of_survey(ratings, survey)
    return _of_grid(default_grid(ratings.scale.span or 1.0, ratings.n_users))


def default_grid(span: float, people: int) -> Grid:
    """The values that are crossed by default, by method, for a scale and so many people."""
    noise: dict[str, Sequence[Any]] = {
        "sigma": [float(f"{share * span:.3g}") for share in NOISE_SHARES]
    }
    grid: Grid = {
        name: [noise if name.endswith("-noise") else lists] for name, lists in _GRID.items()
    }
    grid[MADE_UP] = [*grid[MADE_UP], {"calm": (LIKE_PEOPLE,)}]
    if people >= PEOPLE_FOR_NOISE:
        grid[MADE_UP] = [*grid[MADE_UP], {"epsilon": BUDGETS}]
    return grid


def survey_grid(least_deviation: float | None) -> Grid:
    """The same for a survey, by the least deviation of its sensitive answers, if any are."""
    spreads = _spreads(least_deviation) if least_deviation is not None else {}
    return {
        name: [lists | spreads if name.startswith("proximity") else lists]
        for name, lists in _SURVEY_GRID.items()
    }


def _of_grid(grid: Grid) -> list[Setting]:
    return [
        setting
        for name, entries in grid.items()
        for lists in entries
        for setting in _crossed(name, lists)
    ]


def _of_survey(ratings: Ratings, survey: SurveyParameters) -> list[Setting]:
    """Groups of several sizes whose sensitive answers, if any are declared, must differ."""
    least = min(deviations(Survey.of(ratings, survey)).values()) if survey.sensitive else None
    return with_declared(_of_grid(survey_grid(least)), survey)


def _spreads(least: float) -> dict[str, Sequence[Any]]:
    found = [float(f"{share * least:.2g}") for share in SPREAD_SHARES]
    return {"l": found} if least > 0 else {}


def with_declared(settings: Iterable[Setting], survey: SurveyParameters | None) -> list[Setting]:
    """The settings for data of which this is declared."""
    issues = {name: value for name, value in survey if value} if survey else {}
    return [replace(setting, declared=issues) for setting in settings]


def read_grid(path: str | Path) -> list[Setting]:
    """The settings of a grid file: one [[method]] each, lists of values are crossed."""
    where = str(path)
    try:
        content = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as problem:
        raise InputError(f"cannot read the grid: {problem}", where=where) from None
    except tomllib.TOMLDecodeError as problem:
        raise InputError(f"is not valid TOML: {problem}", where=where) from None
    unknown = set(content) - {"method"}
    entries = content.get("method")
    if unknown or not isinstance(entries, list) or not entries:
        message = f"unknown key '{min(unknown)}'" if unknown else "there is no [[method]]"
        raise InputError(message, where=where, hint=_EXAMPLE)
    settings: list[Setting] = []
    for number, entry in enumerate(entries, 1):
        settings += _entry(entry, f"{where}, [[method]] number {number}")
    return _distinct(settings, where)


def settings_from(wanted: Sequence[Setting | str] | None, ratings: Ratings) -> list[Setting]:
    """What to try: settings, or texts such as ``microaggregation:k=5``; by default the usual."""
    if wanted is None:
        return default_settings(ratings)
    if isinstance(wanted, str):
        wanted = [wanted]
    found = [Setting(*parse_spec(one)) if isinstance(one, str) else one for one in wanted]
    _checked([one for one, given in zip(found, wanted, strict=True) if isinstance(given, str)])
    return found


def chosen(settings: Sequence[Setting], names: Iterable[str]) -> list[Setting]:
    """Those of the methods called ``names``; one that has no settings gets its defaults."""
    found: list[Setting] = []
    for name in dict.fromkeys(names):
        METHODS.get(name)  # an unknown name is refused with the nearest one
        found += [one for one in settings if one.name == name] or _checked([Setting(name, {})])
    return found


def _entry(entry: Any, where: str) -> list[Setting]:
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        raise InputError("has no name", where=where, hint=_EXAMPLE)
    lists = {
        key.replace("-", "_"): value if isinstance(value, list) else [value]
        for key, value in entry.items()
        if key != "name"
    }
    for key, values in lists.items():
        if not values:
            raise InputError(f"'{key}' lists no values", where=where)
    try:
        return _checked(_crossed(entry["name"], lists))
    except RecloakError as problem:
        place = f" ({problem.where})" if problem.where else ""
        raise InputError(f"{problem.what}{place}", where=where, hint=problem.hint) from None


def _crossed(name: str, lists: Mapping[str, Sequence[Any]]) -> list[Setting]:
    combinations = product(*lists.values())
    return [Setting(name, dict(zip(lists, values, strict=True))) for values in combinations]


def _checked(settings: list[Setting]) -> list[Setting]:
    if len(settings) > MOST_SETTINGS:
        raise ParameterError(f"makes {len(settings):,} settings, more than {MOST_SETTINGS:,}")
    for setting in settings:
        _ = setting.method
    return settings


def _distinct(settings: list[Setting], where: str) -> list[Setting]:
    """Each setting once, however it was written."""
    found = {setting.method.spec: setting for setting in reversed(settings)}
    if len(found) > MOST_SETTINGS:
        raise InputError(f"makes {len(found):,} settings, more than {MOST_SETTINGS:,}", where=where)
    return list(reversed(found.values()))


def _quoted(value: Any) -> str:
    return shlex.quote(str(value).lower() if isinstance(value, bool) else str(value))
