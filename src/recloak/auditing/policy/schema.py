"""The JSON Schema of a policy file, from what is registered: editors complete and check by it."""

from __future__ import annotations

import re
from typing import Any

from recloak.attacks import ATTACKS
from recloak.auditing.evaluation_registry import declared_figures
from recloak.core.registry import Registry
from recloak.guarantees import GUARANTEES
from recloak.measures import MEASURES

DRAFT = "http://json-schema.org/draft-07/schema#"  # the one that editors of TOML know


def policy_schema() -> dict[str, Any]:
    """What a policy file may hold, for editors."""
    return {
        "$schema": DRAFT,
        "title": "recloak policy",
        "type": "object",
        "additionalProperties": False,
        "required": ["require"],
        "properties": {
            "title": {"type": "string", "description": "The name of the policy."},
            "require": {
                "type": "array",
                "minItems": 1,
                "description": "One line for each claim or figure; every one must pass.",
                "items": _line(),
            },
        },
    }


def _line() -> dict[str, Any]:
    limits: list[dict[str, Any]] = [{"required": ["at_most"]}, {"required": ["at_least"]}]
    kinds = [
        {"required": ["claim"], **_without("attack", "measure", "figure", "at_most", "at_least")},
        {"required": ["attack", "figure"], "oneOf": limits, **_without("claim", "measure")},
        {"required": ["measure", "figure"], "oneOf": limits, **_without("claim", "attack")},
    ]
    return {
        "type": "object",
        "additionalProperties": False,
        "oneOf": kinds,
        "properties": {
            "claim": _spec(GUARANTEES, "A claim that must hold, such as k-anonymity:k=5."),
            "attack": _spec(ATTACKS, "An attack, such as record-linkage:known=4."),
            "measure": _spec(MEASURES, "A measure, such as prediction:recommender=item-mean."),
            "figure": {
                "type": "string",
                "enum": sorted(declared_figures()),
                "description": "The figure, judged by the unfavourable end of its interval.",
            },
            "at_most": {"type": "number"},
            "at_least": {"type": "number"},
            "because": {"type": "string", "description": "Why the limit is what it is."},
        },
    }


def _without(*keys: str) -> dict[str, Any]:
    return {"not": {"anyOf": [{"required": [key]} for key in keys]}}


def _spec(registry: Registry[Any], text: str) -> dict[str, Any]:
    """A name, alone or with parameters; a list of names is what editors offer."""
    names = registry.names()
    pattern = f"^({'|'.join(map(re.escape, names))})(:.+)?$"
    return {
        "type": "string",
        "description": text,
        "anyOf": [{"enum": names}, {"pattern": pattern}],
    }
