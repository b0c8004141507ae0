"""Statements: does a manifest say only what recloak would have said, and is it so?"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from recloak.errors import ParameterError
from recloak.manifest import Manifest
from recloak.methods import METHODS
from recloak.scale import Scale

KNOWN_CONFIG = {
    "method",
    "parameters",
    "table_format",
    "users_excluded",
    "secret",
    "policy_enforced",
    "audited",
    "audit_seed",
    "reading",
    "extends",
}
KNOWN_EXTENDS = {
    "release_id": r"[0-9a-f]{32}",
    "manifest_sha256": r"[0-9a-f]{64}",
    "rows_per_person": r"[0-9]{1,7}",
    "grow": r"rows|siblings",
    "at_least": r"[0-9]{1,10}",
}
KNOWN_READING = {
    "format",
    "columns",
    "scale",
    "separator",
    "encoding",
    "duplicates",
    "id_column",
    "issues",
    "declared",
    "most_rated",
}
TIME_UNITS = {"year": "1y", "quarter": "1q", "month": "1mo"}


def odd_statement(manifest: Manifest) -> str | None:
    """What the manifest says beside, or other than, what recloak would have said."""
    if manifest.scale != str(Scale.parse(manifest.scale)):
        return "the scale in the manifest is not written in the canonical way"
    times = {"dropped", *(f"coarsened to the {unit}" for unit in TIME_UNITS)}
    if manifest.times not in times:
        return "the manifest says something else about times than recloak does"
    unknown = sorted(set(manifest.config) - KNOWN_CONFIG)
    if unknown:
        return f"the manifest's config has further keys: {', '.join(unknown)}"
    reading = manifest.config.get("reading", {})
    if not isinstance(reading, dict) or set(reading) - KNOWN_READING:
        return "the manifest's config says more about reading than recloak does"
    if not _extends_well(manifest.config.get("extends")):
        return "the manifest says something else about what it extends than recloak does"
    return _method_statements(manifest)


def _extends_well(said: Any) -> bool:
    """Is what a release says of the one before it written as `recloak extend` writes it?"""
    if said is None:
        return True
    if not isinstance(said, dict) or set(said) != set(KNOWN_EXTENDS):
        return False
    return all(re.fullmatch(form, str(said[name])) for name, form in KNOWN_EXTENDS.items())


def _method_statements(manifest: Manifest) -> str | None:
    if manifest.method not in METHODS.names():
        return None  # made by a method that is not installed here: its words cannot be judged
    try:
        method = METHODS.get(manifest.method)(**manifest.parameters)
    except ParameterError:
        return "the manifest's parameters are not those of its method"
    if method.parameters.public() != manifest.parameters:
        return "the manifest's parameters are not written in the canonical way"
    if manifest.not_for_publication != method.reasons_not_to_publish(manifest.reproducible):
        return "the manifest gives other reasons against publication than recloak would"
    return None


def odd_times(times: NDArray[np.int64] | None, said: str) -> str | None:
    """Times that are there, or finer, although the manifest says otherwise."""
    if times is None:
        return None
    unit = said.removeprefix("coarsened to the ")
    if unit not in TIME_UNITS:
        return f"there are times although the manifest says they are {said}"
    moments = pl.from_epoch(pl.Series(times), time_unit="s")
    if not moments.equals(moments.dt.truncate(TIME_UNITS[unit])):
        return f"some times are finer than the {unit}"
    return None
