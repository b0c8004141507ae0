"""Reading: what flags, config and a schema file say about ratings and surveys."""

from __future__ import annotations

import argparse
import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recloak.cli._shared.flags import add_options, given_options
from recloak.core.errors import InputError
from recloak.io.options import ReadOptions

if TYPE_CHECKING:
    from recloak.cli._shared.arguments import Parser

SIDES = ("sensitive", "non_sensitive")
_OF_SURVEYS = ("most_rated",)
_OF_ANY_FILE = tuple(name for name in ReadOptions.flags() if name not in _OF_SURVEYS)
READING_NAMES = (*_OF_ANY_FILE, "schema", *_OF_SURVEYS)
_LISTS = (*SIDES, "issues")
_TEXTS = ("scale", "id_column")


def add_reading(parser: Parser) -> None:
    """Flags of every command that reads ratings."""
    add_options(parser.group("reading"), ReadOptions, *_OF_ANY_FILE)
    survey = parser.group("surveys")
    survey.add_argument(
        "--sensitive",
        action="append",
        metavar="A,B,…",
        help="issues whose answers nobody is to learn of a person, such as income: published as "
        "they were given, but only among people who answered them differently (see --l)",
    )
    survey.add_argument(
        "--non-sensitive",
        action="append",
        metavar="C,D,…",
        help="issues that others may know of a person, which is why they are made alike (default: "
        "all that are not sensitive); an issue that is named neither way is not published",
    )
    survey.add_argument(
        "--schema",
        metavar="FILE",
        help="TOML or JSON that says sensitive, non-sensitive, issues, scale and id-column",
    )
    add_options(survey, ReadOptions, *_OF_SURVEYS)


@dataclass(frozen=True)
class DeclaredIssues:
    """Names of issues, and what else a schema says about the file."""

    sensitive: tuple[str, ...] = ()
    non_sensitive: tuple[str, ...] = ()
    reading: Mapping[str, Any] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.sensitive or self.non_sensitive)

    def values(self) -> dict[str, str]:
        """The sides that were declared, as parameters are written."""
        from recloak.core.survey import joined

        sides = {"sensitive": self.sensitive, "non_sensitive": self.non_sensitive}
        return {name: joined(issues) for name, issues in sides.items() if issues}

    def stated(self, claims: Iterable[str]) -> list[str]:
        """The claims, those about surveys with the declared issues if they name none themselves."""
        from recloak.core.claim import Claim
        from recloak.core.survey import SurveyParameters
        from recloak.guarantees import GUARANTEES

        stated = []
        for text in claims:
            claim = Claim.parse(text)
            if issubclass(GUARANTEES.get(claim.guarantee).Parameters, SurveyParameters):
                named = {key.replace("-", "_"): value for key, value in claim.parameters.items()}
                claim = Claim(claim.guarantee, {**self.values(), **named})
            stated.append(str(claim))
        return stated


class Reading:
    """What the flags of `add_reading` say; the schema is read once, when it is first needed."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._arguments = arguments

    @cached_property
    def declared(self) -> DeclaredIssues:
        """The issues that flags and the schema declare; flags win."""
        from recloak.core.survey import names_in

        schema = _schema(self._arguments.schema) if self._arguments.schema else {}
        sides = {}
        for side in SIDES:
            said = getattr(self._arguments, side)
            sides[side] = tuple(names_in(",".join(said)) if said else schema.get(side, ()))
        reading = {name: schema[name] for name in ("issues", *_TEXTS) if name in schema}
        return DeclaredIssues(**sides, reading=reading)

    @cached_property
    def options(self) -> ReadOptions:
        """For `recloak.io.load`."""
        return ReadOptions.build("read", self._values)

    @property
    def facts(self) -> dict[str, Any]:
        """What was said, as the manifest has it."""
        return self.options.for_manifest(self._values)

    @cached_property
    def _values(self) -> dict[str, Any]:
        given = given_options(self._arguments, ReadOptions)
        for name in {"columns", "issues"} & set(given):
            if not given[name]:
                del given[name]  # empty, as in a config file: nothing is said
        values = dict(self.declared.reading)
        if self.declared:
            values["declared"] = [*self.declared.sensitive, *self.declared.non_sensitive]
        # First what is about surveys: the order of keys in manifests stays as it ever was.
        values |= {name: given[name] for name in _OF_SURVEYS if name in given}
        return values | given


def _schema(path: str) -> dict[str, Any]:
    content = _content(path)
    if not isinstance(content, dict):
        raise InputError(
            "holds no keys with values", where=path, hint='Example: sensitive = ["income"]'
        )
    named = {str(key).replace("-", "_"): value for key, value in content.items()}
    for key, value in named.items():
        if key not in (*_LISTS, *_TEXTS):
            known = ", ".join(name.replace("_", "-") for name in (*_LISTS, *_TEXTS))
            raise InputError(f"'{key}' is nothing that a schema says", where=path, hint=known)
        named[key] = _checked(key, value, path)
    return named


def _checked(key: str, value: Any, path: str) -> Any:
    if key in _TEXTS and isinstance(value, str):
        return value
    parts = value if isinstance(value, list) else [value]
    if key in _LISTS and all(isinstance(part, str | int) for part in parts):
        return [str(part) for part in parts]
    wanted = "a list of names" if key in _LISTS else "a text"
    raise InputError(f"'{key.replace('_', '-')}' takes {wanted}, not {value!r}", where=path)


def _content(path: str) -> Any:
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
        return json.loads(text) if path.lower().endswith(".json") else tomllib.loads(text)
    except OSError as problem:
        raise InputError(f"cannot be read: {problem.strerror}", where=path) from None
    except (ValueError, RecursionError) as problem:
        raise InputError(f"is neither TOML nor JSON (*.json): {problem}", where=path) from None
