"""Packing: arrays as one compressed blob, the form in which ratings travel between tasks.

Spark moves few large rows at little cost, and many small ones at a high one.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from io import BytesIO
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from recloak.core.arrays import Labels, offsets_from

Array = NDArray[Any]
_CODEC = "zstd"
_SIZE = 8  # bytes before the blob that say how long it is unpacked
_NARROWER = (np.uint8, np.uint16, np.int32)


def packed(*arrays: Array) -> bytes:
    """The arrays, of numbers or of texts, as one blob."""
    content = unpacked_bytes(arrays)
    size = len(content).to_bytes(_SIZE, "little")
    return size + bytes(pa.compress(content, codec=_CODEC, asbytes=True))


def unpacked(blob: bytes) -> list[Array]:
    """The arrays of a blob."""
    size = int.from_bytes(blob[:_SIZE], "little")
    content = pa.decompress(blob[_SIZE:], size, codec=_CODEC, asbytes=True)
    return list(_arrays(BytesIO(content), size))


def unpacked_bytes(arrays: tuple[Array, ...]) -> bytes:
    """The arrays one after the other; the same content gives the same bytes."""
    out = BytesIO()
    for array in arrays:
        if array.dtype == object:
            texts = [str(text).encode() for text in array]
            out.write(b"T")
            _save(out, np.array([len(text) for text in texts], np.int64))
            _save(out, np.frombuffer(b"".join(texts), np.uint8))
        else:
            out.write(b"N")
            _save(out, array)
    return out.getvalue()


def digest(*arrays: Array) -> bytes:
    """128 bits that tell whether arrays hold the same as before."""
    return blake2b(unpacked_bytes(arrays), digest_size=16).digest()


def _save(out: BytesIO, array: Array) -> None:
    """An array behind its type; whole numbers take no more bytes than the largest needs."""
    kept = _narrow(array) if array.dtype.kind in "iu" else array
    out.write(f"{array.dtype.str} {kept.dtype.str} {len(array)}\n".encode())
    out.write(np.ascontiguousarray(kept).tobytes())


def _narrow(array: Array) -> Array:
    if len(array) == 0:
        return array
    low, high = int(array.min()), int(array.max())
    for kind in _NARROWER:
        if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max:
            return array.astype(kind, copy=False)
    return array


def _arrays(content: BytesIO, size: int) -> Iterator[Array]:
    while content.tell() < size:
        if content.read(1) == b"N":
            yield _load(content)
        else:
            yield _texts(_load(content), _load(content))


def _load(content: BytesIO) -> Array:
    meant, kept, length = content.readline().decode().split()
    raw = content.read(int(length) * np.dtype(kept).itemsize)
    return np.frombuffer(raw, kept).astype(meant)


def _texts(lengths: Array, joined: Array) -> Labels:
    found: Labels = np.empty(len(lengths), dtype=object)
    data, ends = joined.tobytes(), offsets_from(lengths).tolist()
    found[:] = [data[start:end].decode() for start, end in pairwise(ends)]
    return found
