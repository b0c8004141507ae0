"""A pooler and a standby for tests: PgBouncer in transaction mode, and a server that follows."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from tests.support.databases import (
    PATIENCE_SECONDS,
    as_other,
    binary,
    server_command,
    started,
)

_CONFIG = """[databases]
postgres = host=127.0.0.1 port={server} dbname=postgres user={user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
auth_type = any
pool_mode = transaction
default_pool_size = 2
unix_socket_dir =
"""


@contextmanager
def _place() -> Iterator[Path]:
    """A folder that whoever runs servers may enter and own."""
    folder = Path(tempfile.mkdtemp(prefix="recloak-pool-"))
    who = as_other()
    if who:
        os.chown(folder, who["user"], who["group"])
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def pooled(url: str) -> Iterator[str]:
    """The URL of a PgBouncer in transaction mode, with two connections to the server at ``url``."""
    pgbouncer = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if pgbouncer is None:
        pytest.skip("PgBouncer is not installed")
    parts = urlsplit(url)
    with _place() as folder:
        config = folder / "pgbouncer.ini"

        def command(port: int) -> list[str]:
            config.write_text(_CONFIG.format(server=parts.port, user=parts.username, port=port))
            config.chmod(0o644)
            return [pgbouncer, str(config)]

        there = f"postgresql://{parts.username}@127.0.0.1:{{port}}/postgres"
        with started(command, there, folder) as answering:
            yield answering


@contextmanager
def followed(url: str) -> Iterator[str]:
    """The URL of a standby that follows the server at ``url`` and can only be read."""
    copy, server = binary("pg_basebackup"), binary("postgres")
    if copy is None or server is None:
        pytest.skip("pg_basebackup is not installed")
    with _place() as folder:
        data = folder / "data"
        words = [copy, "-d", url, "-D", str(data), "-R", "-X", "stream", "-c", "fast"]
        subprocess.run(words, check=True, capture_output=True, cwd=folder, **as_other())  # type: ignore[call-overload]
        there = f"postgresql://{urlsplit(url).username}@127.0.0.1:{{port}}/postgres"
        with started(lambda port: server_command(server, data, port), there, folder) as answering:
            yield answering


def caught_up(leader: str, follower: str) -> None:
    """Wait until a standby has all that its leader has written."""
    with psycopg.connect(leader) as one:
        row = one.execute("SELECT pg_current_wal_lsn()").fetchone()
        assert row is not None
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        with psycopg.connect(follower) as two:
            done = two.execute(
                "SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn", (str(row[0]),)
            ).fetchone()
        if done and done[0]:
            return
        time.sleep(0.1)
    raise RuntimeError("the standby does not follow")
