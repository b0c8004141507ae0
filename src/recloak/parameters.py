"""Parameters: declared once as a model; flags, config keys, manifests and docs derive from it."""

from __future__ import annotations

import difflib
import types
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo

from recloak.errors import ParameterError


class Parameters(BaseModel):
    """Base of all parameter models: immutable, no unknown names, a docstring under each field."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", use_attribute_docstrings=True, allow_inf_nan=False
    )

    @classmethod
    def build(cls, owner: str, values: Mapping[str, Any]) -> Self:
        """Validate ``values`` (text is converted); ``owner`` is named in the error."""
        named = {name.replace("-", "_"): value for name, value in values.items()}
        try:
            return cls.model_validate(named)
        except ValidationError as problem:
            raise _explained(cls, owner, problem) from None

    @classmethod
    def described(cls) -> list[ParameterInfo]:
        """What each parameter is, in the words of its declaration."""
        return [_info(name, field) for name, field in cls.model_fields.items()]

    def public(self) -> dict[str, Any]:
        """The values as plain JSON types, for a manifest."""
        return self.model_dump(mode="json")


@dataclass(frozen=True)
class ParameterInfo:
    """One parameter, ready to be shown."""

    name: str
    kind: str
    default: Any
    required: bool
    allowed: str
    doc: str

    @property
    def flag(self) -> str:
        """The name as a command-line flag and config key."""
        return self.name.replace("_", "-")


def parse_spec(text: str) -> tuple[str, dict[str, str]]:
    """Split ``name:key=value,key=value`` into the name and its values."""
    name, _, rest = text.partition(":")
    values: dict[str, str] = {}
    for part in filter(None, rest.split(",")):
        key, equals, value = part.partition("=")
        if not equals or not key.strip() or not value.strip():
            raise ParameterError(
                f"'{part}' is not key=value", where=text, hint="Example: k-anonymity:k=5"
            )
        values[key.strip()] = value.strip()
    return name.strip(), values


def format_spec(name: str, values: Mapping[str, Any]) -> str:
    """The inverse of `parse_spec`; what is empty is left out."""
    given = {key: _shown(value) for key, value in values.items() if value not in (None, "")}
    shown = ",".join(f"{key}={value}" for key, value in given.items())
    return f"{name}:{shown}" if shown else name


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _info(name: str, field: FieldInfo) -> ParameterInfo:
    required = field.is_required()
    return ParameterInfo(
        name=name,
        kind=_kind(field.annotation),
        default=None if required else field.get_default(call_default_factory=True),
        required=required,
        allowed=_allowed(field),
        doc=" ".join((field.description or "").split()),
    )


def _kind(annotation: Any) -> str:
    if get_origin(annotation) is Literal:
        return "choice"
    if get_origin(annotation) in (Union, types.UnionType):
        return " or ".join(_kind(part) for part in get_args(annotation) if part is not type(None))
    names = {bool: "yes/no", int: "whole number", float: "number", str: "text"}
    return names.get(annotation, getattr(annotation, "__name__", str(annotation)))


def _allowed(field: FieldInfo) -> str:
    if get_origin(field.annotation) is Literal:
        return " | ".join(str(choice) for choice in get_args(field.annotation))
    signs = {"gt": ">", "ge": "≥", "lt": "<", "le": "≤"}
    limits = [
        f"{sign} {getattr(limit, key):g}"
        for limit in field.metadata
        for key, sign in signs.items()
        if getattr(limit, key, None) is not None
    ]
    return ", ".join(limits)


def _explained(model: type[Parameters], owner: str, problem: ValidationError) -> ParameterError:
    first = problem.errors()[0]
    name = str(first["loc"][0]) if first["loc"] else ""
    known = {info.name: info for info in model.described()}
    where = f"{owner}, parameter '{name.replace('_', '-')}'" if name else owner
    if name and name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        guess = f"Did you mean '{near[0].replace('_', '-')}'? " if near else ""
        listed = ", ".join(info.flag for info in known.values()) or "none"
        return ParameterError(
            f"{owner} has no such parameter", where=where, hint=f"{guess}It takes: {listed}."
        )
    if first["type"] == "missing":
        return ParameterError("is required", where=where, hint=known[name].doc)
    said = f"{first['msg'].lower()}, got {first['input']!r}"
    hint = (
        f"{known[name].doc} ({known[name].kind}, {known[name].allowed or 'any'})" if name else None
    )
    return ParameterError(said, where=where, hint=hint)
