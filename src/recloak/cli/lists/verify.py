"""lists verify: check what published lists promise, with the ratings that they came from."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from recloak.cli._shared.arguments import Parser, needed
from recloak.cli._shared.reading import Reading, add_reading
from recloak.cli.lists.release import STORE_VARIABLE, add_anchor, add_key

if TYPE_CHECKING:
    from recloak.evaluation.findings import Verdict
    from recloak.releases.lists.history import History

USAGE = "DIR|--store URL --original RATINGS"
EXAMPLES = """examples:
  recloak lists verify lists --original ratings.csv
  recloak lists verify --store lists.db --original ratings.csv --original last-week.csv

The files are compared with the digests in the manifest first. Whether a background reveals too
much depends on who rated what, so without --original the promise stays undecided. Exit code 3 if
it is broken or undecided. Of a store every release is verified with the first of the --original
files that has the ratings it covers: all of them, or the first so many in the order of their
times. Without any, only the chain of digests is checked; --known asks whether a digest that was
noted elsewhere is in it, --anchor the same of the digest in a file. --newest verifies the release
in force alone, with tonight's ratings: for a nightly alarm."""


def configure(parser: Parser, words: list[str]) -> None:
    """Flags of the action."""
    parser.add_argument("file", nargs="?", metavar="DIR", help="lists that recloak published")
    parser.add_argument(
        "--store",
        metavar="URL",
        help=f"a store of releases, instead of DIR (default: {STORE_VARIABLE})",
    )
    parser.add_argument(
        "--original",
        metavar="FILE",
        action="append",
        help="the ratings that they were made from; of a store, several may be given",
    )
    parser.add_argument("--known", metavar="DIGEST", help="of a store: must be in its chain")
    add_anchor(parser)
    add_key(parser)
    parser.add_argument(
        "--newest", action="store_true", help="of a store: verify the release in force alone"
    )
    add_reading(parser)


def run(arguments: argparse.Namespace) -> int:
    """Check, and end with 3 unless all holds."""
    if not arguments.file and not arguments.store:
        arguments.store = os.environ.get(STORE_VARIABLE)
    if arguments.store:
        return _run_store(arguments)
    needed(arguments, "file")
    _refuse_flags_of_stores(arguments)
    from dataclasses import asdict

    from recloak.cli._shared.screen import Screen
    from recloak.releases.lists.folder import open_history

    screen = Screen(arguments)
    history = open_history(arguments.file)
    verdicts = _verdicts(history, arguments, screen)
    screen.result({"lists": arguments.file, "verdicts": [asdict(one) for one in verdicts]})
    if not verdicts:
        screen.warn("these lists promise nothing")
    screen.table(("claim", "verdict", "how"), [(v.claim, v.status, v.how) for v in verdicts])
    for verdict in verdicts[:1]:
        for key, value in (verdict.witness or {}).items():
            screen.say(f"  {key}: {value}")
    return 0 if all(verdict.holds for verdict in verdicts) else 3


def _refuse_flags_of_stores(arguments: argparse.Namespace) -> None:
    from recloak.core.errors import ParameterError

    for flag in ("known", "anchor", "key", "newest"):
        if getattr(arguments, flag):
            raise ParameterError("is of a store, not of a folder", where=f"--{flag}")


def _verdicts(
    history: History, arguments: argparse.Namespace, screen: object
) -> tuple[Verdict, ...]:
    from recloak.cli._shared.screen import Screen
    from recloak.evaluation.findings import Verdict
    from recloak.evaluation.list_context import context_of
    from recloak.io import read
    from recloak.lists.audit import verdicts_of
    from recloak.releases.lists.folder import claim_of

    assert isinstance(screen, Screen)
    claim = claim_of(history)
    if claim is None:
        return ()
    if not arguments.original:
        how = "Who rated what is not known: give the ratings with --original."
        return (Verdict(str(claim), "undecided", how),)
    options = Reading(arguments).options
    ratings = read(arguments.original[-1], options, progress=screen.progress)
    shown = [release.lists for release in history.releases]  # raw lists do not matter here
    return verdicts_of(context_of(history, ratings, raw=shown), screen.progress)


def _run_store(arguments: argparse.Namespace) -> int:
    """Of a store: the chain of digests, and the bound of each release."""
    from recloak.cli._shared.screen import Screen
    from recloak.core.errors import ParameterError
    from recloak.io import read
    from recloak.lists.store.urls import url_of

    if arguments.file:
        raise ParameterError("give either DIR or --store")
    url_of(arguments.store)
    from recloak.lists.store.checking import check_chain, verify_store
    from recloak.lists.store.safeguards import checked_digest, read_anchor
    from recloak.lists.store.store import Store

    screen = Screen(arguments)
    store = Store.at(arguments.store, key=arguments.key)
    known = checked_digest(arguments.known, "--known") if arguments.known else None
    if arguments.anchor:
        if known:
            raise ParameterError("give either --known or --anchor")
        known = read_anchor(Path(arguments.anchor), new=False)
    records = check_chain(store, known)
    screen.say(f"the chain of {len(records):,} releases is as it was written")
    verdicts: tuple[Verdict, ...] = ()
    if arguments.original:
        options = Reading(arguments).options
        given = [read(file, options, progress=screen.progress) for file in arguments.original]
        verdicts = verify_store(store, given, screen.progress, newest=arguments.newest)
    screen.result(
        {
            "store": store.where,
            "releases": len(records),
            "digest": records[-1].digest if records else None,
            "verdicts": [vars(one) for one in verdicts],
        }
    )
    screen.table(("claim", "verdict", "how"), [(v.claim, v.status, v.how) for v in verdicts])
    for verdict in verdicts:
        for key, value in (verdict.witness or {}).items():
            screen.say(f"  {key}: {value}")
    if not verdicts:
        screen.warn("whether the bound holds is not checked without --original")
    return 0 if all(verdict.holds for verdict in verdicts) else 3
