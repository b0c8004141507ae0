"""Imports point one way; what checks a claim never imports what made it."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

import recloak

ROOT = Path(recloak.__file__).parent

# Lowest first; a module may import from its own layer and from those before it.
LAYERS = [
    {
        "errors",
        "progress",
        "registry",
        "scale",
        "columns",
        "parameters",
        "randomness",
        "claim",
        "memory",
        "interrupts",
        "kept",
        "threads",
    },
    {"component", "findings", "files", "kernels", "manifest", "card"},
    {
        "ratings",
        "texts",
        "coding",
        "ordering",
        "building",
        "frames",
        "statistics",
        "chance",
        "surveys",
        "survey_patterns",
    },
    {"recommenders", "linkage", "identical", "reconstructing", "clusterings", "nearest_records"},
    {
        "formats",
        "synthetic",
        "release",
        "disassociated",
        "grouped",
        "secret",
        "standing",
        "wallets",
        "scene",
        "examination",
        "answers",
        "surveyed",
    },
    {"methods", "guarantees", "attacks", "measures", "matching", "inspection", "lists"},
    {
        "previous",
        "shadows",
        "verifying",
        "policy",
        "statements",
        "forensics",
        "recombining",
        "store",
    },
    {"auditing", "list_auditing"},
    {"report", "frontier"},
    {"publishing", "places", "extending", "list_publishing"},
    {"studies", "service"},
    {"cli", "__main__"},
]
LEVEL = {name: level for level, layer in enumerate(LAYERS) for name in layer}


def modules() -> list[Path]:
    return [path for path in sorted(ROOT.rglob("*.py")) if path != ROOT / "__init__.py"]


def part_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


@cache
def imported_modules(path: Path) -> set[str]:
    """What a file imports of recloak, also inside functions; type-only imports excluded."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    hidden = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for inner in ast.walk(node)
    }
    names: set[str] = set()
    for node in ast.walk(tree):
        if node in hidden:
            continue
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "recloak":
            names.add(node.module or "")
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names if alias.name.startswith("recloak.")}
    return names


def imported_parts(path: Path) -> set[str]:
    """The parts of recloak that a file imports."""
    return {name.split(".")[1] for name in imported_modules(path) if "." in name}


def reached_from(path: Path) -> set[str]:
    """All modules that a file imports, and those that these import, and so on."""
    reached: set[str] = set()
    ahead = [path]
    while ahead:
        for name in imported_modules(ahead.pop()) - reached:
            reached.add(name)
            inside = ROOT.joinpath(*name.split(".")[1:])
            ahead += [file for file in (inside.with_suffix(".py"),) if file.is_file()]
    return reached


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_down(path: Path) -> None:
    mine = LEVEL[part_of(path)]
    upward = {part for part in imported_parts(path) if LEVEL[part] > mine}
    assert not upward, f"{part_of(path)} imports upward: {upward}"


@pytest.mark.parametrize("family", ["guarantees", "attacks", "kernels"])
def test_what_checks_never_imports_what_made(family: str) -> None:
    for path in (ROOT / family).rglob("*.py"):
        assert "methods" not in imported_parts(path), path


# The half of lists that protects, and the kernels it works with.
PROTECTING = {
    f"recloak.lists.{name}"
    for name in (
        "protection",
        "suppression",
        "permutation",
        "constructive",
        "replaying",
        "publishing",
    )
} | {
    f"recloak.kernels.list_{name}"
    for name in ("board", "checks", "borders", "changes", "construction")
}


@pytest.mark.parametrize("family", ["guarantees", "attacks"])
def test_what_checks_lists_never_reaches_what_protects_them(family: str) -> None:
    for path in (ROOT / family).rglob("*.py"):
        assert not reached_from(path) & PROTECTING, path


def test_what_protects_lists_is_there() -> None:
    for name in PROTECTING:
        assert ROOT.joinpath(*name.split(".")[1:]).with_suffix(".py").is_file(), name


def test_every_part_has_a_layer() -> None:
    assert {part_of(path) for path in modules()} <= set(LEVEL)
