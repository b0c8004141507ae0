"""Survey arguments: which issues are sensitive, by flags, config or a schema file."""

from __future__ import annotations

import argparse
import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recloak.errors import InputError, ParameterError

SIDES = ("sensitive", "non_sensitive")
_LISTS = (*SIDES, "issues")
_TEXTS = ("scale", "id_column")


@dataclass(frozen=True)
class Declared:
    """Names of issues, and what else a schema says about the file."""

    sensitive: tuple[str, ...] = ()
    non_sensitive: tuple[str, ...] = ()
    reading: Mapping[str, Any] | None = None

    def __bool__(self) -> bool:
        return bool(self.sensitive or self.non_sensitive)

    def values(self) -> dict[str, str]:
        """The sides that were declared, as parameters are written."""
        from recloak.surveys import joined

        sides = {"sensitive": self.sensitive, "non_sensitive": self.non_sensitive}
        return {name: joined(issues) for name, issues in sides.items() if issues}


def add_survey(parser: argparse.ArgumentParser) -> None:
    """Flags of every command that may read a survey."""
    survey = parser.add_argument_group("surveys")
    survey.add_argument(
        "--sensitive",
        action="append",
        metavar="A,B,…",
        help="issues that must not come out; what people know them by is all the others",
    )
    survey.add_argument(
        "--non-sensitive",
        action="append",
        metavar="C,D,…",
        help="issues that others may know about a respondent (default: all that are not sensitive)",
    )
    survey.add_argument(
        "--schema",
        metavar="FILE",
        help="TOML or JSON that says sensitive, non-sensitive, issues, scale and id-column",
    )
    survey.add_argument(
        "--most-rated",
        metavar="N",
        help="take only the N most rated items, and those declared, as issues",
    )


def declared_in(arguments: argparse.Namespace) -> Declared:
    """What flags and the schema say; flags win."""
    from recloak.surveys import names_in

    schema = _schema(arguments.schema) if arguments.schema else {}
    sides = {}
    for side in SIDES:
        said = getattr(arguments, side)
        sides[side] = names_in(",".join(said)) if said else schema.get(side, ())
    reading = {name: schema[name] for name in ("issues", *_TEXTS) if name in schema}
    return Declared(tuple(sides["sensitive"]), tuple(sides["non_sensitive"]), reading)


def survey_reading(arguments: argparse.Namespace) -> dict[str, Any]:
    """What `add_survey` gathered, for `recloak.formats.load`."""
    declared = declared_in(arguments)
    options = dict(declared.reading or {})
    if declared:
        options["declared"] = [*declared.sensitive, *declared.non_sensitive]
    if arguments.most_rated is not None:
        options["most_rated"] = _count(arguments.most_rated)
    return options


def stated_claims(claims: Iterable[str], declared: Declared) -> list[str]:
    """The claims, those about surveys with the declared issues if they name none themselves."""
    from recloak.claim import Claim
    from recloak.guarantees import GUARANTEES
    from recloak.surveys import SurveyParameters

    stated = []
    for text in claims:
        claim = Claim.parse(text)
        if issubclass(GUARANTEES.get(claim.guarantee).Parameters, SurveyParameters):
            named = {key.replace("-", "_"): value for key, value in claim.parameters.items()}
            claim = Claim(claim.guarantee, {**declared.values(), **named})
        stated.append(str(claim))
    return stated


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise ParameterError(
            f"'{text}' is no number of items", where="--most-rated", hint="Example: --most-rated 20"
        )
    return int(text)


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
