"""Attacks: simulated adversaries."""

from __future__ import annotations

from recloak.attacks.base import Attack
from recloak.parameters import parse_spec
from recloak.registry import Registry

ATTACKS: Registry[type[Attack]] = Registry(
    "attacks",
    "attack",
    {
        "profile-inversion": "recloak.attacks.profile_inversion:ProfileInversion",
        "record-linkage": "recloak.attacks.record_linkage:RecordLinkage",
        "scoreboard": "recloak.attacks.scoreboard:Scoreboard",
        "scoreboard-rh": "recloak.attacks.scoreboard_rh:ScoreboardRH",
    },
)


def attack(spec: str) -> Attack:
    """The attack written as ``record-linkage:known=4``."""
    name, values = parse_spec(spec)
    return ATTACKS.get(name)(**values)


__all__ = ["ATTACKS", "Attack", "attack"]
