"""``python -m tests.unchanged [--write] [GROUP …]``: compare with what was recorded, or record."""

from __future__ import annotations

import sys
import time

from tests.unchanged.recording import GROUPS, changed, keep


def main(words: list[str]) -> int:
    """Compare or record the groups that are named, else all; 1 if something differs."""
    groups = [word for word in words if not word.startswith("-")] or list(GROUPS)
    found = 0
    for group in groups:
        started = time.process_time()
        differences = [] if "--write" in words else list(changed(group))
        if "--write" in words:
            keep(group)
        found += len(differences)
        print(
            f"{group}: {len(differences)} differences, {time.process_time() - started:.1f} s of CPU"
        )
        print("".join(f"  {line}\n" for line in differences), end="", flush=True)
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
