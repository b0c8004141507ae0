"""What the contracts of import-linter cannot say of imports; those stand in pyproject.toml."""

from __future__ import annotations

from graphlib import TopologicalSorter
from pathlib import Path

import grimp
import pytest

import recloak
from recloak.attacks import ATTACKS
from recloak.clustering import CLUSTERINGS
from recloak.guarantees import GUARANTEES
from recloak.io import FORMATS
from recloak.measures import MEASURES
from recloak.methods import METHODS
from recloak.recommenders import RECOMMENDERS
from recloak.studies import STUDIES

EXPORTED = """
__version__ Audit AuditOptions ExtendOptions Policy PublishOptions Randomness Ratings ReadOptions
RecloakError Release Scale Secret SyntheticModel advise audit compare
draw extend inspect method open_model open_release publish read synthesize verify
"""


@pytest.fixture(scope="module")
def imports() -> dict[str, set[str]]:
    """What each module imports from others of recloak."""
    graph = grimp.build_graph("recloak", exclude_type_checking_imports=True, cache_dir=None)
    return {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}


def test_no_module_imports_itself_by_way_of_others(imports: dict[str, set[str]]) -> None:
    """Also no package its own modules while they import the package, which no contract sees."""
    TopologicalSorter(imports).prepare()  # a CycleError names the cycle


def test_what_recloak_offers() -> None:
    assert sorted(recloak.__all__) == sorted(EXPORTED.split())
    for name in recloak.__all__:
        assert getattr(recloak, name) is not None


FAMILIES = {
    "methods": METHODS,
    "guarantees": GUARANTEES,
    "attacks": ATTACKS,
    "measures": MEASURES,
    "recommenders": RECOMMENDERS,
    "clustering": CLUSTERINGS,
    "io": FORMATS,
    "studies": STUDIES,
}
INTERFACES = {
    "io": {
        "given",
        "loading",
        "options",
        "preview",
        "reservations",
        "staging",
        "typed_columns",
        "writing",
    },
    "recommenders": {"similarity"},
    "studies": {"data", "writing"},
}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_listing_of_a_family_is_the_list_of_its_components(family: str) -> None:
    """Beside what all of them are made of, and what others call."""
    registry = FAMILIES[family]
    built_in = [value.partition(":")[0].split(".")[2] for value in registry._builtin.values()]
    folder = Path(recloak.__file__).parent / family
    listed = {path.stem for path in folder.iterdir() if not path.name.startswith("_")}
    assert set(built_in) <= listed
    assert listed - {*built_in, "base", *INTERFACES.get(family, ())} == set()


def test_helpers_of_a_family_are_its_own(imports: dict[str, set[str]]) -> None:
    """A module with an underscore is imported only from the folder of recloak that it is in."""
    reached = {
        f"{user} -> {module}"
        for user, used in imports.items()
        for module in used
        if "._" in module and user.split(".")[1] != module.split(".")[1]
    }
    assert reached == set()


def test_what_stands_in_core_serves_several_families(imports: dict[str, set[str]]) -> None:
    """A module of core that core does not need itself serves two folders or more, or commands."""
    users: dict[str, set[str]] = {}
    for user, used in imports.items():
        for module in used:
            users.setdefault(module, set()).add(user.split(".")[1])
    core = [name for name in imports if name.startswith("recloak.core.") and "._" not in name]
    lonely = [name for name in core if not users[name] & {"core", "cli"} and len(users[name]) < 2]
    assert lonely == []
