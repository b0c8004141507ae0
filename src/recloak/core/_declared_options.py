"""Declared options: what the fields of a class of options are, read from the class itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, get_type_hints

from recloak.core._field_docs import field_docs
from recloak.core.described import ParameterInfo, choices_in, kind_of


@dataclass(frozen=True)
class OptionFlag:
    """How `option` wants a field to be written on the command line."""

    name: str | None
    metavar: str | None
    help: str | None
    group: str
    many: bool


@dataclass(frozen=True)
class OptionField:
    """What stands behind the equals sign of a field."""

    default: Any
    convert: Callable[[Any], Any] | None = None
    flag: OptionFlag | None = None


@dataclass(frozen=True)
class DeclaredOption:
    """A field of a class of options; ``written`` is its type as it stands in the source."""

    info: ParameterInfo
    annotation: Any
    written: str
    field: OptionField

    @property
    def choices(self) -> tuple[str, ...]:
        """The words that it takes, if it takes nothing else."""
        return choices_in(self.annotation)


def declared_options(cls: type) -> dict[str, DeclaredOption]:
    """All fields of a class of options, those of its bases first."""
    return _declared(cls)


@lru_cache
def _declared(cls: type) -> dict[str, DeclaredOption]:
    kinds, docs = get_type_hints(cls), field_docs(cls)
    found = {}
    for name, written in _fields(cls):
        default = getattr(cls, name)
        field = default if isinstance(default, OptionField) else OptionField(default)
        required = field.default is ...
        info = ParameterInfo(
            name=name,
            kind=kind_of(kinds[name]),
            default=None if required else field.default,
            required=required,
            allowed="",
            doc=docs.get(name, ""),
            choices=choices_in(kinds[name]),
        )
        found[name] = DeclaredOption(info, kinds[name], written, field)
    return found


def _fields(cls: type) -> Iterator[tuple[str, str]]:
    for base in reversed(cls.__mro__):
        for name, written in vars(base).get("__annotations__", {}).items():
            yield name, str(written)
