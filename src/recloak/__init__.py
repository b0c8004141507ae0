"""recloak: publish ratings that stay useful without giving the people away.

>>> import recloak
>>> ratings = recloak.synthesize("ml-100k", users=200, ratings=8_000, seed=1)
>>> ratings.n_users
200
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__: str  # found out when asked for: it takes a third of the start

_WHERE = {
    "Audit": "recloak.report",
    "AuditOptions": "recloak.auditing.options",
    "ExtendOptions": "recloak.publishing.options",
    "Policy": "recloak.auditing.policy",
    "PublishOptions": "recloak.publishing.options",
    "Randomness": "recloak.core.randomness",
    "Ratings": "recloak.core.ratings",
    "ReadOptions": "recloak.io.options",
    "RecloakError": "recloak.core.errors",
    "Release": "recloak.releases.base",
    "Scale": "recloak.core.scale",
    "Secret": "recloak.releases.secret",
    "SyntheticModel": "recloak.methods.synthetic.model",
    "advise": "recloak.comparison",
    "audit": "recloak.report.auditing",
    "compare": "recloak.comparison",
    "draw": "recloak.publishing.draw",
    "extend": "recloak.publishing.extend",
    "inspect": "recloak.auditing.inspection",
    "method": "recloak.methods",
    "open_model": "recloak.methods.synthetic.model",
    "open_release": "recloak.releases.base",
    "publish": "recloak.publishing.run",
    "read": "recloak.io",
    "synthesize": "recloak.simulation",
    "verify": "recloak.auditing.verification",
}

__all__ = ["__version__", *_WHERE]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return globals().setdefault(name, _version())
    if name not in _WHERE:
        raise AttributeError(f"module 'recloak' has no attribute '{name}'")
    return getattr(import_module(_WHERE[name]), name)


def _version() -> str:
    metadata = import_module("importlib.metadata")
    try:
        return str(metadata.version("recloak"))
    except metadata.PackageNotFoundError:  # run from a source tree that was never installed
        return "0+unknown"


def __dir__() -> list[str]:
    return sorted(__all__)
