"""What may follow each command, action and method, from what commands declare."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from recloak.attacks import ATTACKS
from recloak.cli._shared.arguments import COMMANDS, DeclaredArgument, load, parser_of
from recloak.guarantees import GUARANTEES
from recloak.io import FORMATS
from recloak.lists.protection import ALGORITHMS
from recloak.measures import MEASURES
from recloak.methods import METHODS
from recloak.recommenders import RECOMMENDERS
from recloak.recommenders.similarity import SIMILARITIES
from recloak.studies import STUDIES

Value = Literal["nothing", "file", "folder", "word", "text"]
_NAMES: dict[str, Callable[[], list[str]]] = {
    "--method": METHODS.names,
    "--methods": METHODS.names,
    "--format": FORMATS.names,
    "--recommender": RECOMMENDERS.names,
    "--similarity": SIMILARITIES.names,
    "--algorithm": ALGORITHMS.names,
    "--attack": ATTACKS.names,
    "--measure": MEASURES.names,
    "attacks name": ATTACKS.names,
    "formats name": FORMATS.names,
    "guarantees name": GUARANTEES.names,
    "measures name": MEASURES.names,
    "methods name": METHODS.names,
    "recommenders name": RECOMMENDERS.names,
    "study name": STUDIES.names,
}
LISTINGS = ("attacks", "formats", "guarantees", "measures", "methods", "recommenders")
WITHOUT_FILES = ("completion", "demo", "study", "simulate", "warmup", *LISTINGS)
_VALUES: dict[str, Value] = {"FILE": "file", "DIR": "folder", "RELEASE": "folder"}


class CompletedFlag(NamedTuple):
    """A flag and what its value may be."""

    name: str
    help: str
    value: Value
    words: tuple[str, ...] = ()
    many: bool = False


class CommandCompletion(NamedTuple):
    """Where the cursor may be: after a command, and after its action or method if it has one."""

    command: str
    word: str
    help: str
    flags: list[CompletedFlag]
    words: list[str]

    @property
    def is_action(self) -> bool:
        """Is it after an action, such as that of ``lists release``?"""
        return bool(self.word) and self.word in self.words

    @property
    def takes_files(self) -> bool:
        """May files stand among its words?"""
        return self.command not in WITHOUT_FILES


def completions() -> list[CommandCompletion]:
    """All commands, actions and methods with flags of their own; what is nearest comes last."""
    found = []
    for command, summary in COMMANDS.items():
        general = _completion(command, "", summary, [])
        found.append(general)
        actions = getattr(load(command), "ACTIONS", {})
        found += [_completion(command, action, text, [action]) for action, text in actions.items()]
        chosen: dict[str, list[str]] = {}
        if command == "publish":
            chosen = {name: ["--method", name] for name in METHODS.names()}
        if command == "study":
            chosen = {name: [name] for name in STUDIES.names()}
        known = {flag.name for flag in general.flags}
        for name, words in chosen.items():
            completion = _completion(command, name, summary, words)
            own = [flag for flag in completion.flags if flag.name not in known]
            found.append(completion._replace(flags=own))
    return found


def _completion(command: str, word: str, text: str, words: list[str]) -> CommandCompletion:
    parser = parser_of(load(command), command, words)
    flags = [_flag(one) for one in parser.declared if not one.is_positional]
    positional = [one for one in parser.declared if one.is_positional]
    return CommandCompletion(
        command, word, text, flags, _words(command, positional[0]) if positional else []
    )


def _flag(declared: DeclaredArgument) -> CompletedFlag:
    action, name = declared.action, declared.action.option_strings[-1]
    text = (action.help or "").replace("%%", "%")
    if action.nargs == 0:
        return CompletedFlag(name, text, "nothing", many=declared.many)
    words = tuple(action.choices or (_NAMES[name]() if name in _NAMES else ()))
    value: Value = "word" if words else _VALUES.get(str(action.metavar), "text")
    return CompletedFlag(name, text, value, words, declared.many)


def _words(command: str, declared: DeclaredArgument) -> list[str]:
    named = f"{command} {declared.action.dest}"
    return list(declared.action.choices or (_NAMES[named]() if named in _NAMES else ()))
