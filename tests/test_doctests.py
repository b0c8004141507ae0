"""The examples in the docstrings of public names run and give what they say."""

from __future__ import annotations

import doctest
import sys

import pytest

import recloak

WITHOUT_EXAMPLE = ("__version__", "Audit", "open_release")
"""Of the rest every one is shown at work: an audit by `audit`, an opened release by `publish`."""


def examples_of(name: str) -> list[doctest.DocTest]:
    """The examples of a public name, those of its methods included."""
    thing = getattr(recloak, name)
    module = sys.modules[thing.__module__]
    found = doctest.DocTestFinder().find(thing, name, module, globs={})
    return [test for test in found if test.examples]


@pytest.mark.parametrize("name", [name for name in recloak.__all__ if name != "__version__"])
def test_examples_of_public_names(name: str) -> None:
    runner, said = doctest.DocTestRunner(), []
    for test in examples_of(name):
        runner.run(test, out=said.append)
    assert runner.failures == 0, "".join(said)


def test_the_example_of_the_package() -> None:
    assert doctest.testmod(recloak).failed == 0


@pytest.mark.parametrize("name", sorted(set(recloak.__all__) - set(WITHOUT_EXAMPLE)))
def test_what_users_call_has_an_example(name: str) -> None:
    assert examples_of(name)
