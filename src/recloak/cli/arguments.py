"""Arguments: flags, config files and what all commands share."""

from __future__ import annotations

import argparse
import difflib
import tomllib
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from recloak.errors import InputError, ParameterError


class Parser(argparse.ArgumentParser):
    """A parser whose complaints are our errors, with the nearest flag named."""

    def error(self, message: str) -> NoReturn:
        hint = f"'{self.prog} --help' shows all flags, with an example."
        if message.startswith("unrecognized arguments:"):
            unknown = message.split()[2]
            known = [flag for action in self._actions for flag in action.option_strings]
            near = difflib.get_close_matches(unknown.split("=")[0], known, n=1)
            hint = f"Did you mean {near[0]}? {hint}" if near else hint
        raise ParameterError(message, hint=hint)


def parse(command: ModuleType, name: str, words: Sequence[str]) -> argparse.Namespace:
    """Parse ``words``; what a config file says stands before them, so that flags win.

    Positional arguments may come from the config file too, so none is required by argparse
    itself; `needed` asks for those that are still missing.
    """
    config = _config(words, name)
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
    command.configure(parser, [*config.words(), *words])
    positional = {action.dest for action in parser._actions if not action.option_strings}
    config.check(parser, positional)
    arguments = parser.parse_args([*config.words(skip=positional), *words])
    for dest in positional & set(config.values):
        if getattr(arguments, dest) is None:
            setattr(arguments, dest, str(config.values[dest]))
    return arguments


def add_common(parser: argparse.ArgumentParser) -> None:
    """Flags that every command has."""
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.add_argument("--quiet", action="store_true", help="print nothing but errors")
    parser.add_argument(
        "--config", metavar="FILE", help="a TOML file that says what the flags would say"
    )


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Flags of every command that reads ratings."""
    reading = parser.add_argument_group("reading")
    reading.add_argument("--format", metavar="NAME", help="the format, if it is not recognised")
    reading.add_argument(
        "--columns",
        metavar="MAP",
        help="which column is which: user=uid,item=film,rating=stars,time=when (or places: user=1)",
    )
    reading.add_argument("--scale", help="1..5, '0.5..5 step 0.5', '-10..10 continuous', implicit")
    reading.add_argument("--separator", metavar="TEXT", help="the field separator of a text file")
    reading.add_argument(
        "--duplicates",
        choices=("error", "last", "mean", "max"),
        help="what to do when a user rated an item twice (default: error)",
    )


def reading_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """What `add_reading` gathered, for `recloak.formats.load`."""
    from recloak.columns import parse_mapping

    options = {
        "format": arguments.format,
        "columns": parse_mapping(arguments.columns) if arguments.columns else None,
        "scale": arguments.scale,
        "separator": arguments.separator,
        "duplicates": arguments.duplicates,
    }
    return {name: value for name, value in options.items() if value is not None}


def needed(arguments: argparse.Namespace, *names: str) -> None:
    """Refuse to go on without these."""
    for name in names:
        if getattr(arguments, name.lstrip("-").replace("-", "_")) is None:
            shown = name if name.startswith("--") else name.upper()
            raise ParameterError(f"{shown} is missing", hint="Add --help to see an example.")


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

    def check(self, parser: argparse.ArgumentParser, positional: set[str]) -> None:
        flags = {flag for action in parser._actions for flag in action.option_strings}
        known = {flag[2:].replace("-", "_") for flag in flags if flag.startswith("--")}
        known = (known | positional) - {"help", "config"}
        for key in self.values:
            if key not in known:
                near = difflib.get_close_matches(key, known, n=1)
                guess = f"Did you mean '{near[0]}'? " if near else ""
                shown = ", ".join(sorted(name.replace("_", "-") for name in known))
                raise ParameterError(
                    f"'{key}' is nothing that {parser.prog} takes",
                    where=str(self.path),
                    hint=f"{guess}Known: {shown}.",
                )


def _config(words: Sequence[str], command: str) -> _Config:
    """Top-level keys of the file, and those of the table named after the command."""
    finder = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    finder.add_argument("--config")
    try:
        path = finder.parse_known_args(list(words))[0].config
    except SystemExit:
        raise ParameterError("--config needs a file") from None
    if path is None:
        return _Config(None, {})
    try:
        content = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as problem:
        raise InputError(f"cannot be read: {problem.strerror}", where=path) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise InputError(f"is not valid TOML: {problem}", where=path) from None
    values = {key: value for key, value in content.items() if not isinstance(value, dict)}
    return _Config(path, values | content.get(command, {}))
