"""Which columns of a survey are issues, which one says who the respondent is, which are left."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from recloak.columns import is_personal, names_user
from recloak.errors import InputError
from recloak.formats.base import Options

_SHOWN = 20


@dataclass(frozen=True)
class Chosen:
    """The id column if there is one, the issues in the order of the file, and what is left."""

    id_column: str | None
    issues: tuple[str, ...]
    dropped: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def personal(self) -> tuple[str, ...]:
        """Columns left behind that are about the person."""
        return tuple(name for name in self.dropped if is_personal(name))


def choose(names: Sequence[str], numeric: Sequence[str], options: Options, where: str) -> Chosen:
    """What the user said; what was not said follows from the names and from what is numeric."""
    notes: list[str] = []
    id_column = _known(names, options.id_column, where) if options.id_column else None
    if id_column is None:
        id_column = next((name for name in names if names_user(name)), None)
        if id_column is not None and id_column not in options.issues:
            notes.append(f"The column {id_column} was taken to say who the respondent is.")
    if options.issues:
        issues = {_known(names, name, where) for name in options.issues}
        id_column = None if id_column in issues and not options.id_column else id_column
    else:
        issues = {name for name in numeric if name != id_column and not is_personal(name)}
    issues |= {_known(names, name, where) for name in options.declared}
    if id_column in issues:
        raise InputError(f"the column '{id_column}' is both the id and an issue", where=where)
    if not issues:
        raise InputError(
            "no column holds numbers that could be answers",
            where=where,
            hint=f"Say which are issues: --issues a,b,c. The columns are: {_shown(names)}.",
        )
    taken = tuple(name for name in names if name in issues)
    dropped = tuple(name for name in names if name not in issues and name != id_column)
    return Chosen(id_column, taken, dropped, tuple(notes))


def _known(names: Sequence[str], name: str, where: str) -> str:
    if name in names:
        return name
    near = difflib.get_close_matches(name, names, n=1)
    guess = f"Did you mean '{near[0]}'? " if near else ""
    raise InputError(
        f"there is no column '{name}'",
        where=where,
        hint=f"{guess}The columns are: {_shown(names)}.",
    )


def _shown(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
