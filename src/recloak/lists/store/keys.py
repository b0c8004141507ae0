"""Keys: what digests of ratings are made with, so that who has the store alone can try out nothing.

A key never stands in the database. It is a file of its own: beside a SQLite store, among the
settings of the user for PostgreSQL, or where ``--key`` says.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from recloak.core.errors import InputError, MachineError

if TYPE_CHECKING:
    from sqlalchemy import URL

_BYTES = 32
_NONCE_BYTES = 12


@dataclass(frozen=True)
class StoreKey:
    """A secret of the store's owner; ``name`` tells keys apart and nothing else."""

    secret: bytes = field(repr=False)

    @property
    def name(self) -> str:
        """Stored beside what was made with the key."""
        return self._derived(b"name").hex()[:16]

    @property
    def for_digests(self) -> bytes:
        return self._derived(b"digests")

    def sealed(self, content: bytes) -> bytes:
        """Encrypted, and such that a change is noticed."""
        nonce = secrets.token_bytes(_NONCE_BYTES)
        return nonce + AESGCM(self._derived(b"cache")).encrypt(nonce, content, None)

    def opened(self, sealed: bytes) -> bytes | None:
        """The inverse of `sealed`; None if it was made with another key, or damaged."""
        try:
            nonce, rest = sealed[:_NONCE_BYTES], memoryview(sealed)[_NONCE_BYTES:]  # no copy
            return AESGCM(self._derived(b"cache")).decrypt(nonce, rest, None)
        except (InvalidTag, ValueError):
            return None

    def _derived(self, purpose: bytes) -> bytes:
        return hashlib.blake2b(purpose, key=self.secret, digest_size=32).digest()


def key_file(url: URL, given: str | None = None) -> Path:
    """Where the key of a store is, if ``given`` does not say."""
    if given:
        return Path(given)
    if url.get_backend_name() == "sqlite":
        return Path(f"{url.database}.key")
    settings = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    return Path(settings).expanduser() / "recloak" / "lists.key"


def read_key(path: Path) -> StoreKey:
    """The key in a file; refused if it is not there, or no key."""
    try:
        secret = bytes.fromhex(path.read_text(encoding="ascii").strip())
    except FileNotFoundError:
        raise InputError(
            "the key of the store is missing",
            where=str(path),
            hint="Say where it is with --key, or restore it. If it is lost, --new-key makes "
            "another: releases until then can no longer be compared with their ratings.",
        ) from None
    except OSError as problem:
        raise MachineError(f"cannot be read: {problem.strerror}", where=str(path)) from None
    except ValueError:
        secret = b""
    if len(secret) != _BYTES:
        raise InputError("is not the key of a store", where=str(path))
    return StoreKey(secret)


def make_key(path: Path) -> StoreKey:
    """The key in a file, made if there is none; nobody but its owner may read it.

    It appears whole under its name, and the first of several runs that make one wins.
    """
    beside = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            with open(beside, "x", opener=lambda name, flags: os.open(name, flags, 0o600)) as out:
                out.write(secrets.token_hex(_BYTES) + "\n")
                out.flush()
                os.fsync(out.fileno())
            with suppress(FileExistsError):
                os.link(beside, path)
    except OSError as problem:
        raise MachineError(f"cannot be written: {problem.strerror}", where=str(path)) from None
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
    return read_key(path)
