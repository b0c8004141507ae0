"""recombine: turn the predictions for a person's rows into one, as their own client would."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from recloak.cli._shared.arguments import Parser, needed
from recloak.cli.publish import add_lock
from recloak.core.errors import ParameterError

if TYPE_CHECKING:
    from recloak.releases.wallets import Wallet

EXAMPLES = """examples:
  recloak recombine release --wallet wallets/42.json
  recloak recombine release --wallet wallets/42.json --item 318 --item 50
  recloak recombine release --secret release.secret --user 42 --key-file key --top 20

A recommender is trained on the release, as any recipient could; it predicts for each of the
person's rows without knowing that they belong together. The wallet (made by 'recloak publish
--split-secret DIR') says which rows are theirs, and the mean of the predictions is shown."""


def configure(parser: Parser, words: list[str]) -> None:
    parser.add_argument("release", nargs="?", metavar="RELEASE", help="the release's folder")
    parser.add_argument("--wallet", metavar="FILE", help="a person's own pseudonyms")
    parser.add_argument("--user", metavar="ID", help="with --secret: whose pseudonyms")
    parser.add_argument(
        "--item", metavar="ID", action="append", default=[], help="an item to predict, repeatable"
    )
    parser.add_argument(
        "--top", type=int, default=10, help="without --item: how many of the best unrated items"
    )
    parser.add_argument(
        "--recommender",
        default="factorization",
        metavar="NAME",
        help="what predicts; see 'recloak recommenders' (default: factorization)",
    )
    group = parser.group("secret")
    group.add_argument("--secret", metavar="FILE", help="a kept secret, instead of a wallet")
    add_lock(group)


def run(arguments: argparse.Namespace) -> int:
    needed(arguments, "release")
    from recloak.cli._shared.screen import Screen
    from recloak.publishing.recombine import recombine
    from recloak.releases.base import open_release

    if arguments.top < 1:
        raise ParameterError(f"must be at least 1, got {arguments.top}", where="--top")
    screen = Screen(arguments)
    release = open_release(arguments.release)
    wallet = _wallet(arguments, release.manifest.release_id)
    found = recombine(release, wallet, arguments.item, arguments.recommender, screen.progress)
    shown = found if arguments.item else found.top(arguments.top)
    lines = list(zip(shown.items.tolist(), shown.predictions.tolist(), shown.combined, strict=True))
    screen.result(
        {
            "user": wallet.user,
            "rows": found.rows.tolist(),
            "predictions": [
                {"item": item, "by_row": by_row, "combined": float(combined)}
                for item, by_row, combined in lines
            ],
        }
    )
    screen.say(
        f"{len(found.rows)} row(s) of the release are this person's; "
        f"{arguments.recommender} was trained on all {release.manifest.rows:,}."
    )
    screen.table(
        ("item", "lowest", "highest", "combined"),
        [
            (str(item), f"{min(by_row):.2f}", f"{max(by_row):.2f}", f"{combined:.2f}")
            for item, by_row, combined in lines
        ],
    )
    return 0


def _wallet(arguments: argparse.Namespace, release_id: str) -> Wallet:
    from recloak.releases.wallets import Wallet, wallet_of

    if bool(arguments.wallet) == bool(arguments.secret):
        raise ParameterError(
            "give either --wallet, or --secret and --user", hint="See 'recloak recombine --help'."
        )
    if arguments.wallet:
        return Wallet.read(arguments.wallet, release_id=release_id)
    if not arguments.user:
        raise ParameterError("the person is not named", where="--secret", hint="Give --user too.")
    from recloak.cli._shared.locks import lock_from
    from recloak.releases.secret import open_secret

    return wallet_of(
        open_secret(arguments.secret, lock_from(arguments), release_id=release_id), arguments.user
    )
