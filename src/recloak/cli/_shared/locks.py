"""Where the passphrase or key of a secret comes from."""

from __future__ import annotations

import argparse
import getpass
import os
import sys
from pathlib import Path

from recloak.core.errors import InputError, ParameterError
from recloak.releases.secret import Lock

PASSPHRASE = "RECLOAK_PASSPHRASE"


def lock_from(arguments: argparse.Namespace, *, confirm: bool = False) -> Lock:
    """From --key-file, --passphrase-file, the environment, or by asking on a terminal."""
    if arguments.key_file and arguments.passphrase_file:
        raise ParameterError("give either --key-file or --passphrase-file")
    if arguments.key_file:
        return Lock.key_file(arguments.key_file)
    if arguments.passphrase_file:
        return Lock.passphrase(_first_line(arguments.passphrase_file))
    if os.environ.get(PASSPHRASE):
        return Lock.passphrase(os.environ[PASSPHRASE])
    if not sys.stdin.isatty():
        raise ParameterError(
            "a passphrase is needed and there is no terminal to ask on",
            hint=f"Give --key-file, --passphrase-file or the variable {PASSPHRASE}.",
        )
    return Lock.passphrase(_asked(confirm))


def _asked(confirm: bool) -> str:
    given = getpass.getpass("Passphrase of the secret: ")
    if confirm and getpass.getpass("Once more: ") != given:
        raise ParameterError("the two passphrases differ")
    return given


def _first_line(path: str) -> str:
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        raise InputError(f"cannot be read: {problem}", where=f"--passphrase-file {path}") from None
    return lines[0] if lines else ""
