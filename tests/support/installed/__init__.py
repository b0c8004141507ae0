"""A package of somebody else: copied and installed beside a test, with its entry points."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

SOURCE = Path(__file__).with_name("spotting.py")
ENTRY_POINTS = {
    "recloak.attacks": {"spotting": "spotting:Spotting"},
    "recloak.measures": {"forecast": "spotting:Forecast", "welcome": "spotting:Welcome"},
}


def describe_package(
    folder: Path, name: str, version: str, entry_points: Mapping[str, Mapping[str, str]]
) -> None:
    """Write what pip writes when it installs a package into ``folder``."""
    information = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    information.mkdir()
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    (information / "METADATA").write_text(metadata)
    groups = (
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in points.items())
        for group, points in entry_points.items()
    )
    (information / "entry_points.txt").write_text("".join(groups))


def install_spotting(folder: Path) -> None:
    """Install the attack `spotting` and the measures `forecast` and `welcome`."""
    (folder / SOURCE.name).write_text(SOURCE.read_text(encoding="utf-8"), encoding="utf-8")
    describe_package(folder, "spotting", "1.0", ENTRY_POINTS)
