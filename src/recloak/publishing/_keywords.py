"""Keywords of publishing: options, what is said of the data, and parameters of the method."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from recloak.core.errors import ParameterError, did_you_mean
from recloak.core.issue_names import joined
from recloak.core.ratings import Ratings
from recloak.io.options import SIDES, ReadOptions
from recloak.methods import METHODS, Method
from recloak.methods import method as method_called
from recloak.publishing.options import PublishOptions


class Keywords(NamedTuple):
    """The method, the options of publishing, and those of reading."""

    method: Method
    options: dict[str, Any]
    reading: dict[str, Any]

    @classmethod
    def of(cls, data: Any, method: Method | str, given: Mapping[str, Any]) -> Keywords:
        """Each keyword where it belongs; what a method declares itself is the method's.

        Which issues are sensitive is said of the data and of the method at once. Raises
        `ParameterError` for what nobody takes.
        """
        options, rest = PublishOptions.split(given)
        declared = _declared(method)
        own = {name: value for name, value in rest.items() if name in declared}
        reading, unknown = ReadOptions.split(
            {name: value for name, value in rest.items() if name not in own or name in SIDES}
        )
        if isinstance(data, Ratings):
            reading = {name: value for name, value in reading.items() if name not in own}
        if reading:
            settled = ReadOptions.build("read", reading).settled()
            own |= _issues(settled, declared, method)
            reading = {"options": settled}
        if isinstance(method, str):
            _refuse_mistaken(unknown, declared)
            return cls(method_called(method, **own, **unknown), options, reading)
        if unknown or own.keys() - reading.keys():
            raise ParameterError(
                "is not an option of publishing, and the method already has its parameters",
                where=next(iter(unknown or own)),
            )
        return cls(method, options, reading)


def _refuse_mistaken(unknown: Iterable[str], declared: set[str]) -> None:
    """What looks like an option of publishing is told as one; else the method speaks."""
    options = {*PublishOptions.declared_options(), *ReadOptions.declared_options()}
    for name in unknown:
        guess = did_you_mean(name, options | declared)
        if guess and not did_you_mean(name, declared):
            raise ParameterError(
                "publish has no such parameter",
                where=f"publish, parameter '{name}'",
                hint=f"{guess}The method takes: {', '.join(sorted(declared)) or 'none'}.",
            )


def _declared(method: Method | str) -> set[str]:
    kind = METHODS.get(method) if isinstance(method, str) else type(method)
    return {info.name for info in kind.Parameters.described()}


def _issues(settled: ReadOptions, declared: set[str], method: Method | str) -> dict[str, str]:
    """What is declared of the issues, as parameters are written; who ignores it is refused."""
    found = {side: joined(getattr(settled, side)) for side in SIDES if getattr(settled, side)}
    if isinstance(method, str) and not found.keys() <= declared:
        raise ParameterError(
            "cannot protect sensitive issues, so the declaration would be ignored",
            where=f"method {method}",
            hint="'recloak methods' lists those for surveys, such as proximity.",
        )
    return found if isinstance(method, str) else {}
