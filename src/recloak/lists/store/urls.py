"""URLs: where a store is, in what a user writes; passwords need not stand in them.

libpq reads them from ``PGPASSWORD``, from ``PGPASSFILE`` or ``~/.pgpass``, as every program does.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from recloak.core.errors import ParameterError

if TYPE_CHECKING:
    from sqlalchemy import URL

_SECRETS = ("password", "sslpassword")  # libpq takes them as options of a URL, too
_POSTGRESQL = re.compile(r"postgres\w*(\+\w+)?:")
_EXAMPLES = "A file such as lists.db, or postgresql://user@host/database."


def url_of(text: str) -> URL:
    """A URL, or the path of a SQLite file; PostgreSQL is spoken to with psycopg."""
    try:
        from sqlalchemy import URL, make_url
        from sqlalchemy.exc import ArgumentError
    except ImportError:
        raise missing("store") from None
    if "://" not in text:
        if _POSTGRESQL.match(text):  # a slash was forgotten: no file may bear a password
            raise ParameterError("is not the URL of a database", where="--store", hint=_EXAMPLES)
        return _file_url(URL.create("sqlite", database=text))
    hosts, plain = _several_hosts(text)
    try:
        url = make_url(plain)
    except (ArgumentError, ValueError):
        raise ParameterError(
            "is not the URL of a database", where="--store", hint=_EXAMPLES
        ) from None
    backend = url.get_backend_name()
    if backend in ("postgresql", "postgres"):
        if "@" in f"{url.host}{url.database}":  # what is behind it would be shown as a host
            what = "is not the URL of a database: in a password, write @ as %40"
            raise ParameterError(what, where="--store", hint=_EXAMPLES)
        url = url.set(drivername="postgresql+psycopg")
        return url.update_query_dict({"host": hosts}) if hosts else url
    if backend != "sqlite":
        what = f"'{url.drivername}' is not a database that recloak keeps lists in"
        raise ParameterError(what, where="--store", hint=_EXAMPLES)
    return _file_url(url)


def _several_hosts(text: str) -> tuple[list[str], str]:
    """The hosts of postgresql://user@one:5432,two:5432/database, and the URL without them."""
    scheme, rest = text.split("://", 1)
    authority, slash, behind = rest.partition("/")
    who, at, hosts = authority.rpartition("@")
    if "," not in hosts or not scheme.startswith("postgres"):
        return [], text
    return hosts.split(","), f"{scheme}://{who}{at}{slash}{behind}"


def _file_url(url: URL) -> URL:
    """SQLite, with a file: what it keeps in memory is gone before anybody could ask for it."""
    path = url.database or ""
    if not path.strip() or path == ":memory:" or "\0" in path or url.query:
        what = f"'{path}' names no file: it is not a database that recloak keeps lists in"
        raise ParameterError(what, where="--store", hint=_EXAMPLES)
    return url.set(drivername="sqlite")


def shown(url: URL) -> str:
    """The URL without its passwords."""
    if url.get_backend_name() == "sqlite":
        return str(url.database)
    hidden = {name: "***" for name in _SECRETS if name in url.query}
    url = url.update_query_dict(hidden)
    return url.render_as_string(hide_password=True)


def missing(extra: str) -> ParameterError:
    """What to say where an extra is not installed."""
    return ParameterError(
        f"needs packages of the extra '{extra}', which are not installed",
        where="--store",
        hint=f"pip install 'recloak[{extra}]'",
    )
