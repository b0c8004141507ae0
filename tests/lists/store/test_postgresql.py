"""PostgreSQL as shops run it: poolers, several hosts, passwords, standbys, and rights of roles."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import psycopg
import pytest

from recloak.cli.main import main
from recloak.core.errors import MachineError
from recloak.io import write
from recloak.lists.store.checking import check_chain, verify_store
from recloak.lists.store.schema import VERSION
from recloak.lists.store.store import Store
from tests.lists.service.conftest import served, until
from tests.lists.store.older import older_store
from tests.lists.store.shop import Shop, protector, release_next
from tests.support.databases import PATIENCE_SECONDS, deaf_port, emptied
from tests.support.poolers import caught_up, followed, pooled


@pytest.fixture
def server(postgresql: str) -> str:
    return emptied(postgresql)


def as_role(url: str, role: str, password: str = "") -> str:
    parts = urlsplit(url)
    who = f"{role}:{password}" if password else role
    return f"postgresql://{who}@{parts.hostname}:{parts.port}{parts.path}"


def asked(url: str) -> httpx.Response:
    return httpx.get(url, timeout=PATIENCE_SECONDS)


def administer(url: str, *statements: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)  # type: ignore[call-overload]


def test_behind_a_pooler_in_transaction_mode(server: str) -> None:
    with pooled(server) as url:
        store, shop, given = Store.at(url, make=True), Shop(1), []
        with served(store) as base:
            for _ in range(4):
                given.append(shop.night())
                release_next(store, given[-1], protector())
                asked(f"{base}/health")
        assert [one.status for one in verify_store(store, given)] == ["holds"] * 4


def test_the_first_of_several_hosts_that_answers(server: str) -> None:
    parts = urlsplit(server)
    with deaf_port() as deaf:
        url = f"postgresql://{parts.username}@127.0.0.1:{deaf},127.0.0.1:{parts.port}/postgres"
        store = Store.at(url, make=True)
        release_next(store, Shop(1).ratings(), protector())
        assert len(check_chain(Store.at(server))) == 1
        writable = Store.at(f"{url}?target_session_attrs=read-write")
        assert len(check_chain(writable)) == 1


def test_a_password_from_the_environment_or_a_file(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with psycopg.connect(server) as connection:
        row = connection.execute("SHOW hba_file").fetchone()
    assert row is not None
    rules = Path(row[0])
    before = rules.read_text()
    rules.write_text(f"host all secretive 127.0.0.1/32 scram-sha-256\n{before}")
    try:
        administer(
            server,
            "DROP ROLE IF EXISTS secretive",
            "CREATE ROLE secretive LOGIN PASSWORD 'sesame'",
            "GRANT USAGE, CREATE ON SCHEMA public TO secretive",
            "SELECT pg_reload_conf()",
        )
        url = as_role(server, "secretive")
        with pytest.raises(MachineError):
            release_next(Store.at(url, make=True), Shop(1).ratings(), protector())
        with monkeypatch.context() as patched:
            patched.setenv("PGPASSWORD", "sesame")
            release_next(Store.at(url, make=True), Shop(1).ratings(), protector())
        secrets = tmp_path / "pgpass"
        secrets.write_text("*:*:*:secretive:sesame\n")
        secrets.chmod(0o600)
        monkeypatch.setenv("PGPASSFILE", str(secrets))
        assert len(check_chain(Store.at(url))) == 1
    finally:
        rules.write_text(before)
        administer(server, "SELECT pg_reload_conf()")


def test_a_service_reads_from_a_standby(server: str) -> None:
    store, shop = Store.at(server, make=True), Shop(1)
    release_next(store, shop.night(), protector())
    with followed(server) as url:
        standby = Store.at(url)
        caught_up(server, url)
        with served(standby) as base:
            assert asked(f"{base}/health").json()["release"] == 0
            release_next(store, shop.night(), protector())
            caught_up(server, url)
            until(lambda: asked(f"{base}/health").json()["release"] == 1)
            assert len(check_chain(standby)) == 2
        with pytest.raises(MachineError):
            release_next(standby, shop.night(), protector())


def test_roles_need_what_is_granted_and_no_more(
    server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On PostgreSQL 15 and later a role may not make tables in the schema public."""
    monkeypatch.chdir(tmp_path)
    write(Shop(1).ratings(), tmp_path / "night.csv")
    for role in ("nightly", "reading"):
        administer(server, f"DROP ROLE IF EXISTS {role}", f"CREATE ROLE {role} LOGIN")
    administer(server, "GRANT USAGE ON SCHEMA public TO nightly, reading")
    job, reader = as_role(server, "nightly"), as_role(server, "reading")
    first = ["lists", "release", "night.csv", "--store", job, "--new"]
    assert main(first) == 4
    told = capsys.readouterr().err
    assert "permission denied" in told
    assert "lists migrate --sql" in told, "what to do"
    words = ["lists", "migrate", "--store", server, "--sql"]
    assert main([*words, "--job", "nightly", "--reader", "reading", "--json"]) == 0
    statements = json.loads(capsys.readouterr().out)["sql"]
    for _ in range(2):
        administer(server, *statements)
    assert main(first) == 0
    assert main(["lists", "show", "1", "--store", reader]) == 0
    with served(Store.at(reader)) as base:
        assert asked(f"{base}/items/1/related").status_code == 200
    with psycopg.connect(reader) as connection:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("SELECT * FROM recloak_memory")
        connection.rollback()
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("DELETE FROM recloak_lists")


def test_tables_are_brought_up_to_date_beside_a_service(url: str) -> None:
    """A newer service reads the older tables, and goes on while they change."""
    shop = Shop(1)
    store = older_store(url, 2, shop.night())
    with served(store) as base:
        assert asked(f"{base}/health").json()["status"] == "ok"
        assert main(["lists", "migrate", "--store", url, "--quiet"]) == 0
        with store.reading() as transaction:
            assert transaction.version == VERSION
        assert asked(f"{base}/items/1/related").status_code == 200
        assert main(["lists", "migrate", "--store", url, "--quiet"]) == 0
    assert len(check_chain(store)) == 2


def test_sql_for_sqlite_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = str(tmp_path / "none.db")
    assert main(["lists", "migrate", "--store", place, "--sql"]) == 0
    assert "CREATE TABLE IF NOT EXISTS recloak_releases" in capsys.readouterr().out
    assert not Path(place).exists()
    assert main(["lists", "migrate", "--store", place]) == 2
    assert main(["lists", "migrate", "--store", place, "--sql", "--job", "x; DROP"]) == 2
