"""Wallets: the secret split per person, so that each holds their own pseudonyms and no others'."""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import polars as pl

from recloak.core.arrays import Labels
from recloak.core.errors import InputError, SecretError
from recloak.core.progress import SILENT, Progress
from recloak.releases._json_text import parse_json
from recloak.releases.secret import Secret

FORMAT = "recloak wallet 1"
FEW = 5_000  # up to so many wallets stand in one folder, more in folders of their own
LONGEST_NAME = 150
_PLAIN = re.compile(r"(?!(con|prn|aux|nul|com\d|lpt\d)$)(%[0-9A-F]{2}|[a-z0-9_.~-]){1,100}")
WALLETS_PER_STEP = 1_000
UNFINISHED_SECRET, UNFINISHED_KEY = "unfinished.secret", "unfinished.key"


@dataclass(frozen=True)
class Wallet:
    """One person's pseudonyms in one release; a client needs nothing else to recombine."""

    release_id: str
    user: str
    pseudonyms: tuple[Any, ...]

    def to_json(self) -> str:
        """The text of the wallet's file."""
        content = {
            "format": FORMAT,
            "release_id": self.release_id,
            "user": self.user,
            "pseudonyms": list(self.pseudonyms),
        }
        return json.dumps(content, ensure_ascii=False, indent=1) + "\n"

    @classmethod
    def read(cls, path: str | Path, *, release_id: str | None = None) -> Wallet:
        """Read a wallet; anything else, and one of another release, is refused."""
        try:
            content = parse_json(Path(path).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, ValueError) as problem:
            raise InputError(f"cannot be read as a wallet: {problem}", where=str(path)) from None
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise InputError(
                "is not a wallet",
                where=str(path),
                hint="A wallet is a file that 'recloak publish --split-secret DIR' wrote.",
            )
        if not _is_whole(content):
            raise InputError("is damaged", where=str(path))
        wallet = cls(content["release_id"], content["user"], tuple(content["pseudonyms"]))
        return wallet.of_release(release_id, str(path))

    def of_release(self, release_id: str | None, where: str) -> Wallet:
        """The same wallet, if it belongs to this release."""
        if release_id is not None and self.release_id != release_id:
            raise SecretError(
                f"belongs to release {self.release_id[:8]}…, not to {release_id[:8]}…", where=where
            )
        return self


def _is_whole(content: dict[str, Any]) -> bool:
    """Does a wallet's file say what it must: whose it is, and at least one row, none twice?"""
    named = all(isinstance(content.get(name), str) for name in ("release_id", "user"))
    rows = content.get("pseudonyms")
    if not named or not isinstance(rows, list) or not rows:
        return False
    return all(type(row) in (int, str) for row in rows) and len(set(rows)) == len(rows)


def wallets(secret: Secret) -> list[Wallet]:
    """A wallet for each person who has a row."""
    order = np.argsort(secret.owners, kind="stable")
    people, starts = np.unique(secret.owners[order], return_index=True)
    rows = np.split(secret.pseudonyms[order], starts[1:])
    return [
        Wallet(secret.release_id, str(secret.user_labels[person]), tuple(own.tolist()))
        for person, own in zip(people, rows, strict=True)
    ]


def wallet_of(secret: Secret, user: str) -> Wallet:
    """One person's wallet, from the whole secret."""
    mine = secret.table().filter(pl.col("user").cast(pl.String) == user)["pseudonym"].to_list()
    if not mine:
        raise InputError(
            f"there is no user '{user}' in this release",
            where="--user",
            hint="Names are those of the original ratings.",
        )
    return Wallet(secret.release_id, user, tuple(mine))


def secret_from_wallets(folder: Path, release_id: str) -> Secret:
    """The secret of a release from all its wallets; the root of what was drawn is not in them."""
    _refuse_unfinished(folder)
    paths = sorted(folder.rglob("*.json")) if folder.is_dir() else []
    if not paths:
        raise InputError("holds no wallets", where=str(folder))
    found = [Wallet.read(path, release_id=release_id) for path in paths]
    rows = [row for wallet in found for row in wallet.pseudonyms]
    if len(set(rows)) < len(rows):
        raise SecretError("two wallets hold the same row", where=str(folder))
    numbers = all(type(row) is int for row in rows)
    return Secret(
        release_id=release_id,
        root=b"",
        user_labels=_names([wallet.user for wallet in found]),
        owners=np.repeat(np.arange(len(found)), [len(wallet.pseudonyms) for wallet in found]),
        pseudonyms=np.array(rows, dtype=np.int64 if numbers else object),
    )


def _refuse_unfinished(folder: Path) -> None:
    """Refuse a folder whose wallets were being written when the process was killed."""
    sealed, key = folder / UNFINISHED_SECRET, folder / UNFINISHED_KEY
    if sealed.exists():
        raise InputError(
            "its wallets were not finished",
            where=str(folder),
            hint=f"Make them anew: recloak unseal {sealed} --key-file {key} --split-secret DIR",
        )


def _names(users: list[str]) -> Labels:
    """People's names as numbers, if all of them are numbers written plainly."""
    if all(re.fullmatch(r"0|-?[1-9][0-9]{0,17}", user) for user in users):
        return np.array([int(user) for user in users], dtype=np.int64)
    return np.array(users, dtype=object)


def write_wallets(secret: Secret, folder: Path, progress: Progress = SILENT) -> int:
    """Write a wallet for each person into the empty ``folder``, readable by its owner alone."""
    made = wallets(secret)
    many = len(made) > FEW
    with progress.task("Writing wallets", len(made)) as task:
        for at, wallet in enumerate(made):
            _write(folder / wallet_name(wallet.user, many), wallet)
            if (at + 1) % WALLETS_PER_STEP == 0:
                task.advance(WALLETS_PER_STEP)
        task.advance(len(made) % WALLETS_PER_STEP)
    return len(made)


def wallet_name(user: str, many: bool = False) -> str:
    """The path of a person's wallet: their name, spelled so that every file system takes it.

    Some file systems do not tell capitals from small letters and keep some names for themselves;
    whatever is not plain there is followed by a digest. No wallet is hidden by a leading dot.
    """
    digest = hashlib.sha256(user.encode()).hexdigest()
    name = quote(user, safe="")
    name = f"%2E{name[1:]}" if name.startswith(".") else name
    if not _PLAIN.fullmatch(name):
        name = f"{name[:LONGEST_NAME]}-{digest[:16]}"
    return f"{digest[:2]}/{name}.json" if many else f"{name}.json"


def _write(path: Path, wallet: Wallet) -> None:
    path.parent.mkdir(mode=0o700, exist_ok=True)
    create_private(path, wallet.to_json().encode())


def create_private(path: Path, content: bytes, *, synced: bool = False) -> None:
    """Write a new file that its owner alone can read, on the disk if ``synced``."""
    with open(path, "xb", opener=_private) as file:
        file.write(content)
        if synced:
            file.flush()
            os.fsync(file.fileno())


def _private(name: str, flags: int) -> int:
    return os.open(name, flags, 0o600)
