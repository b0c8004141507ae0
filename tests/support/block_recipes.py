"""Methods that run by blocks of people, for tests that every engine gives the same bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from recloak.core.files import digest_of
from recloak.releases.parts import files_of

RECIPES: dict[str, tuple[str, dict[str, Any]]] = {
    "pseudonymize": ("pseudonymize", {}),
    "pseudonymize by month": ("pseudonymize", {"times": "month"}),
    "gaussian": ("gaussian-noise", {"sigma": 0.5}),
    "uniform": ("uniform-noise", {"rounding": "step", "times": "year"}),
    "fragments": ("fragmentation", {"factors": 4, "times": "quarter"}),
    "so many fragments": ("fragmentation", {"factors": 4, "fragments": 3, "max_share": 2}),
    "shared lines": ("fragmentation", {"factors": 4, "cut": "shared", "fragments": 3}),
}
MADE_UP: dict[str, tuple[str, dict[str, Any]]] = {
    "made up": ("synthetic", {"floor": 5, "rank": 3, "times": "year"}),
    "made up with noise": ("synthetic", {"epsilon": 40.0, "people": 180}),
}
"""How many ratings these publish is drawn."""
BINS = {"clustering": "binned"}
GROUPED: dict[str, tuple[str, dict[str, Any]]] = {
    "bins": ("microaggregation", {"k": 3, **BINS}),
    "bins with members": (
        "microaggregation",
        {"k": 4, "publish": "members", "imputation": "item-mean", "rounding": "step", **BINS},
    ),
    "would rate alike": ("predictive", {"k": 3}),
}
SEED = "0x" + "5a" * 16


def digests(folder: Path) -> dict[str, str]:
    """The digest of each file of a release."""
    return {name: digest_of(path) for name, path in files_of(folder)}
