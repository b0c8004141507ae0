"""Clusterings: ways to split users into groups of at least k that lie near each other."""

from recloak.clustering._groups import Groups, Loss, Profiles
from recloak.clustering.base import Clustering
from recloak.clustering.points import Points
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

__all__ = ["CLUSTERINGS", "Clustering", "Groups", "Loss", "Points", "Profiles"]
