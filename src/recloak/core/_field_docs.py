"""The strings under the fields of a class in its source, read when they are asked for."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise


@lru_cache
def field_docs(cls: type, root: type = object) -> dict[str, str]:
    """What stands under each field of a class and of its bases below ``root``.

    Nothing where there is no source, as of what was typed at a prompt.
    """
    docs: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        if base in root.__mro__ or "__annotations__" not in vars(base):
            continue
        for field, text in pairwise(_body(base)):
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                docs |= _text_under(field.target.id, text)
    return docs


def _body(cls: type) -> list[ast.stmt]:
    try:
        file = inspect.getsourcefile(cls)
    except (OSError, TypeError):
        return []
    found = _classes(file).get(cls.__qualname__) if file else None
    return found.body if found else []


def _text_under(name: str, statement: ast.stmt) -> dict[str, str]:
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return {name: " ".join(str(statement.value.value).split())}
    return {}


@lru_cache
def _classes(file: str) -> dict[str, ast.ClassDef]:
    """All classes of a file by their qualified names."""
    with open(file, encoding="utf-8") as source:  # noqa: PTH123 - pathlib is slow to load
        return dict(_within(ast.parse(source.read()), ""))


def _within(node: ast.AST, before: str) -> Iterator[tuple[str, ast.ClassDef]]:
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.ClassDef):
            yield before + inner.name, inner
            yield from _within(inner, f"{before}{inner.name}.")
        elif isinstance(inner, ast.FunctionDef):
            yield from _within(inner, f"{before}{inner.name}.<locals>.")
        else:
            yield from _within(inner, before)
