"""advise: which method and setting for your data, by what you require."""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recloak.cli._shared.arguments import Parser, needed
from recloak.cli._shared.dry_run import add_dry_run, show_estimate
from recloak.cli._shared.next_command import REQUIRED, publishing_command
from recloak.cli._shared.reading import Reading, add_reading
from recloak.cli._shared.signals import goes_on
from recloak.cli.compare import (
    ON_FROM_HERE,
    add_grid,
    early_settings,
    settings_of,
)

if TYPE_CHECKING:
    from recloak.auditing.policy import Requirement
    from recloak.comparison.advising import Advice
    from recloak.comparison.protocol import Protocol
    from recloak.comparison.requirements import Objective

BY_DEFAULT = (
    "Nothing was required, so every line of the default policy must pass; 'recloak policy init' "
    "writes it to a file to be changed."
)
NOTHING_KEPT = "Nothing is kept without --out DIR; with it, the same command goes on from here."
EXAMPLES = """examples:
  recloak advise ratings.csv
  recloak advise ratings.csv --quick
  recloak advise ratings.csv --require "excess<=0.08" --require "membership<=0.65"
  recloak advise ratings.csv --policy policy.toml --out comparison
  recloak advise ml-1m --require "bayes-linkage:known=4 success<=20%" --maximise fold_in_ndcg

Without --require and --policy every line of the default policy must pass ('recloak policy init'
writes it). A requirement is FIGURE<=LIMIT or FIGURE>=LIMIT, and counts for every attack or measure
that has the figure, or for the one that is named before it; or a claim, such as k-anonymity:k=5.
The unfavourable end of the 95 % interval is judged. With --out, finished settings are kept and
shared with 'recloak compare', and what was required is written as a policy that the command to
publish enforces. If there are many people, all settings are tried on a sample first, by the attacks
that are required, and then the eight best on all people by all attacks. The exit code is 3 if
nothing satisfies what is required."""


def configure(parser: Parser, words: list[str]) -> None:
    add_grid(parser)
    parser.add_argument(
        "--require",
        action="append",
        metavar="REQUIREMENT",
        help="what must hold, such as 'excess<=0.08'",
    )
    parser.add_argument("--policy", metavar="FILE", help="every line of this policy must pass")
    aim = parser.one_of()
    aim.add_argument(
        "--maximise",
        metavar="FIGURE",
        help="utility (default: fold_in_mu), fold_in_ndcg or any other figure",
    )
    aim.add_argument("--minimise", metavar="FIGURE", help="rmse, excess or any other figure")
    parser.add_argument("--out", metavar="DIR", help="keep results and finished settings here")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="a first answer: half of the settings, 1,000 people, only the required attacks",
    )
    add_dry_run(parser)
    add_reading(parser)


def run(arguments: argparse.Namespace) -> int:
    needed(arguments, "file")
    from recloak.auditing.policy import Policy
    from recloak.cli._shared.screen import Screen
    from recloak.cli._shared.show import show_advice
    from recloak.comparison.advising import advise
    from recloak.comparison.protocol import Protocol
    from recloak.comparison.request import default_policy, survey_in
    from recloak.comparison.run import refuse_place
    from recloak.comparison.sampling import every_other
    from recloak.comparison.tables import advice_content
    from recloak.core.files import temporary_folder
    from recloak.io import load

    screen = Screen(arguments)
    policy = Policy.read(arguments.policy) if arguments.policy else None
    reading = Reading(arguments)
    survey = survey_in(reading.options)
    protocol = Protocol.usual(arguments.seed, survey=survey is not None)
    default = default_policy(survey)
    measured = protocol.with_policy(policy or default)
    requirements = _requirements(arguments, reading, policy, measured) or list(default.requirements)
    objective = _objective(arguments, measured)
    grid = early_settings(arguments)
    with ExitStack() as leaving:
        out = arguments.out or leaving.enter_context(temporary_folder())
        refuse_place(out)
        loaded = load(arguments.file, reading.options, progress=screen.progress)
        settings = settings_of(arguments, loaded.ratings, grid, survey)
        if arguments.quick and not arguments.grid:
            settings = every_other(settings)
        if arguments.dry_run:
            return show_estimate(
                screen,
                loaded.ratings,
                settings,
                protocol.with_lines(line for line in requirements if line.names_one),
                policy,
                arguments.jobs,
                halving=True,
                quick=arguments.quick,
            )
        goes_on(ON_FROM_HERE if arguments.out else NOTHING_KEPT)
        found = advise(
            loaded.ratings,
            settings,
            out=out,
            require=requirements,
            maximise=objective,
            protocol=protocol,
            policy=policy or default,
            jobs=arguments.jobs,
            quick=arguments.quick,
            progress=screen.progress,
            on_round=lambda one: screen.say(str(one)),
        )
        command = publishing_command(arguments, found)
        files = _write(found, command, Path(out)) if arguments.out else []
    screen.result({**advice_content(found, command), "files": [str(file) for file in files]})
    for note in loaded.notes:
        screen.warn(note)
    if not arguments.require and policy is None:
        screen.say(BY_DEFAULT)
    show_advice(screen, found, command)
    if files:
        screen.say(f"\nreport   {files[-1]} (internal: it describes the original data)")
    return 0 if found.pick else 3


def _requirements(
    arguments: argparse.Namespace, reading: Reading, policy: Any, protocol: Protocol
) -> list[Requirement]:
    """What flags and policy require; a claim about a survey is about what is declared in it."""
    from recloak.comparison.requirements import parse_requirement, refuse_contradictions

    requirements = [parse_requirement(text, protocol) for text in arguments.require or ()]
    requirements = [
        parse_requirement(reading.declared.stated([required.claim])[0], protocol)
        if required.claim
        else required
        for required in requirements
    ]
    if policy is not None:
        requirements += policy.requirements
    refuse_contradictions(requirements)
    return requirements


def _objective(arguments: argparse.Namespace, protocol: Protocol) -> Objective:
    from recloak.comparison.requirements import parse_objective

    if arguments.minimise:
        return parse_objective(arguments.minimise, protocol, lowest=True)
    return parse_objective(arguments.maximise or "utility", protocol)


def _write(advice: Advice, command: str | None, folder: Path) -> list[Path]:
    from recloak.comparison.page import write_comparison_page
    from recloak.comparison.requirements import policy_of
    from recloak.comparison.tables import advice_content, as_json, write_tables
    from recloak.core.files import write_whole

    texts = {"advice.json": as_json(advice_content(advice, command))}
    if advice.pick:
        texts[REQUIRED] = policy_of(advice.requirements, advice.pick).to_toml().encode()
    else:
        (folder / REQUIRED).unlink(missing_ok=True)  # of earlier advice, and no longer true
    files = [*write_tables(advice.comparison, folder), *(folder / name for name in texts)]
    for name, text in texts.items():
        write_whole(folder / name, text, overwrite=True)
    return [*files, write_comparison_page(advice.comparison, folder, advice, command)]
