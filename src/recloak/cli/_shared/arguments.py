"""Arguments: flags, config files and what all commands share."""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Mapping, Sequence
from importlib import import_module
from math import inf
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, NoReturn

from recloak.cli._shared.flags import TakesFlags
from recloak.core.errors import InputError, ParameterError, did_you_mean

COMMANDS = {
    "studio": "See, compare, decide and publish in a browser, on your own machine.",
    "inspect": "What a ratings file looks like, and how much people stand out in it.",
    "compare": "Methods and settings side by side on your data, under one protocol.",
    "advise": "Which method and setting for your data, by what you require.",
    "publish": "Sanitise ratings, audit the result, and publish it whole or not at all.",
    "extend": "Add new ratings to a fragmented release, whose rows keep their ids.",
    "audit": "Attack a release, check its claims, measure what it is still good for.",
    "verify": "Check formal claims on a release or on any ratings file.",
    "methods": "The methods, their parameters and what they promise.",
    "attacks": "The simulated adversaries, what they know and what they find.",
    "measures": "What can be said about the utility that is left.",
    "guarantees": "The formal claims that can be checked.",
    "recommenders": "What measures train on a release to see what it is still good for.",
    "formats": "The file formats that can be read and written.",
    "policy": "Write a policy file to be signed by a privacy officer.",
    "config": "Describe config files, for editors.",
    "dossier": "What a data protection officer must hand over about releases.",
    "draw": "Draw more made-up people from a model that was kept.",
    "simulate": "Make realistic ratings of any size, without any data.",
    "unseal": "Open a kept secret.",
    "decrypt": "Open a release that was encrypted for its recipient.",
    "recombine": "Turn the predictions for a person's rows into one, as their client would.",
    "lists": "Publish related-item lists as they change, without telling who rated what.",
    "study": "Make a table or figure of a paper again, theirs beside ours.",
    "completion": "Print a script that completes commands and flags in bash, zsh or fish.",
    "warmup": "Compile what publishing and auditing need, once after an install.",
    "demo": "The whole way on made-up data: synthesise, publish, audit, report.",
}


RENAMED = {"synth": "simulate"}
"""Commands under the names that they had before, which still work."""


class Parser(argparse.ArgumentParser):
    """A parser that knows what was declared, and whose complaints are our errors.

    argparse stays, on flags that derive from models, rather than a library such as cyclopts: the
    first words of a command decide about further flags (``--method NAME``), config files stand
    before the words, and help is shown within a tenth of a second.
    """

    def __init__(self, **how: Any) -> None:
        self.declared: list[DeclaredArgument] = []
        self._groups: dict[str, _Group] = {}
        super().__init__(**how)

    def add_argument(self, *names: str, **how: Any) -> argparse.Action:
        """As argparse has it."""
        return self.declare(super().add_argument(*names, **how), how)

    def group(self, title: str) -> TakesFlags:
        """Flags that stand under a title of their own in the help; the same one if asked again."""
        if title not in self._groups:
            self._groups[title] = _Group(self, self.add_argument_group(title))
        return self._groups[title]

    def one_of(self) -> TakesFlags:
        """Flags of which at most one may be given."""
        return _Group(self, self.add_mutually_exclusive_group())

    def declare(self, action: argparse.Action, how: Mapping[str, Any]) -> argparse.Action:
        """Remember a flag or positional argument, and how it was asked for."""
        many = how.get("action") == "append" or how.get("nargs") in ("+", "*")
        self.declared.append(DeclaredArgument(action, many))
        return action

    def error(self, message: str) -> NoReturn:
        hint = f"'{self.prog} --help' shows all flags, with an example."
        if message.startswith("unrecognized arguments:"):
            unknown = message.split()[2]
            known = [flag for one in self.declared for flag in one.action.option_strings]
            hint = did_you_mean(unknown.split("=")[0], known, quote="") + hint
        raise ParameterError(message, hint=hint)


class DeclaredArgument(NamedTuple):
    """A flag or positional argument; ``many``: it takes several values."""

    action: argparse.Action
    many: bool

    @property
    def is_positional(self) -> bool:
        return not self.action.option_strings

    @property
    def keys(self) -> list[str]:
        """What it is called in a config file."""
        if self.is_positional:
            return [self.action.dest]
        flags = [flag for flag in self.action.option_strings if flag.startswith("--")]
        return [flag[2:].replace("-", "_") for flag in flags]


class _Group:
    """A group of argparse whose flags the parser knows too."""

    def __init__(self, parser: Parser, group: TakesFlags) -> None:
        self._parser, self._group = parser, group

    def add_argument(self, *names: str, **how: Any) -> argparse.Action:
        return self._parser.declare(self._group.add_argument(*names, **how), how)


def load(name: str) -> ModuleType:
    """The module of a command; an unknown name is refused with the nearest one."""
    known = RENAMED.get(name, name)
    if known in COMMANDS:
        return import_module(f"recloak.cli.{known}")
    guess = did_you_mean(name, COMMANDS)
    raise ParameterError(
        f"there is no command '{name}'", hint=f"{guess}'recloak --help' lists them all."
    )


def parser_of(command: ModuleType, name: str, words: Sequence[str]) -> Parser:
    """The parser of a command; its first ``words`` may decide which flags it has."""
    parser = Parser(
        prog=f"recloak {name}",
        description=command.__doc__.splitlines()[0].split(":", 1)[1].strip().capitalize()
        if command.__doc__
        else "",
        epilog=command.EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add_common(parser)
    command.configure(parser, list(words))
    return parser


def parse(command: ModuleType, name: str, words: Sequence[str]) -> argparse.Namespace:
    """Parse ``words``; what a config file says stands before them, so that flags win.

    Positional arguments may come from the config file too, so none is required by argparse
    itself; `needed` asks for those that are still missing.
    """
    config = _config(words, name)
    parser = parser_of(command, name, [*config.words(), *words])
    config.check(parser)
    positional = {one.action.dest for one in parser.declared if one.is_positional}
    arguments = parser.parse_args([*config.words(skip=positional), *words])
    for dest in positional & set(config.values):
        value = config.values[dest]
        if getattr(arguments, dest) is None:
            setattr(arguments, dest, str(value))
        elif getattr(arguments, dest) == []:
            setattr(arguments, dest, list(map(str, value if isinstance(value, list) else [value])))
    return arguments


def add_common(parser: argparse.ArgumentParser) -> None:
    """Flags that every command has."""
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.add_argument("--quiet", action="store_true", help="print nothing but errors")
    parser.add_argument(
        "--config", metavar="FILE", help="a TOML file that says what the flags would say"
    )
    parser.add_argument("--log", metavar="FILE", help="append what happens to FILE, as JSON lines")


def within(arguments: argparse.Namespace, name: str, least: float, most: float) -> None:
    """Refuse the number of a flag that is not between two others; nan is between none."""
    value, flag = getattr(arguments, name), f"--{name.replace('_', '-')}"
    if not least <= value <= most:
        above = "" if most == inf else f" and at most {most:,}"
        raise ParameterError(f"must be at least {least}{above}", where=f"{flag} {value}")


def needed(arguments: argparse.Namespace, *names: str) -> None:
    """Refuse to go on without these."""
    for name in names:
        if getattr(arguments, name.lstrip("-").replace("-", "_")) in (None, []):
            shown = name if name.startswith("--") else name.upper()
            raise ParameterError(f"{shown} is missing", hint=_hint_for(name))


def _hint_for(name: str) -> str:
    if name != "--method":
        return "Add --help to see an example."
    from recloak.methods import METHODS

    return f"Known: {', '.join(METHODS)}. 'recloak methods' tells what they do."


class _Config:
    """The content of a config file, as the words that flags would be."""

    def __init__(self, path: str | None, values: dict[str, Any]) -> None:
        self.path = path
        self.values = {key.replace("-", "_"): value for key, value in values.items()}

    def words(self, skip: set[str] | frozenset[str] = frozenset()) -> list[str]:
        words: list[str] = []
        for key, value in self.values.items():
            flag = f"--{key.replace('_', '-')}"
            if key in skip or value is False:
                continue
            if value is True:
                words.append(flag)
            else:
                parts = value if isinstance(value, list) else [value]
                words += [f"{flag}={part}" for part in parts]
        return words

    def check(self, parser: Parser) -> None:
        """Refuse keys that the command does not take, and values of the wrong kind."""
        known = {key: one for one in parser.declared for key in one.keys}
        known = {key: one for key, one in known.items() if key not in ("help", "config")}
        for key, value in self.values.items():
            if key not in known:
                shown = ", ".join(sorted(name.replace("_", "-") for name in known))
                raise ParameterError(
                    f"{parser.prog} has no option '{key}'",
                    where=str(self.path),
                    hint=f"{did_you_mean(key, known)}Known: {shown}.",
                )
            self._check_kind(key, value, known[key])

    def _check_kind(self, key: str, value: Any, declared: DeclaredArgument) -> None:
        """A switch takes true or false, a flag one value, and only a repeatable one a list."""
        is_switch = declared.action.nargs == 0
        wrong = isinstance(value, dict) or isinstance(value, bool) != is_switch
        if wrong or (isinstance(value, list) and not declared.many):
            wanted = "true or false" if is_switch else "a list" if declared.many else "a value"
            raise ParameterError(f"'{key}' takes {wanted}, not {value!r}", where=str(self.path))


def _config(words: Sequence[str], command: str) -> _Config:
    """Top-level keys of the file, and those of the table named after the command."""
    finder = Parser(prog=f"recloak {command}", add_help=False, allow_abbrev=False)
    finder.add_argument("--config")
    path = finder.parse_known_args(list(words))[0].config
    if path is None:
        return _Config(None, {})
    try:
        content = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as problem:
        raise InputError(f"cannot be read: {problem.strerror}", where=path) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise InputError(f"is not valid TOML: {problem}", where=path) from None
    own = content.pop(command, {})
    if not isinstance(own, dict):
        raise InputError(f"'{command}' is the name of a table: [{command}]", where=path)
    tables = {key for key, value in content.items() if isinstance(value, dict)}
    others = tables & {*COMMANDS, *RENAMED}
    values = {key: value for key, value in content.items() if key not in others}
    return _Config(path, values | own)
