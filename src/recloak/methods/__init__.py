"""Methods: named recipes that turn ratings into a release."""

from __future__ import annotations

from typing import Any

from recloak.methods.base import Applied, Method
from recloak.registry import Registry

METHODS: Registry[type[Method]] = Registry(
    "methods",
    "method",
    {
        "identity": "recloak.methods.identity:Identity",
        "pseudonymize": "recloak.methods.pseudonymize:Pseudonymize",
        "gaussian-noise": "recloak.methods.noise:GaussianNoise",
        "uniform-noise": "recloak.methods.noise:UniformNoise",
        "disassociation": "recloak.methods.disassociation:Disassociation",
        "fragmentation": "recloak.methods.fragmentation:Fragmentation",
        "microaggregation": "recloak.methods.microaggregation:Microaggregation",
        "proximity": "recloak.methods.proximity:Proximity",
        "proximity-deletion": "recloak.methods.proximity_deletion:ProximityDeletion",
        "predictive": "recloak.methods.predictive:Predictive",
    },
)


def method(name: str, **parameters: Any) -> Method:
    """The method called ``name`` with these parameters; both are checked."""
    return METHODS.get(name)(**parameters)


__all__ = ["METHODS", "Applied", "Method", "method"]
