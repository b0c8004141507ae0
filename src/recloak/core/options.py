"""Options: what a user says beside data and method, declared once as the fields of a class.

Flags, config keys, keywords in Python, manifests and docs derive from the declaration. Values are
checked by pydantic, which is loaded with the first values: help is shown without.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Self, TypeVar

from recloak.core._declared_options import DeclaredOption, OptionField, OptionFlag, declared_options
from recloak.core.described import ParameterInfo
from recloak.core.errors import ParameterError, did_you_mean

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Flag:
    """How an option is written on the command line."""

    name: str
    metavar: str | None
    help: str
    choices: tuple[str, ...]
    default: Any
    kind: str
    group: str
    many: bool

    @property
    def is_switch(self) -> bool:
        """Does it stand alone, without a value?"""
        return self.kind == "yes/no"

    @property
    def dest(self) -> str:
        """What its value is called among parsed arguments, and in a config file."""
        return self.name.replace("-", "_")


def option(
    default: Any = None,
    *,
    metavar: str | None = None,
    flag: str | Literal[False] | None = None,
    help: str | None = None,  # noqa: A002 - as argparse calls it
    group: str = "",
    many: bool = False,
    convert: Callable[[Any], Any] | None = None,
) -> Any:
    """A field that is also a flag.

    Parameters
    ----------
    default
        The value if nothing is said; ``...`` makes the option a required one.
    metavar
        What stands for the value in the help.
    flag, help
        The flag is called as the field is and explained by its docstring, unless these say
        otherwise. Without a flag (False) the option is a keyword in Python only.
    group
        The title under which the flag stands in the help.
    many
        The flag may be given several times; the option takes the texts with commas between them.
    convert
        Makes of what was given what the type of the field takes.

    """
    written = None if flag is False else OptionFlag(flag, metavar, help, group, many)
    return OptionField(default, convert, written)


class Options:
    """Base of all classes of options: immutable, no unknown names, a docstring under each field.

    Errors name the flag, which users of Python recognise too.
    """

    def __init__(self, **values: Any) -> None:
        self._set(self._checked(type(self).__name__, values))

    @classmethod
    def build(cls, owner: str, values: Mapping[str, Any]) -> Self:
        """Validate ``values`` (text is converted); ``owner`` is named in the error."""
        built = cls.__new__(cls)
        built._set(cls._checked(owner, values))
        return built

    @classmethod
    def of(cls, owner: str, options: Self | None, keywords: Mapping[str, Any]) -> Self:
        """``options`` with what ``keywords`` say; ``owner`` is named in an error."""
        if options is not None and not keywords:
            return options
        given = {name: getattr(options, name) for name in options.given_names} if options else {}
        return cls.build(owner, {**given, **keywords})

    @classmethod
    def declared_options(cls) -> dict[str, DeclaredOption]:
        """What was declared, by the names of the fields."""
        return declared_options(cls)

    @classmethod
    def described(cls) -> list[ParameterInfo]:
        """What each option is, in the words of its declaration."""
        return [declared.info for declared in declared_options(cls).values()]

    @classmethod
    def flags(cls) -> dict[str, Flag]:
        """The options that are flags, by the names of their fields."""
        return {
            name: _flag(declared, declared.field.flag)
            for name, declared in declared_options(cls).items()
            if declared.field.flag
        }

    @classmethod
    def parameters(cls) -> list[inspect.Parameter]:
        """The options as keywords of a function, with their types as they are written."""
        empty, keyword = inspect.Parameter.empty, inspect.Parameter.KEYWORD_ONLY
        return [
            inspect.Parameter(
                name,
                keyword,
                default=empty if declared.info.required else declared.info.default,
                annotation=declared.written,
            )
            for name, declared in declared_options(cls).items()
        ]

    @classmethod
    def split(cls, keywords: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """The keywords that are options, and the others."""
        known = declared_options(cls)
        own = {name: value for name, value in keywords.items() if name in known}
        return own, {name: value for name, value in keywords.items() if name not in own}

    @property
    def given_names(self) -> tuple[str, ...]:
        """The names of the options that were given, in that order."""
        return tuple(vars(self)["_given_names"])

    def with_defaults(self, **values: Any) -> Self:
        """These options, and ``values`` of those that nobody gave."""
        own = {name: getattr(self, name) for name in self.given_names}
        return self.build(
            type(self).__name__, own | {key: values[key] for key in values.keys() - own}
        )

    def given(self) -> dict[str, Any]:
        """What was said, in plain types for a manifest, in the order in which it was said."""
        from recloak.core._checked_options import plain_values

        return plain_values(type(self), {name: getattr(self, name) for name in self.given_names})

    @classmethod
    def _checked(cls, owner: str, values: Mapping[str, Any]) -> dict[str, Any]:
        from recloak.core._checked_options import Refused, checked_values

        named = {name.replace("-", "_"): value for name, value in values.items()}
        try:
            return checked_values(cls, named)
        except Refused as refused:
            raise cls._explained(owner, refused.problem) from None

    def _set(self, given: Mapping[str, Any]) -> None:
        defaults = {name: one.info.default for name, one in declared_options(type(self)).items()}
        vars(self).update(defaults | dict(given), _given_names=tuple(given))

    @classmethod
    def _explained(cls, owner: str, problem: ErrorDetails) -> ParameterError:
        """What is wrong with a value, in our words."""
        known = declared_options(cls)
        name = str(problem["loc"][0])
        if name not in known:  # flags are checked before: whoever errs here writes Python
            return ParameterError(
                f"{owner} has no such parameter",
                where=f"{owner}, parameter '{name}'",
                hint=f"{did_you_mean(name, known)}It takes: {', '.join(known)}.",
            )
        info, choices, where = known[name].info, known[name].choices, f"--{known[name].info.flag}"
        if choices:
            listed = f"{', '.join(choices[:-1])} or {choices[-1]}"
            return ParameterError(f"'{problem['input']}' is not {listed}", where=where)
        if problem["type"] == "missing":
            return ParameterError("is required", where=where, hint=info.doc)
        what = f"{problem['msg'].lower()}, got {problem['input']!r}"
        return ParameterError(what, where=where, hint=f"{info.doc} ({info.kind}, any)")

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is immutable")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and all(
            getattr(self, name) == getattr(other, name) for name in declared_options(type(self))
        )

    def __hash__(self) -> int:
        return hash(type(self))  # values may be mappings, which have none

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.given_names)
        return f"{type(self).__name__}({shown})"


def _flag(declared: DeclaredOption, flag: OptionFlag) -> Flag:
    return Flag(
        name=flag.name or declared.info.flag,
        metavar=flag.metavar,
        help=declared.info.doc if flag.help is None else flag.help,
        choices=declared.choices,
        default=declared.info.default,
        kind=declared.info.kind,
        group=flag.group,
        many=flag.many,
    )


def refuse_unknown(
    owner: str, given: Iterable[str], *models: type[Options], more: Iterable[str] = ()
) -> None:
    """`ParameterError` for a keyword of Python that is none of these options, nor one of ``more``.

    Each part of a call has options of its own: only who knows all of them can say what was meant.
    """
    known = {*more, "options"}.union(*(declared_options(model) for model in models))
    for name in given:
        if name.replace("-", "_") not in known:
            listed = ", ".join(sorted(known - {"options"}))
            raise ParameterError(
                f"{owner} has no such parameter",
                where=f"{owner}, parameter '{name}'",
                hint=f"{did_you_mean(name, known)}It takes: {listed}.",
            )


def takes(*models: type[Options]) -> Callable[[F], F]:
    """Let the signature and the docstring of a function name the options that its keywords are.

    The last parameter of the function must be ``**keywords``; it stays if it is called otherwise,
    because more than options is taken then.
    """

    def named(function: F) -> F:
        signature = inspect.signature(function)
        *first, rest = signature.parameters.values()
        more = [rest] if rest.name != "keywords" else []
        function.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=[*first, *(one for model in models for one in model.parameters()), *more]
        )
        described = [info for model in models for info in model.described()]
        lines = [f"{info.name}\n    {info.doc}" for info in described]
        text = "\n".join(["", "Options", "-------", *lines, ""])
        function.__doc__ = f"{inspect.cleandoc(function.__doc__ or '')}\n{text}"
        return function

    return named
