"""Commands in processes of their own that need not load everything first: to be killed in numbers.

Run as a program it loads recloak once, then forks for each line of words that it is given.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

LEFT_OUT = ("__main__", "recloak.studies", "recloak.lists", "recloak.testing")


class Nursery:
    """Starts commands one at a time in a folder; each is a process that can be killed."""

    def __init__(self, folder: Path) -> None:
        words = [sys.executable, "-m", "tests.support.forked_commands", str(folder)]
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        root = Path(__file__).parents[2]
        self.process = subprocess.Popen(words, cwd=root, stderr=subprocess.DEVNULL, **pipes)

    def start(self, words: list[str]) -> int:
        """Run recloak with these words; the process that does."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(words) + "\n")
        self.process.stdin.flush()
        return self._number()

    def wait(self) -> int:
        """The exit code of what was started last; the signal, negative, if one ended it."""
        return self._number()

    def close(self) -> None:
        self.process.communicate()

    def _number(self) -> int:
        assert self.process.stdout is not None
        return int(self.process.stdout.readline())


def load_everything() -> None:
    """Import what a command would, but call none of it: threads do not survive a fork."""
    import recloak

    root = Path(recloak.__file__).parent
    for file in sorted(root.rglob("*.py")):
        parts = file.relative_to(root.parent).with_suffix("").parts
        name = ".".join(part for part in parts if part != "__init__")
        if not any(part in name for part in LEFT_OUT):
            importlib.import_module(name)


def serve(folder: str) -> None:
    from recloak.cli.main import main

    os.chdir(folder)
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
            sys.argv[1:] = json.loads(line)
            os._exit(main())
        print(child, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    load_everything()
    serve(sys.argv[1])
