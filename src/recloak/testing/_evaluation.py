"""What the contracts of attacks and measures share: what they declare of their figures."""

from __future__ import annotations

from typing import TypeVar

from recloak.evaluation import Evaluation
from recloak.evaluation.figures import ROLES, DeclaredFigure, filled_in
from recloak.evaluation.findings import Figure, Unit
from recloak.testing._component import ComponentContract

E = TypeVar("E", bound=Evaluation)

_UNITS: dict[str, Unit] = {
    "success": "share",
    "worst-off tenth": "share",
    "gain": "count",
    "prediction error": "rating",
}


class EvaluationContract(ComponentContract[E]):
    """Tests of what an attack or measure declares."""

    def test_declared_figures_go_together(self) -> None:
        check_declarations(self.member())


def check_declarations(kind: type[Evaluation]) -> None:
    """Names and roles occur once, what is named exists, and every text can be filled in."""
    names = kind.figure_names()
    assert len(set(names)) == len(names), "a figure is declared twice"
    roles = [figure.role for figure in kind.figures if figure.role]
    assert len(set(roles)) == len(roles), "two figures have the same role"
    for figure in kind.figures:
        missing = set(figure.beside) - set(names)
        assert not missing, f"{figure.name} names figures that are not declared: {missing}"
        _check_role(kind, figure)
        _check_texts(figure)
    for chart in kind.bar_charts:
        drawn = {name for by_place in chart.series.values() for name in by_place.values()}
        assert drawn <= set(names), f"{chart.title} shows figures that are not declared"


def _check_role(kind: type[Evaluation], figure: DeclaredFigure) -> None:
    if figure.role is None:
        return
    assert figure.role in ROLES, f"{figure.name} has a role that nobody knows"
    unit = _UNITS[figure.role]
    assert figure.unit == unit, f"{figure.name} is a {figure.role}: its unit must be {unit}"
    assert figure.worse == "more", f"{figure.name} is a {figure.role}: more of it is worse"
    change = kind.declared(figure.change)
    if figure.role == "gain" and change is not None:
        assert change.unit == "share", f"{change.name} must be the share of the gain that is kept"


def _check_texts(figure: DeclaredFigure) -> None:
    found = Figure(figure.name, 0.5, 0.4, 0.6, figure.unit)
    for text in (figure.sentence, figure.caveat, figure.worst_off_sentence):
        filled_in(text, found, "title")
    for text in (figure.utility_sentence, figure.gain_aside):
        text.format(value="0.5")
