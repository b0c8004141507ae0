"""unseal: open a kept secret and write who is who."""

from __future__ import annotations

import argparse

from recloak.cli._shared.arguments import Parser, needed
from recloak.cli.publish import add_lock

EXAMPLES = """examples:
  recloak unseal release.secret --out who.csv --key-file key
  RECLOAK_PASSPHRASE='…' recloak unseal release.secret --out who.csv --release release

Writes a CSV file with the columns user and pseudonym, readable by you alone. Whoever has it can
undo the release."""


def configure(parser: Parser, words: list[str]) -> None:
    parser.add_argument("secret", nargs="?", metavar="SECRET", help="the sealed secret")
    parser.add_argument("--out", metavar="FILE", help="where the mapping goes; must not exist")
    parser.add_argument("--release", metavar="DIR", help="refuse a secret of another release")
    add_lock(parser.group("secret"))


def run(arguments: argparse.Namespace) -> int:
    needed(arguments, "secret", "--out")
    from pathlib import Path

    from recloak.cli._shared.locks import lock_from
    from recloak.cli._shared.screen import Screen
    from recloak.core.files import parent_of, refuse_existing, write_whole
    from recloak.releases.manifest import Manifest
    from recloak.releases.secret import open_secret

    screen = Screen(arguments)
    out = Path(arguments.out)
    refuse_existing(out, "--out")
    parent_of(out, "--out")
    release_id = Manifest.read(Path(arguments.release)).release_id if arguments.release else None
    secret = open_secret(arguments.secret, lock_from(arguments), release_id=release_id)
    write_whole(out, secret.table().write_csv().encode(), mode=0o600)
    facts = {"release_id": secret.release_id, "rows": len(secret.pseudonyms), "mapping": str(out)}
    screen.result(facts)
    screen.say(f"{len(secret.pseudonyms):,} rows of release {secret.release_id[:8]}… in {out}")
    return 0
