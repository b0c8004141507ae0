"""Reading: what flags and config say about ratings and surveys."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from recloak.cli._shared.flags import add_grouped, given_options
from recloak.core.issue_names import joined
from recloak.io.options import SURVEYS, ReadOptions

if TYPE_CHECKING:
    from recloak.cli._shared.arguments import Parser


def add_files(parser: Parser) -> None:
    """The files of ratings that a command reads, of any known format."""
    parser.add_argument(
        "file",
        nargs="*",
        metavar="FILE",
        help="ratings: a file, files that belong together, a known folder, or - (standard input)",
    )


def add_reading(parser: Parser) -> None:
    """Flags of every command that reads ratings."""
    add_grouped(parser, ReadOptions)


@dataclass(frozen=True)
class DeclaredIssues:
    """Names of issues that are sensitive, and of those that others may know."""

    sensitive: tuple[str, ...] = ()
    non_sensitive: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.sensitive or self.non_sensitive)

    def values(self) -> dict[str, str]:
        """The sides that were declared, as parameters are written."""
        return {name: joined(issues) for name, issues in vars(self).items() if issues}

    def stated(self, claims: Iterable[str]) -> list[str]:
        """The claims, those about surveys with the declared issues if they name none themselves."""
        from recloak.core.claim import Claim
        from recloak.core.survey import SurveyParameters
        from recloak.guarantees import GUARANTEES

        stated = []
        for text in claims:
            claim = Claim.parse(text)
            if issubclass(GUARANTEES.get(claim.guarantee).Parameters, SurveyParameters):
                named = {key.replace("-", "_"): value for key, value in claim.parameters.items()}
                claim = Claim(claim.guarantee, {**self.values(), **named})
            stated.append(str(claim))
        return stated


class Reading:
    """What the flags of `add_reading` say; the schema is read once, when it is first needed."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._arguments = arguments

    @property
    def declared(self) -> DeclaredIssues:
        """The issues that flags and the schema declare; flags win."""
        return DeclaredIssues(tuple(self.options.sensitive), tuple(self.options.non_sensitive))

    @cached_property
    def options(self) -> ReadOptions:
        """For `recloak.io.load`, with what the schema says."""
        given = given_options(self._arguments, ReadOptions)
        for name in {"columns", "issues"} & set(given):
            if not given[name]:
                del given[name]  # empty, as in a config file: nothing is said
        # First what is about surveys: the order of keys in manifests stays as it ever was.
        flags = ReadOptions.flags()
        surveys = {name: given[name] for name in given if flags[name].group == SURVEYS}
        return ReadOptions.build("read", surveys | given).settled()

    @property
    def facts(self) -> dict[str, Any]:
        """What was said, as the manifest has it."""
        return self.options.for_manifest()


def to_take(read_as: str) -> str:
    """How columns of a survey that were left behind are taken as issues."""
    if read_as != "survey":
        return ""
    return (
        ". To take one as an issue, add it to --issues, or give the order of its words by --order."
    )
