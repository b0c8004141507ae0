"""Wallets that can be read only once their release is in force, whatever happens meanwhile."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from recloak.core.errors import MachineError
from recloak.core.files import machine_errors
from recloak.core.progress import Task
from recloak.releases.secret import Lock, Secret, seal
from recloak.releases.wallets import (
    FEW,
    UNFINISHED_KEY,
    UNFINISHED_SECRET,
    create_private,
    wallet_name,
    wallets,
)


class StagedWallets:
    """A folder of wallets that takes its place without being readable, and is finished there.

    A killed process cannot clean up. So the folder is prepared with the secret under a key that is
    in memory alone, and blank files as large as the wallets, so that there is room for them. The
    key is written the moment before the release appears: a release is never without its wallets,
    and they are never there without it. Then the wallets take the place of the blank files, and
    the sealed secret goes. If that is cut short, 'recloak unseal' makes them from it.
    """

    def __init__(self, secret: Secret, staged: Path, final: Path) -> None:
        self._secret = replace(secret, root=b"", chooser=None, founders=None, waiting=None)
        self._staged, self._final = staged, final
        self._texts = [(wallet.user, wallet.to_json().encode()) for wallet in wallets(self._secret)]
        self._key = os.urandom(32)

    def __len__(self) -> int:
        return len(self._texts)

    def prepare(self, task: Task) -> None:
        """Write all that will be there, so that nothing of it can be read."""
        with machine_errors(self._final):
            self._staged.mkdir(mode=0o700)
            sealed = seal(self._secret, Lock("key file", self._key))
            create_private(self._staged / UNFINISHED_SECRET, sealed)
            for at, (_, text) in enumerate(self._texts):
                create_private(self._staged / str(at), b" " * len(text))
                task.advance()
            os.sync()  # one call for what may be half a million small files

    def appear(self) -> None:
        """Take the place; from here on the wallets can be made from what is there."""
        self._staged.rename(self._final)
        with ExitStack() as undo:
            undo.callback(self.withdraw)
            create_private(self._final / UNFINISHED_KEY, self._key, synced=True)
            undo.pop_all()

    def withdraw(self) -> None:
        """Undo that: the release did not appear."""
        (self._final / UNFINISHED_KEY).unlink(missing_ok=True)
        self._final.rename(self._staged)

    def finish(self, task: Task) -> None:
        """Put the wallets into the place of the blank files: the release is in force."""
        many = len(self) > FEW
        with self._told_how_to_finish(), machine_errors(self._final):
            for at, (user, text) in enumerate(self._texts):
                blank = self._final / str(at)
                with blank.open("r+b") as file:  # in its place: there is room for it
                    file.write(text)
                named = self._final / wallet_name(user, many)
                named.parent.mkdir(mode=0o700, exist_ok=True)
                blank.rename(named)
                task.advance()
            os.sync()
            for name in (UNFINISHED_KEY, UNFINISHED_SECRET):
                (self._final / name).unlink()

    @contextmanager
    def _told_how_to_finish(self) -> Iterator[None]:
        try:
            yield
        except MachineError as problem:
            hint = (
                "The release is published, its wallets are not finished. Make them by:\n"
                f"recloak unseal {self._final / UNFINISHED_SECRET} "
                f"--key-file {self._final / UNFINISHED_KEY} --split-secret DIR"
            )
            raise MachineError(problem.what, where=problem.where, hint=hint) from problem
