"""The service as a process, against databases that hang or are away, and against slow clients."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import psycopg
import pytest

from recloak.lists.service import _protocol
from recloak.lists.store.store import Store
from tests.lists.service.conftest import until
from tests.lists.store.shop import Shop, protector, release_next
from tests.support.databases import PATIENCE_SECONDS, deaf_port, emptied

END_SECONDS = 60  # 5 on a machine of its own; one that hangs takes minutes
Serving = Callable[..., httpx.Client]


@contextmanager
def process(
    url: str, *more: str, started: Sequence[str] = ("-m", "recloak")
) -> Iterator[tuple[subprocess.Popen[str], httpx.Client]]:
    """`recloak lists serve` as a process of its own, and a client of it."""
    words = ["lists", "serve", "--store", url, "--port", "0", "--every", "0.1", "--json", *more]
    service = subprocess.Popen(
        [sys.executable, *started, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert service.stdout is not None
        told = ""
        while "}" not in told:
            told += service.stdout.readline()
        base = f"http://127.0.0.1:{json.loads(told)['port']}"
        with httpx.Client(base_url=base, timeout=PATIENCE_SECONDS) as client:
            yield service, client
    finally:
        service.kill()
        service.wait()


def backends(url: str) -> list[int]:
    """The processes of the server that work for others than us."""
    with psycopg.connect(url) as connection:
        rows = connection.execute("SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
        return [row[0] for row in rows]


@contextmanager
def stopped(url: str) -> Iterator[None]:
    """The server and all that it started hang, until the block ends."""
    with psycopg.connect(url) as connection:
        file = connection.execute("SHOW data_directory").fetchone()
    assert file is not None
    main = int(Path(file[0], "postmaster.pid").read_text().split()[0])
    hanging = [main, *backends(url)]
    for one in hanging:
        with_signal(one, signal.SIGSTOP)
    try:
        yield
    finally:
        for one in hanging:
            with_signal(one, signal.SIGCONT)


def with_signal(process_id: int, number: int) -> None:
    with suppress(ProcessLookupError):  # a backend that ended meanwhile
        os.kill(process_id, number)


def answering(client: httpx.Client, path: str = "/live") -> bool:
    try:
        client.get(path)
    except httpx.TransportError:
        return False
    return True


def ready(client: httpx.Client) -> bool:
    """Has it lists to answer with? It answers before, if the store is slow."""
    return answering(client) and client.get("/ready").status_code == 200


def events(service: subprocess.Popen[str]) -> list[dict[str, object]]:
    assert service.stderr is not None
    return [json.loads(line) for line in service.stderr.read().splitlines()]


def test_a_database_that_hangs_holds_up_neither_answers_nor_the_end(postgresql: str) -> None:
    store = Store.at(emptied(postgresql), make=True)
    release_next(store, Shop(1).ratings(), protector())
    with process(postgresql) as (service, client):
        until(lambda: ready(client))
        with stopped(postgresql):  # it looks every tenth of a second, so that a look soon hangs
            until(lambda: client.get("/health").json()["silent_seconds"] >= 0.5)
            assert client.get("/items/1/related").status_code == 200
            assert client.get("/live").status_code == 200
            service.terminate()
            assert service.wait(END_SECONDS) == 0


def test_a_service_that_starts_while_the_database_is_down_says_503(tmp_path: Path) -> None:
    with (
        deaf_port() as port,
        process(f"postgresql://somebody:hidden@127.0.0.1:{port}/shop") as (service, client),
    ):
        until(lambda: answering(client))
        for path in ("/items/1/related", "/releases", "/ready", "/health"):
            assert client.get(path).status_code == 503, path
        assert client.get("/live").status_code == 200
        health = client.get("/health").text
        for word in ("somebody", "hidden", "127.0.0.1", str(port), "shop"):
            assert word not in health
        service.terminate()
        assert service.wait(END_SECONDS) == 0
        told = events(service)
    assert [one["event"] for one in told if one["level"] == "error"] == ["outage"]
    assert "hidden" not in json.dumps(told)


def test_a_database_that_hangs_at_the_start_does_not_hold_up_the_service() -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:  # it takes connections and never answers
        url = f"postgresql://somebody@127.0.0.1:{mute.getsockname()[1]}/shop"
        with process(url) as (service, client):
            until(lambda: answering(client))
            assert client.get("/items/1/related").status_code == 503
            service.terminate()
            assert service.wait(END_SECONDS) == 0


def test_takeovers_are_told_a_line_of_json_each(tmp_path: Path) -> None:
    store, shop = Store.at(f"{tmp_path}/lists.db", make=True), Shop(1)
    release_next(store, shop.ratings(), protector())
    with process(f"{tmp_path}/lists.db") as (service, client):
        until(lambda: ready(client))
        shop.new(12)
        release_next(store, shop.ratings(), protector())
        until(lambda: client.get("/health").json()["release"] == 1)
        service.terminate()
        assert service.wait(END_SECONDS) == 0
        told = events(service)
    names = [one["event"] for one in told]
    assert names == ["started", "takeover", "takeover", "ended"]
    assert [one["release"] for one in told if one["event"] == "takeover"] == [0, 1]


def test_workers_answer_and_their_metrics_are_summed(tmp_path: Path) -> None:
    store = Store.at(f"{tmp_path}/lists.db", make=True)
    release_next(store, Shop(1).ratings(), protector())
    with process(f"{tmp_path}/lists.db", "--workers", "2") as (service, client):
        until(lambda: ready(client))
        answered = 0
        while answered < 40:  # each time by another connection, so that both workers have some
            one = httpx.get(f"{client.base_url}/items/1/related", timeout=PATIENCE_SECONDS)
            assert one.status_code in (200, 503), "a worker may not have looked yet"
            answered += one.status_code == 200
        route = '{route="/items/{item:path}/related",status="200"}'
        text = client.get("/metrics").text
        assert f"recloak_requests_total{route} 40.0" in text
        assert "recloak_release 0.0" in text
        service.terminate()
        assert service.wait(END_SECONDS) == 0


def test_workers_end_with_the_process_that_started_them(tmp_path: Path) -> None:
    """Else they would answer for ever, and the next service would find its port taken."""
    store = Store.at(f"{tmp_path}/lists.db", make=True)
    release_next(store, Shop(1).ratings(), protector())
    with process(f"{tmp_path}/lists.db", "--workers", "2") as (service, client):
        until(lambda: ready(client))
        service.kill()
        until(lambda: not accepts(client))


def accepts(client: httpx.Client) -> bool:
    """Does anybody take a new connection?"""
    place = (client.base_url.host, client.base_url.port or 80)
    try:
        socket.create_connection(place, timeout=PATIENCE_SECONDS).close()
    except OSError:
        return False
    return True


def test_slow_and_large_requests_are_given_up(
    tmp_path: Path, serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_protocol, "REQUEST_SECONDS", 0.3)
    store = Store.at(f"{tmp_path}/lists.db", make=True)
    release_next(store, Shop(1).ratings(), protector())
    client = serving(store)
    place = (client.base_url.host, client.base_url.port or 80)
    slow = {
        "nothing at all": b"",
        "half of a header": b"GET /live HTTP/1.1\r\nHost: x\r\nX-Slow",
        "half of a body": b"POST /lists HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        b'Content-Length: 100\r\n\r\n{"items"',
    }
    for what, sent in slow.items():
        with socket.create_connection(place, timeout=PATIENCE_SECONDS) as connection:
            connection.sendall(sent)
            assert ended(connection), what
    with socket.create_connection(place, timeout=PATIENCE_SECONDS) as connection:
        large = b"POST /lists HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\n"
        with suppress(ConnectionError):  # it may be ended before all is sent
            connection.sendall(large + b" " * (_protocol.LARGEST_REQUEST + 1))
        assert ended(connection)
    monkeypatch.undo()  # the machine may be too busy to answer anybody in so short a time
    assert client.get("/live").status_code == 200


def test_an_answer_that_nobody_takes_is_given_up(tmp_path: Path) -> None:
    """With so many connections open, nobody else would be answered."""
    place = f"{tmp_path}/lists.db"
    release_next(Store.at(place, make=True), Shop(1).ratings(), protector())
    given_up = "import sys; from recloak.lists.service import _protocol as one; "
    given_up += "one.REQUEST_SECONDS = 0.3; from recloak.cli.main import main; main(sys.argv[1:])"
    with process(place, started=("-c", given_up)) as (service, client):
        until(lambda: ready(client))
        there = (client.base_url.host, client.base_url.port or 80)
        with socket.socket() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect(there)
            connection.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n" * 600)
            watch = select.poll()
            watch.register(connection, select.POLLERR | select.POLLHUP)
            assert watch.poll(PATIENCE_SECONDS * 1000), "it is held for as long as the client likes"
        service.terminate()
        assert service.wait(END_SECONDS) == 0
        assert [one for one in events(service) if one["level"] == "error"] == []


def ended(connection: socket.socket) -> bool:
    """Does the other side end it? What it says before does not matter."""
    try:
        while connection.recv(10_000):
            pass
    except ConnectionError:
        pass
    return True


def slow_clients(client: httpx.Client, count: int) -> Iterator[socket.socket]:
    """Connections, each with a request that is never completed."""
    place = (client.base_url.host, client.base_url.port or 80)
    for _ in range(count):
        connection = socket.create_connection(place, timeout=PATIENCE_SECONDS)
        with suppress(ConnectionError):  # one too many is closed at once
            connection.sendall(b"GET /live HTTP/1.1\r\nHost: x\r\nX-Slow")
        yield connection


def with_descriptors(soft: int, hard: str) -> tuple[str, str]:
    """How `process` starts a service that may have only so many files and connections open."""
    code = "import resource as r, sys; from recloak.cli.main import main; "
    code += "known = r.getrlimit(r.RLIMIT_NOFILE)[1]; "
    code += f"r.setrlimit(r.RLIMIT_NOFILE, ({soft}, {hard})); main(sys.argv[1:])"
    return "-c", code


def test_slow_clients_use_up_no_soft_limit(tmp_path: Path) -> None:
    """Many systems give a process 1,024 descriptors, and more for the asking."""
    place = f"{tmp_path}/lists.db"
    release_next(Store.at(place, make=True), Shop(1).ratings(), protector())
    with process(place, started=with_descriptors(250, "known")) as (_, client):
        until(lambda: ready(client))
        held = list(slow_clients(client, 300))
        response = httpx.get(f"{client.base_url}/items/1/related", timeout=PATIENCE_SECONDS)
        assert response.status_code == 200
        for connection in held:
            connection.close()


def test_slow_clients_leave_descriptors_for_the_store(tmp_path: Path) -> None:
    place = f"{tmp_path}/lists.db"
    store = Store.at(place, make=True)
    shop = Shop(1)
    release_next(store, shop.ratings(), protector())
    with process(place, started=with_descriptors(250, "250")) as (service, client):
        until(lambda: ready(client))
        held = list(slow_clients(client, 300))
        release_next(store, shop.night(), protector())
        assert service.stderr is not None
        told = [json.loads(service.stderr.readline())["event"] for _ in range(3)]
        assert told == ["started", "takeover", "takeover"]
        for connection in held:
            connection.close()


def test_workers_that_die_at_once_do_not_hold_up_the_end() -> None:
    """Each is replaced after a second; with many of them, a request to end came too late."""
    dying = "import os; from recloak.lists.service import serving as one; "
    dying += "one._RESTART_SECONDS = 20; print('begun', flush=True); "
    dying += "one._Workers(lambda: os._exit(1), 8).run()"
    with subprocess.Popen([sys.executable, "-c", dying], stdout=subprocess.PIPE) as service:
        try:
            assert service.stdout is not None
            assert service.stdout.readline()
            with suppress(subprocess.TimeoutExpired):
                service.wait(2)  # they have died by then
            service.terminate()
            assert service.wait(15) == 0
        finally:
            service.kill()
