"""Attacks: simulated adversaries."""

from __future__ import annotations

from recloak.attacks.base import Attack
from recloak.core.parameters import parse_spec
from recloak.core.registry import Registry

# In the order in which audits run them and reports speak of them.
ATTACKS: Registry[type[Attack]] = Registry(
    "attacks",
    "attack",
    {
        "bayes-linkage": "recloak.attacks.bayes_linkage:BayesLinkage",
        "record-linkage": "recloak.attacks.record_linkage:RecordLinkage",
        "scoreboard": "recloak.attacks.scoreboard:Scoreboard",
        "scoreboard-rh": "recloak.attacks.scoreboard_rh:ScoreboardRH",
        "scoreboard-multi": "recloak.attacks.scoreboard_multi:ScoreboardMulti",
        "subset-bound": "recloak.attacks.subset_bound:SubsetBound",
        "fragment-linking": "recloak.attacks.fragment_linking:FragmentLinking",
        "profile-inversion": "recloak.attacks.profile_inversion:ProfileInversion",
        "structure": "recloak.attacks.structure:Structure",
        "label": "recloak.attacks.label:Label",
        "homogeneity": "recloak.attacks.homogeneity:Homogeneity",
        "link-existence": "recloak.attacks.link_existence:LinkExistence",
        "inference": "recloak.attacks.inference:Inference",
        "membership": "recloak.attacks.membership:Membership",
        "collusion": "recloak.attacks.collusion:Collusion",
        "survey-linking": "recloak.attacks.survey_linking:SurveyLinking",
        "sensitive-inference": "recloak.attacks.sensitive_inference:SensitiveInference",
        "release-difference": "recloak.attacks.release_difference:ReleaseDifference",
        "passive-inference": "recloak.attacks.passive_inference:PassiveInference",
    },
)


def attack(spec: str) -> Attack:
    """The attack of a spec such as ``record-linkage:known=4``.

    Raises ParameterError for an unknown name, an unknown parameter or a wrong value.
    """
    name, values = parse_spec(spec)
    return ATTACKS.get(name)(**values)


__all__ = ["ATTACKS", "Attack", "attack"]
