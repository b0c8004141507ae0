"""Reading ratings from files and folders of many formats, and writing them back."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recloak.io._collector import Collector
    from recloak.io._formats import FORMATS
    from recloak.io._layout import checked_separator
    from recloak.io._source import InputPath, file_errors, open_plain
    from recloak.io._zstd import ZstdError, ZstdFile
    from recloak.io.base import Batch, Format, Opened, Place
    from recloak.io.loading import Loaded, load, load_to_verify, read
    from recloak.io.options import ReadOptions
    from recloak.io.writing import write

_WHERE = {
    "FORMATS": "_formats",
    "Batch": "base",
    "Collector": "_collector",
    "Format": "base",
    "InputPath": "_source",
    "Loaded": "loading",
    "Opened": "base",
    "Place": "base",
    "ReadOptions": "options",
    "ZstdError": "_zstd",
    "ZstdFile": "_zstd",
    "checked_separator": "_layout",
    "file_errors": "_source",
    "load": "loading",
    "load_to_verify": "loading",
    "open_plain": "_source",
    "read": "loading",
    "write": "writing",
}

__all__ = [
    "FORMATS",
    "Batch",
    "Collector",
    "Format",
    "InputPath",
    "Loaded",
    "Opened",
    "Place",
    "ReadOptions",
    "ZstdError",
    "ZstdFile",
    "checked_separator",
    "file_errors",
    "load",
    "load_to_verify",
    "open_plain",
    "read",
    "write",
]


def __getattr__(name: str) -> Any:
    """Loaded when asked for: the flags of reading are shown without what reads files."""
    if name not in _WHERE:
        raise AttributeError(f"module 'recloak.io' has no attribute '{name}'")
    return getattr(import_module(f"recloak.io.{_WHERE[name]}"), name)
