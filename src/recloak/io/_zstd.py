"""Zstandard, from wherever this Python has it: its own library, or the same code for older ones."""

from __future__ import annotations

import sys

if sys.version_info >= (3, 14):
    from compression.zstd import ZstdError, ZstdFile
else:
    from backports.zstd import ZstdError, ZstdFile

__all__ = ["ZstdError", "ZstdFile"]
