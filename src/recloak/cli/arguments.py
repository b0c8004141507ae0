"""Arguments: flags, config files and what all commands share."""

from __future__ import annotations

import argparse
import difflib
import tomllib
from collections.abc import Sequence
from math import inf
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from recloak.cli.survey_arguments import add_survey, survey_reading
from recloak.errors import InputError, ParameterError

COMMANDS = {
    "inspect": "What a ratings file looks like, and how much people stand out in it.",
    "compare": "Methods and settings side by side on your data, under one protocol.",
    "advise": "Which method and setting for your data, by what you require.",
    "publish": "Sanitise ratings, audit the result, and publish it whole or not at all.",
    "extend": "Add new ratings to a fragmented release, whose rows keep their ids.",
    "audit": "Attack a release, check its claims, measure what it is still good for.",
    "verify": "Check formal claims on a release or on any ratings file.",
    "methods": "The methods, their parameters and what they promise.",
    "policy": "Write a policy file to be signed by a privacy officer.",
    "synth": "Make realistic ratings of any size.",
    "unseal": "Open a kept secret.",
    "recombine": "Turn the predictions for a person's rows into one, as their client would.",
    "lists": "Publish related-item lists as they change, without telling who rated what.",
    "study": "Make a table or figure of a paper again, theirs beside ours.",
    "demo": "The whole way on made-up data: synthesise, publish, audit, report.",
}


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
        said = config.values[dest]
        if getattr(arguments, dest) is None:
            setattr(arguments, dest, str(said))
        elif getattr(arguments, dest) == []:
            setattr(arguments, dest, list(map(str, said if isinstance(said, list) else [said])))
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
    reading.add_argument("--encoding", metavar="NAME", help="of a text file, such as latin-1")
    reading.add_argument(
        "--id-column", metavar="NAME", help="of a survey: the column that says who answers"
    )
    reading.add_argument(
        "--issues", metavar="A,B,…", help="of a survey: the columns with answers (default: all)"
    )
    reading.add_argument(
        "--duplicates",
        choices=("error", "last", "mean", "max"),
        help="what to do when a user rated an item twice (default: error; inspect: last)",
    )
    add_survey(parser)


def reading_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """What `add_reading` gathered, for `recloak.formats.load`."""
    from recloak.columns import parse_mapping

    options = {
        "format": arguments.format,
        "columns": parse_mapping(arguments.columns) if arguments.columns else None,
        "scale": arguments.scale,
        "separator": arguments.separator,
        "encoding": arguments.encoding,
        "id_column": arguments.id_column,
        "issues": arguments.issues.split(",") if arguments.issues else None,
        "duplicates": arguments.duplicates,
    }
    given = {name: value for name, value in options.items() if value is not None}
    return survey_reading(arguments) | given


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
        for key, value in self.values.items():
            if key not in known:
                near = difflib.get_close_matches(key, known, n=1)
                guess = f"Did you mean '{near[0]}'? " if near else ""
                shown = ", ".join(sorted(name.replace("_", "-") for name in known))
                raise ParameterError(
                    f"'{key}' is nothing that {parser.prog} takes",
                    where=str(self.path),
                    hint=f"{guess}Known: {shown}.",
                )
            self._check_kind(parser, key, value)

    def _check_kind(self, parser: argparse.ArgumentParser, key: str, value: Any) -> None:
        """A switch takes true or false, a flag one value, and only a repeatable one a list."""
        flag = f"--{key.replace('_', '-')}"
        action = parser._option_string_actions.get(flag)
        if action is None:
            action = next(one for one in parser._actions if one.dest == key)
        is_switch = action.nargs == 0
        takes_many = isinstance(action, argparse._AppendAction) or action.nargs in ("+", "*")
        wrong = isinstance(value, dict) or isinstance(value, bool) != is_switch
        if wrong or (isinstance(value, list) and not takes_many):
            wanted = "true or false" if is_switch else "a list" if takes_many else "a value"
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
    others = {key for key, value in content.items() if isinstance(value, dict)} & set(COMMANDS)
    values = {key: value for key, value in content.items() if key not in others}
    return _Config(path, values | own)
