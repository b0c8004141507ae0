"""Config check of a manifest: is every value of a known type, length and vocabulary?"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Mapping
from typing import Any

from recloak.core.columns import ROLES
from recloak.core.errors import ParameterError
from recloak.io import FORMATS, checked_separator
from recloak.io.options import ReadOptions
from recloak.releases.manifest import Manifest

MOST = 1 << 31  # no count of anything in a file is larger
MOST_SEED = 1 << 64
SECRETS = ("destroyed", "kept", "split", "kept and split", "none")
EXTENDS = {
    "release_id": r"[0-9a-f]{32}",
    "manifest_sha256": r"[0-9a-f]{64}",
    "rows_per_person": r"[0-9]{1,7}",
    "grow": r"rows|siblings",
    "at_least": r"[0-9]{1,10}",
}


def odd_config(manifest: Manifest, table_format: str, items: set[str]) -> str | None:
    """What the config says that recloak would not have said; ``items`` are those of the release."""
    known: dict[str, Callable[[Any], bool]] = {
        "method": lambda value: value == manifest.method,
        "parameters": lambda value: value == manifest.parameters,
        "table_format": lambda value: value == table_format,
        "users_excluded": _is_switch,
        "secret": lambda value: value in SECRETS,
        "policy_enforced": _is_switch,
        "audited": _is_switch,
        "columns_left_out": lambda value: _is_number(value, MOST),
        "audit_seed": lambda value: _is_number(value, MOST_SEED),
        "reading": lambda value: _reads_well(value, items),
        "extends": _extends_well,
    }
    unknown = sorted(set(manifest.config) - set(known))
    if unknown:
        return f"the manifest's config has further keys: {', '.join(unknown)}"
    odd = [key for key, value in manifest.config.items() if not known[key](value)]
    return f"the manifest's config says something else of '{odd[0]}' than recloak" if odd else None


def _reads_well(reading: Any, items: set[str]) -> bool:
    """Is what is said about reading what `ReadOptions.for_manifest` says?"""
    if not isinstance(reading, dict) or set(reading) - set(ReadOptions.declared_options()):
        return False
    own: dict[str, Callable[[Any], bool]] = {
        "format": lambda name: name in FORMATS.names(),
        "separator": _is_separator,
        "encoding": _is_encoding,
        "declared": lambda names: isinstance(names, list) and items.issuperset(map(str, names)),
    }
    return all(own.get(name, _closed(name))(value) for name, value in reading.items())


def _closed(name: str) -> Callable[[Any], bool]:
    """For options with no words of their own: a choice, a number, yes or no, roles of columns."""
    choices = ReadOptions.declared_options()[name].choices
    if choices:
        return lambda value: value in choices
    return lambda value: (
        _is_switch(value)
        or _is_number(value, MOST)
        or (isinstance(value, list) and len(value) <= len(ROLES) and all(r in ROLES for r in value))
    )


def _is_switch(value: Any) -> bool:
    return isinstance(value, bool)


def _is_number(value: Any, most: int) -> bool:
    """A number that is not long enough to hide anything in it."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) < most and (isinstance(value, int) or len(repr(value)) <= len(str(MOST)))


def _is_separator(value: Any) -> bool:
    try:
        return isinstance(value, str) and bool(checked_separator(value))
    except ParameterError:
        return False


def _is_encoding(value: Any) -> bool:
    try:
        return isinstance(value, str) and codecs.lookup(value).name == value
    except LookupError:
        return False


def _extends_well(extends: Any) -> bool:
    """Is what a release says of the one before it written as `recloak extend` writes it?"""
    if not isinstance(extends, Mapping) or set(extends) != set(EXTENDS):
        return False
    return all(re.fullmatch(form, str(extends[name])) for name, form in EXTENDS.items())
