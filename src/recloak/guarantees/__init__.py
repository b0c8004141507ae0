"""Guarantees: formal claims, checked on the release and never taken on trust."""

from __future__ import annotations

from recloak.core.claim import Claim
from recloak.core.registry import Registry
from recloak.guarantees.base import Guarantee

GUARANTEES: Registry[type[Guarantee]] = Registry(
    "guarantees",
    "guarantee",
    {
        "k-anonymity": "recloak.guarantees.k_anonymity:KAnonymity",
        "km-anonymity": "recloak.guarantees.km_anonymity:KmAnonymity",
        "diversity": "recloak.guarantees.diversity:Diversity",
        "proximity": "recloak.guarantees.proximity:Proximity",
        "differential-privacy": "recloak.guarantees.differential_privacy:DifferentialPrivacy",
        "floor": "recloak.guarantees.floor:Floor",
        "delta-bound": "recloak.guarantees.delta_bound:DeltaBound",
    },
)


def guarantee(claim: Claim | str) -> Guarantee:
    """The checker of a claim such as ``k-anonymity:k=5``.

    Raises `ParameterError` for an unknown guarantee or parameter.
    """
    stated = Claim.parse(claim) if isinstance(claim, str) else claim
    return GUARANTEES.get(stated.guarantee)(**stated.parameters)


__all__ = ["GUARANTEES", "Guarantee", "guarantee"]
