"""Recommenders: what measures train on a release to see what it is still good for."""

from recloak.recommenders.base import Recommender
from recloak.registry import Registry

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
