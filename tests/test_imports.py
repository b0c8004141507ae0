"""What the contracts of import-linter cannot say of imports; those stand in pyproject.toml."""

from __future__ import annotations

from graphlib import TopologicalSorter

import grimp

import recloak

EXPORTED = """
__version__ Audit ExtendOptions Policy PublishOptions Randomness Ratings ReadOptions RecloakError
Release Scale Secret SyntheticModel advise audit compare
draw extend inspect method open_model open_release publish read synthesize verify
"""


def test_no_module_imports_itself_by_way_of_others() -> None:
    """Also no package its own modules while they import the package, which no contract sees."""
    graph = grimp.build_graph("recloak", exclude_type_checking_imports=True, cache_dir=None)
    imports = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    TopologicalSorter(imports).prepare()  # a CycleError names the cycle


def test_what_recloak_offers() -> None:
    assert sorted(recloak.__all__) == sorted(EXPORTED.split())
    for name in recloak.__all__:
        assert getattr(recloak, name) is not None
