"""Databases for tests: always a SQLite file, and PostgreSQL where the machine has its binaries."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

KINDS = ("sqlite", "postgresql")
_USER = "recloak"


def binary(name: str) -> str | None:
    """Where a program of PostgreSQL is; distributions keep them out of the way."""
    there = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), reverse=True)
    return str(there[0]) if there else shutil.which(name)


PATIENCE_SECONDS = 120  # for what takes a second on a machine that has nothing else to do
_TRIES = 3  # to start a server: its port may be taken by another between choosing and listening


def free_port() -> int:
    """A port that nobody has at this moment; who starts a server there may have to try again."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def deaf_port() -> Iterator[int]:
    """A port where nobody listens, and that nobody else can take while the block runs."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        yield int(one.getsockname()[1])


@contextmanager
def started(command: Callable[[int], list[str]], url: str, folder: Path) -> Iterator[str]:
    """A server on a free port that ``command`` is told; the URL, in which {port} stands for it."""
    for last in range(_TRIES):
        port = free_port()
        process = subprocess.Popen(
            command(port),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            **as_other(),  # type: ignore[call-overload]
        )
        try:
            if _answers(url.format(port=port), process, patient=last == _TRIES - 1):
                yield url.format(port=port)
                return
        finally:
            _end(process)
    raise RuntimeError(f"{command(0)[0]} did not start")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a server at once: what it holds is thrown away. One that does not listen is killed."""
    process.send_signal(signal.SIGQUIT)
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(PATIENCE_SECONDS)


def _answers(url: str, process: subprocess.Popen[bytes], *, patient: bool) -> bool:
    """Wait until a server answers; False if it has ended."""
    import psycopg

    end = time.monotonic() + PATIENCE_SECONDS * (2 if patient else 1)
    while process.poll() is None and time.monotonic() < end:
        try:
            psycopg.connect(url).close()
        except psycopg.OperationalError:
            time.sleep(0.1)
        else:
            return process.poll() is None
    return False


def as_other() -> dict[str, int]:
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
    who = as_other()
    folder.mkdir()
    if who:
        os.chown(folder, who["user"], who["group"])
    data = folder / "data"
    made = [initdb, "-D", str(data), "-U", _USER, "--auth=trust", "--no-sync", "-E", "UTF8"]
    subprocess.run(made, check=True, capture_output=True, cwd=folder, **who)  # type: ignore[call-overload]
    url = f"postgresql://{_USER}@127.0.0.1:{{port}}/postgres"
    with started(lambda port: server_command(server, data, port), url, folder) as there:
        yield there


def server_command(server: str, data: Path, port: int) -> list[str]:
    """How a server is started on data that are there already."""
    place = ["-p", str(port), "-h", "127.0.0.1", "-k", str(data.parent), "-F"]
    return [server, "-D", str(data), *place]


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
