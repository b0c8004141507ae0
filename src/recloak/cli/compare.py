"""compare: methods and settings side by side on your data, under one protocol."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from recloak.cli._shared.arguments import Parser, needed
from recloak.cli._shared.dry_run import add_dry_run, show_estimate
from recloak.cli._shared.next_command import advising_command
from recloak.cli._shared.reading import Reading, add_files, add_reading
from recloak.cli._shared.signals import goes_on
from recloak.core.errors import ParameterError

if TYPE_CHECKING:
    from recloak.comparison.settings import Setting
    from recloak.core.ratings import Ratings
    from recloak.core.survey import SurveyParameters

ON_FROM_HERE = "Settings that were finished are kept: the same command goes on from here."
EXAMPLES = """examples:
  recloak compare ratings.csv --out comparison
  recloak compare ml-1m --methods microaggregation,predictive --out comparison
  recloak compare ratings.csv --grid grid.toml --policy policy.toml --out comparison

Every method at several settings, attacked and measured in the same way under the same seed. The
folder holds comparison.html, .csv, .parquet and .json, and the finished settings: if the command is
stopped, run it again and it goes on where it was. Nothing in the folder is a release; all of it is
for internal use.

A grid file is TOML; lists of values are crossed:
  [[method]]
  name = "microaggregation"
  k = [3, 5, 10]"""


def configure(parser: Parser, words: list[str]) -> None:
    add_grid(parser)
    parser.add_argument("--policy", metavar="FILE", help="judge every setting by this policy")
    add_dry_run(parser)
    parser.add_argument("--out", metavar="DIR", help="the folder for results and finished settings")
    add_reading(parser)


def add_grid(parser: Parser) -> None:
    """What compare and advise share: the data, the settings, the seed."""
    add_files(parser)
    parser.add_argument(
        "--methods",
        metavar="A,B,…",
        help="only these methods (default: all for ratings, or all for surveys)",
    )
    parser.add_argument("--grid", metavar="FILE", help="the settings, instead of the default ones")
    parser.add_argument(
        "--seed", type=int, default=0, help="seed of releases and samples (default: 0)"
    )
    parser.add_argument(
        "--jobs",
        type=int,
        metavar="N",
        help="how many settings to try at once (default: as cores and memory allow)",
    )


def run(arguments: argparse.Namespace) -> int:
    needed(arguments, "file", "--out")
    from recloak.auditing.policy import Policy
    from recloak.cli._shared.screen import Screen
    from recloak.cli._shared.show import show_comparison
    from recloak.comparison.page import write_comparison_page
    from recloak.comparison.protocol import Protocol
    from recloak.comparison.request import default_policy, survey_in
    from recloak.comparison.run import compare, refuse_place
    from recloak.comparison.tables import comparison_content, write_tables
    from recloak.io import load

    screen = Screen(arguments)
    policy = Policy.read(arguments.policy) if arguments.policy else None
    grid = early_settings(arguments)
    refuse_place(arguments.out)
    reading = Reading(arguments)
    survey = survey_in(reading.options)
    loaded = load(arguments.file, reading.options, progress=screen.progress)
    settings = settings_of(arguments, loaded.ratings, grid, survey)
    protocol = Protocol.usual(arguments.seed, survey=survey is not None)
    policy = policy or default_policy(survey)
    if arguments.dry_run:
        return show_estimate(screen, loaded.ratings, settings, protocol, policy, arguments.jobs)
    goes_on(ON_FROM_HERE)
    found = compare(
        loaded.ratings,
        settings,
        out=arguments.out,
        protocol=protocol,
        policy=policy,
        jobs=arguments.jobs,
        progress=screen.progress,
    )
    folder = Path(arguments.out)
    command = advising_command(arguments)
    page = write_comparison_page(found, folder, command=command)
    files = [*write_tables(found, folder), page]
    content = comparison_content(found)
    screen.result({"files": [str(file) for file in files], "computed": found.computed, **content})
    for note in loaded.notes:
        screen.warn(note)
    show_comparison(screen, found)
    screen.say(f"\nreport   {files[-1]} (internal: it describes the original data)")
    screen.say(f"numbers  {files[1]}, .parquet and .json")
    screen.say(f"\nNow say what you require:\n{command}")
    return 0


def early_settings(arguments: argparse.Namespace) -> list[Setting]:
    """The settings of ``--grid``; what is wrong with flags is refused before data are read."""
    from recloak.comparison.request import names_in
    from recloak.comparison.settings import chosen, read_grid

    if arguments.seed < 0:
        raise ParameterError("a seed is a whole number, 0 or more", where="--seed")
    if arguments.jobs is not None and arguments.jobs < 1:
        raise ParameterError("at least one setting runs at a time", where="--jobs")
    grid = read_grid(arguments.grid) if arguments.grid else []
    if arguments.methods is not None:
        chosen(grid, names_in(arguments.methods))
    return grid


def settings_of(
    arguments: argparse.Namespace,
    ratings: Ratings,
    grid: list[Setting],
    survey: SurveyParameters | None,
) -> list[Setting]:
    """The settings of ``grid`` or the default ones, for a survey with what is declared of it."""
    from recloak.comparison.request import names_in, settings_for

    names = None if arguments.methods is None else names_in(arguments.methods)
    return settings_for(ratings, grid if arguments.grid else None, names, survey)
