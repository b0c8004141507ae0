"""Reading: an audit from the JSON that was written of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from recloak.evaluation.findings import Audit, Figure, Finding, PolicyResult, Verdict

_KNOWN = frozenset(field.name for field in fields(Audit))


def audit_from(content: Mapping[str, Any]) -> Audit:
    """An audit from what `Audit.to_dict` made of it; what follows from the rest is left out."""
    return Audit(
        **{key: value for key, value in content.items() if key in _KNOWN}
        | {
            "verdicts": tuple(map(_verdict, content["verdicts"])),
            "attacks": tuple(map(_finding, content["attacks"])),
            "measures": tuple(map(_finding, content["measures"])),
            "policy_results": tuple(PolicyResult(**one) for one in content["policy_results"]),
            "notes": tuple(content["notes"]),
        }
    )


def _verdict(content: Mapping[str, Any]) -> Verdict:
    return Verdict(**{**content, "reservations": tuple(content.get("reservations", ()))})


def _finding(content: Mapping[str, Any]) -> Finding:
    own = {key: value for key, value in content.items() if key != "spec"}
    figures = tuple(Figure(**one) for one in content["figures"] if one["value"] is not None)
    return Finding(**own | {"figures": figures, "notes": tuple(content["notes"])})
