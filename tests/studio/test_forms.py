"""Forms say all that the commands take, and stand for words that the commands understand."""

from __future__ import annotations

import re
import shlex
from html import unescape
from html.parser import HTMLParser

import httpx
import pytest

from recloak.auditing.policy import Policy, Requirement
from recloak.cli._shared.arguments import load, parse, parser_of
from recloak.io.options import ReadOptions
from recloak.methods import METHODS
from recloak.publishing.options import PublishOptions
from recloak.studio.pages import _frontier
from recloak.studio.pages._reading import ELSEWHERE
from recloak.studio.pages.publishing import OWN
from tests.comparison.samples import compared, trial
from tests.studio.conftest import Served


class Names(HTMLParser):
    """The fields of a page, and the limits that they tell."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: dict[str, dict[str, str | None]] = {}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in ("input", "select", "textarea") and given.get("name"):
            self.found[str(given["name"])] = given


def command_in(text: str) -> list[str]:
    found = re.search(r'aria-label="Command"><code>(.*?)</code>', text, re.DOTALL)
    assert found, text
    return shlex.split(unescape(found[1]))


def understood(words: list[str]) -> object:
    """The words as the command reads them."""
    assert words[0] == "recloak"
    return parse(load(words[1]), words[1], words[2:])


def test_every_option_of_publishing_has_a_field(served: Served, client: httpx.Client) -> None:
    served.small()
    fields = Names(client.get("/files/small/publish").text).found
    assert set(PublishOptions.flags()) - set(OWN) == {
        name.removeprefix("option.") for name in fields if name.startswith("option.")
    }
    assert {"name", "method", "passphrase"} <= set(fields)


ELSEWHERE_THAN_IN_FIELDS = {
    "--help": "the fields have it",
    **dict.fromkeys(
        ("--json", "--quiet", "--verbose", "--log"), "the page shows it, the job keeps it"
    ),
    "--config": "the form is filled in instead",
    "--dry-run": "a button",
    "--columns": "a field for each role",
    "--schema": "the fields of surveys say the same",
    "--report": OWN["report"],
    "--export": OWN["export"],
    "--encrypt-parts": OWN["encrypt_parts"],
}


def test_every_flag_of_the_command_is_offered(served: Served, client: httpx.Client) -> None:
    """Those of publishing in its form, those of reading on the page of the data."""
    served.small()
    pages = client.get("/files/small/publish").text + client.get("/files/small").text
    declared = parser_of(load("publish"), "publish", []).declared
    flags = {flag for one in declared for flag in one.action.option_strings if flag[:2] == "--"}
    missing = {flag for flag in flags if f"<code>{flag}</code>" not in pages}
    assert missing == ELSEWHERE_THAN_IN_FIELDS.keys() & flags
    assert 'value="estimate"' in pages


def test_every_option_of_reading_has_a_field(served: Served, client: httpx.Client) -> None:
    served.small()
    fields = Names(client.get("/files/small").text).found
    said = {name.split(".", 1)[1] for name in fields if name.startswith(("read.", "ticked."))}
    assert set(ReadOptions.flags()) - set(ELSEWHERE) == said
    assert {f"role.{role}" for role in ("user", "item", "rating", "time")} <= set(fields)


@pytest.mark.parametrize("name", METHODS.names())
def test_every_parameter_of_a_method_has_a_field(
    served: Served, client: httpx.Client, name: str
) -> None:
    served.small()
    text = client.get("/files/small/publish/parameters", params={"method": name}).text
    fields = Names(text).found
    for info in METHODS.get(name).Parameters.described():
        if info.name in ("sensitive", "non_sensitive"):
            continue  # said of the data
        field = fields[f"parameter.{info.name}"]
        if info.least is not None and field.get("type") == "number":
            assert float(str(field["min"])) == info.least


def test_limits_are_those_of_the_declaration(served: Served, client: httpx.Client) -> None:
    served.small()
    text = client.get("/files/small/publish/parameters", params={"method": "microaggregation"}).text
    assert Names(text).found["parameter.k"]["min"] == "2"


def test_a_form_stands_for_words_that_the_command_takes(
    served: Served, client: httpx.Client
) -> None:
    served.small()
    form = {
        "name": "spring-2024",
        "method": "microaggregation",
        "parameter.k": "4",
        "option.exclude_users": "7\n9",
        "option.keep_secret": "yes",
        "option.split_secret": "yes",
        "option.audited": "yes",
        "option.table_format": "csv",
        "option.seed": "-5",
    }
    words = command_in(client.post("/files/small/publish/command", data=form).text)
    arguments = vars(understood(words))  # type: ignore[arg-type]
    assert arguments["out"] == "releases/spring-2024"
    assert arguments["keep_secret"] == "secrets/spring-2024.secret"
    assert arguments["split_secret"] == "wallets/spring-2024"
    assert arguments["exclude_users"] == "notes/spring-2024-excluded.txt"
    assert arguments["no_audit"] is True
    assert arguments["table_format"] == "csv"
    assert arguments["seed"] == "-5"
    assert arguments["method_with_k"] == "4"


@pytest.mark.parametrize(
    "path",
    ["/", "/files/small", "/files/small/publish", "/files/small/compare", "/files/small/lists",
     "/check", "/releases", "/comparisons", "/policies", "/lists", "/history"],
)  # fmt: skip
def test_every_screen_shows_a_command(served: Served, client: httpx.Client, path: str) -> None:
    served.small()
    assert command_in(client.get(path).text)[0] == "recloak"


def test_what_is_wrong_with_a_parameter_is_said_at_once(
    served: Served, client: httpx.Client
) -> None:
    served.small()
    form = {"name": "wrong", "method": "microaggregation", "parameter.k": "0"}
    answer = client.post("/files/small/publish", data=form)
    assert answer.status_code == 422
    assert "microaggregation, parameter &#39;k&#39;" in answer.text
    assert 'value="wrong"' in answer.text
    kept = {"name": "kept", "method": "pseudonymize", "option.keep_secret": "yes"}
    assert "is needed to encrypt" in client.post("/files/small/publish", data=kept).text
    twice = {**kept, "passphrase": "a", "lock.key-file": "/k"}
    assert "give only one of these" in client.post("/files/small/publish", data=twice).text
    assert served.jobs.of("publish", "wrong") == []


def test_options_cannot_name_other_places(served: Served, client: httpx.Client) -> None:
    served.small()
    form = {"name": "r", "method": "pseudonymize", "option.policy": "/etc/passwd"}
    assert "not a policy of this workspace" in client.post("/files/small/publish", data=form).text
    bad = {"name": "../r", "method": "pseudonymize"}
    assert client.post("/files/small/publish", data=bad).status_code == 422
    locked = {"name": "r", "method": "pseudonymize", "lock.key-file": "../key"}
    answer = client.post("/files/small/publish", data=locked)
    assert "leads out of the workspace" in answer.text
    form = {"release": "../../etc", "original": ""}
    assert "leads out of the workspace" in client.post("/check", data=form).text


def test_lists_have_all_parameters_of_protection(served: Served, client: httpx.Client) -> None:
    served.small()
    form = {"name": "l", "history.start": "0.5", "parameter.delta": "0.2", "action": "replay",
            "parameter.new_raters_only": "true", "parameter.top": "3"}  # fmt: skip
    words = command_in(client.post("/files/small/lists/command", data=form).text)
    arguments = vars(understood(words))  # type: ignore[arg-type]
    assert arguments["out"] == "lists/l"
    assert arguments["protection_new_raters_only"] is True
    assert (arguments["start"], arguments["protection_delta"]) == ("0.5", "0.2")


def test_limits_that_contradict_each_other_are_told_of_where_they_were_set(
    served: Served, client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = (
        Requirement(attack="record-linkage:known=4", figure="success", at_most=0.5),
        Requirement(attack="record-linkage:known=4", figure="success", at_least=0.1),
    )
    policy = Policy("odd", lines)
    served.small("odd", people=20)
    found = compared(trial("pseudonymize"))
    monkeypatch.setattr(_frontier, "comparison_of", lambda *_: found)
    monkeypatch.setattr(_frontier, "policy_of", lambda *_: policy)
    file = served.workspace.file("odd")
    monkeypatch.setattr(_frontier, "record_of", lambda *_: (file, {}))
    given = {"use.0": "yes", "use.1": "yes", "limit.0": "0.2", "limit.1": "0.8"}
    told = client.get("/comparisons/odd/decide/part", params=given)
    assert told.status_code == 200
    assert "contradict each other" in told.text
    assert "contradict" not in client.get("/comparisons/odd/decide/part").text
