"""lists: publish related-item lists as they change, without telling who rated what."""

from __future__ import annotations

import argparse
from importlib import import_module
from types import ModuleType

from recloak.cli._shared.arguments import Parser, needed

ACTIONS = {
    "replay": "Simulate a history of releases from the times of ratings, protect and publish it.",
    "verify": "Check what published lists promise, with the ratings that they came from.",
    "release": "The nightly step: protect tonight's lists against earlier ones.",
    "import": "Import the lists that were public before the first protected release.",
    "show": "The list of an item as it is in force.",
    "history": "What a store holds, release by release.",
    "serve": "Answer requests for the lists in force, read only, over HTTP.",
    "migrate": "Bring the tables of a store up to date, or print the SQL that does.",
    "rotate": "Remove the lists of old releases; their facts and digests stay.",
    "advise": "How long lists stay useful under a bound, and what would keep more.",
    "attack": "Who loses what: unprotected lists, noise on ratings, and protected lists.",
    "export": "Write published lists as one Parquet or JSON file.",
}
MODULES = {"import": "import_"}  # a module cannot bear the name of a keyword
EXAMPLES = """actions:
{actions}

examples:
  recloak lists replay ratings.csv --out lists
  recloak lists verify lists --original ratings.csv
  recloak lists release ratings.csv --store lists.db --delta 0.1 --window 4 --top 5 --new
  recloak lists serve --store lists.db

'recloak lists ACTION --help' shows the flags of an action, with an example.""".format(
    actions="\n".join(f"  {name:<7}  {summary}" for name, summary in ACTIONS.items())
)


def configure(parser: Parser, words: list[str]) -> None:
    """The flags of the action that is named; without one, only the list of actions."""
    parser.add_argument("action", nargs="?", choices=tuple(ACTIONS), metavar=" | ".join(ACTIONS))
    chosen = next((word for word in words if word in ACTIONS), None)
    if chosen is None:
        return
    action = _load(chosen)
    parser.prog = f"{parser.prog} {chosen}"
    parser.usage = f"{parser.prog} {action.USAGE} …"
    parser.description, parser.epilog = ACTIONS[chosen], action.EXAMPLES
    action.configure(parser, words)


def run(arguments: argparse.Namespace) -> int:
    needed(arguments, "action")
    return int(_load(arguments.action).run(arguments))


def _load(action: str) -> ModuleType:
    return import_module(f"recloak.cli.lists.{MODULES.get(action, action)}")
