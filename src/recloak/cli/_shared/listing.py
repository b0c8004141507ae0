"""Families on the screen: all members in a table, or one in full."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from recloak.cli._shared.arguments import Parser
from recloak.core.errors import ParameterError

if TYPE_CHECKING:
    from recloak.cli._shared.screen import Screen
    from recloak.core.registry import Registry

Facts = Mapping[str, Any]


def _nothing(member: Any) -> Facts:
    return {}


def _no_lines(member: Any) -> Sequence[str]:
    return ()


def _no_rows(member: Any) -> Sequence[tuple[str, ...]]:
    return ()


@dataclass(frozen=True)
class Family:
    """How the members of a registry are shown: what is said of one, and how it is used.

    ``facts`` are for programs; ``lines`` and the ``table`` under ``heading`` are for people.
    """

    registry: Registry[Any]
    closing: str
    usage: Callable[[Any], str]
    facts: Callable[[Any], Facts] = _nothing
    lines: Callable[[Any], Sequence[str]] = _no_lines
    heading: str = ""
    columns: tuple[str, ...] = ()
    table: Callable[[Any], Sequence[tuple[str, ...]]] = _no_rows

    def described(self, member: Any) -> dict[str, Any]:
        """A member, for programs."""
        named = {"name": member.name, "summary": member.summary}
        parameters = [vars(info) for info in _parameters(member)]
        return {**named, **self.facts(member), "parameters": parameters}


def add_name(parser: Parser, word: str) -> None:
    """The argument that asks for one member."""
    parser.add_argument("name", nargs="?", metavar="NAME", help=f"show one {word} in full")


def show_family(arguments: argparse.Namespace, family: Family) -> int:
    """Show one member, if it is named, or all of them."""
    from recloak.cli._shared.screen import Screen

    screen = Screen(arguments)
    if arguments.name:
        _show_one(screen, family, family.registry.get(arguments.name))
    else:
        _show_all(screen, family)
    return 0


def _show_all(screen: Screen, family: Family) -> None:
    """A table; what another package provides and cannot be loaded is a warning."""
    members = []
    for name in family.registry:
        try:
            members.append(family.registry.get(name))
        except ParameterError as problem:
            screen.warn(str(problem))
    screen.result({family.registry.family: [family.described(member) for member in members]})
    columns = (family.registry.word, "what it does")
    screen.table(columns, [(one.name, one.summary) for one in members])
    screen.say(f"\n{family.closing}")


def _show_one(screen: Screen, family: Family, member: Any) -> None:
    screen.result(family.described(member))
    screen.heading(member.name)
    screen.say(member.summary)
    lines = family.lines(member)
    if lines:
        screen.say()
    for line in lines:
        screen.say(line)
    if hasattr(member, "Parameters"):
        _show_parameters(screen, member)
    rows = family.table(member)
    if rows:
        screen.heading(family.heading)
        screen.table(family.columns, rows)
    screen.say(f"\n{family.usage(member)}")


def _show_parameters(screen: Screen, member: Any) -> None:
    screen.heading("Parameters")
    rows = [
        (f"--{info.flag}" if member.family == "method" else info.flag, *_of_parameter(info))
        for info in _parameters(member)
    ]
    first = "flag" if member.family == "method" else "name"
    screen.table((first, "kind", "default", "allowed", "meaning"), rows)


def _of_parameter(info: Any) -> tuple[str, str, str, str]:
    default = "required" if info.required else str(info.default)
    return info.kind, default, info.allowed, info.doc


def _parameters(member: Any) -> Sequence[Any]:
    return member.Parameters.described() if hasattr(member, "Parameters") else ()


def evaluations_of(registry: Registry[Any]) -> Family:
    """The family of attacks or of measures."""
    word = registry.word
    return Family(
        registry,
        f"'recloak {registry.family} NAME' shows parameters, figures and reference.",
        lambda one: f"recloak audit ORIGINAL RELEASE --{word} {one.name}",
        _evaluation_facts,
        _evaluation_lines,
        "Figures",
        ("figure", "unit", "worse", "meaning"),
        _figure_rows,
    )


def _evaluation_facts(member: Any) -> Facts:
    return {
        "applies_to": member.applies_to,
        "audited_with": list(member.audited_with),
        "reference": member.reference,
        "figures": [
            {"name": one.name, "unit": one.unit, "worse": one.worse, "meaning": one.meaning}
            for one in member.figures
        ],
    }


def _evaluation_lines(member: Any) -> list[str]:
    """When an audit runs it, and where it comes from."""
    specs = [f"{member.name}:{how}" if how else member.name for how in member.audited_with]
    subject = "of related-item lists" if member.subject == "lists" else member.applies_to
    every = f"every audit {subject}".rstrip()
    lines = [f"Runs in {every}: {', '.join(specs)}" if specs else "Runs only if it is asked for."]
    return lines + referred(member)


def referred(member: Any) -> list[str]:
    """Where it comes from, if anywhere."""
    return [f"Reference: {member.reference}"] if member.reference else []


def _figure_rows(member: Any) -> list[tuple[str, ...]]:
    """The figures that policies and --require may name."""
    worse = {"more": "higher is worse", "less": "lower is worse", None: "–"}
    return [
        (one.name, one.unit, worse[one.worse], one.meaning or one.at_a_glance)
        for one in member.figures
    ]
