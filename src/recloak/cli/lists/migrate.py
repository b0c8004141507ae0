"""lists migrate: bring the tables of a store up to date, or print the SQL for an administrator."""

from __future__ import annotations

import argparse
import re

from recloak.cli._shared.arguments import Parser
from recloak.cli.lists.release import add_new, add_store

USAGE = "--store URL"
EXAMPLES = """examples:
  recloak lists migrate --store lists.db
  recloak lists migrate --store postgresql://owner@db/shop --sql --job job --reader reader

The next release does this, too. Where the job may not change tables, as on PostgreSQL 15 and later
unless it owns the schema, an administrator runs the SQL that --sql prints; it may be run twice.
Update the services first: a newer one reads the tables of an older recloak, not the reverse."""
_ROLE = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*")


def configure(parser: Parser, words: list[str]) -> None:
    """Flags of the action."""
    add_store(parser)
    add_new(parser)
    parser.add_argument("--sql", action="store_true", help="print SQL and change nothing")
    parser.add_argument("--job", metavar="ROLE", help="with --sql: grants for the nightly job")
    parser.add_argument("--reader", metavar="ROLE", help="with --sql: grants for the service")


def run(arguments: argparse.Namespace) -> int:
    """Change the tables, or print how."""
    from recloak.cli._shared.screen import Screen
    from recloak.core.errors import ParameterError
    from recloak.lists.store.urls import url_of

    url_of(arguments.store)
    for flag in ("job", "reader"):
        role = getattr(arguments, flag)
        if role is not None and not _ROLE.fullmatch(role):
            raise ParameterError("is not the name of a role", where=f"--{flag} {role}")
    from recloak.lists.store.schema import VERSION, grants, statements
    from recloak.lists.store.store import Store

    screen = Screen(arguments)
    store = Store.at(arguments.store, make=arguments.new or arguments.sql)
    before = store.version()
    if arguments.sql:
        sql = statements(before, store.engine.dialect)
        sql += grants(arguments.job, arguments.reader)
        screen.result({"store": store.where, "version": before, "sql": sql})
        for one in sql:
            screen.say(f"{one};")
        return 0
    with store.writing():
        pass
    screen.result({"store": store.where, "version": VERSION, "was": before})
    screen.say(f"the store has schema {VERSION}, it had {before}")
    return 0
