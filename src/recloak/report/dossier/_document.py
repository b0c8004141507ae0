"""Document: headings, paragraphs, lists and tables, whatever they are written as."""

from __future__ import annotations

from dataclasses import dataclass

from recloak.report.table import Table


@dataclass(frozen=True)
class BulletList:
    """A list of sentences."""

    sentences: tuple[str, ...]


Block = str | BulletList | Table


@dataclass(frozen=True)
class Section:
    """A heading and what stands below it."""

    heading: str
    blocks: tuple[Block, ...]
    level: int = 2


@dataclass(frozen=True)
class Document:
    """A title, who may read it, and the sections."""

    title: str
    internal: str
    sections: tuple[Section, ...]

    @staticmethod
    def kind_of(block: Block) -> str:
        """How a block is laid out: ``text``, ``list`` or ``table``."""
        return {str: "text", BulletList: "list", Table: "table"}[type(block)]
