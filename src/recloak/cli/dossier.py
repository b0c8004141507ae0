"""dossier: what a data protection officer must hand over about releases."""

from __future__ import annotations

import argparse

from recloak.cli._shared.arguments import Parser, needed
from recloak.core.errors import ParameterError

EXAMPLES = """examples:
  recloak dossier release
  recloak dossier release-2025 release-2026 --out dossier
  recloak dossier release --report audits/release.json

Made from the folder of each release and the JSON of its report, which 'recloak publish' leaves
beside it (RELEASE-report.json). It has the three risks of the European guidance with their
controls, every simulated intruder, what each kind of recipient can know, paragraphs for an impact
assessment, versions and digests. Written as FILE.html and FILE.md."""


def configure(parser: Parser, words: list[str]) -> None:
    parser.add_argument("release", nargs="*", metavar="RELEASE", help="folders of releases")
    parser.add_argument(
        "--report", metavar="FILE", help="the report's JSON (default: RELEASE-report.json)"
    )
    parser.add_argument(
        "--out", metavar="FILE", help="where it is written (default: RELEASE-dossier)"
    )


def run(arguments: argparse.Namespace) -> int:
    needed(arguments, "release")
    from pathlib import Path

    from recloak.cli._shared.screen import Screen
    from recloak.report.dossier import evidence_of, write_dossier

    screen = Screen(arguments)
    folders = [Path(name) for name in arguments.release]
    if arguments.report and len(folders) > 1:
        raise ParameterError("is the report of one release", where="--report")
    report = Path(arguments.report) if arguments.report else None
    first = folders[0].resolve()
    out = Path(arguments.out) if arguments.out else first.with_name(f"{first.name}-dossier")
    page, text = write_dossier([evidence_of(folder, report) for folder in folders], out)
    screen.result({"page": str(page), "markdown": str(text)})
    screen.say(f"Wrote {page} and {text} (internal: they describe the original data).")
    screen.say("Paragraphs in square brackets are for you to fill in.")
    return 0
