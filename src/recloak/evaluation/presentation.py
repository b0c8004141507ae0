"""Presentation: how a result is drawn and shown, which layers above say of it.

What is found out must not depend on how it is shown, so a result does not import its charts: who
draws them registers them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

T = TypeVar("T")


class Charts(Protocol):
    """Charts that a notebook shows as they are."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Any]: ...

    def save(self, folder: str | Path) -> list[Path]:
        """Write each as an SVG file into a folder; files of the same name are replaced."""
        ...

    def _repr_html_(self) -> str: ...


@dataclass(frozen=True)
class Presentation(Generic[T]):
    """The charts of a result whose titles hold a text, and what a notebook shows of it."""

    charts: Callable[[T, str], Charts]
    html: Callable[[T], str]
