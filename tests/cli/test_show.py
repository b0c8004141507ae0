from __future__ import annotations

import argparse
import io
import json
import re
import time
from dataclasses import replace
from typing import cast

import numpy as np
import pytest
from rich.console import Console

from recloak.auditing.evaluation_registry import declared_figures
from recloak.auditing.policy import Policy
from recloak.auditing.run import audit
from recloak.cli._shared import bars as bars_module
from recloak.cli._shared.screen import Screen
from recloak.cli._shared.show import show_advice, show_audit
from recloak.comparison.advising import Advice
from recloak.comparison.protocol import Protocol
from recloak.comparison.requirements import Objective, parse_requirement, utility_objective
from recloak.comparison.run import Comparison
from recloak.comparison.tables import advice_content
from recloak.evaluation.findings import Audit, Figure, Finding
from recloak.methods import method
from recloak.studies.base import Measured
from recloak.testing import random_ratings
from tests.comparison.samples import trial


def test_every_measure_is_shown_with_a_figure(capsys: pytest.CaptureFixture[str]) -> None:
    original = random_ratings(120, 50, 0.3)
    applied = method("pseudonymize").apply(original)
    found = audit(original, applied.release, secret=applied.secret, attacks=[])
    show_audit(Screen(argparse.Namespace(json=False, quiet=False)), found)
    output = capsys.readouterr().out
    errors, others = output.split("Utility: other measures")
    assert "factorization" in errors
    assert "tailoring utility for newcomers" in errors
    assert errors.index("people who are not in the release") < errors.index("error of a")
    names = {finding.name for finding in found.measures}
    assert len(names) > 8
    for name in names - {"prediction", "fold-in"}:
        line = next(line for line in others.splitlines() if line.startswith(name))
        assert any(sign.isdigit() for sign in line), line
    assert "acceptable pass" in " ".join(others.split())
    assert "not measured" not in output.split("policy")[0]
    for figure in declared_figures().values():
        if "_" in figure.name:
            assert figure.name not in output, figure.name


def test_lines_of_a_policy_are_shown_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    (line,) = (one for one in Policy.default().requirements if one.figure == "membership_tpr")
    found = trial("predictive", success=0.1).audit
    assert found is not None
    judged = replace(found, policy_results=(line.judge(found),))
    show_audit(Screen(argparse.Namespace(json=False, quiet=False)), judged)
    shown = " ".join(capsys.readouterr().out.split())
    assert "membership at 1 % at most" in shown
    assert "membership_tpr" not in shown


def test_a_requirement_is_shown_with_the_end_of_the_interval_that_decided(
    capsys: pytest.CaptureFixture[str],
) -> None:
    missed = trial("predictive", success=0.188, mu=0.1, half=0.02)
    requirement = parse_requirement("success<=0.2", Protocol.usual())
    none = cast("Comparison", None)
    advice = Advice(none, Objective("mu"), (requirement,), (missed,), None, missed, "none")
    show_advice(Screen(argparse.Namespace(json=False, quiet=False)), advice, None)
    assert "✘ 18.8% (up to 20.8%)" in capsys.readouterr().out
    (judged,) = advice_content(advice, None)["frontier"][0]["requirements"]
    assert judged["judged"] == pytest.approx(0.208)


def test_many_requirements_are_numbered(capsys: pytest.CaptureFixture[str]) -> None:
    some = trial("predictive", controlled={"singled_out": 0.02}, newcomers=0.1)
    lines, none = Policy.default().requirements, cast("Comparison", None)
    advice = Advice(none, utility_objective(), lines, (some,), None, some, "none")
    show_advice(Screen(argparse.Namespace(json=False, quiet=False)), advice, None)
    output = capsys.readouterr().out
    assert f"{len(lines)}. {lines[-1].in_words}" in output
    assert "singled out at most 10%" in output
    assert "singled_out" not in output
    assert "the end of the 95 % interval that decides" in output
    assert "✔ 3.0%" in output


def test_numbers_of_many_requirements_stay_whole(capsys: pytest.CaptureFixture[str]) -> None:
    """A number on two lines is read as two numbers."""
    risks = {"singled_out": 0.99, "membership": 0.91, "excess": 0.77, "excess_worst_tenth": 0.98}
    some = trial("fragmentation", controlled=risks, newcomers=0.1, cut="centroids", fragments=2)
    lines, none = Policy.default().requirements, cast("Comparison", None)
    advice = Advice(none, utility_objective(), lines, (some,), None, some, "none")
    show_advice(Screen(argparse.Namespace(json=False, quiet=False)), advice, None)
    (row,) = (one for one in capsys.readouterr().out.splitlines() if one.startswith("fragmenta"))
    assert "fragmentation:cut=centroids,fragments=2" in row
    assert len(re.findall(r"[✔✘?] [\d.–]+", row)) == len(lines)


def test_the_end_of_a_long_claim_is_not_cut(capsys: pytest.CaptureFixture[str]) -> None:
    claim = f"proximity:sensitive={'+'.join(map(str, range(60)))},k=5,nulls=present"
    screen = Screen(argparse.Namespace(json=False, quiet=False, log=None))
    screen.table(("claim", "verdict", "how"), [(claim, "holds", "All were compared. " * 12)])
    shown = "".join(line[:60].split(" ")[0] for line in capsys.readouterr().out.splitlines()[1:])
    assert shown == claim


def test_an_attack_is_shown_beside_its_control(capsys: pytest.CaptureFixture[str]) -> None:
    found = trial("predictive", success=0.3, controlled={"singled_out": 0.02, "excess": 0.04})
    assert found.audit is not None
    show_audit(Screen(argparse.Namespace(json=False, quiet=False)), found.audit)
    lines = capsys.readouterr().out.splitlines()
    (linked,) = (line for line in lines if line.startswith("bayes-linkage"))
    assert linked.split("ratings")[-1].split()[2:] == ["singled", "out", "2.0%", "(1.0%–3.0%)"]
    (stated,) = (line for line in lines if line.startswith("inference"))
    assert stated.rstrip().endswith("excess 4.0% (3.0%–5.0%)")
    (old,) = (line for line in lines if line.startswith("record-linkage"))
    assert "30.0%" in old


def test_a_table_without_rows_is_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    tried = Finding("attack", "label", {}, "", "knows 4 ratings", (Figure("success", 0.1),), 10, 0)
    audit = Audit("x", {}, {}, attacks=(tried,))
    show_audit(Screen(argparse.Namespace(json=False, quiet=False)), audit)
    shown = capsys.readouterr().out
    assert "Attacks: who is found" in shown
    assert "Utility" not in shown
    show_audit(Screen(argparse.Namespace(json=False, quiet=False)), replace(audit, attacks=()))
    assert capsys.readouterr().out.strip() == ""


def test_programs_are_given_numbers_as_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    """Figures of studies over several seeds and numbers of NumPy came out as texts."""
    screen = Screen(argparse.Namespace(json=True, quiet=False))
    measured = Measured.of([0.25, 0.75])
    screen.result({"rmse": measured, "n": np.int64(3), "x": np.float32(0.5), "none": float("nan")})
    document = json.loads(capsys.readouterr().out)
    assert document["rmse"] == {"mean": 0.5, "deviation": measured.deviation, "runs": 2}
    assert (document["n"], document["x"], document["none"]) == (3, 0.5, None)


def test_work_that_comes_to_no_step_is_shown_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bars_module, "BAR_AFTER_SECONDS", 0.01)
    drawn = io.StringIO()
    bars = bars_module.Bars(Console(file=drawn, force_terminal=True, width=100))
    with bars.task("Comparing", 3), bars.task("Long work"):
        deadline = time.monotonic() + 120
        while "Long work" not in drawn.getvalue() and time.monotonic() < deadline:
            time.sleep(0.02)
    assert "Comparing" in drawn.getvalue()
    assert "Long work" in drawn.getvalue()
