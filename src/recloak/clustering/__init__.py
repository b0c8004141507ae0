"""Clusterings: ways to split users into groups of at least k that lie near each other."""

from recloak.clustering._groups import Groups, Loss, Profiles
from recloak.clustering._points import Imputation, Points, item_variances
from recloak.clustering._sketch import Sketch, means, nearest_centres
from recloak.clustering.base import Clustering
from recloak.core.registry import Registry

CLUSTERINGS: Registry[type[Clustering]] = Registry(
    "clusterings",
    "clustering",
    {
        "refined": "recloak.clustering.refined:Refined",
        "mdav": "recloak.clustering.mdav:Mdav",
        "variable": "recloak.clustering.variable:Variable",
        "binned": "recloak.clustering.binned:Binned",
    },
)

__all__ = [
    "CLUSTERINGS",
    "Clustering",
    "Groups",
    "Imputation",
    "Loss",
    "Points",
    "Profiles",
    "Sketch",
    "item_variances",
    "means",
    "nearest_centres",
]
