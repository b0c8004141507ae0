"""Methods: named recipes that turn ratings into a release."""

from __future__ import annotations

from typing import Any

from recloak.core.registry import Registry
from recloak.methods._blocks import SAMPLE_RATINGS, BlockMethod, Statistics, sample_of
from recloak.methods._groups import GroupProfiles, HomeGroups, joined_profiles
from recloak.methods._tables import OwnedRows, TableMethod, TableParameters
from recloak.methods.base import Applied, Method

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
        "proximity": "recloak.methods.proximity:ProximityMethod",
        "proximity-deletion": "recloak.methods.proximity_deletion:ProximityDeletion",
        "synthetic": "recloak.methods.synthetic:Synthetic",
        "predictive": "recloak.methods.predictive:Predictive",
    },
)


def method(name: str, **parameters: Any) -> Method:
    """The method called ``name`` with these parameters.

    Raises
    ------
    ParameterError
        For an unknown name or parameter, or a value that is out of range.

    Examples
    --------
    >>> import recloak
    >>> ratings = recloak.synthesize("ml-100k", users=60, ratings=900, seed=1)
    >>> recipe = recloak.method("pseudonymize")
    >>> release, secret, notes = recipe.apply(ratings, recloak.Randomness.from_seed(7))
    >>> release.as_ratings().n_ratings
    900
    """
    return METHODS.get(name)(**parameters)


__all__ = [
    "METHODS",
    "SAMPLE_RATINGS",
    "Applied",
    "BlockMethod",
    "GroupProfiles",
    "HomeGroups",
    "Method",
    "OwnedRows",
    "Statistics",
    "TableMethod",
    "TableParameters",
    "joined_profiles",
    "method",
    "sample_of",
]
