"""Parameters: declared once as a model; flags, config keys, manifests and docs derive from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from recloak.core._field_docs import field_docs
from recloak.core.described import ParameterInfo, choices_in, kind_of
from recloak.core.errors import ParameterError, did_you_mean


class Parameters(BaseModel):
    """Base of all parameter models: immutable, no unknown names, a docstring under each field."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @classmethod
    def build(cls, owner: str, values: Mapping[str, Any]) -> Self:
        """Validate ``values`` (text is converted); a `ParameterError` names ``owner``."""
        named = {name.replace("-", "_"): value for name, value in values.items()}
        try:
            return cls.model_validate(named)
        except ValidationError as problem:
            raise cls._explained(owner, problem.errors()[0]) from None

    @classmethod
    def described(cls) -> list[ParameterInfo]:
        """What each parameter is, in the words of its declaration."""
        return [cls._info(name, field) for name, field in cls.model_fields.items()]

    @classmethod
    def _info(cls, name: str, field: FieldInfo) -> ParameterInfo:
        # pydantic would look for docstrings whenever a model is made, and that is slow
        written = field.description or field_docs(cls, BaseModel).get(name, "")
        return _info(name, field, " ".join(written.split()))

    def public(self) -> dict[str, Any]:
        """The values as plain JSON types, for a manifest."""
        return self.model_dump(mode="json")

    @classmethod
    def _explained(cls, owner: str, problem: ErrorDetails) -> ParameterError:
        """What is wrong with a value, in our words."""
        name = str(problem["loc"][0]) if problem["loc"] else ""
        known = [info.flag for info in cls.described()]
        if name and name not in cls.model_fields:
            flag = name.replace("_", "-")
            guess = did_you_mean(flag, known)
            return ParameterError(
                f"{owner} has no such parameter",
                where=f"{owner}, parameter '{flag}'",
                hint=f"{guess}It takes: {', '.join(known) or 'none'}.",
            )
        return cls._wrong(owner, problem)

    @classmethod
    def _wrong(cls, owner: str, problem: ErrorDetails) -> ParameterError:
        """What is wrong with the value of a parameter that exists, or with several together."""
        message = f"{problem['msg'].lower()}, got {problem['input']!r}"
        if not problem["loc"]:
            return ParameterError(message, where=owner)
        name = str(problem["loc"][0])
        info = cls._info(name, cls.model_fields[name])
        where = f"{owner}, parameter '{info.flag}'"
        if problem["type"] == "missing":
            return ParameterError("is required", where=where, hint=info.doc)
        hint = f"{info.doc} ({info.kind}, {info.allowed or 'any'})"
        return ParameterError(message, where=where, hint=hint)


def parse_spec(text: str) -> tuple[str, dict[str, str]]:
    """Split ``name:key=value,key=value`` into name and values; `ParameterError` if it is none.

    >>> parse_spec("record-linkage:known=4,repeats=2")
    ('record-linkage', {'known': '4', 'repeats': '2'})
    """
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


def _info(name: str, field: FieldInfo, doc: str) -> ParameterInfo:
    required = field.is_required()
    return ParameterInfo(
        name=name,
        kind=kind_of(field.annotation),
        default=None if required else field.get_default(call_default_factory=True),
        required=required,
        allowed=_allowed(field),
        doc=doc,
        choices=choices_in(field.annotation),
        least=_limit(field, "gt", "ge"),
        most=_limit(field, "lt", "le"),
    )


def _limit(field: FieldInfo, *keys: str) -> float | None:
    found = (getattr(limit, key, None) for limit in field.metadata for key in keys)
    return next((float(value) for value in found if value is not None), None)


def _allowed(field: FieldInfo) -> str:
    if get_origin(field.annotation) is Literal:
        return " | ".join(choices_in(field.annotation))
    signs = {"gt": ">", "ge": "≥", "lt": "<", "le": "≤"}
    limits = [
        f"{sign} {getattr(limit, key):g}"
        for limit in field.metadata
        for key, sign in signs.items()
        if getattr(limit, key, None) is not None
    ]
    return ", ".join(limits)
