"""Recommenders: what measures train on a release to see what it is still good for."""

from recloak.core.registry import Registry
from recloak.recommenders.base import Recommender

RECOMMENDERS: Registry[type[Recommender]] = Registry(
    "recommenders",
    "recommender",
    {
        "item-mean": "recloak.recommenders.item_mean:ItemMean",
        "factorization": "recloak.recommenders.factorization:Factorization",
        "plain-factorization": "recloak.recommenders.plain_factorization:PlainFactorization",
        "neighbours": "recloak.recommenders.neighbours:Neighbours",
    },
)

__all__ = ["RECOMMENDERS", "Recommender"]
