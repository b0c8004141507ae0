"""A study's files: a page, the same as JSON, and its pictures."""

from __future__ import annotations

from pathlib import Path

from recloak.files import write_whole
from recloak.studies.base import Outcome
from recloak.studies.drawing import draw_picture


def write_outcome(outcome: Outcome, folder: Path) -> list[Path]:
    """Write all files of ``outcome`` into ``folder``; those of an earlier run are replaced."""
    names = [
        f"{outcome.name}{f'-{at + 1}' if at else ''}.svg" for at in range(len(outcome.pictures))
    ]
    texts = {
        f"{outcome.name}.json": outcome.to_json(),
        **{
            name: draw_picture(outcome, picture)
            for name, picture in zip(names, outcome.pictures, strict=True)
        },
        f"{outcome.name}.md": outcome.to_markdown(names),
    }
    for name, text in texts.items():
        write_whole(folder / name, text.encode(), overwrite=True)
    return [folder / name for name in texts]
