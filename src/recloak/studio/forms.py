"""Forms: fields that derive from declared options and parameters, and what was filled in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import parse_qsl

from starlette.requests import Request

from recloak.core.described import ParameterInfo
from recloak.core.options import Flag

Kind = Literal["text", "number", "switch", "choice", "names", "lines", "password"]
NUMBERS = ("whole number", "number")


@dataclass(frozen=True)
class FormField:
    """One field: what it is called here and on the command line, what it takes, what it holds."""

    name: str
    label: str
    kind: Kind = "text"
    flag: str = ""
    help: str = ""
    value: str = ""
    default: str = ""
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    step: str = "any"
    required: bool = False

    @property
    def chosen(self) -> tuple[str, ...]:
        """Of a field that takes several names, those that it holds."""
        return tuple(filter(None, self.value.split("\n")))


class Filled:
    """What came with a form: texts by name, several where a name stands more than once."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self.pairs = [(name, value.replace("\r\n", "\n")) for name, value in pairs]

    def get(self, name: str, otherwise: str = "") -> str:
        """The last text of this name, or what stands for it if there is none."""
        found = (value.strip() for key, value in reversed(self.pairs) if key == name)
        return next(found, otherwise)

    def every(self, name: str) -> list[str]:
        """All texts of this name."""
        return [value for key, value in self.pairs if key == name and value]

    def under(self, prefix: str) -> dict[str, str]:
        """The texts whose names begin so, without that beginning, several one on each line."""
        names = dict.fromkeys(key for key, _ in self.pairs if key.startswith(prefix))
        return {name.removeprefix(prefix): "\n".join(self.every(name)).strip() for name in names}


async def filled_in(request: Request) -> Filled:
    """The form that was sent, or the question in the address."""
    body = await request.body() if request.method == "POST" else request.scope["query_string"]
    return Filled(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))


def field_of_flag(flag: Flag, name: str, value: str = "") -> FormField:
    """A field for a declared option."""
    kind: Kind = "switch" if flag.is_switch else "choice" if flag.choices else "text"
    shown = flag.default if flag.choices and flag.default else ""
    label = flag.name.replace("-", " ")
    return FormField(
        name, label, kind, f"--{flag.name}", flag.help, value, str(shown), tuple(flag.choices)
    )


def field_of_parameter(info: ParameterInfo, name: str, value: str = "") -> FormField:
    """A field for a declared parameter, with its range and its default."""
    kind: Kind = "choice" if info.choices else "number" if info.kind in NUMBERS else "text"
    choices = info.choices
    if info.kind == "yes/no":
        kind, choices = "choice", ("true", "false")
    default = "" if info.default is None else str(info.default)
    allowed = f" ({info.allowed})" if info.allowed and not choices else ""
    return FormField(
        name,
        info.flag.replace("-", " "),
        kind,
        f"--{info.flag}",
        f"{info.doc}{allowed}",
        value,
        default.lower() if info.kind == "yes/no" else default,
        choices,
        info.least,
        info.most,
        "1" if info.kind == "whole number" else "any",
        info.required,
    )


def given_values(values: Mapping[str, str]) -> dict[str, str]:
    """What was said: fields that were left empty say nothing."""
    return {name: value for name, value in values.items() if value}
