from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from recloak.core.errors import InputError, ParameterError, SecretError
from recloak.core.ratings import Ratings
from recloak.methods import method
from recloak.releases.secret import Lock, Secret, open_secret, seal
from recloak.testing import from_rows

PHRASE = Lock.passphrase("a long enough phrase")


@pytest.fixture
def secret(small: Ratings) -> Secret:
    return method("pseudonymize").apply(small).secret


def test_opens_again_with_its_passphrase(tmp_path: Path, secret: Secret) -> None:
    (tmp_path / "s").write_bytes(seal(secret, PHRASE))
    again = open_secret(tmp_path / "s", PHRASE, release_id=secret.release_id)
    assert again.root == secret.root
    assert again.table().equals(secret.table())


def test_opens_again_with_its_key_file(tmp_path: Path, secret: Secret) -> None:
    (tmp_path / "key").write_bytes(bytes(range(32)))
    (tmp_path / "s").write_bytes(seal(secret, Lock.key_file(tmp_path / "key")))
    again = open_secret(tmp_path / "s", Lock.key_file(tmp_path / "key"))
    assert again.table().equals(secret.table())
    with pytest.raises(SecretError, match="locked with a key file"):
        open_secret(tmp_path / "s", PHRASE)


def test_text_names_survive(tmp_path: Path) -> None:
    applied = method("pseudonymize").apply(from_rows({"ann": {"x": 1}, "Bob, jr.": {"y": 2}}))
    (tmp_path / "s").write_bytes(seal(applied.secret, PHRASE))
    again = open_secret(tmp_path / "s", PHRASE)
    assert sorted(again.user_labels.tolist()) == ["Bob, jr.", "ann"]


def test_nothing_readable_is_in_the_file(tmp_path: Path, secret: Secret) -> None:
    (tmp_path / "s").write_bytes(seal(secret, PHRASE))
    content = (tmp_path / "s").read_bytes()
    assert secret.root not in content
    assert secret.root.hex().encode() not in content
    assert str(secret.pseudonyms[0]).encode() not in content


def test_a_wrong_passphrase_or_changed_file_is_refused(tmp_path: Path, secret: Secret) -> None:
    (tmp_path / "s").write_bytes(seal(secret, PHRASE))
    with pytest.raises(SecretError, match="wrong passphrase"):
        open_secret(tmp_path / "s", Lock.passphrase("another long phrase"))
    content = bytearray((tmp_path / "s").read_bytes())
    content[-20] ^= 1
    (tmp_path / "t").write_bytes(content)
    with pytest.raises(SecretError):
        open_secret(tmp_path / "t", PHRASE)
    head = bytes(content).replace(secret.release_id.encode(), b"0" * 32)
    (tmp_path / "u").write_bytes(head)
    with pytest.raises(SecretError):
        open_secret(tmp_path / "u", PHRASE)


def test_costs_in_the_header_cannot_be_changed(tmp_path: Path, secret: Secret) -> None:
    (tmp_path / "s").write_bytes(seal(secret, PHRASE))
    weaker = (tmp_path / "s").read_bytes().replace(b'"n": 131072', b'"n": 999999')
    (tmp_path / "t").write_bytes(weaker)
    with pytest.raises(SecretError, match="header was changed"):
        open_secret(tmp_path / "t", PHRASE)


def test_a_secret_of_another_release_is_refused(tmp_path: Path, secret: Secret) -> None:
    (tmp_path / "s").write_bytes(seal(secret, PHRASE))
    with pytest.raises(SecretError, match="belongs to release"):
        open_secret(tmp_path / "s", PHRASE, release_id="f" * 32)


@pytest.mark.parametrize(
    "content", [b"", b"junk", b"RECLOAK SECRET 1\n", b"RECLOAK SECRET 1\n{}\nx"]
)
def test_what_is_no_secret_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "s").write_bytes(content)
    with pytest.raises((InputError, SecretError)):
        open_secret(tmp_path / "s", PHRASE)
    with pytest.raises(InputError):
        open_secret(tmp_path / "missing", PHRASE)


def test_weak_locks_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="too short"):
        Lock.passphrase("short")
    (tmp_path / "key").write_bytes(b"short")
    with pytest.raises(ParameterError, match="holds 5 bytes"):
        Lock.key_file(tmp_path / "key")
    with pytest.raises(InputError, match="openssl"):
        Lock.key_file(tmp_path / "none")


def test_shows_nothing_of_itself(secret: Secret) -> None:
    assert secret.root.hex() not in repr(secret)
    assert str(secret.pseudonyms[0]) not in repr(secret)


def test_links_by_name_not_by_place(small: Ratings, secret: Secret) -> None:
    fewer = small.without_users(small.user_labels[:10])
    applied = method("pseudonymize").apply(fewer)
    linkage = applied.secret.linkage(small, applied.release.as_ratings())
    assert linkage.linked.tolist() == list(range(10, small.n_users))
    assert linkage.first_row(np.array([0, 10])).tolist()[0] == -1
    with pytest.raises(InputError, match="belongs to another release"):
        secret.linkage(small, applied.release.as_ratings())
