"""Options: declared once; flags, config keys, keywords, manifest and documentation follow."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest

import recloak
from recloak.auditing.options import AuditOptions
from recloak.cli._shared import reading
from recloak.cli._shared.arguments import Parser, parse
from recloak.cli._shared.reading import Reading, add_reading
from recloak.core.errors import ParameterError
from recloak.core.options import Options, option, takes
from recloak.io.options import READING, SURVEYS, ReadOptions
from recloak.publishing.options import ExtendOptions, PublishOptions
from recloak.testing import random_ratings


class MoreReading(ReadOptions):
    """Reading with options that nobody but this class knows."""

    skip_lines: int = option(0, metavar="N", group=READING)
    """how many lines stand before the first rating"""

    tone: Literal["kind", "harsh"] = option("kind", group=READING)
    """how answers are meant"""

    hidden: str = option("", group=SURVEYS, many=True)
    """issues that nobody sees"""


class MorePublishing(PublishOptions):
    """Publishing with options that nobody but this class knows."""

    stamp: str | None = option(metavar="TEXT")
    """what is printed on the first page"""

    spare_secret: str | None = option(metavar="FILE", group="secret")
    """where a second copy of the secret goes"""


class MoreExtending(MorePublishing, ExtendOptions):
    """The same for the extension of a release."""


def test_a_field_of_reading_is_a_flag_a_config_key_and_stands_in_the_manifest(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from recloak.cli import inspect as command  # whatever reads ratings

    monkeypatch.setattr(reading, "ReadOptions", MoreReading)
    config = tmp_path / "config.toml"
    config.write_text('skip-lines = 3\nhidden = ["a", "b"]\n')
    words = ["ratings.csv", "--tone", "harsh", "--config", str(config)]
    arguments = parse(command, "inspect", words)
    options = Reading(arguments).options
    assert (options.skip_lines, options.tone, options.hidden) == (3, "harsh", "a,b")
    assert options.given() == {"hidden": "a,b", "skip_lines": 3, "tone": "harsh"}
    shown = _help(add_reading)
    assert "--skip-lines N" in shown.split("surveys:")[0]
    assert "issues that nobody sees" in shown.split("surveys:")[1]


def _help(*adds: object) -> str:
    parser = Parser(prog="recloak", formatter_class=argparse.RawDescriptionHelpFormatter)
    for add in adds:
        add(parser)  # type: ignore[operator]
    return parser.format_help()


@pytest.mark.parametrize(
    ("name", "model", "more"),
    [
        ("publish", "PublishOptions", MorePublishing),
        ("extend", "ExtendOptions", MoreExtending),
    ],
)
def test_a_field_of_publishing_is_a_flag_and_a_config_key_of_the_command(
    name: str,
    model: str,
    more: type[PublishOptions],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    from recloak.cli import extend, publish
    from recloak.cli._shared.flags import given_options

    command = {"publish": publish, "extend": extend}[name]
    monkeypatch.setattr(command, model, more)
    config = tmp_path / "config.toml"
    config.write_text('stamp = "draft"\n')
    arguments = parse(command, name, ["a", "--config", str(config), "--spare-secret", "copy"])
    given = given_options(arguments, more)
    assert (given["stamp"], given["spare_secret"]) == ("draft", "copy")


@pytest.mark.parametrize("model", [MoreReading, MorePublishing, MoreExtending])
def test_a_field_is_a_keyword_with_its_docstring(model: type[Options]) -> None:
    def work(source: str, **keywords: object) -> None:
        """Do something with a file."""

    named = takes(model)(work)
    own = model.__annotations__ or MorePublishing.__annotations__
    for field in own:
        info = next(info for info in model.described() if info.name == field)
        assert inspect.signature(named).parameters[field].default == info.default
        assert info.doc
        assert f"{field}\n    {info.doc}" in (named.__doc__ or "")


def test_the_fields_of_all_options_are_explained() -> None:
    for model in (AuditOptions, ReadOptions, PublishOptions, ExtendOptions):
        assert all(info.doc for info in model.described()), model


def test_an_audit_takes_its_options_as_one_object_or_one_by_one() -> None:
    ratings = recloak.synthesize("ml-100k", users=40, ratings=800, seed=1)
    release, secret, *_ = recloak.method("pseudonymize").apply(ratings)
    named = {"attacks": ["record-linkage:known=4,targets=5"], "measures": []}
    given = {"secret": secret, "policy": recloak.Policy.nothing(), "seed": 3, **named}
    options = AuditOptions(**given)
    at_once = recloak.audit(ratings, release, options=options).attacks[0]
    assert at_once.figures == recloak.audit(ratings, release, **given).attacks[0].figures
    assert recloak.audit(ratings, release, options=options, seed=4).attacks[0].seed == 4
    with pytest.raises(ParameterError, match="no such parameter") as caught:
        recloak.audit(ratings, release, secrets=secret)
    assert "Did you mean 'secret'?" in (caught.value.hint or "")


def test_a_field_of_an_audit_is_a_flag_of_the_command() -> None:
    from recloak.cli import audit as command

    words = ["a", "b", "--mapping", "who.csv", "--claim", "k-anonymity:k=3", "--seed", "4"]
    arguments = parse(command, "audit", [*words, "--attack", "x:a=1,b=2", "--attack", "y"])
    assert (arguments.mapping, arguments.claim) == ("who.csv", ["k-anonymity:k=3"])
    assert (arguments.attack, arguments.seed) == (["x:a=1,b=2", "y"], 4)
    assert set(AuditOptions.flags()) == set(AuditOptions.declared_options()) - {
        "everyone",
        "method",
        "verdicts",
    }


def test_a_number_is_checked_as_it_is_declared() -> None:
    assert MoreReading(skip_lines="4").skip_lines == 4
    with pytest.raises(ParameterError, match="--skip-lines"):
        MoreReading(skip_lines="many")
    with pytest.raises(ParameterError, match="'sad' is not kind or harsh"):
        MoreReading(tone="sad")
    with pytest.raises(ParameterError, match="is required"):
        MorePublishing(stamp="x")


def test_options_do_not_change_and_are_equal_if_all_are() -> None:
    options = ReadOptions(separator=";")
    with pytest.raises(AttributeError, match="immutable"):
        options.separator = ","  # type: ignore[misc]
    assert options == ReadOptions(separator=";", format=None)
    assert options != ReadOptions(separator=",")
    assert repr(options) == "ReadOptions(separator=';')"


def test_an_unknown_keyword_is_told_in_the_words_of_python() -> None:
    with pytest.raises(ParameterError, match=r"parameter 'most_ratd'") as problem:
        recloak.read("ratings.csv", most_ratd=3)
    hint = problem.value.hint or ""
    assert "Did you mean 'most_rated'?" in hint
    assert "id_column" in hint
    assert "id-column" not in hint


def test_what_is_sensitive_may_be_said_in_python_by_name_or_schema(tmp_path: Path) -> None:
    file, schema = tmp_path / "survey.csv", tmp_path / "schema.toml"
    file.write_text("who,roads,income\na,1,2\nb,2,3\nc,5,1\n")
    schema.write_text('sensitive = ["income"]\nid-column = "who"\n')
    by_name = recloak.read(file, sensitive="income", id_column="who")
    by_schema = recloak.read(file, schema=schema)
    assert by_name.n_users == by_schema.n_users == 3
    assert list(by_schema.item_labels) == list(by_name.item_labels) == ["income", "roads"]
    assert ReadOptions(schema=schema, sensitive=["roads"]).settled().declared == ["roads"]


def test_help_is_shown_without_pydantic() -> None:
    import subprocess
    import sys

    code = "import sys; from recloak.cli.main import main\n"
    code += "try: main(['publish', '--help'])\nexcept SystemExit: pass\n"
    code += "assert not {'pydantic', 'numpy', 'polars'} & set(sys.modules), sorted(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


@pytest.mark.parametrize(
    ("call", "owner", "name", "meant"),
    [
        (lambda data: recloak.advise(data, requires="excess<=1"), "advise", "requires", "require"),
        (lambda data: recloak.compare(data, method=["x"]), "compare", "method", "methods"),
        (lambda data: recloak.inspect(data, sed=1), "inspect", "sed", "seed"),
        (lambda data: recloak.audit(data, data, atacks=()), "audit", "atacks", "attacks"),
        (lambda data: recloak.publish(data, "synthetic", outt="x"), "publish", "outt", "out"),
    ],
)
@pytest.mark.parametrize("kind", ["frame", "ratings"])
def test_a_keyword_that_nobody_takes_is_told_by_the_function_that_was_called(
    call: Callable[[object], object], owner: str, name: str, meant: str, kind: str
) -> None:
    ratings = random_ratings(10, 6, 0.5)
    data = ratings if kind == "ratings" else ratings.to_polars()
    with pytest.raises(ParameterError, match=f"{owner} has no such parameter") as caught:
        call(data)
    assert caught.value.where == f"{owner}, parameter '{name}'"
    assert f"Did you mean '{meant}'?" in (caught.value.hint or "")


def test_one_attack_or_claim_may_stand_alone() -> None:
    """A text is no list of letters."""
    options = AuditOptions(attacks="scoreboard", measures=["fold-in"], claims="k-anonymity:k=5")
    assert options.attacks == ("scoreboard",)
    assert options.measures == ("fold-in",)
    assert options.claims == ("k-anonymity:k=5",)
