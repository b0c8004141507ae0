"""Options of reading: what a user may say about a source of ratings."""

from __future__ import annotations

import codecs
from collections.abc import Mapping, Sequence
from math import inf, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, cast

from recloak.core.columns import Duplicates, names_between_commas, parse_mapping
from recloak.core.errors import ParameterError
from recloak.core.issue_names import names_in
from recloak.core.options import Options, option
from recloak.io._schema import SIDES as SIDES
from recloak.io._schema import read_schema

if TYPE_CHECKING:
    from recloak.core.scale import Scale
else:
    Scale = Any  # the real one needs numpy, and help is shown without


OF_TEXT = ("separator", "encoding", "quotes", "decimal")
"""Options that only a text file has a use for whose layout is not fixed."""

READING, SURVEYS = "reading", "surveys"  # titles in the help

SEMICOLON = "%3B"  # how a semicolon inside a word is written where semicolons stand between orders
Orders = Sequence[Sequence[str]]
"""Words that stand for 1, 2, 3 and so on; issues of a survey may have different words."""


def _as_mapping(value: Mapping[str, Any] | str | None) -> dict[str, str]:
    if isinstance(value, str):
        return parse_mapping(value)
    return {role: str(name) for role, name in (value or {}).items()}


def _as_names(value: Sequence[str] | str | None) -> Sequence[str]:
    return names_between_commas(value) if isinstance(value, str) else tuple(value or ())


def _as_issues(value: Sequence[str] | str | None) -> Sequence[str]:
    return tuple(names_in(value) if isinstance(value, str) else value or ())


def _as_orders(value: Sequence[str] | Sequence[Sequence[str]] | str | None) -> Orders:
    """Orders of words: between semicolons, the words of each between commas; or as sequences."""
    if isinstance(value, str):
        orders_written = map(names_between_commas, value.split(";"))
        value = [[word.replace(SEMICOLON, ";") for word in order] for order in orders_written]
    elif value and all(isinstance(word, str) for word in value):
        value = [cast(Sequence[str], value)]
    orders = tuple(tuple(str(word).strip() for word in order) for order in value or ())
    places: dict[str, int] = {}
    for order in orders:
        _refuse_no_order(order)
        for place, word in enumerate(map(str.lower, order)):
            if places.setdefault(word, place) != place:
                raise _no_order(f"'{word}' has different places in two orders")
    return orders


def _refuse_no_order(words: Sequence[str]) -> None:
    distinct = {word.lower() for word in words}
    if len(distinct) < 2 or "" in distinct:
        raise _no_order("an order needs at least two words, none of them empty")
    if len(distinct) < len(words):
        raise _no_order("a word is in the order twice")


def _no_order(what: str) -> ParameterError:
    example = "Example: --order 'Strongly disagree,Disagree,Neutral,Agree,Strongly agree'"
    return ParameterError(what, where="--order", hint=example)


def _as_number(value: float | str | None) -> float | None:
    try:
        number = None if value is None else float(value)
    except (TypeError, ValueError):
        number = inf
    if number is not None and not isfinite(number):
        raise ParameterError(
            f"'{value}' is not a number", where="--not-rated", hint="Example: --not-rated 0"
        )
    return number


def _as_count(value: int | str | None) -> int | None:
    if value is None:
        return None
    text = str(value)
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise ParameterError(
            f"'{text}' is not a number of items",
            where="--most-rated",
            hint="Example: --most-rated 20",
        )
    return int(text)


class ReadOptions(Options):
    """What a user may say about a file; a format refuses what it has no use for.

    >>> import recloak
    >>> recloak.ReadOptions(columns="user=uid,item=film", duplicates="last").given()
    {'columns': {'user': 'uid', 'item': 'film'}, 'duplicates': 'last'}
    """

    format: str | None = option(metavar="NAME", group=READING)
    """the format, if it is not recognised"""

    columns: Mapping[str, str] = option({}, metavar="MAP", group=READING, convert=_as_mapping)
    """which column is which: user=uid,item=film,rating=stars,time=when (or places: user=1)"""

    scale: Scale | str | None = option(group=READING)
    """1..5, '0.5..5 step 0.5', '-10..10 continuous', implicit"""

    separator: str | None = option(metavar="TEXT", group=READING)
    """the field separator of a text file"""

    encoding: str | None = option(metavar="NAME", group=READING)
    """the encoding of a text file, such as latin-1"""

    quotes: Literal["doubled", "backslash"] | None = option(group=READING)
    """how a quote inside a quoted field is written: doubled, or after a backslash"""

    decimal: Literal["point", "comma"] | None = option(group=READING)
    """the decimal mark of the numbers in a text file"""

    order: Orders = option((), metavar="A,B,…", group=READING, convert=_as_orders)
    """the words that stand for ratings, lowest first: they become 1, 2, 3 and so on; several orders
    are separated by semicolons: 'No,Yes;Never,Often,Always'; a comma inside a word is
    written %2C, a semicolon %3B"""

    not_rated: float | None = option(metavar="NUMBER", group=READING, convert=_as_number)
    """the number that means that there is no rating, such as 0; these are left out"""

    id_column: str | None = option(metavar="NAME", group=READING)
    """of a survey: the column that says who answers"""

    issues: Sequence[str] = option((), metavar="A,B,…", group=READING, convert=_as_names)
    """of a survey: the columns with answers (default: all)"""

    duplicates: Duplicates | None = option(group=READING)
    """what to do when a user rated an item twice (default: error; inspect: last)"""

    sensitive: Sequence[str] = option(
        (), metavar="A,B,…", group=SURVEYS, many=True, convert=_as_issues
    )
    """issues whose answers nobody should learn about a person, such as income: published as they
    were given, but only among people who answered them differently (see --l)"""

    non_sensitive: Sequence[str] = option(
        (), metavar="C,D,…", group=SURVEYS, many=True, convert=_as_issues
    )
    """issues whose answers others may know about a person, which is why they are made alike
    (default: all that are not sensitive); an issue that is named neither way is not published"""

    schema: str | Path | None = option(metavar="FILE", group=SURVEYS)
    """TOML or JSON that says sensitive, non-sensitive, issues, scale and id-column"""

    most_rated: int | None = option(metavar="N", group=SURVEYS, convert=_as_count)
    """take only the N most rated items, and those declared, as issues"""

    declared: Sequence[str] = ()
    """issues that were declared sensitive or not: a table with such a column is a survey, and they
    are taken even if they are about the person"""

    def settled(self) -> Self:
        """These options and what their schema says beside them; the schema is read here, once.

        Raises
        ------
        InputError
            The schema cannot be read, or says what no schema says.

        """
        if not (self.schema or self.sensitive or self.non_sensitive):
            return self
        schema = read_schema(self.schema) if self.schema else {}
        own = {
            name: getattr(self, name)
            for name in self.given_names
            if name not in ("schema", "declared")
        }
        sides = {side: own.get(side, schema.pop(side, ())) for side in SIDES}
        names = dict.fromkeys([*self.declared, *sides["sensitive"], *sides["non_sensitive"]])
        declared = {"declared": list(names)} if names else {}
        return self.build("read", {**schema, **declared, **own, **sides})

    @property
    def implicit(self) -> bool:
        """Is it said that there are no ratings, only who took what?"""
        return str(self.scale) == "implicit"

    def for_manifest(self) -> dict[str, Any]:
        """What was said, without words of the user's own: nothing can be hidden in the rest.

        Of names of columns only their roles or their number are told. Names that were declared
        stay: they stand in the release.
        """
        recorded = {name: _recorded(name, value) for name, value in self.given().items()}
        return {name: value for name, value in recorded.items() if value is not None}

    def refuse(self, format_name: str, *names: str) -> None:
        """Complain if one of ``names`` was given: it would be ignored."""
        for name in names:
            if getattr(self, name):
                flag = f"--{name.replace('_', '-')}"
                wide = name in ("id_column", "issues")
                other = "as a survey: --format survey" if wide else "as text: --format csv"
                raise ParameterError(
                    f"the format {format_name} takes no {name.replace('_', ' ')}",
                    where=flag,
                    hint=f"Leave it out, or read the file {other} {flag} …",
                )


def _recorded(name: str, value: Any) -> Any:
    """What a manifest may say of an option."""
    if name in ("sensitive", "non_sensitive", "schema"):
        return None  # all of it stands in what is declared
    if value is None or name in ("format", "separator", "declared"):
        return value
    if name == "scale":
        return True  # the manifest has it in the canonical way
    if name == "encoding":
        return codecs.lookup(value).name
    if isinstance(value, Mapping):
        return sorted(value)
    if isinstance(value, list | tuple):
        return len(value)
    choices = ReadOptions.declared_options()[name].choices
    free = isinstance(value, str) and value not in choices
    return True if free else value
