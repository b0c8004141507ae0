"""Contracts: tests that every component of a family passes, for recloak's own and for plug-ins.

The test of an attack of yours is two lines; pytest does the rest:

    class TestMine(AttackContract):
        component = Mine

Needs ``pip install 'recloak[testing]'``.
"""

from __future__ import annotations

import pytest

# Before they are imported: their asserts then say what was compared, as those of a test do.
pytest.register_assert_rewrite(
    *(
        f"{__name__}.{module}"
        for module in (
            "_component",
            "_evaluation",
            "attacks",
            "formats",
            "guarantees",
            "measures",
            "methods",
            "recommenders",
        )
    )
)

from recloak.testing.attacks import AttackContract  # noqa: E402
from recloak.testing.contexts import context_of, controlled, rehearsable, with_rehearsal  # noqa: E402
from recloak.testing.data import empty_ratings, from_rows, random_ratings  # noqa: E402
from recloak.testing.formats import FormatContract  # noqa: E402
from recloak.testing.guarantees import GuaranteeContract  # noqa: E402
from recloak.testing.measures import MeasureContract  # noqa: E402
from recloak.testing.methods import MethodContract  # noqa: E402
from recloak.testing.progress import Recorder, Stopper  # noqa: E402
from recloak.testing.recommenders import RecommenderContract  # noqa: E402

__all__ = [
    "AttackContract",
    "FormatContract",
    "GuaranteeContract",
    "MeasureContract",
    "MethodContract",
    "RecommenderContract",
    "Recorder",
    "Stopper",
    "context_of",
    "controlled",
    "empty_ratings",
    "from_rows",
    "random_ratings",
    "rehearsable",
    "with_rehearsal",
]
