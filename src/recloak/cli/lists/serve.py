"""lists serve: answer requests for the lists in force, read only, over HTTP."""

from __future__ import annotations

import argparse
import sys
from contextlib import suppress

from recloak.cli._shared.arguments import Parser, within
from recloak.cli.lists.release import add_store

USAGE = "--store URL"
EXAMPLES = """examples:
  recloak lists serve --store lists.db --port 8080
  recloak lists serve --store postgresql://reader@db/shop --host 0.0.0.0

GET /items/ID/related, /releases, /health, /metrics (Prometheus) and /openapi.json. A new release
takes over without a restart. Nothing can be published over HTTP. It has no TLS and asks nobody who
they are: put it behind what your other services stand behind."""


def configure(parser: Parser, words: list[str]) -> None:
    """Flags of the action."""
    add_store(parser)
    parser.add_argument("--host", default="127.0.0.1", help="address (default: 127.0.0.1)")
    parser.add_argument("--port", type=int, default=8080, help="0 takes a free one (default: 8080)")
    parser.add_argument(
        "--every", type=float, default=1.0, metavar="SECONDS", help="between looks (default: 1)"
    )
    parser.add_argument(
        "--max-age", type=int, default=60, metavar="SECONDS", help="for caches (default: 60)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Serve until stopped."""
    from recloak.cli._shared.screen import Screen
    from recloak.core.errors import ParameterError
    from recloak.lists.store.urls import url_of

    url_of(arguments.store)
    within(arguments, "every", 0.05, 86_400)
    within(arguments, "max_age", 0, 31_536_000)
    within(arguments, "port", 0, 65_535)
    try:
        from recloak.lists.service.serving import listening_at, serve
    except ImportError:
        raise ParameterError(
            "needs packages of the extra 'service', which are not installed",
            hint="pip install 'recloak[service]'",
        ) from None
    from recloak.lists.store.store import Store

    screen = Screen(arguments)
    store = Store.at(arguments.store)
    with listening_at(arguments.host, arguments.port) as listener:
        host, port = listener.getsockname()[:2]
        screen.result({"store": store.where, "host": host, "port": port})
        screen.say(f"serving {store.where} on http://{host}:{port}")
        sys.stdout.flush()  # whoever started it reads where it listens
        with suppress(KeyboardInterrupt):  # to be stopped is how a service ends
            serve(store, listener, every=arguments.every, max_age=arguments.max_age)
    return 0
