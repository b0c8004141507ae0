"""Attacks: simulated adversaries."""

from __future__ import annotations

from recloak.attacks.base import Attack
from recloak.parameters import parse_spec
from recloak.registry import Registry

ATTACKS: Registry[type[Attack]] = Registry(
    "attacks",
    "attack",
    {
        "homogeneity": "recloak.attacks.homogeneity:Homogeneity",
        "label": "recloak.attacks.label:Label",
        "link-existence": "recloak.attacks.link_existence:LinkExistence",
        "passive-inference": "recloak.attacks.passive_inference:PassiveInference",
        "profile-inversion": "recloak.attacks.profile_inversion:ProfileInversion",
        "record-linkage": "recloak.attacks.record_linkage:RecordLinkage",
        "release-difference": "recloak.attacks.release_difference:ReleaseDifference",
        "scoreboard": "recloak.attacks.scoreboard:Scoreboard",
        "scoreboard-rh": "recloak.attacks.scoreboard_rh:ScoreboardRH",
        "scoreboard-multi": "recloak.attacks.scoreboard_multi:ScoreboardMulti",
        "subset-bound": "recloak.attacks.subset_bound:SubsetBound",
        "fragment-linking": "recloak.attacks.fragment_linking:FragmentLinking",
        "structure": "recloak.attacks.structure:Structure",
        "survey-linking": "recloak.attacks.survey_linking:SurveyLinking",
    },
)


def attack(spec: str) -> Attack:
    """The attack written as ``record-linkage:known=4``."""
    name, values = parse_spec(spec)
    return ATTACKS.get(name)(**values)


__all__ = ["ATTACKS", "Attack", "attack"]
