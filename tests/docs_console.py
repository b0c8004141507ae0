"""Console blocks of the documentation: run, compared with what stands there, and written anew.

``python -m tests.docs_console`` compares, ``--write`` puts what comes out now in its place; pages
may be named. In a page,

- a line that begins with ``$ `` is a command; what follows it is what it tells,
- a line ``…`` stands for any lines, and ``…`` within a line for any text,
- a comment ``<!-- first: COMMAND -->`` is run as well, and shown to nobody,
- files that the page shows under a title are there.

The commands of a page run one after the other in an empty folder. Those that publish are given a
seed, so that the same comes out again.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
ANY = "…"
SEEDED = ("publish", "extend")
SEED = str(2**128 + 1)  # a shorter one would be called out in what is told
_BLOCK = re.compile(
    r"^<!-- first: (?P<first>.*?) -->$"
    r"|^```\w+ title=\"(?P<title>[^\"]+)\"\n(?P<file>.*?)^```$"
    r"|^```console\n(?P<console>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_SHARE = re.compile(r"\b(\d+\.\d) ?%")
_NOTHING = re.compile(r"(?!)")
_FIGURES = re.compile(r"[−-]?\d[\d,]*\.\d+%?|–|\s+")  # what is measured, but not a 4 that is known
_NUMBERS = re.compile(r"[−-]?\d[\d.,:%–]*|\s+")


@dataclass(frozen=True)
class Shown:
    """A command of a page, what stands below it, and what it tells now."""

    command: str
    expected: list[str]
    printed: list[str]

    @property
    def holds(self) -> bool:
        return re.fullmatch(_pattern(self.expected), "\n".join([*self.printed, ""])) is not None


def pages() -> list[Path]:
    """Pages that show what commands tell."""
    found = (page for page in DOCS.rglob("*.md") if "reference" not in page.parts)
    return sorted(page for page in found if "\n```console\n" in page.read_text(encoding="utf-8"))


def run_page(page: Path) -> list[list[Shown]]:
    """For each console block of a page its commands, run in a folder of their own."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        return list(_run(page.read_text(encoding="utf-8")))


def _run(text: str) -> Iterator[list[Shown]]:
    for block in _BLOCK.finditer(text):
        if block["title"]:
            Path(block["title"]).write_text(block["file"], encoding="utf-8")
        elif block["first"]:
            told_by(block["first"])
        else:
            yield [
                Shown(command, below, told_by(command))
                for command, below in _commands(block["console"])
            ]


def unfounded(page: Path, printed: str) -> list[str]:
    """Percentages in the text of a page that none of its commands tells."""
    prose = _FENCE.sub("", page.read_text(encoding="utf-8"))
    return [share for share in _SHARE.findall(prose) if f"{share}%" not in printed]


def _commands(block: str) -> list[tuple[str, list[str]]]:
    """Each command with the lines below it."""
    parts = re.split(r"^\$ ", block.replace("\\\n", " "), flags=re.MULTILINE)[1:]
    return [(lines[0], lines[1:]) for lines in (part.splitlines() for part in parts)]


def told_by(command: str) -> list[str]:
    """What a command tells, on standard output and standard error, in lines."""
    words = shlex.split(command)
    plain = not re.search(r"[|<>&;]|^\w+=", command) and words[0] == "recloak"
    text = _told_here(words[1:]) if plain else _told_by_shell(command)
    return [line.rstrip() for line in text.splitlines()]


def _told_here(words: list[str]) -> str:
    from recloak.cli.main import main

    if words[0] in SEEDED and "--seed" not in words:
        words = [*words, "--seed", SEED]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        main(words)
    return printed.getvalue()


def _told_by_shell(command: str) -> str:
    known = os.pathsep.join(filter(None, sys.path))
    start = f'recloak() {{ "{sys.executable}" -m recloak "$@"; }}\n'
    done = subprocess.run(
        ["bash", "-c", start + command],
        env=os.environ | {"PYTHONPATH": known},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return done.stdout


def _pattern(expected: list[str]) -> str:
    return "".join(
        r"(?:.*\n)*" if line == ANY else ".*".join(map(re.escape, line.split(ANY))) + r"\n"
        for line in expected
    )


def rewritten(shown: Shown) -> list[str]:
    """What is told now, shortened where what stands there is shortened."""
    if shown.holds:
        return shown.expected
    lines: list[str] = []
    place, skipping = 0, False
    for line in shown.expected:
        if line == ANY:
            skipping = True
        elif (found := _next_like(line, shown.printed, place)) is not None:
            lines += _between(shown.printed[place:found], skipping)
            lines.append(line if _matches(line, shown.printed[found]) else shown.printed[found])
            place, skipping = found + 1, False
    return lines + _between(shown.printed[place:], skipping)


def _between(lines: list[str], skipping: bool) -> list[str]:
    return [ANY] if skipping and lines else lines


def _next_like(line: str, printed: list[str], place: int) -> int | None:
    """Where the line stands now: the same, one with other figures, or one with other numbers."""
    for changing in (_NOTHING, _FIGURES, _NUMBERS):
        plain = changing.sub("", line)
        for at in range(place, len(printed)):
            if _matches(plain, changing.sub("", printed[at])):
                return at
    return None


def _matches(line: str, printed: str) -> bool:
    return re.fullmatch(_pattern([line]), f"{printed}\n") is not None


def write_page(page: Path) -> bool:
    """Put what commands tell now into a page; whether anything changed."""
    before = page.read_text(encoding="utf-8")
    blocks = iter(run_page(page))

    def block(found: re.Match[str]) -> str:
        if found["console"] is None:
            return found[0]
        lines = [
            line for shown in next(blocks) for line in (f"$ {shown.command}", *rewritten(shown))
        ]
        return "\n".join(["```console", *lines, "```"])

    after = _BLOCK.sub(block, before)
    page.write_text(after, encoding="utf-8")
    return after != before


def main(words: list[str]) -> int:
    """Compare or write the pages that are named, or all of them."""
    writing = "--write" in words
    named = [Path(word).resolve() for word in words if word != "--write"] or pages()
    wrong = 0
    for page in named:
        if writing:
            print(f"{'written' if write_page(page) else 'as it was'}: {page.relative_to(ROOT)}")
            continue
        for shown in (one for block in run_page(page) for one in block if not one.holds):
            wrong += 1
            print(f"{page.relative_to(ROOT)}: $ {shown.command}", *shown.printed, "", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
