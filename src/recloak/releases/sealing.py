"""Sealing: content that is kept encrypted, under a passphrase or a key file."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from recloak.core.errors import InputError, ParameterError, SecretError

_KEY_FILE_BYTES = 32
_SCRYPT = {"n": 2**17, "r": 8, "p": 1}


class Sealed(NamedTuple):
    """What a sealed file is: its first line, the release that it belongs to, and its name."""

    magic: bytes
    release_id: str
    word: str


@dataclass(frozen=True, repr=False)
class Lock:
    """What a secret is locked with: a passphrase or the content of a key file."""

    kind: str
    material: bytes

    @classmethod
    def passphrase(cls, text: str) -> Lock:
        """A passphrase of at least twelve characters."""
        if len(text) < 12:
            raise ParameterError(
                f"is too short ({len(text)} characters)",
                where="passphrase",
                hint="Use at least 12 characters; several random words are good.",
            )
        return cls("passphrase", text.encode())

    @classmethod
    def key_file(cls, path: str | Path, flag: str = "--key-file") -> Lock:
        """A file of at least 32 random bytes."""
        try:
            content = Path(path).read_bytes()
        except OSError as problem:
            raise InputError(
                f"cannot read the key file: {problem.strerror}",
                where=f"{flag} {path}",
                hint="Make one with: openssl rand -out FILE 32",
            ) from None
        if len(content) < _KEY_FILE_BYTES:
            raise ParameterError(
                f"holds {len(content)} bytes, at least {_KEY_FILE_BYTES} are needed",
                where=f"{flag} {path}",
                hint="Make one with: openssl rand -out FILE 32",
            )
        return cls("key file", content)

    def key(self, salt: bytes, costs: dict[str, int]) -> bytes:
        """The encryption key; slow on purpose for a passphrase."""
        if self.kind == "passphrase":
            return Scrypt(salt=salt, length=32, **costs).derive(self.material)
        info = b"recloak secret"
        return HKDF(algorithm=SHA256(), length=32, salt=salt, info=info).derive(self.material)


def seal_content(plain: bytes, lock: Lock, sealed: Sealed) -> bytes:
    """Encrypt with AES-256-GCM; the header is authenticated too."""
    salt, nonce = os.urandom(16), os.urandom(12)
    header = {
        "release_id": sealed.release_id,
        "lock": lock.kind,
        "salt": salt.hex(),
        "nonce": nonce.hex(),
        "scrypt": _SCRYPT,
    }
    head = sealed.magic + json.dumps(header).encode() + b"\n"
    return head + AESGCM(lock.key(salt, _SCRYPT)).encrypt(nonce, plain, head)


def open_sealed(path: Path, lock: Lock, magic: bytes, word: str) -> tuple[bytes, str]:
    """What was sealed, and the release that it belongs to; a wrong key or changed file is refused.

    ``word`` is what the content is called: a secret, a model.
    """
    content = _read(path, magic, word)
    head_end = content.find(b"\n", len(magic)) + 1
    try:
        header = json.loads(content[len(magic) : head_end])
        salt, nonce = bytes.fromhex(header["salt"]), bytes.fromhex(header["nonce"])
        belongs_to, kind, costs = header["release_id"], header["lock"], header["scrypt"]
    except (ValueError, KeyError, TypeError):
        raise SecretError("its header is damaged", where=str(path)) from None
    if kind != lock.kind:
        raise SecretError(f"is locked with a {kind}, not with a {lock.kind}", where=str(path))
    if costs != _SCRYPT:
        raise SecretError("its header was changed", where=str(path))
    try:
        plain = AESGCM(lock.key(salt, costs)).decrypt(nonce, content[head_end:], content[:head_end])
    except InvalidTag:
        raise SecretError(
            f"cannot be opened: wrong {kind}, or the file was changed", where=str(path)
        ) from None
    return plain, str(belongs_to)


def _read(path: Path, magic: bytes, word: str) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise InputError(f"cannot read the {word}: {problem.strerror}", where=str(path)) from None
    if not content.startswith(magic):
        raise InputError(f"is not a sealed {word}", where=str(path))
    return content
