"""Excess and membership on MovieLens 1M, beside what independent prototypes found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from recloak.attacks import attack
from recloak.auditing.control_rehearsal import control_group
from recloak.core.parameters import parse_spec
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext
from recloak.evaluation.control_group import ControlGroup
from recloak.io import read
from recloak.methods import method
from recloak.testing import context_of
from tests.attacks.record_linkage.test_record_linkage import value

SEEDS = (0, 1, 2)
OF_PRECISION, OF_AREA = 0.03, 0.02
ROUNDING = 0.001  # of the prototypes' figures


class Found(NamedTuple):
    """What the prototypes found: excess of items and of values, and membership."""

    items: float
    values: float
    membership: float


PROTOTYPES = {
    "pseudonymize": Found(0.651, 0.830, 1.00),
    "gaussian-noise:sigma=1": Found(0.596, 0.343, 1.00),
    "fragmentation:fragments=16,cut=centroids": Found(0.176, 0.466, 0.98),
    "fragmentation:fragments=16,cut=shared": Found(0.058, 0.252, 0.95),
    "predictive:k=5": Found(0.109, 0.055, 0.985),
    "predictive:k=20": Found(0.007, 0.005, 0.905),
    "microaggregation:k=5": Found(0.012, 0.002, 0.947),
    "microaggregation:k=20": Found(0.001, -0.003, 0.710),
    "disassociation:k=2": Found(-0.002, 0.010, 0.56),
    "synthetic:floor=10,calm=0.3": Found(0.001, -0.004, 0.56),
    "synthetic:floor=10,calm=1": Found(0.001, -0.001, 0.55),
    "synthetic:epsilon=8,calm=0.3": Found(-0.005, -0.007, 0.52),
    "synthetic:epsilon=1,calm=1": Found(-0.003, -0.003, 0.535),
}
# Where ours finds more than the bands around the prototypes' figures allow: a stronger adversary.
STRONGER = {
    "pseudonymize": {"values"},
    "gaussian-noise:sigma=1": {"items", "values"},
    "fragmentation:fragments=16,cut=centroids": {"items"},
    "fragmentation:fragments=16,cut=shared": {"items", "membership"},
    "predictive:k=5": {"items", "values"},
    "predictive:k=20": {"membership"},
    "microaggregation:k=5": {"items", "values", "membership"},
    "microaggregation:k=20": {"items", "values", "membership"},
    "disassociation:k=2": {"membership"},
    "synthetic:floor=10,calm=0.3": {"membership"},
    "synthetic:floor=10,calm=1": {"membership"},
    "synthetic:epsilon=8,calm=0.3": {"membership"},
}
# With ε = 1 nobody tells members from others in more than 56.6 of 100 cases. Ours does
# in 51.3 (three seeds), and before it compared explanations in 50.4 over 20 seeds (standard error
# .5; single seeds 46.5 to 55.0); the prototype's 53.5 is of one seed, with a standard error of 1.7,
# and more than its own 52 at ε = 8.
CONTROL, NO_ATTACK_BEYOND, CHANCE = "synthetic:epsilon=1,calm=1", 0.566, 0.5
BANDS = {"items": OF_PRECISION, "values": OF_PRECISION, "membership": OF_AREA}
# A control of people with at least 40 ratings, as the prototypes had: of them 20 are known.
ENOUGH = 40


@pytest.fixture(scope="module")
def ml_1m(real_data: Path) -> Ratings:
    return read(real_data / "ml-1m")


def contexts(original: Ratings, spec: str) -> Iterator[tuple[int, AuditContext]]:
    name, parameters = parse_spec(spec)
    for seed in SEEDS:
        inner = control_group(original, method(name, **parameters), seed)

        def control(draw: int, fold: int, progress: Any, inner: Any = inner) -> ControlGroup:
            group = inner(draw, fold, progress)
            counts = np.minimum(group.outsiders.user_counts, group.members.user_counts)
            kept = np.flatnonzero(counts >= ENOUGH)
            outsiders = group.outsiders.take_users(kept)
            return replace(group, matched=group.matched[kept], outsiders=outsiders)

        yield seed, replace(context_of(original), control=control)


def measured(original: Ratings, spec: str) -> Found:
    """The mean over all seeds."""
    found = []
    for seed, context in contexts(original, spec):
        facts = attack("inference:known=20,worst_tenth=no").run(context, seed)
        finding = attack("membership").run(context, seed)
        names = ("excess_items", "excess_values")
        found.append([*(value(facts, name) for name in names), value(finding, "membership")])
    return Found(*np.mean(found, axis=0).tolist())


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.timeout(1500)
@pytest.mark.parametrize("spec", [spec for spec in PROTOTYPES if spec != CONTROL])
def test_at_least_as_strong_as_the_prototypes(ml_1m: Ratings, spec: str) -> None:
    """No figure lies below its band; those above it are the ones that are said to."""
    ours, theirs = measured(ml_1m, spec), PROTOTYPES[spec]
    for name, band in BANDS.items():
        above = getattr(ours, name) - getattr(theirs, name)
        assert above >= -band, (name, ours)
        assert (above > band + ROUNDING) == (name in STRONGER.get(spec, ())), (name, ours)


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_a_control_that_no_attack_can_beat(ml_1m: Ratings) -> None:
    ours, theirs = measured(ml_1m, CONTROL), PROTOTYPES[CONTROL]
    assert ours.items == pytest.approx(theirs.items, abs=OF_PRECISION)
    assert ours.values == pytest.approx(theirs.values, abs=OF_PRECISION)
    assert CHANCE - OF_AREA <= ours.membership <= NO_ATTACK_BEYOND + OF_AREA
