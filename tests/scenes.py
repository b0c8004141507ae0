"""Scenes for attacks and measures: an original, what a method made of it, who is who."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from recloak.methods import method
from recloak.randomness import Randomness
from recloak.ratings import Ratings
from recloak.scene import Scene, match_items
from recloak.shadows import factors_of, rehearsed, rehearser


def scene_of(original: Ratings, name: str = "pseudonymize", **parameters: Any) -> Scene:
    applied = method(name, **parameters).apply(original, Randomness.from_seed(1))
    rows = applied.release.as_ratings()
    return Scene(
        original,
        rows,
        applied.secret.linkage(original, rows),
        match_items(original, rows),
        release=applied.release,
    )


def with_shadow(scene: Scene, name: str = "pseudonymize", **parameters: Any) -> Scene:
    return replace(scene, shadow=rehearsed(scene.original, method(name, **parameters)))


def rehearsable(original: Ratings, name: str = "fragmentation", **parameters: Any) -> Scene:
    """A scene whose adversary knows how the release was made."""
    made = method(name, **parameters)
    return replace(
        scene_of(original, name, **parameters),
        rehearse=rehearser(original, made),
        factors=factors_of(made, original, Randomness.from_seed(1), original),
    )
