"""Encrypted releases: every file of a release sealed for whoever has its key.

What stands in the folder then are the manifest, a page that says how to open the rest, and each
file of the release, its own manifest among them, under its name and ``.sealed``. Opened, they are
the release as it was before, to the last byte.

A file is cut into chunks, each AES-256-GCM under a key that follows from the key file, a salt and
the name of the file; its nonce is the number of the chunk and whether it is the last. The salt
follows from the root of the release and from all that is sealed. So the same publication gives the
same bytes on every engine, and no key ever encrypts two different contents.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import IO

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from recloak.core.errors import InputError, MachineError, ParameterError, SecretError
from recloak.core.files import (
    digest_of,
    machine_errors,
    move_into_place,
    refuse_existing,
    staging_folder,
    temporary_folder,
)
from recloak.core.progress import Progress
from recloak.releases.manifest import MANIFEST_NAME, Encryption, FileEntry, Manifest
from recloak.releases.parts import check_files, entries_of, files_of
from recloak.releases.sealing import Lock

SUFFIX = ".sealed"
PAGE_NAME = "README.md"
PAGE = """# An encrypted release

The tables of this release, and the page that describes them, are encrypted for whoever has the key.
With recloak and the key file:

```sh
recloak decrypt FOLDER --parts-key KEY --out opened
recloak verify FOLDER --parts-key KEY
```

`manifest.json` says what the release holds, and has the size and the digest of every file.
"""
_MAGIC = b"RECLOAK PART 1\n"
_CHUNK = 1 << 24
_TAG = 16
_SALT = 16
_HINT = "Open it with its key: recloak decrypt RELEASE --parts-key KEY --out DIR"


def encrypt_folder(folder: Path, lock: Lock, root: bytes, progress: Progress) -> Manifest:
    """Seal every file of a finished release; each is opened again before what it holds goes."""
    plain = Manifest.read(folder)
    salt, files = _salt(folder, root), list(files_of(folder))
    with machine_errors(folder), progress.task("Encrypting", len(files)) as task:
        for name, path in files:
            _replace(path, _FileKey.of(lock, salt, plain.release_id, name))
            task.advance()
        (folder / PAGE_NAME).write_text(PAGE, encoding="utf-8")
        manifest = _outside(plain, salt, entries_of(folder))
        (folder / MANIFEST_NAME).write_text(manifest.to_json(), encoding="utf-8")
    return manifest


@contextmanager
def opened_folder(
    folder: str | Path, parts_key: str | Path | None
) -> Iterator[tuple[Path, Manifest]]:
    """A release folder whose files are those of its manifest; what is encrypted is opened."""
    path = Path(folder)
    if not path.is_dir():
        raise InputError("there is no such folder", where=str(path))
    lock = None if parts_key is None else Lock.key_file(parts_key, "--parts-key")
    manifest = Manifest.read(path)
    check_files(path, manifest)
    if manifest.encryption is None:
        if lock is not None:
            raise ParameterError("is not encrypted", where=str(path), hint="Leave the key out.")
        yield path, manifest
        return
    with temporary_folder() as place:
        plain = place / "release"
        yield plain, _decrypt_into(plain, path, manifest, lock)


def decrypt_release(folder: str | Path, parts_key: str | Path, out: str | Path) -> Manifest:
    """Write an encrypted release as it was before into ``out``, which must not exist."""
    lock, path, final = Lock.key_file(parts_key, "--parts-key"), Path(folder), Path(out)
    refuse_existing(final, "--out")
    manifest = Manifest.read(path)
    check_files(path, manifest)
    with staging_folder(final) as staging:
        opened = _decrypt_into(staging / "release", path, manifest, lock)
        move_into_place(staging / "release", final)
    return opened


def _decrypt_into(target: Path, folder: Path, manifest: Manifest, lock: Lock | None) -> Manifest:
    """Write the files of an encrypted release, opened, into ``target``, which is made."""
    if manifest.encryption is None:
        raise InputError("is not encrypted", where=str(folder))
    if lock is None:
        raise InputError("is encrypted", where=str(folder), hint=_HINT)
    salt = bytes.fromhex(manifest.encryption.salt)
    with machine_errors(target):
        target.mkdir()
    for name, path in files_of(folder):
        if path.suffix != SUFFIX:
            continue
        inside = name.removesuffix(SUFFIX)
        opened = target / inside
        with machine_errors(opened):
            opened.parent.mkdir(exist_ok=True)
            with path.open("rb") as source, opened.open("xb") as file:
                for chunk in _FileKey.of(lock, salt, manifest.release_id, inside).opened(source):
                    file.write(chunk)
    found = Manifest.read(target)
    if _outside(found, salt, manifest.files) != manifest:
        raise InputError(
            "says something else than the manifest that is encrypted",
            where=str(folder / MANIFEST_NAME),
            hint="The release was edited or damaged; get it again from whoever published it.",
        )
    check_files(target, found)
    return found


class _FileKey:
    """What one file is sealed with."""

    def __init__(self, key: bytes, release_id: str, name: str) -> None:
        self._cipher, self._about, self._name = AESGCM(key), release_id.encode(), name

    @classmethod
    def of(cls, lock: Lock, salt: bytes, release_id: str, name: str) -> _FileKey:
        info = b"recloak part " + name.encode()
        derived = HKDF(algorithm=SHA256(), length=32, salt=salt, info=info)
        return cls(derived.derive(lock.material), release_id, name)

    def sealed(self, source: IO[bytes]) -> Iterator[bytes]:
        """What is written for the content of a file."""
        yield _MAGIC
        for nonce, chunk in _chunks(source, _CHUNK):
            yield self._cipher.encrypt(nonce, chunk, self._about)

    def opened(self, source: IO[bytes]) -> Iterator[bytes]:
        """The content again; a wrong key, or a file that was changed, is a `SecretError`."""
        where = f"{self._name}{SUFFIX}"
        if source.read(len(_MAGIC)) != _MAGIC:
            raise InputError("is not a sealed part of a release", where=where)
        try:
            for nonce, chunk in _chunks(source, _CHUNK + _TAG):
                yield self._cipher.decrypt(nonce, chunk, self._about)
        except InvalidTag:
            raise SecretError(
                "cannot be opened: wrong key file, or the file was changed", where=where
            ) from None


def _chunks(source: IO[bytes], size: int) -> Iterator[tuple[bytes, bytes]]:
    """What is left of a file in chunks, one at least, each with its nonce."""
    chunk = source.read(size)
    for number in count():
        following = source.read(size)
        yield number.to_bytes(11, "big") + bytes([not following]), chunk
        if not following:
            return
        chunk = following


def _replace(path: Path, key: _FileKey) -> None:
    """Put the sealed file into the place of a plain one, once it is known to open again."""
    sealed = path.with_name(path.name + SUFFIX)
    digest = hashlib.sha256()
    with path.open("rb") as source, sealed.open("xb") as file:
        for piece in key.sealed(source):
            file.write(piece)
    with sealed.open("rb") as file:
        for piece in key.opened(file):
            digest.update(piece)
    if digest.hexdigest() != digest_of(path):
        raise MachineError("what is opened again differs from what was sealed", where=str(sealed))
    path.unlink()


def _salt(folder: Path, root: bytes) -> bytes:
    """It differs as soon as anything that is sealed does, and tells nothing without the root."""
    contents = "".join(f"{name}\n{digest_of(path)}\n" for name, path in files_of(folder))
    keyed = hashlib.blake2b(contents.encode(), key=root, digest_size=_SALT, person=b"recloak-parts")
    return keyed.digest()


def _outside(plain: Manifest, salt: bytes, files: dict[str, FileEntry]) -> Manifest:
    """The manifest that stands beside sealed files: that of the release, but for what they are."""
    return plain.model_copy(update={"encryption": Encryption(salt=salt.hex()), "files": files})
