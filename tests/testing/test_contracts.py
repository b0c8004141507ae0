"""Contracts: a component that breaks one is found out, and what was compared is said."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from recloak.core.errors import ParameterError
from recloak.evaluation.findings import Finding
from recloak.measures.density import Density
from recloak.testing import MeasureContract

RUNS = count()


class Fickle(Density):
    name = "fickle"

    def run(self, *context: Any, **options: Any) -> Finding:
        return replace(super().run(*context, **options), sample=next(RUNS))


class Contract(MeasureContract):
    component = Fickle


def test_a_measure_that_differs_from_run_to_run_is_found_out() -> None:
    with pytest.raises(AssertionError, match=r"assert Finding\("):
        Contract().test_the_same_seed_finds_the_same()


def test_a_component_without_an_entry_point_is_found_out() -> None:
    with pytest.raises(ParameterError, match="no measure called 'fickle'"):
        Contract().test_is_registered_under_its_name()


def test_figures_without_an_interval_have_to_be_named() -> None:
    with pytest.raises(AssertionError):
        Contract().test_figures_have_intervals_that_hold_them()


def test_who_does_not_test_needs_no_pytest() -> None:
    names = "import sys, recloak; [getattr(recloak, name) for name in recloak.__all__]"
    script = f"{names}; import recloak.cli.main; sys.exit('pytest' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], timeout=280).returncode == 0
