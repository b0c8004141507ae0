"""Reads a page the way a strict reader would: every tag closed, in order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "link", "img", "br", "hr", "input"}


@dataclass
class Element:
    tag: str
    attributes: dict[str, str]
    parent: Element | None = None
    children: list[Element] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def all(self, tag: str) -> Iterator[Element]:
        """Every element of that kind below this one."""
        for child in self.children:
            if child.tag == tag:
                yield child
            yield from child.all(tag)

    @property
    def text(self) -> str:
        parts = [*self.texts, *(child.text for child in self.children)]
        return " ".join(" ".join(parts).split())

    def inside(self, tag: str) -> bool:
        above = self.parent
        return above is not None and (above.tag == tag or above.inside(tag))


class PageReader(HTMLParser):
    """Builds the tree; a tag that is closed out of turn is an error."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Element("page", {})
        self._open = [self.root]
        self._broken = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "wbr":  # where a word may break is no part of the word
            self._broken = True
            return
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"an attribute of {tag} is given twice"
        above = self._open[-1]
        element = Element(tag, {name: value or "" for name, value in attrs}, above)
        above.children.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        closed = self._open.pop()
        assert closed.tag == tag, f"</{tag}> closes <{closed.tag}>"

    def handle_data(self, data: str) -> None:
        texts = self._open[-1].texts
        if self._broken and texts:
            data = texts.pop() + data
        self._broken = False
        texts.append(data)

    def close(self) -> None:
        super().close()
        assert self._open == [self.root], f"never closed: {[one.tag for one in self._open[1:]]}"


def read_page(text: str) -> Element:
    reader = PageReader()
    reader.feed(text)
    reader.close()
    return reader.root
