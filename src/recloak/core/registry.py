"""Registries: names to classes, loaded when asked for, open to third parties by entry points."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from typing import Generic, TypeVar, cast

from recloak.core.errors import ParameterError, did_you_mean

T = TypeVar("T")


@lru_cache(maxsize=1)
def _offered(find: Callable[[], EntryPoints], path: tuple[str, ...]) -> EntryPoints:
    """All entry points of the packages on ``path``; finding them opens a file of each package."""
    return find()


@lru_cache(maxsize=32)  # families; a report asks for names some thousand times
def _of_group(
    find: Callable[[], EntryPoints], path: tuple[str, ...], group: str
) -> dict[str, EntryPoint]:
    return {point.name: point for point in _offered(find, path).select(group=group)}


class Registry(Generic[T]):
    """The members of one family (methods, attacks, …) by name.

    ``builtin`` maps a name to ``module:attribute``. Other packages add members through entry
    points of the group ``recloak.<family>``; a built-in name cannot be taken over.
    """

    def __init__(self, family: str, word: str, builtin: Mapping[str, str]) -> None:
        self.family = family
        self.word = word
        self._builtin = dict(builtin)

    def names(self) -> list[str]:
        """All names, built-in ones first."""
        return [*self._builtin, *(name for name in self._plugins() if name not in self._builtin)]

    def get(self, name: str) -> T:
        """The member called ``name``, which is imported now.

        Raises
        ------
        ParameterError
            There is none of that name; the nearest ones are named.

        """
        if name in self._builtin:
            module, _, attribute = self._builtin[name].partition(":")
            return cast(T, getattr(import_module(module), attribute))
        plugins = self._plugins()
        if name in plugins:
            return self._load(plugins[name])
        raise self._unknown(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def _plugins(self) -> dict[str, EntryPoint]:
        return _of_group(entry_points, tuple(sys.path), f"recloak.{self.family}")

    def _load(self, point: EntryPoint) -> T:
        try:
            member = point.load()
            if not hasattr(member, "name") or not hasattr(member, "summary"):
                raise TypeError(f"{point.value} is no {self.word}")
            return cast(T, member)
        except Exception as problem:
            raise ParameterError(
                f"the {self.word} '{point.name}' cannot be loaded: {problem}",
                where=f"entry point {point.value}",
                hint="The package that provides it may be broken or made for another version.",
            ) from problem

    def _unknown(self, name: str) -> ParameterError:
        guess = did_you_mean(name, self.names())
        if name.partition(":")[0] in self.names():
            guess = "Parameters are flags of their own here: --name VALUE. "
        known = ", ".join(self.names())
        return ParameterError(
            f"there is no {self.word} called '{name}'", hint=f"{guess}Known: {known}."
        )
