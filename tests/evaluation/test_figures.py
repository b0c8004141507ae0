"""Declared figures: what goes together is found out, and nobody above knows one by its name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

import recloak
from recloak.attacks.label import Label
from recloak.auditing.evaluation_registry import declared_figures, evaluations
from recloak.evaluation.figures import BarChart, DeclaredFigure
from recloak.testing._evaluation import check_declarations

SUCCESS = DeclaredFigure("found", worse="more", role="success")
OTHER_THINGS = {"rows_per_person", "singled_out"}
"""Also a parameter of methods, and a part of what `inspect` finds."""
LAYERS = ("auditing", "cli", "comparison", "publishing", "report", "studio")


def declaring(*figures: DeclaredFigure, charts: tuple[BarChart, ...] = ()) -> type[Label]:
    class Declaring(Label):
        pass

    Declaring.figures = figures
    Declaring.bar_charts = charts
    return Declaring


@pytest.mark.parametrize(
    ("figures", "fault"),
    [
        ((SUCCESS, replace(SUCCESS, role=None)), "declared twice"),
        ((SUCCESS, replace(SUCCESS, name="other")), "the same role"),
        ((replace(SUCCESS, original="before"),), "not declared: {'before'}"),
        ((replace(SUCCESS, change_in_scale="share"),), "not declared: {'share'}"),
        ((replace(SUCCESS, unit="count"),), "its unit must be share"),
        ((replace(SUCCESS, worse="less"),), "more of it is worse"),
        ((replace(SUCCESS, role="fame"),), "a role that nobody knows"),
    ],
)
def test_declarations_that_do_not_go_together_are_found_out(
    figures: tuple[DeclaredFigure, ...], fault: str
) -> None:
    with pytest.raises(AssertionError, match=fault):
        check_declarations(declaring(*figures))


def test_a_gain_is_kept_as_a_share() -> None:
    gain = DeclaredFigure("told", "count", worse="more", role="gain", change="left")
    check_declarations(declaring(gain, DeclaredFigure("left")))
    with pytest.raises(AssertionError, match="left must be the share"):
        check_declarations(declaring(gain, DeclaredFigure("left", "count")))


@pytest.mark.parametrize("text", ["sentence", "caveat", "worst_off_sentence", "gain_aside"])
def test_a_text_that_cannot_be_filled_in_is_found_out(text: str) -> None:
    wrong: dict[str, Any] = {text: "{how_many} are found."}
    with pytest.raises(KeyError, match="how_many"):
        check_declarations(declaring(replace(SUCCESS, **wrong)))


def test_a_chart_of_figures_that_are_not_declared_is_found_out() -> None:
    chart = BarChart("Where?", "Who is found.", "Place", "share", {"Found": {"here": "lost"}})
    with pytest.raises(AssertionError, match="not declared"):
        check_declarations(declaring(SUCCESS, charts=(chart,)))


def test_what_is_said_of_the_original_is_declared_as_that() -> None:
    for family in ("attack", "measure"):
        for kind in evaluations(family):  # type: ignore[arg-type]
            named = {figure.original for figure in kind.figures}
            ours = {name for name in kind.figure_names() if name.endswith("_original")}
            assert ours <= named, kind.name


class Lookups(ast.NodeVisitor):
    """Calls of ``figure`` and ``share`` with a name, and names of figures as texts."""

    called: ClassVar[tuple[str, ...]] = ("figure", "share")

    def __init__(self, names: set[str]) -> None:
        self.names = names
        self.found: list[str] = []

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Attribute) and node.func.attr in self.called:
            literal = [one for one in node.args if isinstance(one, ast.Constant)]
            self.found += [f"{node.lineno}: {node.func.attr}({one.value!r})" for one in literal]
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if node.value in self.names:
            self.found.append(f"{node.lineno}: {node.value!r}")


def lookups(names: set[str]) -> Iterator[str]:
    root = Path(recloak.__file__).parent
    for layer in LAYERS:
        for file in sorted((root / layer).rglob("*.py")):
            visitor = Lookups(names)
            visitor.visit(ast.parse(file.read_text(encoding="utf-8")))
            yield from (f"{file.relative_to(root)}:{one}" for one in visitor.found)


def test_no_layer_above_asks_for_a_figure_by_its_name() -> None:
    """Names of one word are left out: they are words of the language as well."""
    names = {name for name in declared_figures() if "_" in name}
    assert list(lookups(names - OTHER_THINGS)) == []
