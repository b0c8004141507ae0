"""Secret: what re-links a release. Destroyed by default; kept only encrypted."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from recloak.core.arrays import Indices, Integers, Labels
from recloak.core.errors import InputError, ParameterError, SecretError
from recloak.core.frames import label_series
from recloak.core.ratings import Ratings
from recloak.releases.linkage import Linkage, row_codes

RowFor = Callable[[Indices, Indices], Indices]

_MAGIC = b"RECLOAK SECRET 1\n"
_KEY_FILE_BYTES = 32
_FOUNDER = "founder"
_SCRYPT = {"n": 2**17, "r": 8, "p": 1}


@dataclass(frozen=True, repr=False)
class Secret:
    """The pseudonyms of each user, and the root that every random draw came from.

    ``pseudonyms[i]`` is a row of the user ``user_labels[owners[i]]``. A method that gives people
    several rows says with ``chooser`` which of them predicts: for users (places in
    ``user_labels``) and items (codes of the ratings that it was applied to) it returns places in
    ``pseudonyms``, -1 for none. It lives in memory only and is not kept with the secret.
    ``founders`` is the item that each row was made around, if the method has such; ``waiting`` are
    ratings (columns user, item, rating and perhaps time) that a later extension is to publish.

    >>> import recloak
    >>> ratings = recloak.synthesize("ml-100k", users=200, ratings=8_000, seed=1)
    >>> applied = recloak.method("pseudonymize").apply(ratings, recloak.Randomness.from_seed(1))
    >>> applied.secret.table().columns
    ['user', 'pseudonym']
    """

    release_id: str
    root: bytes
    user_labels: Labels
    owners: Integers
    pseudonyms: Labels
    chooser: Callable[[Indices, Indices], Indices] | None = None
    founders: Labels | None = None
    waiting: pl.DataFrame | None = None

    def linkage(self, original: Ratings, rows: Ratings) -> Linkage:
        """Who is who, in codes of the original and of the release's rows."""
        users = original.codes_of_users(self.user_labels)
        return Linkage.from_pairs(
            users[self.owners],
            row_codes(rows.user_labels, self.pseudonyms),
            original.n_users,
            "secret",
            "Rows were linked to people with the release's own secret.",
        )

    def row_for(
        self, linkage: Linkage, original: Ratings, rows: Ratings, items_of: Indices
    ) -> RowFor:
        """Which row of ``rows`` predicts for (users, items) of ``original``, -1 for none.

        ``linkage`` is the secret's own between the two. ``items_of`` maps items of ``original``
        to those of the ratings that the method was applied to, -1 for items that these lacked.
        """
        chooser = self.chooser
        if chooser is None:
            return lambda users, items: linkage.first_row(users)
        row_of = np.append(row_codes(rows.user_labels, self.pseudonyms), -1)
        place_of = np.full(original.n_users, -1, dtype=np.int64)
        place_of[original.codes_of_users(self.user_labels)] = np.arange(len(self.user_labels))

        def chosen(users: Indices, items: Indices) -> Indices:
            places, codes = place_of[users], items_of[items]
            known = np.flatnonzero(places >= 0)
            found = np.full(len(users), -1, dtype=np.int64)
            found[known] = chooser(places[known], codes[known])
            return row_of[found]

        return chosen

    def table(self) -> pl.DataFrame:
        """Columns user and pseudonym."""
        users = label_series(self.user_labels).gather(pl.Series(self.owners))
        return pl.DataFrame({"user": users, "pseudonym": label_series(self.pseudonyms)})

    def __repr__(self) -> str:
        return f"Secret(release {self.release_id[:8]}…, {len(self.pseudonyms):,} pseudonyms)"


@dataclass(frozen=True, repr=False)
class Lock:
    """What a secret is locked with: a passphrase or the content of a key file."""

    kind: str
    material: bytes

    @classmethod
    def passphrase(cls, text: str) -> Lock:
        """A passphrase of at least twelve characters; a shorter one is a `ParameterError`."""
        if len(text) < 12:
            raise ParameterError(
                f"is too short ({len(text)} characters)",
                where="passphrase",
                hint="Use at least 12 characters; several random words do well.",
            )
        return cls("passphrase", text.encode())

    @classmethod
    def key_file(cls, path: str | Path) -> Lock:
        """A file of at least 32 random bytes.

        Raises `InputError` if it cannot be read, and `ParameterError` if it is shorter.
        """
        try:
            content = Path(path).read_bytes()
        except OSError as problem:
            raise InputError(
                f"cannot read the key file: {problem.strerror}",
                where=f"--key-file {path}",
                hint="Make one with: openssl rand -out FILE 32",
            ) from None
        if len(content) < _KEY_FILE_BYTES:
            raise ParameterError(
                f"holds {len(content)} bytes, at least {_KEY_FILE_BYTES} are needed",
                where=f"--key-file {path}",
                hint="Make one with: openssl rand -out FILE 32",
            )
        return cls("key file", content)

    def key(self, salt: bytes, costs: dict[str, int]) -> bytes:
        """The encryption key; slow on purpose for a passphrase."""
        if self.kind == "passphrase":
            return Scrypt(salt=salt, length=32, **costs).derive(self.material)
        info = b"recloak secret"
        return HKDF(algorithm=SHA256(), length=32, salt=salt, info=info).derive(self.material)


def seal(secret: Secret, lock: Lock) -> bytes:
    """Encrypt with AES-256-GCM; the header is authenticated too."""
    salt, nonce = os.urandom(16), os.urandom(12)
    header = {
        "release_id": secret.release_id,
        "lock": lock.kind,
        "salt": salt.hex(),
        "nonce": nonce.hex(),
        "scrypt": _SCRYPT,
    }
    head = _MAGIC + json.dumps(header).encode() + b"\n"
    return head + AESGCM(lock.key(salt, _SCRYPT)).encrypt(nonce, _packed(secret), head)


def open_secret(path: str | Path, lock: Lock, *, release_id: str | None = None) -> Secret:
    """Open the file of a secret that was kept.

    Parameters
    ----------
    path
        The file that ``keep_secret`` named.
    lock
        What the file was locked with.
    release_id
        The id in the manifest of the release that it must belong to; None for any.

    Raises
    ------
    InputError
        The file cannot be read.
    SecretError
        The lock is a wrong one, the file is damaged, or the secret is another release's.

    """
    content = _read(Path(path))
    head_end = content.find(b"\n", len(_MAGIC)) + 1
    try:
        header = json.loads(content[len(_MAGIC) : head_end])
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
    if release_id is not None and belongs_to != release_id:
        raise SecretError(
            f"belongs to release {belongs_to[:8]}…, not to {release_id[:8]}…", where=str(path)
        )
    return _unpacked(plain)


def _read(path: Path) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise InputError(f"cannot read the secret: {problem.strerror}", where=str(path)) from None
    if not content.startswith(_MAGIC):
        raise InputError("is not a sealed secret", where=str(path))
    return content


def _packed(secret: Secret) -> bytes:
    table = secret.table()
    if secret.founders is not None:
        table = table.with_columns(label_series(secret.founders).alias(_FOUNDER))
    parts = [_parquet(table)]
    facts: dict[str, Any] = {"release_id": secret.release_id, "root": secret.root.hex()}
    if secret.waiting is not None:
        parts.append(_parquet(secret.waiting))
        facts["table_bytes"] = len(parts[0])  # where the second table begins
    return json.dumps(facts).encode() + b"\n" + b"".join(parts)


def _parquet(table: pl.DataFrame) -> bytes:
    content = io.BytesIO()
    table.write_parquet(content, compression="zstd")
    return content.getvalue()


def _unpacked(plain: bytes) -> Secret:
    facts_text, _, table_bytes = plain.partition(b"\n")
    facts: dict[str, Any] = json.loads(facts_text)
    end = facts.get("table_bytes", len(table_bytes))
    table, rest = pl.read_parquet(io.BytesIO(table_bytes[:end])), table_bytes[end:]
    labels = table["user"].unique(maintain_order=True)
    position = {label: at for at, label in enumerate(labels.to_list())}
    return Secret(
        release_id=facts["release_id"],
        root=bytes.fromhex(facts["root"]),
        user_labels=_labels(labels),
        owners=np.array([position[label] for label in table["user"].to_list()], dtype=np.int64),
        pseudonyms=_labels(table["pseudonym"]),
        founders=_labels(table[_FOUNDER]) if _FOUNDER in table.columns else None,
        waiting=pl.read_parquet(io.BytesIO(rest)) if rest else None,
    )


def _labels(series: pl.Series) -> Labels:
    if series.dtype == pl.String:
        return np.array(series.to_list(), dtype=object)
    return series.to_numpy().astype(np.int64)
