"""unseal: open a kept secret and write who is who, as one table or a wallet for each."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from recloak.cli._shared.arguments import Parser, needed
from recloak.cli.publish import add_lock

if TYPE_CHECKING:
    from recloak.core.progress import Progress
    from recloak.releases.secret import Secret

EXAMPLES = """examples:
  recloak unseal release.secret --out who.csv --key-file key
  RECLOAK_PASSPHRASE='…' recloak unseal release.secret --out who.csv --release release
  recloak unseal release.secret --split-secret wallets --key-file key

Writes a CSV file with the columns user and pseudonym, readable by you alone. Whoever has it can
undo the release. With --split-secret each person's pseudonyms are written to their own wallet."""


def configure(parser: Parser, words: list[str]) -> None:
    parser.add_argument("secret", nargs="?", metavar="SECRET", help="the sealed secret")
    aim = parser.one_of()
    aim.add_argument("--out", metavar="FILE", help="where the mapping is written; must not exist")
    aim.add_argument(
        "--split-secret", metavar="DIR", help="a folder for a wallet of each person; must not exist"
    )
    parser.add_argument("--release", metavar="DIR", help="refuse the secret of another release")
    add_lock(parser.group("secret"))


def run(arguments: argparse.Namespace) -> int:
    needed(arguments, "secret")
    if not arguments.split_secret:
        needed(arguments, "--out")
    from recloak.cli._shared.locks import lock_from
    from recloak.cli._shared.screen import Screen
    from recloak.core.files import parent_of, refuse_existing, write_whole
    from recloak.releases.manifest import Manifest
    from recloak.releases.secret import open_secret

    screen = Screen(arguments)
    flag = "--split-secret" if arguments.split_secret else "--out"
    out = Path(arguments.split_secret or arguments.out)
    refuse_existing(out, flag)
    parent_of(out, flag)
    release_id = Manifest.read(Path(arguments.release)).release_id if arguments.release else None
    secret = open_secret(arguments.secret, lock_from(arguments), release_id=release_id)
    if arguments.split_secret:
        _split(secret, out, screen.progress)
    else:
        write_whole(out, secret.table().write_csv().encode(), mode=0o600)
    what = "wallets" if arguments.split_secret else "mapping"
    facts = {"release_id": secret.release_id, "rows": len(secret.pseudonyms), what: str(out)}
    screen.result(facts)
    screen.say(f"{len(secret.pseudonyms):,} rows of release {secret.release_id[:8]}… in {out}")
    return 0


def _split(secret: Secret, out: Path, progress: Progress) -> None:
    from recloak.core.files import machine_errors, move_into_place, staging_folder
    from recloak.releases.wallets import write_wallets

    with staging_folder(out) as staging, machine_errors(out):
        folder = staging / "wallets"
        folder.mkdir(mode=0o700)
        write_wallets(secret, folder, progress)
        move_into_place(folder, out)
