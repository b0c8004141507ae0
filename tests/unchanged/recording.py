"""Recording: makes every record, keeps them as files, and says how they differ from those kept."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from tests.unchanged import audits, choices, releases, shop, texts
from tests.unchanged.commands import surroundings
from tests.unchanged.comparing import differences

HERE = Path(__file__).parent
RECORDED, HELP = HERE / "recorded", HERE / "help"
WIDTH = 140
GROUPS: dict[str, Callable[[], dict[str, Any]]] = {
    **{f"release-{name}": partial(releases.published, name) for name in releases.SETTINGS},
    "release-extended": releases.extended,
    **{f"audit-{name}": make for name, make in audits.AUDITS.items()},
    "comparison": choices.compared,
    "lists-replayed": shop.replayed,
    "lists-released": shop.released,
    "printed": texts.printed,
    "help": texts.helps,
}


def make(group: str) -> dict[str, Any]:
    """The record of a group as it is made now, in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder, surroundings(Path(folder)):
        return GROUPS[group]()


def kept(group: str) -> dict[str, Any]:
    """The record of a group as it was kept."""
    if group == "help":
        return {path.stem: path.read_text() for path in sorted(HELP.glob("*.txt"))}
    return dict(json.loads((RECORDED / f"{group}.json").read_text()))


def keep(group: str) -> None:
    """Record a group anew."""
    record = make(group)
    if group != "help":
        RECORDED.mkdir(exist_ok=True)
        (RECORDED / f"{group}.json").write_text(written(record) + "\n")
        return
    HELP.mkdir(exist_ok=True)
    for path in HELP.glob("*.txt"):
        path.unlink()
    for name, text in record.items():
        (HELP / f"{name}.txt").write_text(text)


def changed(group: str) -> Iterator[str]:
    """A line for each difference between a group as it was kept and as it is made now."""
    before, now = kept(group), json.loads(json.dumps(make(group)))
    if group == "help":
        before, now = (
            {name: text.splitlines() for name, text in one.items()} for one in (before, now)
        )
    yield from differences(before, now, group)


def written(value: Any, indent: str = "") -> str:
    """JSON with sorted keys, where a list that fits on a line stands on one."""
    short = json.dumps(value, ensure_ascii=False, sort_keys=True)
    if not _entries(value) or (len(short) + len(indent) <= WIDTH and not isinstance(value, dict)):
        return short
    further = indent + " "
    if isinstance(value, dict):
        parts = [
            f"{json.dumps(name, ensure_ascii=False)}: {written(value[name], further)}"
            for name in sorted(value)
        ]
    else:
        parts = [written(one, further) for one in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n{further}" + f",\n{further}".join(parts) + f"\n{indent}{closing}"


def _entries(value: Any) -> list[Any]:
    return list(value) if isinstance(value, dict | list) else []
