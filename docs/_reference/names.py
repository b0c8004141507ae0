"""The page of the Python names: signature and docstring of all that ``recloak`` offers."""

from __future__ import annotations

import inspect
from functools import cached_property
from typing import Any

import recloak
from _reference.pieces import block, docstring, page, table
from recloak.core.options import Options

WIDTH = 90
LONG_DEFAULT = 60
MARKS: dict[Any, str] = {inspect.Parameter.VAR_KEYWORD: "**", inspect.Parameter.VAR_POSITIONAL: "*"}


def python_page() -> str:
    """Every public name."""
    parts = ["Everything below is an attribute of `recloak`; it is loaded when first used."]
    for name in recloak.__all__[1:]:
        member = getattr(recloak, name)
        parts += [f"## {name}", block(_signature(name, member)), docstring(member)]
        if inspect.isclass(member) and issubclass(member, Options):
            parts.append(_options(member))
        elif inspect.isclass(member) and not issubclass(member, Exception):
            parts.append(_attributes(member))
    return page("Python", *parts)


def _signature(name: str, member: Any) -> str:
    shown: list[str] = []
    is_options = inspect.isclass(member) and issubclass(member, Options)
    given = member.parameters() if is_options else inspect.signature(member).parameters.values()
    for one in given:
        if one.kind is one.KEYWORD_ONLY and "*" not in shown:
            shown.append("*")
        mark = MARKS.get(one.kind, "")
        kind = f": {one.annotation}" if one.annotation is not one.empty else ""
        shown.append(f"{mark}{one.name}{kind}{_default(one)}")
    short = f"{name}({', '.join(shown)})"
    return short if len(short) <= WIDTH else f"{name}(\n    " + ",\n    ".join(shown) + ",\n)"


def _options(model: type[Options]) -> str:
    flags = model.flags()
    rows = [
        (f"`{info.name}`", f"`--{flags[info.name].name}`" if info.name in flags else "", info.doc)
        for info in model.described()
    ]
    return table(("option", "flag", "what it is"), rows)


def _default(parameter: inspect.Parameter) -> str:
    if parameter.default is parameter.empty:
        return ""
    text = repr(parameter.default)
    short = " object at " not in text and not text.startswith("<") and len(text) < LONG_DEFAULT
    return f" = {text}" if short else " = …"


def _attributes(member: type) -> str:
    rows = [
        (f"`{name}`", (inspect.getdoc(getattr(member, name)) or "").splitlines()[0])
        for name, attribute in vars(member).items()
        if not name.startswith("_") and _is_offered(attribute) and getattr(member, name).__doc__
    ]
    return table(("attribute", "what it is"), rows) if rows else ""


def _is_offered(attribute: Any) -> bool:
    kinds = (property, cached_property, classmethod, staticmethod)
    return inspect.isfunction(attribute) or isinstance(attribute, kinds)
