"""Described parameters: name, kind, choices and default of what is declared, ready to be shown.

Help is shown from these alone: nothing here needs pydantic, which is slow to load.
"""

from __future__ import annotations

import types
from dataclasses import dataclass
from typing import Any, Literal, Union, get_args, get_origin


@dataclass(frozen=True)
class ParameterInfo:
    """One parameter, ready to be shown; ``least`` and ``most`` are the ends of what is allowed."""

    name: str
    kind: str
    default: Any
    required: bool
    allowed: str
    doc: str
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None

    @property
    def flag(self) -> str:
        """The name as a command-line flag and config key."""
        return self.name.replace("_", "-")


def kind_of(annotation: Any) -> str:
    """What a type is called in help and documentation."""
    if get_origin(annotation) is Literal:
        return "choice"
    if get_origin(annotation) in (Union, types.UnionType):
        return " or ".join(kind_of(part) for part in get_args(annotation) if part is not type(None))
    names = {bool: "yes/no", int: "whole number", float: "number", str: "text"}
    return names.get(annotation, getattr(annotation, "__name__", str(annotation)))


def choices_in(annotation: Any) -> tuple[str, ...]:
    """The words that a field takes, if it takes nothing else (beside none at all)."""
    if get_origin(annotation) in (Union, types.UnionType):
        parts = [part for part in get_args(annotation) if part is not type(None)]
        return choices_in(parts[0]) if len(parts) == 1 else ()
    return tuple(map(str, get_args(annotation))) if get_origin(annotation) is Literal else ()
