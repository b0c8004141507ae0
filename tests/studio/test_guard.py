"""Who may ask: the token works once, the cookie is strict, other pages and names get nothing."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from recloak.cli import main
from recloak.studio.guard import LARGEST_FORM, Access
from tests.studio.conftest import Served


def test_the_token_lets_one_browser_in_once(served: Served) -> None:
    with httpx.Client(base_url=served.base) as first:
        answer = first.get(served.entry)
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert first.get("/").status_code == 200
    again = httpx.get(f"{served.base}/?token={served.access.token}")
    assert again.status_code == 403


@pytest.mark.parametrize(
    "path", ["/?token=wrong", "/?token=", "/", "/static/studio.js", "/history"]
)
def test_without_token_or_cookie_there_is_nothing(served: Served, path: str) -> None:
    served.access.used = False
    answer = httpx.get(f"{served.base}{path}")
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


def test_a_wrong_cookie_is_no_cookie(served: Served) -> None:
    answer = httpx.get(served.base, cookies={served.access.cookie: "guessed"})
    assert answer.status_code == 403


@pytest.mark.parametrize("origin", ["http://example.org", "null", "http://127.0.0.1:1"])
def test_other_pages_can_change_nothing(served: Served, origin: str) -> None:
    with served.client(Origin=origin) as foreign:
        assert foreign.post("/policies", data={"name": "theirs"}).status_code == 403
    assert served.workspace.names("policies", ".toml") == []


def test_a_change_must_say_where_it_comes_from(served: Served) -> None:
    cookies = {served.access.cookie: served.access.session}
    assert httpx.post(f"{served.base}/policies", cookies=cookies).status_code == 403


def test_what_another_page_embeds_gets_nothing(served: Served) -> None:
    with served.client(**{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}) as foreign:
        assert foreign.get("/").status_code == 403


@pytest.mark.parametrize("host", ["example.org", "example.org:{port}", "127.0.0.1:1", "[::1", ""])
def test_other_names_of_this_machine_get_nothing(served: Served, host: str) -> None:
    """A page of the web whose name leads here has the right port, but not the right name."""
    named = host.format(port=served.access.port)
    with served.client(Host=named, Origin=f"http://{named}") as foreign:
        assert foreign.get("/").status_code == 403


def test_beyond_loopback_only_addresses_are_names() -> None:
    access = Access(80, loopback=False)
    assert access.serves("192.168.1.5:80")
    assert not access.serves("rebound.example.org:80")
    assert not Access(80).serves("192.168.1.5:80")
    assert Access(80).serves("127.0.0.1")  # browsers leave this port out
    assert not Access(8900).serves("127.0.0.1")


def test_pages_load_and_send_nothing_elsewhere(client: httpx.Client) -> None:
    policy = client.get("/").headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy


def test_what_is_too_large_is_refused(
    served: Served, client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert client.post("/policies", content=b"x" * (LARGEST_FORM + 1)).status_code == 413
    monkeypatch.setattr("recloak.studio.guard.LARGEST_UPLOAD", 1000)
    assert client.post("/files/upload?name=a.csv", content=b"x" * 1001).status_code == 413
    pieces = (b"x" * 100 for _ in range(11))  # a length that is not told does not help
    answer = client.post("/files/upload?name=a.csv", content=pieces)
    assert (answer.status_code, answer.text.splitlines()[0]) == (422, "that is too large")
    assert served.workspace.files() == []
    assert list(served.workspace.folder.rglob("*.csv")) == []
    assert client.post("/files/upload?name=a.csv", content=b"user,item\n1,2\n").is_success


@pytest.mark.parametrize(
    "path",
    ["/releases/..%2f..%2fetc/zip", "/files/..%2f..", "/policies/%2e%2e", "/static/%2e%2e/guard.py",
     "/releases/.hidden/card", "/comparisons/a%00b"],
)  # fmt: skip
def test_names_cannot_leave_the_workspace(client: httpx.Client, path: str) -> None:
    assert client.get(path).status_code in (404, 422)


@pytest.mark.parametrize("name", ["..", ".hidden"])
def test_what_stands_elsewhere_is_not_given_out(
    served: Served, client: httpx.Client, name: str
) -> None:
    """Files that would be shown if the name were taken as it is."""
    folder = served.workspace.folder / "releases" / name
    folder.mkdir(exist_ok=True)
    for file in ("manifest.json", "README.md"):
        (folder / file).write_text("{}")
    for page in ("card", "zip"):
        address = f"/releases/{name.replace('.', '%2e')}/{page}"
        assert client.get(address).status_code == 422


def test_another_host_is_refused_without_i_know(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recloak.studio.serving.serve", lambda *_: None)
    words = ["studio", str(tmp_path / "w"), "--host", "0.0.0.0", "--no-browser"]
    assert main(words) == 2
    assert "--i-know" in capsys.readouterr().err
    assert not (tmp_path / "w").exists()
    assert main([*words, "--i-know"]) == 0
    assert (tmp_path / "w").exists()


def test_a_workspace_has_one_studio(served: Served, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["studio", str(served.workspace.folder), "--no-browser"]) == 4
    assert "another studio" in capsys.readouterr().err
