"""lists verify --store: the chain of digests, and the bound of each release."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recloak.evaluation.findings import Verdict


def run_store(arguments: argparse.Namespace) -> int:
    """Check, and end with 3 unless all holds."""
    from recloak.cli._shared.reading import Reading
    from recloak.cli._shared.screen import Screen
    from recloak.core.errors import ParameterError
    from recloak.io import read
    from recloak.lists.store.urls import url_of

    if arguments.file:
        raise ParameterError("give either DIR or --store")
    url_of(arguments.store)
    from recloak.lists.store.checking import check_chain, verify_store
    from recloak.lists.store.safeguards import read_anchor
    from recloak.lists.store.store import Store

    screen = Screen(arguments)
    store = Store.at(arguments.store, key=arguments.key)
    known = arguments.known
    if arguments.anchor:
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
