"""Releases of every kind, published into folders, and what their cards say."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recloak.core.ratings import Ratings
from recloak.publishing.run import publish
from recloak.testing import random_ratings

SEED = "0xf00dfeed5eedc0de1dea5afe0ddba115"


def survey() -> Ratings:
    """People who answered most issues; two of the issues are sensitive to them."""
    return random_ratings(40, 6, 0.9)


def bought() -> Ratings:
    """Who has what, without ratings, items called by text that looks like numbers."""
    rated = random_ratings(60, 30, 0.3)
    names = [f"{item:03}" for item in rated.items]
    return Ratings.from_columns(rated.user_codes(), names)


KINDS: dict[str, tuple[Callable[[], Ratings], str, dict[str, Any]]] = {
    "ratings": (random_ratings, "gaussian-noise", {"sigma": 0.5}),
    "text": (random_ratings, "pseudonymize", {"table_format": "csv"}),
    "implicit": (bought, "pseudonymize", {"table_format": "csv"}),
    "fragments": (random_ratings, "fragmentation", {}),
    "groups": (random_ratings, "microaggregation", {"k": 4}),
    "members": (random_ratings, "microaggregation", {"k": 4, "publish": "members"}),
    "disassociated": (random_ratings, "disassociation", {"k": 2, "m": 2}),
    "survey": (survey, "proximity", {"k": 2, "sensitive": "1,2"}),
}


def published(kind: str, place: Path, **more: Any) -> Path:
    """A folder with a release of this kind; without an audit, which tests elsewhere make."""
    ratings, method, parameters = KINDS[kind]
    out = place / kind
    publish(ratings(), method, out=out, **({"audited": False} | parameters | more))
    return out


def card(folder: Path) -> str:
    return (folder / "README.md").read_text(encoding="utf-8")


def section_of(text: str, heading: str) -> str:
    """What stands under a heading of the card, up to the next of its level."""
    return text.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]


def code_under(text: str, heading: str) -> list[str]:
    """The Python of a section, without that of the sections in it."""
    section = re.split(r"^#+ ", text.split(f"# {heading}\n", 1)[1], maxsplit=1, flags=re.M)[0]
    return re.findall(r"```python\n(.*?)\n```", section, flags=re.S)


def run(pieces: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the names are bound to after the code ran in the folder."""
    monkeypatch.chdir(folder)
    names: dict[str, Any] = {}
    for piece in pieces:
        exec(compile(piece, "card", "exec"), names)
    return names
