"""decrypt: open a release that was encrypted for its recipient."""

from __future__ import annotations

import argparse
from pathlib import Path

from recloak.cli._shared.arguments import Parser, needed

EXAMPLES = """examples:
  recloak decrypt release --parts-key recipient.key --out opened

Writes the release as it was before 'recloak publish --encrypt-parts recipient.key' encrypted it, to
the last byte. The files are compared with their digests, before and after."""


def configure(parser: Parser, words: list[str]) -> None:
    parser.add_argument("release", nargs="?", metavar="RELEASE", help="the encrypted release")
    parser.add_argument("--parts-key", metavar="FILE", help="the key file it was published with")
    parser.add_argument("--out", metavar="DIR", help="the folder of the opened one; must not exist")


def run(arguments: argparse.Namespace) -> int:
    needed(arguments, "release", "--parts-key", "--out")
    from recloak.cli._shared.screen import Screen
    from recloak.releases.encrypted import decrypt_release

    screen = Screen(arguments)
    manifest = decrypt_release(arguments.release, arguments.parts_key, Path(arguments.out))
    screen.result({"release": str(arguments.out), "files": sorted(manifest.files)})
    screen.say(
        f"{manifest.ratings:,} ratings of release {manifest.release_id[:8]}… in {arguments.out}"
    )
    return 0
