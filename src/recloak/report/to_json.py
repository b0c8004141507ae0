"""An audit as JSON that every reader accepts, with the same numbers as the page."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from typing import Any

from recloak.evaluation.findings import Audit
from recloak.report.wording.unjudged import not_looked_at


def render_json(audit: Audit) -> str:
    """The audit as JSON text; the same for the same audit."""
    content = to_plain(content_of(audit))
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def content_of(audit: Audit) -> dict[str, Any]:
    """All that an audit holds, and what the policy that judged it did not look at."""
    content = audit.to_dict()
    if audit.policy_results:
        content["not_looked_at"] = not_looked_at(audit)
    return content


def to_plain(value: Any) -> Any:
    """Only JSON types: what is not finite becomes null, arrays lists, anything else its text."""
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        return {_text(str(key)): to_plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_plain(part) for part in value]
    if isinstance(value, (set, frozenset)):
        return sorted((to_plain(part) for part in value), key=str)
    if is_dataclass(value) and not isinstance(value, type):
        return to_plain(asdict(value))
    if hasattr(value, "tolist"):  # NumPy's numbers and arrays
        return to_plain(value.tolist())
    return _text(str(value))


def _text(value: str) -> str:
    """JSON escapes control characters itself; half a surrogate pair cannot be written at all."""
    return value if value.isprintable() else value.encode("utf-8", "replace").decode("utf-8")
