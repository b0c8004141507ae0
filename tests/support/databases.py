"""Databases for tests: always a SQLite file, and PostgreSQL where the machine has its binaries."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

KINDS = ("sqlite", "postgresql")
_USER = "recloak"


def binary(name: str) -> str | None:
    """Where a program of PostgreSQL is; distributions keep them out of the way."""
    there = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), reverse=True)
    return str(there[0]) if there else shutil.which(name)


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _as_other() -> dict[str, int]:
    """PostgreSQL refuses to run as root; then it runs as whoever owns nothing."""
    if os.geteuid() != 0:
        return {}
    try:
        other = pwd.getpwnam("postgres")
    except KeyError:
        other = pwd.getpwnam("nobody")
    return {"user": other.pw_uid, "group": other.pw_gid}


@contextmanager
def cluster(folder: Path) -> Iterator[str]:
    """A cluster of our own on a free port; the URL of its database."""
    initdb, server = binary("initdb"), binary("postgres")
    if initdb is None or server is None:
        pytest.skip("PostgreSQL is not installed: initdb and postgres are not on this machine")
    who = _as_other()
    folder.mkdir()
    if who:
        os.chown(folder, who["user"], who["group"])
    data, port = folder / "data", free_port()
    made = [initdb, "-D", str(data), "-U", _USER, "--auth=trust", "--no-sync", "-E", "UTF8"]
    subprocess.run(made, check=True, capture_output=True, cwd=folder, **who)  # type: ignore[call-overload]
    command = [server, "-D", str(data), "-p", str(port), "-h", "127.0.0.1", "-k", str(folder), "-F"]
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder, **who
    )  # type: ignore[call-overload]
    try:
        url = f"postgresql://{_USER}@127.0.0.1:{port}/postgres"
        _wait_for(url)
        yield url
    finally:
        process.send_signal(signal.SIGQUIT)  # at once: what it holds is thrown away
        process.wait(120)


def _wait_for(url: str) -> None:
    import psycopg

    for _ in range(1200):
        try:
            psycopg.connect(url).close()
            return
        except psycopg.OperationalError:
            time.sleep(0.1)
    raise RuntimeError("PostgreSQL did not start")


def emptied(url: str) -> str:
    """The database at ``url`` without anything that an earlier test left there.

    A database of its own for each test would cost seconds to make and to remove.
    """
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
    return url
