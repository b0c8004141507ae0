"""Columns: which is user, item, rating and time; and what becomes of ratings that stand twice."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from recloak.core.errors import InputError, ParameterError, did_you_mean

ROLES = ("user", "item", "rating", "time")
_NAMES = {
    "user": "user userid uid username reviewer reviewerid customer customerid person personid "
    "member memberid respondent respondentid student s visitor visitorid",
    "item": "item itemid iid movie movieid film filmid book bookid isbn joke jokeid product "
    "productid asin track trackid song songid artist artistid article d",
    "rating": "rating ratings score scores stars value preference bookrating overall starrating "
    "reviewrating userrating y",
    "time": "time timestamp date datetime ts unixreviewtime reviewdate when",
}
_IN_WORDS = {"reviewtime": "time"}  # of Amazon, as "07 9, 2012", beside the same as a number
_ROLE_OF = {name: role for role, names in _NAMES.items() for name in names.split()}
_PERSONAL_NAMES = (
    "age gender sex zip zipcode postcode occupation job name email phone address city country "
    "location birth birthday income education race religion studage lectage"
)
_PERSONAL = frozenset(_PERSONAL_NAMES.split())
_NEVER_RATINGS = ("id", "ids", "index", "year", "number")  # how names of other numbers end
COMMA = "%2C"  # how a comma inside a name is written where commas stand between names
_SURVEY = (
    " A survey, with a row for each respondent, is read by --format survey, or once --sensitive "
    "names an issue of it."
)


class ColumnsRefused(InputError):
    """The columns of a survey, ``names``, do not fit what was said about them."""

    def __init__(
        self, what: str, names: Sequence[str], where: str, hint: str | None = None
    ) -> None:
        super().__init__(what, where=where, hint=hint)
        self.names = names


@dataclass(frozen=True)
class Columns:
    """The column that plays each role, and those that are left behind."""

    roles: dict[str, str]
    dropped: tuple[str, ...]

    @property
    def personal(self) -> tuple[str, ...]:
        """Dropped columns whose names say that they are about the person."""
        return tuple(name for name in self.dropped if is_personal(name))


def is_personal(name: str) -> bool:
    """Does a column's name say that it is about the person?"""
    plain = _plain(name)
    person = ("user", "reviewer", "customer")
    return any(
        plain in (word, f"{word}s", *(f"{who}{word}" for who in person)) for word in _PERSONAL
    )


def names_user(name: str) -> bool:
    """Does a column's name say that it tells who the person is?"""
    return _plain(name) == "id" or (len(name) > 1 and _ROLE_OF.get(_plain(name)) == "user")


def names_between_commas(text: str) -> list[str]:
    """The names in ``a,b``; a comma inside a name is written ``%2C``.

    >>> names_between_commas("taxes,In general%2C how happy are you?")
    ['taxes', 'In general, how happy are you?']
    """
    return [name.replace(COMMA, ",") for name in text.split(",")]


def between_commas(names: Iterable[str]) -> str:
    """Names with commas between them, as `names_between_commas` reads them."""
    return ",".join(name.replace(",", COMMA) for name in names)


def parse_mapping(text: str) -> dict[str, str]:
    """``user=uid,item=film,rating=3``: by name, or by place counted from 1."""
    mapping: dict[str, str] = {}
    for part in filter(None, names_between_commas(text)):
        role, equals, name = (piece.strip() for piece in part.partition("="))
        if role not in ROLES or not equals or not name:
            raise ParameterError(
                f"'{part}' is not a column mapping",
                where="--columns",
                hint="Example: --columns user=uid,item=film,rating=stars (or places: user=1).",
            )
        mapping[role] = name
    return mapping


def find_columns(names: Sequence[str], declared: Mapping[str, str]) -> Columns:
    """Match ``names`` to roles: what is declared first, then the usual names."""
    roles = {role: _declared(names, role, name) for role, name in declared.items()}
    if len(set(roles.values())) < len(roles):
        raise InputError(
            "one column cannot have two roles",
            hint=f"You gave: {', '.join(f'{role}={name}' for role, name in roles.items())}.",
        )
    for known in (_ROLE_OF, _IN_WORDS):
        for name in names:
            role = known.get(_plain(name))
            if role and role not in roles and name not in roles.values():
                roles[role] = name
    for role in ("user", "item"):
        if role not in roles:
            raise InputError(
                f"no column for the {role} among: {', '.join(names)}",
                hint=f"Say which one it is: --columns {role}=NAME (or its place, counted from 1)."
                f"{_SURVEY if 'item' not in roles and len(names) > len(ROLES) else ''}",
            )
    dropped = tuple(name for name in names if name not in roles.values())
    return Columns({role: roles[role] for role in ROLES if role in roles}, dropped)


def names_user_and_item(names: Sequence[str]) -> bool:
    """Do the usual names of columns say which holds the user, and which the item?"""
    try:
        find_columns(names, {})
    except InputError:
        return False
    return True


def refuse_lost_ratings(columns: Columns, numeric: Collection[str]) -> None:
    """Refuse to leave a column behind that may hold the ratings, where no other is known to.

    ``numeric`` are the columns that hold numbers; one that is not about the person and not called
    like an id may be the rating. Who knows that it is none says that the data are implicit.
    """
    if "rating" in columns.roles:
        return
    may_be = [name for name in columns.dropped if name in numeric and _may_rate(name)]
    if may_be:
        raise InputError(
            f"no column for the rating is recognised, but {' and '.join(may_be)} "
            f"hold{'s' * (len(may_be) == 1)} numbers",
            hint=f"If it is the rating, say so: --columns rating={may_be[0]}. If there are no "
            "ratings, only who took what, say --scale implicit.",
        )


def implicit_note(columns: Columns) -> tuple[str, ...]:
    """A note for the user if columns are left behind and none of those taken is the rating."""
    if "rating" in columns.roles or not columns.dropped:
        return ()
    return (
        "No column for the rating was found, so only who took what is read. Left out: "
        f"{', '.join(columns.dropped)}. If one of them is the rating, say --columns rating=NAME; "
        "if none is, say --scale implicit.",
    )


def _may_rate(name: str) -> bool:
    return not is_personal(name) and not _plain(name).endswith(_NEVER_RATINGS)


def _declared(names: Sequence[str], role: str, name: str) -> str:
    if name in names:
        return name
    if name.isdigit() and 1 <= int(name) <= len(names):
        return names[int(name) - 1]
    guess = did_you_mean(name, names)
    raise InputError(
        f"there is no column '{name}' for the {role}",
        hint=f"{guess}The columns are: {', '.join(names)}.",
    )


def _plain(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


Duplicates = Literal["error", "last", "mean", "max"]
