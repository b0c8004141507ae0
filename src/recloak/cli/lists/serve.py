"""lists serve: answer requests for the lists in force, read only, over HTTP."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from recloak.cli._shared.arguments import Parser, within
from recloak.cli.lists.release import add_store
from recloak.core.errors import InputError, ParameterError
from recloak.core.stopping import unwatched

USAGE = "--store URL"
KEYS_VARIABLE = "RECLOAK_API_KEYS"
EXAMPLES = """examples:
  recloak lists serve --store lists.db --port 8080
  recloak lists serve --store postgresql://reader@db/shop --host 0.0.0.0 --workers 4
  recloak lists serve --store lists.db --api-keys keys.txt --categories categories.csv

GET /items/ID/related (limit, offset, exclude, category), POST /lists for several items, /releases,
/health, /live, /ready, /metrics (Prometheus), /docs and /openapi.json. A new release is shown
without a restart, if it continues the chain of the one that is shown. Nothing can be published
over HTTP, and no file is ever made. Events are written to standard error, one JSON object per
line. It has no TLS: put it behind the same proxy as your other services."""


def configure(parser: Parser, words: list[str]) -> None:
    """Flags of the action."""
    add_store(parser)
    parser.add_argument("--host", default="127.0.0.1", help="address (default: 127.0.0.1)")
    parser.add_argument("--port", type=int, default=8080, help="0 takes a free one (default: 8080)")
    parser.add_argument(
        "--every",
        type=float,
        default=1.0,
        metavar="SECONDS",
        help="between two looks at the store (default: 1)",
    )
    parser.add_argument(
        "--max-age", type=int, default=60, metavar="SECONDS", help="for caches (default: 60)"
    )
    parser.add_argument(
        "--workers", type=int, default=1, metavar="N", help="processes (default: 1)"
    )
    parser.add_argument(
        "--api-keys",
        metavar="FILE",
        help=f"a key on each line; requests must carry one (default: {KEYS_VARIABLE}, else none)",
    )
    parser.add_argument(
        "--categories", metavar="FILE", help="a CSV or Parquet file with item and category"
    )


def run(arguments: argparse.Namespace) -> int:
    """Serve until stopped."""
    from recloak.cli._shared.screen import Screen
    from recloak.lists.store.urls import url_of

    url_of(arguments.store)
    within(arguments, "every", 0.05, 86_400)
    within(arguments, "max_age", 0, 31_536_000)
    within(arguments, "port", 0, 65_535)
    within(arguments, "workers", 1, 256)
    keys = _keys(arguments)
    with _shared_counters(arguments.workers):
        try:
            from recloak.lists.service.categories import read_categories
            from recloak.lists.service.options import ServiceOptions
            from recloak.lists.service.serving import serve
        except ImportError:
            raise ParameterError(
                "needs packages of the extra 'service', which are not installed",
                hint="pip install 'recloak[service]'",
            ) from None
        from recloak.core.sockets import listening_at
        from recloak.lists.store.store import Store

        screen = Screen(arguments)
        store = Store.at(arguments.store)
        given = read_categories(arguments.categories) if arguments.categories else {}
        options = ServiceOptions(arguments.every, arguments.max_age, keys, given)
        with listening_at(arguments.host, arguments.port) as listener:
            host, port = listener.getsockname()[:2]
            screen.result({"store": store.where, "host": host, "port": port})
            screen.say(f"serving {store.where} on http://{host}:{port}")
            sys.stdout.flush()  # whoever started it reads where it listens
            with suppress(KeyboardInterrupt), unwatched():  # to be stopped is how a service ends
                serve(store, listener, options, arguments.workers)
    return 0


def _keys(arguments: argparse.Namespace) -> frozenset[str]:
    """The API keys, from a file or the environment: never from the command line.

    Whoever names a place for keys wants them to be asked for, also if there are none.
    """
    where: str | None = None
    if arguments.api_keys:
        where = f"--api-keys {arguments.api_keys}"
        try:
            text = Path(arguments.api_keys).read_text(encoding="utf-8")
        except (OSError, ValueError):
            raise InputError("cannot be read", where=where) from None
    else:
        where = KEYS_VARIABLE if KEYS_VARIABLE in os.environ else None
        text = os.environ.get(KEYS_VARIABLE, "")
    keys = frozenset(text.split())
    if where and not keys:
        raise InputError("holds no key", where=where, hint="Without it, anybody is answered.")
    return keys


@contextmanager
def _shared_counters(workers: int) -> Iterator[None]:
    """A folder through which workers share their counters; it must be named before any is made."""
    if workers == 1:
        yield
        return
    with TemporaryDirectory(prefix="recloak-metrics-") as folder:
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
        try:
            yield
        finally:
            os.environ.pop("PROMETHEUS_MULTIPROC_DIR", None)
