from __future__ import annotations

import argparse

import pytest

from recloak.auditing.run import audit
from recloak.cli._shared.screen import Screen
from recloak.cli._shared.show import show_audit
from recloak.methods import method
from recloak.testing import random_ratings


def test_every_measure_is_shown_with_a_figure(capsys: pytest.CaptureFixture[str]) -> None:
    original = random_ratings(120, 50, 0.3)
    applied = method("pseudonymize").apply(original)
    found = audit(original, applied.release, secret=applied.secret, attacks=[])
    show_audit(Screen(argparse.Namespace(json=False, quiet=False)), found)
    output = capsys.readouterr().out
    errors, others = output.split("Utility: other measures")
    assert "factorization" in errors
    names = {finding.name for finding in found.measures}
    assert len(names) > 8
    for name in names - {"prediction"}:
        line = next(line for line in others.splitlines() if line.startswith(name))
        assert any(sign.isdigit() for sign in line), line
    assert "acceptable pass" in " ".join(others.split())
    assert "not measured" not in output.split("policy")[0]
