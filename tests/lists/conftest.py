"""Stores to test with: each test runs with SQLite and with PostgreSQL."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.databases import KINDS, cluster, emptied


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """A cluster for all tests of a session; its folder is one that another user may enter."""
    place = Path(tempfile.mkdtemp(prefix="recloak-pg-"))
    place.chmod(0o755)
    try:
        with cluster(place / "cluster") as url:
            yield url
    finally:
        shutil.rmtree(place, ignore_errors=True)


@pytest.fixture(params=KINDS)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a store that is not there yet."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'lists.db'}"
    return emptied(request.getfixturevalue("postgresql"))


@pytest.fixture(autouse=True)
def settings_of_nobody(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keys of stores in PostgreSQL stand among a user's settings; not among those of who tests."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("settings")))
        yield
