"""recloak: publish ratings that stay useful without giving the people away.

>>> import recloak
>>> ratings = recloak.synthesize("ml-100k", users=200, ratings=8_000, seed=1)
>>> ratings.n_users
200
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

try:
    __version__ = version("recloak")
except PackageNotFoundError:  # run from a source tree that was never installed
    __version__ = "0+unknown"

_WHERE = {
    "Audit": "recloak.findings",
    "Policy": "recloak.policy",
    "Randomness": "recloak.randomness",
    "Ratings": "recloak.ratings",
    "RecloakError": "recloak.errors",
    "Release": "recloak.release",
    "Scale": "recloak.scale",
    "Secret": "recloak.secret",
    "advise": "recloak.frontier",
    "audit": "recloak.auditing",
    "compare": "recloak.frontier",
    "extend": "recloak.extending",
    "inspect": "recloak.inspection",
    "method": "recloak.methods",
    "open_release": "recloak.release",
    "publish": "recloak.publishing",
    "read": "recloak.formats",
    "synthesize": "recloak.synthetic",
    "verify": "recloak.verifying",
}

__all__ = ["__version__", *_WHERE]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'recloak' has no attribute '{name}'")
    return getattr(import_module(_WHERE[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
