"""The service over real HTTP: what it answers, and what happens when a release takes over."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import httpx
import numpy as np
import pytest
from sqlalchemy import delete, update

from recloak.core.ratings import Ratings
from recloak.lists.service._metrics import Metrics
from recloak.lists.service._reloader import NOT_CONTINUED, Reloader
from recloak.lists.service._shown import ShownDigest
from recloak.lists.service.options import ServiceOptions
from recloak.lists.store.database import writing
from recloak.lists.store.schema import LISTS, RELEASES
from recloak.lists.store.store import Store
from tests.lists.service.conftest import until
from tests.lists.store.shop import Shop, protector, release_next

Serving = Callable[..., httpx.Client]


def published(url: str, nights: int = 2, seed: int = 21) -> tuple[Store, Shop]:
    store, shop = Store.at(url, make=True), Shop(seed)
    for _ in range(nights):
        release_next(store, more(shop), protector())
    return store, shop


def more(shop: Shop) -> Ratings:
    """A night in which nobody and nothing is erased."""
    shop.new(12)
    return shop.ratings()


def kept_lists(store: Store, number: int) -> dict[str, list[str | None]]:
    with store.reading() as transaction:
        texts = transaction.texts(transaction.records()[number])
    return {item: json.loads(text) for item, text in texts.items()}


def test_it_answers_what_is_in_force(url: str, serving: Serving) -> None:
    store, _ = published(url)
    client = serving(store)
    for item, related in kept_lists(store, 1).items():
        answer = client.get(f"/items/{item}/related")
        assert answer.status_code == 200
        expected = {"item": item, "release": 1, "slots": 3, "offset": 0, "related": related}
        assert answer.json() == expected
    assert client.get("/health").json()["status"] == "ok"


def test_a_new_release_takes_over_without_a_mixed_answer(url: str, serving: Serving) -> None:
    store, shop = published(url)
    client = serving(store)
    answers: list[dict[str, object]] = []
    stop = threading.Event()

    def ask() -> None:
        while not stop.is_set():
            answers.extend(client.get(f"/items/{item}/related").json() for item in ("1", "2", "3"))

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        until(lambda: any("release" in answer for answer in answers))
        for number in (2, 3):
            release_next(store, more(shop), protector(top=5))
            until(lambda number=number: answers[-1].get("release") == number)  # type: ignore[misc]
    finally:
        stop.set()
        asking.join()
    seen = [answer for answer in answers if "release" in answer]
    assert {answer["release"] for answer in seen} >= {1, 3}
    kept = {number: kept_lists(store, number) for number in (1, 2, 3)}
    assert all(one["related"] == kept[one["release"]][one["item"]] for one in seen)  # type: ignore[index]
    numbers = [answer["release"] for answer in seen]
    assert numbers == sorted(numbers), "an older release came back"  # type: ignore[type-var]


def test_caches_are_told_what_they_may_keep(url: str, serving: Serving) -> None:
    store, shop = published(url)
    client = serving(store)
    first = client.get("/items/1/related")
    assert first.headers["cache-control"] == "public, max-age=60"
    tag = first.headers["etag"]
    for known in (tag, f'"other", {tag}', f"W/{tag}", "*"):
        again = client.get("/items/1/related", headers={"If-None-Match": known})
        assert again.status_code == 304
        assert again.content == b""
        assert again.headers["etag"] == tag
    assert client.get("/items/1/related", headers={"If-None-Match": '"x"'}).status_code == 200
    release_next(store, more(shop), protector())
    until(lambda: client.get("/items/1/related").headers["etag"] != tag)
    assert client.get("/items/1/related", headers={"If-None-Match": tag}).status_code == 200


@pytest.mark.parametrize("path", ["/items/1/related", "/items/1/related?limit=2", "/releases"])
def test_head_is_get_without_a_body(path: str, tmp_path: object, serving: Serving) -> None:
    store, _ = published(f"{tmp_path}/lists.db", nights=1)
    client = serving(store)
    whole, bare = client.get(path), client.head(path)
    assert bare.status_code == 200
    assert bare.content == b""
    for name in ("etag", "cache-control", "content-type", "content-length"):
        assert bare.headers[name] == whole.headers[name]
    assert client.head("/items/unknown/related").status_code == 404


def test_ready_answers_and_routed_ones_are_the_same(tmp_path: object, serving: Serving) -> None:
    """A query takes the way through routing and validation."""
    store, _ = published(f"{tmp_path}/lists.db")
    client = serving(store)
    ready, routed = (client.get(f"/items/1/related{more}") for more in ("", "?offset=0"))
    assert ready.content == routed.content
    assert {**ready.headers, "date": ""} == {**routed.headers, "date": ""}
    tag = {"If-None-Match": ready.headers["etag"]}
    for more in ("", "?offset=0"):
        again = client.get(f"/items/1/related{more}", headers=tag)
        assert (again.status_code, again.content) == (304, b"")


def test_a_look_that_fails_in_any_way_is_told_and_repeated(
    tmp_path: object, serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, shop = published(f"{tmp_path}/lists.db", nights=1)
    client = serving(store)

    def fail(_: object) -> None:
        raise TypeError("anything")

    with monkeypatch.context() as patched:
        patched.setattr("recloak.lists.service._reloader.snapshot_of", fail)
        release_next(store, more(shop), protector())
        until(lambda: client.get("/health").json()["status"] == "stale")
        assert client.get("/items/1/related").json()["release"] == 0
    until(lambda: client.get("/items/1/related").json()["release"] == 1)
    assert client.get("/health").json()["status"] == "ok"


def test_pages(url: str, serving: Serving) -> None:
    store, _ = published(url, nights=5)
    client = serving(store)
    whole = client.get("/items/1/related").json()["related"]
    part = client.get("/items/1/related", params={"offset": 1, "limit": 1}).json()
    assert part["related"] == whole[1:2]
    assert part["offset"] == 1
    numbers: list[int] = []
    page = client.get("/releases", params={"limit": 2}).json()
    while True:
        numbers += [release["number"] for release in page["releases"]]
        if page["next_before"] is None:
            break
        page = client.get("/releases", params={"limit": 2, "before": page["next_before"]}).json()
    assert numbers == [4, 3, 2, 1, 0]


def test_only_what_was_published_is_told(url: str, serving: Serving) -> None:
    store, _ = published(url)
    release = serving(store).get("/releases").json()["releases"][0]
    assert set(release) == {
        "number", "published_at", "protected", "delta", "window", "top", "algorithm", "similarity",
        "n_items", "digest",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/items/unknown/related", 404),
        ("/items/1/related/", 404),
        ("/items//related", 422),
        ("/items/related", 404),
        ("/items/1/related?limit=0", 422),
        ("/items/1/related?limit=x", 422),
        ("/items/1/related?offset=-1", 422),
        ("/releases?before=99999999999999999999", 422),
        ("/items/%00%ff/related", 404),
        ("/items/..%2f..%2fetc%2fpasswd/related", 404),
        (f"/items/{'x' * 3000}/related", 422),
        ("/nowhere", 404),
    ],
)
def test_what_is_not_there_is_the_askers_fault(
    path: str, status: int, tmp_path: object, serving: Serving
) -> None:
    store, _ = published(f"{tmp_path}/lists.db", nights=1)
    client = serving(store)
    assert client.get(path).status_code == status
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        assert client.request(method, "/items/1/related").status_code == 405


def test_odd_names_of_items(url: str, serving: Serving) -> None:
    names = ["a/b", "ü ñ", "50%", "q?x=1", "#", "x/related", '"']
    users = np.repeat(np.arange(8), len(names))
    items = np.tile(np.array(names, dtype=object), 8)
    ratings = Ratings.from_columns(users, items, np.arange(len(items)) % 5 + 1, scale="1..5")
    store = Store.at(url, make=True)
    release_next(store, ratings, protector(delta="1"))
    client = serving(store)
    for name in names:
        answer = client.get(f"/items/{quote(name, safe='')}/related")
        assert answer.status_code == 200
        assert answer.json()["item"] == name
        assert set(answer.json()["related"]) <= set(names)


def test_a_store_that_fails_leaves_the_last_lists_in_force(url: str, serving: Serving) -> None:
    store, _ = published(url)
    client = serving(store)
    before = client.get("/items/1/related").json()
    with writing(store.engine) as connection:
        connection.execute(update(RELEASES).where(RELEASES.c.number == 1).values(digest="0" * 64))
    until(lambda: client.get("/health").json()["status"] == "stale")
    health = client.get("/health")
    assert health.status_code == 200
    assert "edited" in health.json()["problem"]
    assert client.get("/items/1/related").json() == before
    assert "recloak_failed_reloads_total 0.0" not in client.get("/metrics").text


def test_an_empty_store_says_so(tmp_path: object, serving: Serving) -> None:
    store = Store.at(f"{tmp_path}/lists.db", make=True)
    client = serving(store)
    for path in ("/health", "/ready", "/items/1/related", "/items/1/related?limit=2", "/releases"):
        assert client.get(path).status_code == 503, path
    assert client.get("/live").status_code == 200
    assert not Path(f"{tmp_path}/lists.db").exists(), "the service made a file"
    release_next(store, Shop(3).ratings(), protector())
    until(lambda: client.get("/health").status_code == 200)
    assert client.get("/items/1/related").status_code == 200


def test_a_store_that_was_replaced_is_not_taken_over(url: str, serving: Serving) -> None:
    """Neither one that began anew nor an older copy: both would show what nobody compared."""
    store, shop = published(url, nights=3)
    client = serving(store)
    before = client.get("/items/1/related").json()
    with writing(store.engine) as connection:
        for table in (LISTS, RELEASES):
            connection.execute(delete(table).where(table.c.number >= 1))
    until(lambda: client.get("/health").json()["status"] == "stale")
    for night in range(4):
        shop.new(20)
        release_next(store, shop.ratings(), protector(top=2 + night % 2))
    until(lambda: "does not continue" in client.get("/health").json()["problem"])
    assert client.get("/items/1/related").json() == before


def test_a_worker_that_begins_later_takes_over_no_replaced_store_either(tmp_path: Path) -> None:
    options, metrics = ServiceOptions(), Metrics()
    store, shop = published(f"{tmp_path}/lists.db")
    Reloader(store, metrics, options).check()
    later = Reloader(store, metrics, options)
    later.check()
    assert later.snapshot.record is not None
    for file in tmp_path.glob("lists.db*"):
        file.unlink()
    for _ in range(3):
        release_next(store, more(shop), protector())
    last = Reloader(store, metrics, options)
    last.check()
    assert last.snapshot.record is None
    assert last.problem == NOT_CONTINUED
    anew = Reloader(store, metrics, ServiceOptions())
    anew.check()
    assert anew.snapshot.record is not None, "a service that is started anew knows of nothing else"


def test_what_is_shown_is_known_to_processes_that_are_forked() -> None:
    shown = ShownDigest()
    assert shown.get() is None
    child = os.fork()
    if child == 0:
        shown.set("a" * 64)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert shown.get() == "a" * 64


def test_a_store_that_is_gone_is_not_made_anew(tmp_path: Path, serving: Serving) -> None:
    published(f"{tmp_path}/lists.db")
    client = serving(Store.at(f"{tmp_path}/lists.db"))
    for file in tmp_path.glob("lists.db*"):
        file.unlink()
    until(lambda: client.get("/health").json()["status"] == "stale")
    assert client.get("/items/1/related").status_code == 200
    assert not (tmp_path / "lists.db").exists()


def test_health_says_since_when_the_store_is_silent(tmp_path: Path, serving: Serving) -> None:
    store, _ = published(f"{tmp_path}/lists.db")
    client = serving(store)
    response = client.get("/health").json()
    assert response["answered_at"].endswith("Z")
    (tmp_path / "lists.db").rename(tmp_path / "away.db")
    until(lambda: client.get("/health").json()["status"] == "stale")
    until(lambda: client.get("/health").json()["silent_seconds"] >= 0.3)
    assert client.get("/ready").status_code == 200
    (tmp_path / "away.db").rename(tmp_path / "lists.db")
    until(lambda: client.get("/health").json()["status"] == "ok")


def test_several_lists_at_once(tmp_path: Path, serving: Serving) -> None:
    store, _ = published(f"{tmp_path}/lists.db")
    client, kept = serving(store), kept_lists(store, 1)
    wanted = {"items": ["2", "1", "2", "none"], "limit": 2, "exclude": ["3"]}
    response = client.post("/lists", json=wanted).json()
    assert (response["release"], response["unknown"]) == (1, ["none"])
    assert response["lists"] == {
        item: [None if entry == "3" else entry for entry in kept[item][:2]] for item in ("2", "1")
    }
    assert client.post("/lists", json={"items": []}).status_code == 422
    assert client.post("/lists", json={"items": ["1"], "other": 1}).status_code == 422
    assert client.post("/lists", content=b"{").status_code == 422
    assert client.post("/lists", json={"items": ["x" * 1000] * 1000}).status_code == 400


@pytest.mark.parametrize(
    "sent", [b'{"items":["\\ud800"]}', b'{"items":["1"],"limit":NaN}', b'{"\\ud800":[]}']
)
def test_what_is_no_text_or_number_is_the_askers_fault(
    sent: bytes, tmp_path: Path, serving: Serving
) -> None:
    """JSON can say what neither UTF-8 nor JSON itself can say back."""
    store, _ = published(f"{tmp_path}/lists.db")
    response = serving(store).post(
        "/lists", content=sent, headers={"Content-Type": "application/json"}
    )
    assert response.status_code == 422
    assert {"type", "loc", "msg"} == set(response.json()["detail"][0])


def test_another_table_of_categories_has_another_etag(tmp_path: Path, serving: Serving) -> None:
    store, _ = published(f"{tmp_path}/lists.db")
    kept = kept_lists(store, 1)["1"]
    asked = {"params": {"category": "few"}}
    first = serving(store, categories={"few": frozenset({kept[0]})})
    tag = first.get("/items/1/related", **asked).headers["etag"]
    known = {**asked, "headers": {"If-None-Match": tag}}
    assert first.get("/items/1/related", **known).status_code == 304
    second = serving(store, categories={"few": frozenset({kept[1]})})
    response = second.get("/items/1/related", **known)
    assert response.status_code == 200
    assert response.json()["related"] == [None, kept[1], None]


def test_entries_that_are_not_wanted_leave_their_slots_empty(
    tmp_path: Path, serving: Serving
) -> None:
    store, _ = published(f"{tmp_path}/lists.db")
    kept = kept_lists(store, 1)["1"]
    client = serving(store, categories={"few": frozenset({kept[0]})})
    response = client.get("/items/1/related", params={"exclude": [kept[0], "none"]}).json()
    assert response["related"] == [None, *kept[1:]]
    response = client.get("/items/1/related", params={"category": "few"}).json()
    assert response["related"] == [kept[0], None, None]
    assert client.get("/items/1/related", params={"category": "other"}).status_code == 404


def test_with_keys_only_who_has_one_is_answered(tmp_path: Path, serving: Serving) -> None:
    store, _ = published(f"{tmp_path}/lists.db")
    client = serving(store, keys=frozenset({"sesame", "other"}))
    for path in ("/items/1/related", "/releases", "/metrics", "/health", "/docs", "/"):
        assert client.get(path).status_code == 401, path
        assert client.get(path, headers={"X-API-Key": "sesam"}).status_code == 401
        assert client.get(path, headers={"X-API-Key": "other"}).status_code == 200
        for scheme in ("Bearer", "bearer"):
            headers = {"Authorization": f"{scheme} sesame"}
            assert client.get(path, headers=headers).status_code == 200
    for path in ("/live", "/ready"):
        assert client.get(path).status_code == 200
    response = client.get("/items/1/related", headers={"X-API-Key": "other"})
    assert response.headers["cache-control"].startswith("private")


def test_pages_for_people_fetch_nothing_from_elsewhere(tmp_path: Path, serving: Serving) -> None:
    store, _ = published(f"{tmp_path}/lists.db")
    client = serving(store)
    landing, docs = client.get("/").text, client.get("/docs").text
    assert "<td>1</td>" in landing
    for path in ("/items/{item}/related", "/lists", "/releases", "/live", "/ready", "/health"):
        assert path in docs
    assert "Items to leave out" in docs
    for page in (landing, docs):
        assert "://" not in page
        assert "<script" not in page


def test_metrics_tell_what_the_lists_are_worth(tmp_path: Path, serving: Serving) -> None:
    store, _ = published(f"{tmp_path}/lists.db", nights=4)
    text = serving(store).get("/metrics").text
    with store.reading() as transaction:
        last = transaction.records()[-1]
    assert f"recloak_release_recall_ratio {last.recall}" in text
    assert f"recloak_release_attainable_recall_ratio {last.attainable}" in text
    assert f"recloak_release_suppressed_entries {float(last.worth['suppressed'])}" in text


def test_metrics_count_routes_not_items(tmp_path: object, serving: Serving) -> None:
    store, _ = published(f"{tmp_path}/lists.db")
    client = serving(store)
    for item in ("1", "2", "unknown"):
        client.get(f"/items/{item}/related")
    text = client.get("/metrics").text
    route = '{route="/items/{item:path}/related",status="%s"}'
    assert f"recloak_requests_total{route % 200} 2.0" in text
    assert f"recloak_requests_total{route % 404} 1.0" in text
    assert "recloak_release 1.0" in text
    assert "unknown" not in text


def test_the_example_of_a_client(
    tmp_path: Path, serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3] / "deploy"))
    from lists_client import ListsClient, over_http

    store, _ = published(f"{tmp_path}/lists.db")
    service = serving(store, keys=frozenset({"a key that nobody guesses"}))
    answers: list[int] = []

    def counted(url: str, headers: dict[str, str]) -> object:
        answer = over_http(url, headers)
        answers.append(answer.status)
        return answer

    client = ListsClient(str(service.base_url), "a key that nobody guesses", counted)
    first, again = client.related("1"), client.related("1")
    assert first == again
    assert first
    assert client.related("no such item") is None
    assert answers == [200, 304, 404]
    with pytest.raises(OSError, match="answers 401"):
        ListsClient(str(service.base_url)).related("1")
