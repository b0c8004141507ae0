"""Kernels of draws that belong to people: BLAKE2b of many names, and counter blocks for AES."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Bytes, Offsets, Words
from recloak.core.kernels import inner_kernel, kernel

BLOCK = 128  # bytes that BLAKE2b takes at a time
NONCE_BYTES = 12  # the other four of an AES block count
_KEY_BYTES = 32
_START = np.array(
    [
        0x6A09E667F3BCC908,
        0xBB67AE8584CAA73B,
        0x3C6EF372FE94F82B,
        0xA54FF53A5F1D36F1,
        0x510E527FADE682D1,
        0x9B05688C2B3E6C1F,
        0x1F83D9ABFB41BD6B,
        0x5BE0CD19137E2179,
    ],
    np.uint64,
)
_ORDER = np.array(
    [
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
        [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
        [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
        [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
        [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
        [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
        [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
        [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
        [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
        [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
        [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    ],
    np.int64,
)


@inner_kernel
def _turned(word: np.uint64, right: int) -> np.uint64:
    return (word >> np.uint64(right)) | (word << np.uint64(64 - right))


@inner_kernel
def _mix(
    a: np.uint64, b: np.uint64, c: np.uint64, d: np.uint64, x: np.uint64, y: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    a = a + b + x
    d = _turned(d ^ a, 32)
    c = c + d
    b = _turned(b ^ c, 24)
    a = a + b + y
    d = _turned(d ^ a, 16)
    c = c + d
    b = _turned(b ^ c, 63)
    return a, b, c, d


@inner_kernel
def _compress(state: Words, m: Words, hashed: int, last: bool) -> None:
    """One block ``m`` into the state; sixteen words by name, which stay in registers."""
    v0, v1, v2, v3 = state[0], state[1], state[2], state[3]
    v4, v5, v6, v7 = state[4], state[5], state[6], state[7]
    w0, w1, w2, w3 = _START[0], _START[1], _START[2], _START[3]
    w4, w5, w6, w7 = _START[4], _START[5], _START[6], _START[7]
    w4 ^= np.uint64(hashed)
    if last:
        w6 = ~w6
    for turn in range(12):
        s = _ORDER[turn]
        v0, v4, w0, w4 = _mix(v0, v4, w0, w4, m[s[0]], m[s[1]])
        v1, v5, w1, w5 = _mix(v1, v5, w1, w5, m[s[2]], m[s[3]])
        v2, v6, w2, w6 = _mix(v2, v6, w2, w6, m[s[4]], m[s[5]])
        v3, v7, w3, w7 = _mix(v3, v7, w3, w7, m[s[6]], m[s[7]])
        v0, v5, w2, w7 = _mix(v0, v5, w2, w7, m[s[8]], m[s[9]])
        v1, v6, w3, w4 = _mix(v1, v6, w3, w4, m[s[10]], m[s[11]])
        v2, v7, w0, w5 = _mix(v2, v7, w0, w5, m[s[12]], m[s[13]])
        v3, v4, w1, w6 = _mix(v3, v4, w1, w6, m[s[14]], m[s[15]])
    state[0] ^= v0 ^ w0
    state[1] ^= v1 ^ w1
    state[2] ^= v2 ^ w2
    state[3] ^= v3 ^ w3
    state[4] ^= v4 ^ w4
    state[5] ^= v5 ^ w5
    state[6] ^= v6 ^ w6
    state[7] ^= v7 ^ w7


@inner_kernel
def _load(data: Bytes, start: int, end: int, message: Words) -> None:
    """The bytes as little-endian words, zeros behind them."""
    message[:] = np.uint64(0)
    for at in range(end - start):
        message[at >> 3] |= np.uint64(data[start + at]) << np.uint64(8 * (at & 7))


@kernel
def nonces_of(key: Bytes, data: Bytes, bounds: Offsets) -> Words:
    """BLAKE2b of each text under a key of 32 bytes, cut to 12: two words, the second half empty.

    No text may be empty; text ``i`` is ``data[bounds[i]:bounds[i + 1]]``.
    """
    found = np.empty((len(bounds) - 1, 2), np.uint64)
    message = np.empty(16, np.uint64)
    keyed = _START.copy()
    keyed[0] ^= np.uint64(0x01010000 | (_KEY_BYTES << 8) | NONCE_BYTES)
    _load(key, 0, len(key), message)
    _compress(keyed, message, BLOCK, False)
    state = np.empty(8, np.uint64)
    for text in range(len(bounds) - 1):
        state[:] = keyed
        at, end, hashed = bounds[text], bounds[text + 1], BLOCK
        while at < end:
            upto = min(at + BLOCK, end)
            _load(data, at, upto, message)
            hashed += upto - at
            _compress(state, message, hashed, upto == end)
            at = upto
        found[text, 0] = state[0]
        found[text, 1] = state[1] & np.uint64(0xFFFFFFFF)
    return found


@kernel
def counter_blocks(nonces: Words, counts: Offsets, blocks: Words) -> None:
    """For each person the blocks (nonce, 0), (nonce, 1), …, two words of draws in each."""
    at = 0
    for person in range(len(nonces)):
        for block in range((counts[person] + 1) // 2):
            blocks[at, 0] = nonces[person, 0]
            blocks[at, 1] = nonces[person, 1] | (np.uint64(block) << np.uint64(32))
            at += 1


@kernel
def close_gaps(words: Words, counts: Offsets) -> int:
    """Move the words together where an odd number was drawn; how many there are."""
    source, target = 0, 0
    for person in range(len(counts)):
        for step in range(counts[person]):
            words[target + step] = words[source + step]
        target += counts[person]
        source += counts[person] + (counts[person] & 1)
    return target
