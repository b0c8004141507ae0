"""Parts that are encrypted for their recipient: the same release for who has the key, else none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import recloak
from recloak.cli.main import main
from recloak.core.errors import InputError, ParameterError, RecloakError, SecretError
from recloak.core.files import digest_of
from recloak.core.ratings import Ratings
from recloak.publishing.published import Published
from recloak.publishing.run import publish
from recloak.releases import encrypted
from recloak.releases.parts import TableParts
from recloak.simulation import synthesize
from tests.support.block_recipes import SEED, digests


@pytest.fixture(scope="module")
def made() -> Ratings:
    return synthesize("ml-1m", users=60, items=50, ratings=1_200, seed=1)


@pytest.fixture
def key(tmp_path: Path) -> Path:
    (tmp_path / "key").write_bytes(bytes(range(32)))
    return tmp_path / "key"


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several parts, and several chunks of each."""
    monkeypatch.setattr(TableParts, "ratings_per_part", 500)
    monkeypatch.setattr(encrypted, "_CHUNK", 300)


def published(source: Any, out: Path, **options: Any) -> Published:
    given = {"seed": SEED, "audited": False, **options}
    return publish(source, given.pop("method", "gaussian-noise"), out=out, **given)


def test_opened_it_is_the_release_to_the_last_byte_whichever_engine_made_it(
    made: Ratings, key: Path, tmp_path: Path
) -> None:
    plain = published(made, tmp_path / "plain")
    for engine in ("memory", "disk"):
        done = published(made, tmp_path / engine, engine=engine, encrypt_parts=key)
        assert done.release.manifest.encryption is not None
        opened = recloak.open_release(done.folder, parts_key=key)
        assert opened.as_ratings().equals(plain.release.as_ratings())
    assert digests(tmp_path / "memory") == digests(tmp_path / "disk")
    words = ["decrypt", str(tmp_path / "disk"), "--parts-key", str(key)]
    assert main([*words, "--out", str(tmp_path / "opened")]) == 0
    assert digests(tmp_path / "opened") == digests(plain.folder)
    assert len(digests(plain.folder)) == 3 + 3


def test_nothing_but_the_manifest_can_be_read_without_the_key(
    made: Ratings, key: Path, tmp_path: Path
) -> None:
    done = published(made, tmp_path / "r", encrypt_parts=key, engine="disk")
    names = set(digests(done.folder))
    assert {name for name in names if not name.endswith(".sealed")} == {
        "manifest.json",
        "README.md",
    }
    for name in names - {"manifest.json", "README.md"}:
        assert b"PAR1" not in (done.folder / name).read_bytes()
    listed = json.loads((done.folder / "manifest.json").read_text())["files"]
    assert set(listed) == names - {"manifest.json"}
    with pytest.raises(InputError, match="is encrypted"):
        list(done.release.parts())


def test_other_ratings_under_the_same_seed_are_encrypted_under_another_key(
    made: Ratings, key: Path, tmp_path: Path
) -> None:
    salts = set()
    for at, ratings in enumerate((made, made.keep(made.values > 1))):
        done = published(ratings, tmp_path / str(at), encrypt_parts=key)
        assert done.release.manifest.encryption is not None
        salts.add(done.release.manifest.encryption.salt)
    assert len(salts) == 2


def test_verify_looks_into_it(
    made: Ratings, key: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = published(made, tmp_path / "r", encrypt_parts=key, method="microaggregation", k=3)
    words = ["verify", str(done.folder)]
    assert main([*words, "--parts-key", str(key)]) == 0
    assert "k-anonymity:k=3" in capsys.readouterr().out
    other = tmp_path / "other"
    other.write_bytes(bytes(32))
    for given, said in {
        (): "is encrypted",
        ("--parts-key", str(other)): "cannot be opened: wrong key file",
        ("--parts-key", str(tmp_path / "none")): "cannot read the key file",
    }.items():
        assert main([*words, *given]) == 2
        assert said in capsys.readouterr().err
    assert main(["audit", str(done.folder), str(done.folder)]) == 2
    assert "recloak decrypt" in capsys.readouterr().err


@pytest.mark.parametrize("change", ["cut off", "swapped", "turned"])
def test_a_part_that_was_changed_is_refused_though_its_digest_was_changed_too(
    made: Ratings, key: Path, tmp_path: Path, change: str
) -> None:
    """Whole chunks are missing or in another order, or a bit is another."""
    folder = published(made, tmp_path / "r", encrypt_parts=key).folder
    path = folder / "ratings.parquet" / "part-00000.parquet.sealed"
    content, head, size = path.read_bytes(), len(b"RECLOAK PART 1\n"), 300 + 16
    assert len(content) > head + 2 * size
    first, second = content[head : head + size], content[head + size : head + 2 * size]
    path.write_bytes(
        {
            "cut off": content[: head + size],
            "swapped": content[:head] + second + first + content[head + 2 * size :],
            "turned": content[:-1] + bytes([content[-1] ^ 1]),
        }[change]
    )
    with pytest.raises(InputError, match="does not match its digest"):
        recloak.open_release(folder, parts_key=key)
    _in_manifest(folder, path)
    with pytest.raises(SecretError, match="cannot be opened"):
        recloak.open_release(folder, parts_key=key)


def test_a_manifest_that_says_something_else_is_refused(
    made: Ratings, key: Path, tmp_path: Path
) -> None:
    folder = published(made, tmp_path / "r", encrypt_parts=key).folder
    text = (folder / "manifest.json").read_text()
    (folder / "manifest.json").write_text(text.replace('"claims": []', '"claims": ["floor:k=5"]'))
    with pytest.raises(InputError, match="something else than the manifest that is encrypted"):
        recloak.open_release(folder, parts_key=key)


def test_what_cannot_be_is_refused_before_the_work(
    made: Ratings, key: Path, tmp_path: Path
) -> None:
    short = tmp_path / "short"
    short.write_bytes(b"short")
    refused: list[tuple[dict[str, Any], type[RecloakError], str]] = [
        ({"encrypt_parts": short}, ParameterError, "holds 5 bytes"),
        ({"encrypt_parts": tmp_path / "none"}, InputError, "cannot read the key file"),
        (
            {"encrypt_parts": key, "export": f"duckdb:///{tmp_path}/a.db?table=t"},
            ParameterError,
            "would hold the tables unencrypted",
        ),
    ]
    for given, error, why in refused:
        with pytest.raises(error, match=why):
            published(made, tmp_path / "r", **given)
        assert not (tmp_path / "r").exists()
    plain = published(made, tmp_path / "r")
    with pytest.raises(ParameterError, match="is not encrypted"):
        recloak.open_release(plain.folder, parts_key=key)
    with pytest.raises(ParameterError, match="opens the folder of a release"):
        recloak.verify(made, ["k-anonymity:k=2"], parts_key=key)


def _in_manifest(folder: Path, path: Path) -> None:
    """What somebody does who changes a file and its digest."""
    manifest = json.loads((folder / "manifest.json").read_text())
    entry = {"bytes": path.stat().st_size, "sha256": digest_of(path)}
    manifest["files"][path.relative_to(folder).as_posix()] = entry
    (folder / "manifest.json").write_text(json.dumps(manifest))
