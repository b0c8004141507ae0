"""study: make a table or figure of a paper again, theirs beside ours."""

from __future__ import annotations

import argparse
import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from recloak.cli._shared.arguments import Parser
from recloak.cli._shared.flags import add_parameters, given_parameters
from recloak.core.errors import MachineError, ParameterError

STUDY = "study_"  # before the name of a parameter, where arguments are kept
EXAMPLES = """examples:
  recloak study --list
  recloak study goncalves-table3 --data ml-100k
  recloak study goncalves-figure6 --data synthetic-ml-1m --seeds 1 --out results

Real data (ml-100k, ml-1m) are read from the folder that RECLOAK_DATA names; synthetic-NAME makes
data of the same size. With --out a page, the same as JSON, and the pictures are written."""


def configure(parser: Parser, words: list[str]) -> None:
    parser.add_argument("name", nargs="?", metavar="STUDY", help="see --list")
    parser.add_argument("--list", action="store_true", help="all studies and their data")
    parser.add_argument("--data", metavar="NAME", help="the data set (default: the study's first)")
    parser.add_argument("--out", metavar="DIR", help="a folder for the page, JSON and pictures")
    _add_study_flags(parser, words)


def run(arguments: argparse.Namespace) -> int:
    from recloak.cli._shared.screen import Screen
    from recloak.studies import STUDIES

    screen = Screen(arguments)
    if arguments.list:
        return _list(screen)
    if not arguments.name:
        raise ParameterError("no study is named", hint="'recloak study --list' shows them all.")
    chosen = STUDIES.get(arguments.name)
    study = chosen(**given_parameters(arguments, STUDY))
    folder = _folder(arguments.out)
    return _run(screen, study, arguments.data or chosen.data_sets[0], folder)


def _add_study_flags(parser: Parser, words: list[str]) -> None:
    """The parameters that the chosen study declares."""
    named = [word for word in words if not word.startswith("-")]
    if not named:
        return
    from recloak.studies import STUDIES

    chosen = next((word for word in named if word in STUDIES.names()), None)
    declared = STUDIES.get(chosen).Parameters.described() if chosen else []
    add_parameters(parser, declared, STUDY, metavar="N", limits=False)


def _list(screen: Any) -> int:
    from recloak.studies import STUDIES

    studies = [STUDIES.get(name) for name in STUDIES]
    screen.result(
        {
            "studies": [
                {
                    "name": one.name,
                    "summary": one.summary,
                    "data": list(one.data_sets),
                    "reference": one.reference,
                }
                for one in studies
            ]
        }
    )
    rows = [(one.name, one.summary, ", ".join(one.data_sets)) for one in studies]
    screen.table(("study", "what it makes again", "data"), rows)
    return 0


def _run(screen: Any, study: Any, data_name: str, folder: Path | None) -> int:
    from recloak.studies.data import DataSet
    from recloak.studies.writing import write_result

    started = time.perf_counter()
    data = DataSet.named(data_name, screen.progress)
    result = study.run(data, screen.progress)
    result = replace(result, seconds=time.perf_counter() - started)
    files = write_result(result, folder) if folder else []
    columns = [column.name for column in result.columns]
    lines = [dict(zip(columns, row, strict=True)) for row in result.rows]
    screen.result(
        {
            "study": study.name,
            "data": data_name,
            "rows": lines,
            "files": [str(file) for file in files],
        }
    )
    screen.heading(f"{result.title}: {data_name}")
    screen.table(columns[:1] + [f">{name}" for name in columns[1:]], result.texts())
    for note in result.notes:
        screen.say(f"\n{note}")
    for file in files:
        screen.say(f"wrote {file}")
    return 0


def _folder(out: str | None) -> Path | None:
    if out is None:
        return None
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise ParameterError(f"cannot be made: {problem.strerror}", where=f"--out {out}") from None
    if not os.access(folder, os.W_OK):
        raise MachineError("no permission to write", where=f"--out {out}")
    return folder
