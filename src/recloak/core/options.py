"""Options: what a user says beside data and method, declared once as a model.

Flags, config keys, keywords in Python, manifests and docs derive from the declaration.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self, TypeVar

from pydantic import Field
from pydantic_core import ErrorDetails

from recloak.core.errors import ParameterError
from recloak.core.parameters import Parameters, choices_in
from recloak.core.suggestions import did_you_mean

F = TypeVar("F", bound=Callable[..., Any])
_FLAG = "flag"


@dataclass(frozen=True)
class Flag:
    """How an option is written on the command line."""

    name: str
    metavar: str | None
    help: str
    choices: tuple[str, ...]
    default: Any
    kind: str

    @property
    def is_switch(self) -> bool:
        """Does it stand alone, without a value?"""
        return self.kind == "yes/no"


def option(
    default: Any = None,
    *,
    metavar: str | None = None,
    flag: str | None = None,
    help: str | None = None,  # noqa: A002 - as argparse calls it
) -> Any:
    """A field that is also a flag.

    The flag is called as the field is and explained by its docstring, unless ``flag`` and ``help``
    say otherwise; a ``default`` of ``...`` makes the option a required one.
    """
    shown: Any = {_FLAG: {"metavar": metavar, "name": flag, "help": help}}
    return Field(default, json_schema_extra=shown)


class Options(Parameters):
    """Base of all models of options. Errors name the flag, which users of Python recognise too."""

    @classmethod
    def flags(cls) -> dict[str, Flag]:
        """The options that are flags, by the names of their fields."""
        found = {}
        for info in cls.described():
            field = cls.model_fields[info.name]
            written = (field.json_schema_extra or {}).get(_FLAG)  # type: ignore[union-attr]
            if isinstance(written, dict):
                found[info.name] = Flag(
                    name=str(written["name"] or info.flag),
                    metavar=written["metavar"],  # type: ignore[arg-type]
                    help=info.doc if written["help"] is None else str(written["help"]),
                    choices=choices_in(field.annotation),
                    default=info.default,
                    kind=info.kind,
                )
        return found

    @classmethod
    def parameters(cls) -> list[inspect.Parameter]:
        """The options as keywords of a function, with their types as they are written."""
        written = [vars(base).get("__annotations__", {}) for base in cls.__mro__]
        empty, keyword = inspect.Parameter.empty, inspect.Parameter.KEYWORD_ONLY
        return [
            inspect.Parameter(
                name,
                keyword,
                default=empty if field.is_required() else field.get_default(),
                annotation=next(kinds[name] for kinds in written if name in kinds),
            )
            for name, field in cls.model_fields.items()
        ]

    @classmethod
    def of(cls, owner: str, options: Self | None, keywords: Mapping[str, Any]) -> Self:
        """``options`` with what ``keywords`` say; ``owner`` is named in an error."""
        if options is not None and not keywords:
            return options
        given = options.model_fields_set if options else ()
        return cls.build(owner, {**{name: getattr(options, name) for name in given}, **keywords})

    @classmethod
    def split(cls, keywords: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """The keywords that are options, and the others."""
        own = {name: value for name, value in keywords.items() if name in cls.model_fields}
        return own, {name: value for name, value in keywords.items() if name not in own}

    def with_defaults(self, **values: Any) -> Self:
        """These options, and ``values`` of those that nobody gave."""
        return self.model_copy(
            update={name: values[name] for name in values if name not in self.model_fields_set}
        )

    def given(self, names: Iterable[str] | None = None) -> dict[str, Any]:
        """What was said, in plain types for a manifest, in the order of ``names``."""
        values = self.model_dump(mode="json", exclude_unset=True)
        return {name: values[name] for name in names or values}

    @classmethod
    def _explained(cls, owner: str, problem: ErrorDetails) -> ParameterError:
        name = str(problem["loc"][0]) if problem["loc"] else ""
        if not name or name in cls.model_fields:
            return cls._wrong(owner, problem)
        known = list(cls.model_fields)  # flags are checked before: whoever errs here writes Python
        return ParameterError(
            f"{owner} has no such parameter",
            where=f"{owner}, parameter '{name}'",
            hint=f"{did_you_mean(name, known)}It takes: {', '.join(known)}.",
        )

    @classmethod
    def _wrong(cls, owner: str, problem: ErrorDetails) -> ParameterError:
        explained = super()._wrong(owner, problem)
        if not problem["loc"]:
            return explained
        name = str(problem["loc"][0])
        choices = choices_in(cls.model_fields[name].annotation)
        where = f"--{name.replace('_', '-')}"
        if choices:
            listed = f"{', '.join(choices[:-1])} or {choices[-1]}"
            return ParameterError(f"'{problem['input']}' is not {listed}", where=where)
        return ParameterError(explained.what, where=where, hint=explained.hint)


def takes(model: type[Options]) -> Callable[[F], F]:
    """Let the signature and the docstring of a function name the options that its keywords are.

    The last parameter of the function must be ``**keywords``; it stays if it is called otherwise,
    because more than options is taken then.
    """

    def named(function: F) -> F:
        signature = inspect.signature(function)
        *first, rest = signature.parameters.values()
        more = [rest] if rest.name != "keywords" else []
        function.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=[*first, *model.parameters(), *more]
        )
        lines = [f"{info.name}\n    {info.doc}" for info in model.described()]
        text = "\n".join(["", "Options", "-------", *lines, ""])
        function.__doc__ = f"{inspect.cleandoc(function.__doc__ or '')}\n{text}"
        return function

    return named
