"""Flags that derive from declared options and parameters."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from recloak.core.described import ParameterInfo
    from recloak.core.options import Flag, Options


class TakesFlags(Protocol):
    """A parser, or a group of its flags."""

    def add_argument(self, *names: str, **how: Any) -> argparse.Action:
        """As argparse has it."""


class TakesGroups(TakesFlags, Protocol):
    """A parser."""

    def group(self, title: str) -> TakesFlags:
        """Flags that stand under a title of their own in the help."""


def add_options(parser: TakesFlags, model: type[Options], *names: str, **helps: str) -> None:
    """Flags for the options that belong to no group, or for those called ``names``.

    ``helps`` has other words for some of them.
    """
    for name, flag in model.flags().items():
        if name in names or not (names or flag.group):
            _add(parser, flag, helps.get(name, flag.help))


def add_grouped(parser: TakesGroups, model: type[Options]) -> None:
    """Flags for the options that belong to a group, each under the title of its group."""
    for flag in model.flags().values():
        if flag.group:
            _add(parser.group(flag.group), flag, flag.help)


def _add(parser: TakesFlags, flag: Flag, text: str) -> None:
    how: dict[str, Any] = {"action": "store_true"} if flag.is_switch else {}
    if flag.many:
        how["action"] = "append"
    if flag.choices:
        how["choices"] = flag.choices
    elif flag.kind == "whole number" and flag.default is not None:
        how["type"] = int
    if flag.metavar:
        how["metavar"] = flag.metavar
    parser.add_argument(f"--{flag.name}", help=text.replace("%", "%%") or None, **how)


def given_options(arguments: argparse.Namespace, model: type[Options]) -> dict[str, Any]:
    """The values of the flags of `add_options` that were given, by the names of the options."""
    found: dict[str, Any] = {}
    for name, flag in model.flags().items():
        value = getattr(arguments, flag.dest, None)
        if flag.is_switch and value:
            found[name] = not flag.default
        elif not flag.is_switch and value is not None:
            found[name] = ",".join(value) if flag.many else value
    return found


def add_parameters(
    parser: TakesFlags,
    described: Iterable[ParameterInfo],
    prefix: str,
    *,
    metavar: str = "VALUE",
    limits: bool = True,
    switches: bool = False,
) -> None:
    """A flag for each parameter of a component, with its kind, limits and default in the help.

    With ``switches``, what is yes or no is a flag without a value.
    """
    for info in described:
        allowed = f", {info.allowed}" if info.allowed and limits else ""
        default = "" if info.required else f"; default {info.default}"
        text = f"{info.doc} ({info.kind}{allowed}{default})".replace("%", "%%")
        how: dict[str, Any] = {"metavar": metavar}
        if switches and info.kind == "yes/no":
            how = {"action": "store_const", "const": True}
        parser.add_argument(f"--{info.flag}", dest=prefix + info.name, help=text, **how)


def given_parameters(arguments: argparse.Namespace, prefix: str) -> dict[str, Any]:
    """The values of the flags of `add_parameters` that were given, by the parameters' names."""
    values: Mapping[str, Any] = vars(arguments)
    return {
        name.removeprefix(prefix): value
        for name, value in values.items()
        if name.startswith(prefix) and value is not None
    }


def add_verbose(parser: TakesFlags) -> None:
    """The flag for more than five lines about an audit."""
    parser.add_argument(
        "--verbose", action="store_true", help="also print claims, attacks, measures and policy"
    )
