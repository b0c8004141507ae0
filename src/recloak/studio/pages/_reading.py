"""What is said about a file: fields that derive from the declared options of reading."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from recloak.core.columns import ROLES, between_commas, names_between_commas, parse_mapping
from recloak.core.errors import ParameterError
from recloak.core.issue_names import joined, names_in
from recloak.io.options import READING, SURVEYS, ReadOptions
from recloak.studio.commands import option_words
from recloak.studio.forms import Filled, FormField, field_of_flag, given_values
from recloak.studio.workspace import DataFile

if TYPE_CHECKING:
    from recloak.io.preview import Preview

OPTION, ROLE, TICKED = "read.", "role.", "ticked."
NAMES = ("issues", "sensitive", "non_sensitive")  # fields that name columns
ELSEWHERE = ("columns", "schema")  # said by a field for each role, and by the fields of surveys
MOST_NAMES = 200


def reading_words(file: DataFile) -> list[str]:
    """The file and all that was said about it, as every command that reads takes it."""
    return [*file.paths, *option_words(ReadOptions, file.options)]


def mapping_fields(file: DataFile, seen: Preview) -> list[FormField]:
    """Which column plays which role; empty: as it was found."""
    mapping = _mapping(file, seen.columns)
    return [
        FormField(
            f"{ROLE}{role}",
            role,
            "choice",
            help=f"the column that holds the {role}",
            value=mapping.get(role, ""),
            default=f"found: {seen.roles[role]}" if role in seen.roles else "none",
            choices=seen.columns,
        )
        for role in ROLES
    ]


def reading_fields(file: DataFile, seen: Preview) -> dict[str, list[FormField]]:
    """A field for each other option, under the titles of the help."""
    groups: dict[str, list[FormField]] = {READING: [], SURVEYS: []}
    for name, flag in ReadOptions.flags().items():
        if name not in ELSEWHERE:
            value = file.options.get(name, "")
            one = field_of_flag(flag, f"{OPTION}{name}", value)
            groups[flag.group].append(_of_columns(one, name, seen) if name in NAMES else one)
    return groups


def said_about(form: Filled, columns: Sequence[str]) -> dict[str, str]:
    """The options that a form says of a file with these columns, as flags would."""
    values = given_values(form.under(OPTION))
    for name, ticked in given_values(form.under(TICKED)).items():
        chosen = ticked.split("\n")
        values[name] = between_commas(chosen) if name == "issues" else joined(chosen)
    written = _written_names(columns)
    roles = given_values(form.under(ROLE)).items()
    if roles:
        pairs = (f"{role}={written.get(name, name)}" for role, name in roles)
        values["columns"] = between_commas(pairs)
    return values


def _written_names(columns: Sequence[str]) -> dict[str, str]:
    """Columns as the flag takes them: those of a file without a header by their places."""
    places = {f"column {place}": str(place) for place in range(1, len(columns) + 1)}
    return places if list(places) == list(columns) else {}


def _mapping(file: DataFile, columns: Sequence[str]) -> dict[str, str]:
    """What was said, with the names that columns have in the preview."""
    try:
        mapping = parse_mapping(file.options.get("columns", ""))
    except ParameterError:
        return {}
    names = {written: column for column, written in _written_names(columns).items()}
    return {role: names.get(name, name) for role, name in mapping.items()}


def _of_columns(one: FormField, name: str, seen: Preview) -> FormField:
    """The columns to choose from, if there are some and not too many to be shown."""
    if not 0 < len(seen.columns) <= MOST_NAMES:
        return one
    named = names_between_commas(one.value) if name == "issues" else names_in(one.value)
    text = "\n".join(named)
    ticked = f"{TICKED}{name}"
    return FormField(ticked, one.label, "names", one.flag, one.help, text, choices=seen.columns)
