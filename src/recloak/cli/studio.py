"""studio: see, compare, decide and publish in a browser, on your own machine."""

from __future__ import annotations

import argparse
import sys
from contextlib import suppress
from pathlib import Path

from recloak.cli._shared.arguments import Parser, within
from recloak.core.errors import ParameterError
from recloak.core.stopping import unwatched

EXAMPLES = """examples:
  recloak studio
  recloak studio ~/releases-of-2024
  recloak studio --port 8900 --no-browser

Opens a local web application that runs these commands for you and shows which. All that is
opened, compared, decided and published is kept in the folder WORKSPACE, with a history of who did
what when. The address that is printed lets one browser in, once. Work under way goes on when the
tab, or the studio, is closed."""
LOOPBACK = ("127.0.0.1", "localhost", "::1")


def configure(parser: Parser, words: list[str]) -> None:
    parser.add_argument(
        "workspace",
        nargs="?",
        metavar="WORKSPACE",
        help="a folder, made if it does not exist (default: recloak-workspace)",
    )
    parser.add_argument("--host", default="127.0.0.1", help="address (default: 127.0.0.1)")
    parser.add_argument("--port", type=int, default=0, help="default: any that is free")
    parser.add_argument(
        "--i-know",
        action="store_true",
        help="with another --host: whoever reaches it sees the data, and nothing is encrypted",
    )
    parser.add_argument(
        "--no-browser", action="store_true", help="print the address, but do not open it"
    )


def run(arguments: argparse.Namespace) -> int:
    within(arguments, "port", 0, 65_535)
    if arguments.host not in LOOPBACK and not arguments.i_know:
        raise ParameterError(
            "is not only this machine: others could reach the data",
            where=f"--host {arguments.host}",
            hint="Leave it out; or add --i-know if the network is yours and nobody listens.",
        )
    from recloak.cli._shared.screen import Screen
    from recloak.core.sockets import listening_at

    try:
        from recloak.studio.guard import Access
        from recloak.studio.serving import opened, serve
        from recloak.studio.workspace import Workspace
    except ImportError:
        raise ParameterError(
            "needs packages of the extra 'studio', which are not installed",
            hint="pip install 'recloak[studio]'",
        ) from None

    screen = Screen(arguments)
    workspace = Workspace(Path(arguments.workspace or "recloak-workspace"))
    with opened(workspace) as jobs, listening_at(arguments.host, arguments.port) as listener:
        port = listener.getsockname()[1]
        access = Access(port, loopback=arguments.host in LOOPBACK)
        name = f"[{arguments.host}]" if ":" in arguments.host else arguments.host
        address = f"http://{name}:{port}/?token={access.token}"
        if screen.json:  # plain texts: what a result of arrays needs would take a second to load
            screen.document({"workspace": str(workspace.folder), "address": address})
        screen.say(f"workspace  {workspace.folder}")
        screen.say(f"studio     {address}")
        screen.say("The address works once. Ctrl-C ends the studio; work under way goes on.")
        sys.stdout.flush()  # whoever started it reads where it listens
        if not (arguments.no_browser or arguments.json or arguments.quiet):
            _open(address)
        with suppress(KeyboardInterrupt), unwatched():  # to be stopped is how it ends
            serve(jobs, access, listener)
    return 0


def _open(address: str) -> None:
    import webbrowser

    with suppress(webbrowser.Error):
        webbrowser.open(address)
