"""Checked options: pydantic holds what was given against what was declared."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, NotRequired

from pydantic import BeforeValidator, ConfigDict, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails
from typing_extensions import TypedDict

from recloak.core._declared_options import DeclaredOption, declared_options


class Refused(Exception):
    """A value is not what was declared."""

    def __init__(self, problem: ErrorDetails) -> None:
        super().__init__(problem["msg"])
        self.problem = problem


def checked_values(cls: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """``values`` as the fields of ``cls`` take them, in the order in which they are given."""
    try:
        found = _checker(cls).validate_python(dict(values))
    except ValidationError as problem:
        raise Refused(problem.errors()[0]) from None
    return {name: found[name] for name in values}


def plain_values(cls: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """Checked ``values`` in the types of JSON."""
    found = _checker(cls).dump_python(dict(values), mode="json")
    return {name: found[name] for name in values}


@lru_cache
def _checker(cls: type) -> TypeAdapter[Any]:
    fields = {name: _type_of(one) for name, one in declared_options(cls).items()}
    make: Any = TypedDict
    checked = make(cls.__name__, fields)
    checked.__pydantic_config__ = ConfigDict(extra="forbid", allow_inf_nan=False)
    return TypeAdapter(checked)


def _type_of(declared: DeclaredOption) -> Any:
    kind, convert = declared.annotation, declared.field.convert
    if convert:
        kind = Annotated[kind, BeforeValidator(convert)]
    return kind if declared.info.required else NotRequired[kind]
