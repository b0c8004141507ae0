"""A scripted shop whose runs are killed at will.

``python -m tests.lists.store.scripted_shop URL SEED NIGHTS`` runs it.

Each run is a process of its own, forked from this one so that it need not compile or import. A run
is killed after a random time, or at a random statement that it sends to the database.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
import traceback

from recloak.core.ratings import Ratings
from recloak.lists.store.checking import check_chain
from recloak.lists.store.store import Store
from tests.lists.store.shop import Shop, protector, release_next

KILLED_NIGHTS = 0.7


def ratings_of_nights(seed: int, nights: int) -> list[Ratings]:
    shop = Shop(seed)
    return [shop.night() for _ in range(nights)]


def kill_at_statement(store: Store, number: int) -> None:
    """Die at the so-many-th message to the database, a commit included."""
    from sqlalchemy import event

    left = [number]

    def count(*_: object, **__: object) -> None:
        left[0] -= 1
        if left[0] <= 0:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(store.engine, "after_cursor_execute", count)
    event.listen(store.engine, "commit", count)


def run(url: str, ratings: Ratings, statement: int | None) -> None:
    """One run in a child; it never returns."""
    try:
        store = Store.at(url, make=True)
        if statement is not None:
            kill_at_statement(store, statement)
        release_next(store, ratings, protector())
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def attempt(url: str, ratings: Ratings, rng: random.Random, killed: bool, usual: float) -> int:
    """Start a run and kill it, or let it end; its exit code, or minus the signal."""
    at_statement = killed and rng.random() < 0.5
    child = os.fork()
    if child == 0:
        run(url, ratings, rng.randint(1, 26) if at_statement else None)
    if killed and not at_statement:
        time.sleep(rng.uniform(0, 1.2 * usual))
        os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def main(url: str, seed: int, nights: int) -> None:
    rng, kills, usual = random.Random(seed), 0, 1.0
    store = Store.at(url, make=True)
    warm = Shop(seed).ratings()
    for _ in range(2):
        release_next(Store.at(sys.argv[4], make=True), warm, protector())
    for number, ratings in enumerate(ratings_of_nights(seed, nights)):
        killed = rng.random() < KILLED_NIGHTS
        while True:
            started = time.monotonic()
            code = attempt(url, ratings, rng, killed, usual)
            assert code in (0, -signal.SIGKILL), code
            kills += code != 0
            if code == 0:
                usual = time.monotonic() - started
            in_force = len(check_chain(store)) if code == 0 or number else known(store)
            assert in_force in (number, number + 1), (in_force, number, code)
            if in_force == number + 1:
                break
            killed = rng.random() < 0.4
    print(kills)


def known(store: Store) -> int:
    """How many releases there are, where the first run may have died before there was a store."""
    from recloak.core.errors import InputError

    try:
        return len(check_chain(store))
    except InputError as problem:
        if "no lists yet" not in problem.what:
            raise
        return 0


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
