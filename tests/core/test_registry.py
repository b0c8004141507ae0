from __future__ import annotations

from importlib.metadata import EntryPoints
from typing import Any

import pytest

from recloak.core import registry
from recloak.core.errors import ParameterError
from recloak.core.registry import Registry
from recloak.methods import METHODS
from tests.support.plugins import plug_in


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(ParameterError, match="Did you mean 'gaussian-noise'"):
        METHODS.get("gausian-noise")


def test_parameters_behind_a_name_are_said_to_be_flags() -> None:
    with pytest.raises(ParameterError, match="Parameters are flags of their own"):
        METHODS.get("synthetic:epsilon=2")


def test_third_parties_add_members_by_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    plug_in(monkeypatch, "recloak.things", theirs="tests.support.plugins:Boastful")
    sample: Registry[type] = Registry("things", "thing", {"ours": "builtins:dict"})
    assert sample.names() == ["ours", "theirs"]
    assert sample.get("theirs").__name__ == "Boastful"


def test_a_built_in_name_cannot_be_taken_over(monkeypatch: pytest.MonkeyPatch) -> None:
    plug_in(monkeypatch, "recloak.things", ours="tests.support.plugins:Boastful")
    sample: Registry[type] = Registry("things", "thing", {"ours": "builtins:dict"})
    assert list(sample) == ["ours"]
    assert sample.get("ours") is dict


def test_a_broken_third_party_is_named_and_hurts_nobody_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plug_in(monkeypatch, "recloak.things", broken="no_such_module:Thing")
    sample: Registry[type] = Registry("things", "thing", {"ours": "builtins:dict"})
    assert sample.get("ours") is dict
    with pytest.raises(ParameterError, match="'broken' cannot be loaded"):
        sample.get("broken")


def test_what_is_no_member_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    plug_in(monkeypatch, "recloak.things", odd="collections:OrderedDict")
    sample: Registry[type] = Registry("things", "thing", {})
    with pytest.raises(ParameterError, match="is no thing"):
        sample.get("odd")


def test_what_packages_offer_is_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A report asks for names some thousand times."""
    asked = []

    class Offered(EntryPoints):
        def select(self, **wanted: Any) -> EntryPoints:
            asked.append(wanted)
            return super().select(**wanted)

    monkeypatch.setattr(registry, "entry_points", lambda: Offered())
    sample: Registry[type] = Registry("things", "thing", {"ours": "builtins:dict"})
    for _ in range(3):
        assert sample.names() == ["ours"]
    assert asked == [{"group": "recloak.things"}]
