"""demo: the whole way on made-up data: synthesise, publish, audit, report."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from recloak.cli._shared.arguments import Parser
from recloak.core.errors import ParameterError

EXAMPLES = """examples:
  recloak demo
  recloak demo --out /tmp/demo --method pseudonymize

A second run replaces the folder of the first, and never a folder that the demo did not make."""
MARK = ".recloak-demo"


def configure(parser: Parser, words: list[str]) -> None:
    parser.add_argument("--out", metavar="DIR", default="demo", help="default: demo")
    parser.add_argument("--method", default="gaussian-noise", help="default: gaussian-noise")


def run(arguments: argparse.Namespace) -> int:
    from recloak.cli._shared.screen import Screen
    from recloak.cli._shared.show import show_glance
    from recloak.io import read, write
    from recloak.methods import method
    from recloak.publishing.run import publish
    from recloak.report.to_json import content_of
    from recloak.simulation import synthesize

    screen = Screen(arguments)
    recipe = method(arguments.method)
    folder = _fresh(Path(arguments.out))
    screen.say("1. Making up ratings that look like MovieLens 100k …")
    original = folder / "original.csv"
    write(synthesize("ml-100k", seed=1, progress=screen.progress), original)
    screen.say(f"2. Publishing them by {recipe!r} and attacking the result …")
    published = publish(
        read(original),
        recipe,
        out=folder / "release",
        report=folder / "report.html",
        data_name="made-up ratings like MovieLens 100k",
        progress=screen.progress,
    )
    assert published.audit is not None
    screen.result({"demo": str(folder), "audit": content_of(published.audit)})
    show_glance(screen, published.audit, [f"report {folder / 'report.html'}"])
    screen.heading("What to look at")
    screen.table(
        ("", ""),
        [
            (str(folder / "report.html"), "the verdict, in words and charts: open it in a browser"),
            (str(folder / "release"), "what would be handed out: ratings, manifest, a page"),
            (str(original), "the made-up original"),
        ],
    )
    screen.say(f"Next: recloak inspect {original}; recloak methods; recloak publish --help")
    return 0


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
