"""demo: the whole way on made-up data: simulate, publish, audit, report; and what not to do."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recloak.cli._shared.arguments import Parser
from recloak.core.errors import ParameterError

if TYPE_CHECKING:
    from recloak.core.ratings import Ratings
    from recloak.evaluation.findings import Audit
    from recloak.methods import Method

EXAMPLES = """examples:
  recloak demo
  recloak demo --out /tmp/demo --method predictive

The data are published twice: by the method and, as a warning, with only the names replaced.
A second run replaces the folder of the first, and never a folder that the demo did not make."""
MARK = ".recloak-demo"
PEOPLE, RATINGS = 2_000, 200_000
WARNING = "pseudonymize"
GIVEN: dict[str, dict[str, Any]] = {"synthetic": {"floor": 100}}
"""Parameters beside the defaults: with so few people, a lower floor tells who is in it."""


def configure(parser: Parser, words: list[str]) -> None:
    parser.add_argument("--out", metavar="DIR", default="demo", help="default: demo")
    parser.add_argument("--method", default="synthetic", help="default: synthetic")


def run(arguments: argparse.Namespace) -> int:
    from recloak.cli._shared.screen import Screen
    from recloak.cli._shared.show import show_glance
    from recloak.io import read, write
    from recloak.methods import method
    from recloak.report.to_json import content_of
    from recloak.simulation import synthesize

    screen = Screen(arguments)
    recipe = method(arguments.method, **GIVEN.get(arguments.method, {}))
    folder = _fresh(Path(arguments.out))
    screen.say(f"1. Simulating {RATINGS:,} ratings that look like those of MovieLens …")
    made = synthesize("ml-100k", users=PEOPLE, ratings=RATINGS, seed=1, progress=screen.progress)
    original = folder / "original.csv"
    write(made, original)
    ratings = read(original)
    screen.say(f"2. Publishing them by the method {recipe.name} and attacking the result …")
    audit = _published(ratings, recipe, folder / "release", folder / "report.html", screen)
    audits = {recipe.name: audit}
    if recipe.name != WARNING:
        screen.say("3. The same with only the names replaced, as many would do it …")
        report = folder / f"{WARNING}-report.html"
        audits[WARNING] = _published(ratings, method(WARNING), folder / WARNING, report, screen)
    warning = content_of(audits[WARNING])
    screen.result({"demo": str(folder), "audit": content_of(audit), "warning": warning})
    show_glance(screen, audit, [f"report {folder / 'report.html'}"])
    screen.heading("In short")
    rows = [_in_short(name, one) for name, one in audits.items()]
    screen.table(("method", "default policy", "lines that fail"), rows)
    screen.heading("What to look at")
    screen.table(("", ""), _places(folder, original))
    screen.say(f"Next: recloak inspect {original}; recloak methods; recloak publish --help")
    return 0


def _published(ratings: Ratings, recipe: Method, out: Path, report: Path, screen: Any) -> Audit:
    from recloak.publishing.run import publish

    published = publish(
        ratings,
        recipe,
        out=out,
        report=report,
        data_name="simulated ratings like those of MovieLens 100k",
        progress=screen.progress,
    )
    assert published.audit is not None
    return published.audit


def _in_short(name: str, audit: Audit) -> tuple[str, str, str]:
    failed = [result.line for result in audit.policy_results if result.status != "pass"]
    verdict = "✔ passes" if audit.status == "pass" else "✘ DOES NOT PASS"
    return name, verdict, f"{len(failed)} of {len(audit.policy_results)}"


def _places(folder: Path, original: Path) -> list[tuple[str, str]]:
    places = {
        folder / "report.html": "the verdict, in words and charts: open it in a browser",
        folder / "release": "what would be handed out: ratings, manifest, a page",
        folder
        / f"{WARNING}-report.html": "the warning: the same people with only their names replaced",
        original: "the simulated original",
    }
    return [(str(place), meaning) for place, meaning in places.items() if place.exists()]


def _fresh(folder: Path) -> Path:
    """An empty demo folder; one that an earlier demo made is replaced."""
    if folder.exists() or folder.is_symlink():
        if folder.is_symlink() or not (folder / MARK).is_file():
            raise ParameterError(
                "exists and was not made by the demo",
                where=f"--out {folder}",
                hint="Choose another folder.",
            )
        shutil.rmtree(folder)
    try:
        folder.mkdir()
    except FileNotFoundError:
        raise ParameterError("its parent folder does not exist", where=f"--out {folder}") from None
    (folder / MARK).touch()
    return folder
