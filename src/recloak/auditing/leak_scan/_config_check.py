"""The config of a manifest: is every value of a known type, length and vocabulary?"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Mapping
from typing import Any

from recloak.core.columns import ROLES
from recloak.core.errors import ParameterError
from recloak.io import FORMATS
from recloak.io._layout import checked_separator
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
        "method": lambda said: said == manifest.method,
        "parameters": lambda said: said == manifest.parameters,
        "table_format": lambda said: said == table_format,
        "users_excluded": _is_switch,
        "secret": lambda said: said in SECRETS,
        "policy_enforced": _is_switch,
        "audited": _is_switch,
        "columns_left_out": lambda said: _is_number(said, MOST),
        "audit_seed": lambda said: _is_number(said, MOST_SEED),
        "reading": lambda said: _reads_well(said, items),
        "extends": _extends_well,
    }
    unknown = sorted(set(manifest.config) - set(known))
    if unknown:
        return f"the manifest's config has further keys: {', '.join(unknown)}"
    odd = [key for key, said in manifest.config.items() if not known[key](said)]
    return f"the manifest's config says something else of '{odd[0]}' than recloak" if odd else None


def _reads_well(said: Any, items: set[str]) -> bool:
    """Is what is said about reading what `ReadOptions.for_manifest` says?"""
    if not isinstance(said, dict) or set(said) - set(ReadOptions.declared_options()):
        return False
    own: dict[str, Callable[[Any], bool]] = {
        "format": lambda name: name in FORMATS.names(),
        "separator": _is_separator,
        "encoding": _is_encoding,
        "declared": lambda names: isinstance(names, list) and items.issuperset(map(str, names)),
    }
    return all(own.get(name, _closed(name))(value) for name, value in said.items())


def _closed(name: str) -> Callable[[Any], bool]:
    """For options with no words of their own: a choice, a number, yes or no, roles of columns."""
    choices = ReadOptions.declared_options()[name].choices
    if choices:
        return lambda said: said in choices
    return lambda said: (
        _is_switch(said)
        or _is_number(said, MOST)
        or (isinstance(said, list) and len(said) <= len(ROLES) and all(r in ROLES for r in said))
    )


def _is_switch(said: Any) -> bool:
    return isinstance(said, bool)


def _is_number(said: Any, most: int) -> bool:
    """A number that is not long enough to hide anything in it."""
    if isinstance(said, bool) or not isinstance(said, int | float):
        return False
    return abs(said) < most and (isinstance(said, int) or len(repr(said)) <= len(str(MOST)))


def _is_separator(said: Any) -> bool:
    try:
        return isinstance(said, str) and bool(checked_separator(said))
    except ParameterError:
        return False


def _is_encoding(said: Any) -> bool:
    try:
        return isinstance(said, str) and codecs.lookup(said).name == said
    except LookupError:
        return False


def _extends_well(said: Any) -> bool:
    """Is what a release says of the one before it written as `recloak extend` writes it?"""
    if not isinstance(said, Mapping) or set(said) != set(EXTENDS):
        return False
    return all(re.fullmatch(form, str(said[name])) for name, form in EXTENDS.items())
