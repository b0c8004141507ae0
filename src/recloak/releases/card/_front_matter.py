"""Front matter: what the Hugging Face hub and its library read at the top of a card."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import PurePath

from recloak.releases.manifest import Manifest

_FIRST = ("ratings", "profiles", "answers", "lists")  # the tables that a release is about
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (10**6, "100K<n<1M"))
_LARGE_SIZES = ((10**7, "1M<n<10M"), (10**8, "10M<n<100M"), (10**9, "100M<n<1B"))
_LARGEST = "n>1B"
_TABLES = (".parquet", ".csv")


def front_matter(manifest: Manifest, noun: str, tables: Iterable[str]) -> list[str]:
    """The lines before a card: what it is, and a configuration for each of its tables."""
    names = sorted(name for name in tables if PurePath(name).suffix in _TABLES)
    tags = ["recommendation", "anonymization", "recloak", manifest.method]
    return [
        "---",
        f"pretty_name: {json.dumps(f'{noun}, release {manifest.release_id}')}",
        "license: unknown",
        "tags:",
        *(f"- {tag}" for tag in tags),
        "size_categories:",
        f"- {_size(manifest.ratings)}",
        "configs:",
        *(line for name in names for line in _config(name)),
        "---",
        "",
    ]


def _config(name: str) -> list[str]:
    table = PurePath(name).stem
    first = ["  default: true"] if table in _FIRST else []
    files = f"{name}*.parquet" if name.endswith("/") else name
    return [f"- config_name: {table}", f"  data_files: {files}", *first]


def _size(count: int) -> str:
    return next((name for most, name in (*_SIZES, *_LARGE_SIZES) if count < most), _LARGEST)
