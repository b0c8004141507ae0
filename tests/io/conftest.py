"""Fixtures of the tests of formats."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recloak.io import Loaded, load


@pytest.fixture
def put(tmp_path: Path) -> Callable[..., Loaded]:
    """Writes a file called ``data`` and loads it."""

    def load_text(text: str | bytes, **options: Any) -> Loaded:
        file = tmp_path / "data"
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return load(file, **options)

    return load_text
