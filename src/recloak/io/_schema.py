"""The schema of a survey: a file that says which issues there are, and which are sensitive."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

from recloak.core.errors import InputError

SIDES = ("sensitive", "non_sensitive")
_LISTS = (*SIDES, "issues")
_TEXTS = ("scale", "id_column")


def read_schema(path: str | Path) -> dict[str, Any]:
    """What a schema file says, by the names of options; each side as a list of names.

    Raises
    ------
    InputError
        The file cannot be read, or says what no schema says.

    """
    path = str(path)
    content = _content(path)
    if not isinstance(content, dict):
        raise InputError(
            "holds no keys with values", where=path, hint='Example: sensitive = ["income"]'
        )
    named = {str(key).replace("-", "_"): value for key, value in content.items()}
    for key, value in named.items():
        if key not in (*_LISTS, *_TEXTS):
            known = ", ".join(name.replace("_", "-") for name in (*_LISTS, *_TEXTS))
            raise InputError(f"a schema has no key '{key}'", where=path, hint=known)
        named[key] = _checked(key, value, path)
    return {name: named[name] for name in (*_LISTS, *_TEXTS) if name in named}


def _checked(key: str, value: Any, path: str) -> Any:
    if key in _TEXTS and isinstance(value, str):
        return value
    parts = value if isinstance(value, list) else [value]
    if key in _LISTS and all(isinstance(part, str | int) for part in parts):
        return [str(part) for part in parts]
    wanted = "a list of names" if key in _LISTS else "a text"
    raise InputError(f"'{key.replace('_', '-')}' takes {wanted}, not {value!r}", where=path)


def _content(path: str) -> Any:
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
        return json.loads(text) if path.lower().endswith(".json") else tomllib.loads(text)
    except OSError as problem:
        raise InputError(f"cannot be read: {problem.strerror}", where=path) from None
    except (ValueError, RecursionError) as problem:
        raise InputError(f"is neither TOML nor JSON (*.json): {problem}", where=path) from None
