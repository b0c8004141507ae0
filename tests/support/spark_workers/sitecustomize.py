"""What every Python of a worker runs first: no entropy in tasks, and faults on request.

The folder that RECLOAK_SWITCHES names holds a file for each fault that is switched on. Modules are
imported before workers are forked, which saves each of them the time.
"""

from __future__ import annotations

import os
import random
import secrets
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

MOST_WAITED = 300  # seconds
SWITCHES = Path(os.environ.get("RECLOAK_SWITCHES", "/nowhere"))


def guarded(real: Callable[..., Any]) -> Callable[..., Any]:
    """Entropy as ever, but not for code of recloak that runs in a task."""

    def call(*arguments: Any) -> Any:
        frame = sys._getframe(1)
        while frame is not None:
            package = frame.f_globals.get("__name__", "").partition(".")[0]
            if package == "numba":  # names files of its cache
                break
            if package == "recloak":
                raise RuntimeError("entropy inside a task")
            frame = frame.f_back  # type: ignore[assignment]
        return real(*arguments)

    return call


def forbid_entropy() -> None:
    os.urandom = guarded(os.urandom)
    random._urandom = guarded(random._urandom)  # type: ignore[attr-defined]
    for name in ("token_bytes", "token_hex", "randbits", "randbelow"):
        setattr(secrets, name, guarded(getattr(secrets, name)))


def be_slow_at_first() -> None:
    """Let the first attempt of the first task wait for a copy of it, and then some more."""
    from pyspark import TaskContext

    task = TaskContext.get()
    assert task is not None
    if task.partitionId() == 0:
        (SWITCHES / f"attempt {task.attemptNumber()}").touch()
        if task.attemptNumber() == 0:
            until = time.monotonic() + MOST_WAITED
            while time.monotonic() < until and not (SWITCHES / "attempt 1").exists():
                time.sleep(0.2)
            time.sleep(5)  # so that the copy is done first


def install_faults() -> None:
    import numpy as np
    import pandas as pd  # noqa: F401 - pyspark needs it for each task

    from recloak.attacks import bayes_linkage  # noqa: F401
    from recloak.core import people_draws
    from recloak.core.kernels import _making  # noqa: F401
    from recloak.core.randomness import PSEUDONYM_LOW
    from recloak.publishing.spark import _parts_writer
    from recloak.publishing.spark import _release as _release

    write_part, as_pseudonyms = _parts_writer.write_part, people_draws.as_pseudonyms

    def faulty_write(table: Any, path: Path) -> None:
        if (SWITCHES / "full disk").exists():
            raise OSError(28, "No space left on device")
        write_part(table, path)
        if (SWITCHES / "slow attempt").exists():
            be_slow_at_first()
        if (SWITCHES / "another attempt").exists():
            part = path.name.partition(".")[0]
            for copy in (f"{part}.0.parquet", f"{part}.999999.parquet"):
                path.with_name(copy).write_bytes(path.read_bytes()[:-9])

    def few(words: Any) -> Any:
        if not (SWITCHES / "few names").exists():
            return as_pseudonyms(words)
        return PSEUDONYM_LOW + (words % np.uint64(899)).astype(np.int64) * 10**12

    _parts_writer.write_part = faulty_write
    people_draws.as_pseudonyms = few


if SWITCHES.is_dir() and "pyspark.daemon" in " ".join(sys.orig_argv):
    install_faults()
    forbid_entropy()  # after all imports, some of which seed generators that nobody uses
