"""The examples in the docstrings of public names run and give what they say."""

from __future__ import annotations

import doctest
import sys
from importlib import import_module
from pathlib import Path

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
    runner, output = doctest.DocTestRunner(), []
    for test in examples_of(name):
        runner.run(test, out=output.append)
    assert runner.failures == 0, "".join(output)


def test_the_example_of_the_package() -> None:
    assert doctest.testmod(recloak).failed == 0


def test_examples_elsewhere() -> None:
    root, tried = Path(recloak.__file__).parent, 0
    exported = {getattr(recloak, name).__module__ for name in recloak.__all__[1:]}
    for file in sorted(root.rglob("*.py")):
        name = ".".join(("recloak", *file.relative_to(root).with_suffix("").parts))
        name = name.removesuffix(".__init__")
        if ">>>" in file.read_text(encoding="utf-8") and name not in {"recloak", *exported}:
            found = doctest.testmod(import_module(name))
            assert found.failed == 0, name
            tried += found.attempted
    assert tried


@pytest.mark.parametrize("name", sorted(set(recloak.__all__) - set(WITHOUT_EXAMPLE)))
def test_what_users_call_has_an_example(name: str) -> None:
    assert examples_of(name)
