"""Releases: the digest of every file that each method publishes under a seed of 128 bits.

All of it is compared byte for byte: no digest changed with the kind of processor that OpenBLAS,
NumPy or Numba were told to compute for (see ``test_unchanged.py``).
"""

from __future__ import annotations

from typing import Any

from tests.unchanged import data
from tests.unchanged.commands import SEED, call, digests, lines, shown

ISSUES = ("--sensitive", data.SENSITIVE, "--non-sensitive", data.NON_SENSITIVE)
SURVEY = "--format survey --data survey"
SETTINGS: dict[str, tuple[str, ...]] = {
    "identity": ("", "--times year"),
    "pseudonymize": ("", "--table-format csv", "--times month", "--split-secret wallets"),
    "gaussian-noise": ("--sigma 0.5", "--sigma 1 --rounding step", "--cells all --clipping paper"),
    "uniform-noise": ("--sigma 0.5", "--rounding step --table-format csv", "--cells all"),
    "fragmentation": (
        "--fragments 3",
        "--p1 3 --distance cosine --training paper --factors 5 --times quarter",
        "--fragments 4 --cut shared --table-format csv",
    ),
    "microaggregation": (
        "--k 4",
        "--k 3 --clustering mdav --publish members --floor 2",
        "--k 3 --clustering variable --imputation item-mean --rounding step --table-format csv",
        "--k 5 --clustering binned",
    ),
    "predictive": ("--k 5", "--k 4 --mode padded --centres real", "--k 3 --l 2 --publish members"),
    "disassociation": (
        "--k 3",
        "--k 2 --m 3 --max-cluster 20 --values no",
        "--spread yes --refine no --table-format csv",
    ),
    "proximity": ("--k 3", "--k 3 --l 0.4 --table-format csv", "--k 4 --mode interval"),
    "proximity-deletion": ("--k 3 --epsilon 1", "--k 4 --epsilon 2 --l 0.3 --table-format csv"),
    "synthetic": (
        "--floor 5",
        "--floor 10 --times year --table-format csv",
        "--epsilon 8",
        f"{SURVEY} --floor 5",
        f"{SURVEY} --epsilon 8 --table-format csv",
    ),
}


def published(method: str) -> dict[str, Any]:
    """What a method leaves at each of its settings."""
    issues = ISSUES if method.startswith("proximity") else ()
    files = {surveyed: data.survey() if surveyed else data.ratings() for surveyed in (False, True)}
    words = ("--method", method, *issues, "--no-audit", "--seed", SEED)
    return {
        setting or "as it is": _one(
            ("publish", files[bool(issues) or SURVEY in setting], *words, *setting.split()),
            f"release{number}",
        )
        for number, setting in enumerate(SETTINGS[method])
    }


def _one(words: tuple[str, ...], folder: str) -> dict[str, Any]:
    code, out, err = call(*words, "--out", folder)
    assert code == 0, err
    left = {"files": digests(folder), "printed": lines(out + err)}
    return left | ({"wallets": digests("wallets")} if "--split-secret" in words else {})


def extended() -> dict[str, Any]:
    """A fragmented release that grows: with its kept secret, and with wallets."""
    data.ratings()
    old, new = data.old_and_new()
    locked = ("--key-file", data.key())
    first = ("publish", old, "--method", "fragmentation", "--fragments", "3", "--no-audit")
    shown(*first, "--seed", SEED, "--out", "r1", "--keep-secret", "s1", *locked)
    shown(*first, "--seed", SEED, "--out", "w1", "--split-secret", "wallets")
    grow = ("--no-audit", "--seed", SEED + "0", "--at-least", "1")
    kept = ("--secret", "s1", *locked, "--keep-secret", "s2")
    split = ("--wallets", "wallets", "--split-secret", "wallets2", "--rows-per-person", "0")
    return {
        "printed": shown("extend", "r1", new, "--out", "r2", *kept, *grow),
        "first": digests("r1"),
        "with the secret": digests("r2"),
        "printed with wallets": shown("extend", "w1", new, "--out", "w2", *split, *grow),
        "with wallets": digests("w2"),
        "wallets": digests("wallets2"),
        "siblings": _siblings(new, locked, grow),
    }


def _siblings(new: str, locked: tuple[str, ...], grow: tuple[str, ...]) -> dict[str, str]:
    kept = ("--secret", "s1", *locked, "--grow", "siblings", "--rows-per-person", "0")
    shown("extend", "r1", new, "--out", "r3", *kept, *grow)
    return digests("r3")
