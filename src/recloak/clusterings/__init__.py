"""Clusterings: ways to part users into groups of at least k that lie near each other."""

from recloak.clusterings.base import Clustering
from recloak.clusterings.groups import Groups, Loss, Profiles
from recloak.clusterings.points import Points
from recloak.registry import Registry

CLUSTERINGS: Registry[type[Clustering]] = Registry(
    "clusterings",
    "clustering",
    {
        "refined": "recloak.clusterings.refined:Refined",
        "mdav": "recloak.clusterings.mdav:Mdav",
        "variable": "recloak.clusterings.variable:Variable",
        "binned": "recloak.clusterings.binned:Binned",
    },
)

__all__ = ["CLUSTERINGS", "Clustering", "Groups", "Loss", "Points", "Profiles"]
