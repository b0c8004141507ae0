"""Markdown: a document as text that editors, wikis and ticket systems show."""

from __future__ import annotations

import re

from recloak.evaluation.formatting import printable
from recloak.report.dossier._document import Block, BulletList, Document
from recloak.report.table import Table

_SPECIAL = re.compile(r"([\\`*_\[\]<>|#])")


def as_markdown(document: Document) -> str:
    """The whole document; nothing in it is taken for markup but ours."""
    parts = [f"# {_plain(document.title)}", f"**Internal.** {_plain(document.internal)}"]
    for section in document.sections:
        parts.append(f"{'#' * section.level} {_plain(section.heading)}")
        parts += [_block(block) for block in section.blocks]
    return printable("\n\n".join(parts)) + "\n"


def _block(block: Block) -> str:
    if isinstance(block, BulletList):
        return "\n".join(f"- {_plain(sentence)}" for sentence in block.sentences)
    return _table(block) if isinstance(block, Table) else _plain(block)


def _table(table: Table) -> str:
    rule = " | ".join("---" for _ in table.columns)
    lines = [_row(table.columns), f"| {rule} |", *(_row(row) for row in table.rows)]
    return f"*{_plain(table.caption)}*\n\n" + "\n".join(lines)


def _row(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(map(_plain, cells))} |"


def _plain(text: str) -> str:
    """On one line, with everything escaped that Markdown or HTML would act on."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))
