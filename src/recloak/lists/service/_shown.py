"""Shown: the digest of the last release that a service has shown, known to all its workers.

A worker that takes the place of one that died would otherwise begin with nothing, and take whatever
the store holds by then, also one that was replaced.
"""

from __future__ import annotations

import mmap

_BYTES = 64


class ShownDigest:
    """A digest in memory that processes share which are forked after it was made."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _BYTES)

    def get(self) -> str | None:
        """The digest; None if nothing was shown yet."""
        digest = self._memory[:_BYTES].rstrip(b"\0").decode("ascii")
        return digest or None

    def set(self, digest: str) -> None:
        """Note what is shown from now on."""
        self._memory[:_BYTES] = digest.encode("ascii").ljust(_BYTES, b"\0")
