"""Reading ratings from files and folders of many formats, and writing them back."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recloak.io._cells import MISSING
    from recloak.io._collector import Collector
    from recloak.io._formats import FORMATS
    from recloak.io._layout import TextRecord, checked_separator, records_of
    from recloak.io._source import InputPath, file_errors, open_plain
    from recloak.io._zstd import ZstdError, ZstdFile
    from recloak.io.base import Batch, Format, Opened, Place
    from recloak.io.loading import Loaded, load, load_to_verify, read
    from recloak.io.options import ReadOptions
    from recloak.io.writing import write

_WHERE = {
    "FORMATS": "_formats",
    "MISSING": "_cells",
    "Batch": "base",
    "Collector": "_collector",
    "Format": "base",
    "InputPath": "_source",
    "Loaded": "loading",
    "Opened": "base",
    "Place": "base",
    "ReadOptions": "options",
    "TextRecord": "_layout",
    "ZstdError": "_zstd",
    "ZstdFile": "_zstd",
    "checked_separator": "_layout",
    "file_errors": "_source",
    "load": "loading",
    "load_to_verify": "loading",
    "open_plain": "_source",
    "read": "loading",
    "records_of": "_layout",
    "write": "writing",
}

__all__ = [
    "FORMATS",
    "MISSING",
    "Batch",
    "Collector",
    "Format",
    "InputPath",
    "Loaded",
    "Opened",
    "Place",
    "ReadOptions",
    "TextRecord",
    "ZstdError",
    "ZstdFile",
    "checked_separator",
    "file_errors",
    "load",
    "load_to_verify",
    "open_plain",
    "read",
    "records_of",
    "write",
]


def __getattr__(name: str) -> Any:
    """Loaded when asked for: the flags of reading are shown without what reads files."""
    if name not in _WHERE:
        raise AttributeError(f"module 'recloak.io' has no attribute '{name}'")
    return getattr(import_module(f"recloak.io.{_WHERE[name]}"), name)
