"""The wheel: what is in it, and which version it says it is."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(place)]
    subprocess.run([*build, str(ROOT)], check=True, capture_output=True, text=True)
    (made,) = place.iterdir()
    return made


def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    here = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src" / "recloak").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    packed = {name for name in names if not re.match(r"recloak-[^/]*\.dist-info/", name)}
    assert packed == here
    assert not [name for name in packed if name.endswith((".csv", ".parquet", ".nbi", ".nbc"))]


def test_the_version_is_one_that_a_manifest_takes(wheel: Path) -> None:
    version = wheel.name.split("-")[1]
    assert re.fullmatch(r"[0-9][0-9A-Za-z.+]{0,40}", version)
    assert not version.startswith("0.0")
