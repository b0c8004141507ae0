"""The documentation: generated pages are complete, links resolve, what it shows works."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

import recloak
from recloak.attacks import ATTACKS
from recloak.auditing.policy import Policy
from recloak.cli._shared.arguments import parse
from recloak.cli.main import COMMANDS, load, main
from recloak.guarantees import GUARANTEES
from recloak.io import FORMATS, write
from recloak.measures import MEASURES
from recloak.methods import METHODS
from recloak.recommenders import RECOMMENDERS
from recloak.testing import random_ratings
from tests.docs_console import pages
from tests.support.installed import describe_package

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
if not DOCS.is_dir():
    pytest.skip("this copy comes without the documentation", allow_module_level=True)

WRITTEN = sorted(path for path in DOCS.rglob("*.md") if "reference" not in path.parts)
SHOWN = [ROOT / "README.md", *WRITTEN]
SHELL = ("sh", "console")
_FENCE = re.compile(r"^```(\w*)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_VARIABLE = re.compile(r"\w+=")


class Block(NamedTuple):
    language: str
    title: str
    text: str


def blocks(path: Path) -> list[Block]:
    return [Block(*found) for found in _FENCE.findall(path.read_text(encoding="utf-8"))]


def prose(path: Path) -> str:
    return _FENCE.sub("", path.read_text(encoding="utf-8"))


def anchors(path: Path) -> set[str]:
    plain = (
        re.sub(r"[^\w\s-]", "", title).strip().lower() for title in _HEADING.findall(prose(path))
    )
    named = re.findall(r'<span id="([^"]+)">', prose(path))
    return {re.sub(r"[\s]+", "-", title) for title in plain} | set(named)


def commands(path: Path, languages: tuple[str, ...] = SHELL) -> Iterator[list[str]]:
    """The words of every ``recloak …`` in shell blocks; of a console, the lines after ``$``."""
    for block in blocks(path):
        if block.language not in languages:
            continue
        for line in block.text.replace("\\\n", " ").splitlines():
            if block.language == "console" and not line.startswith("$ "):
                continue
            for part in line.removeprefix("$ ").split(" | "):
                words = shlex.split(part, comments=True)
                while words and _VARIABLE.match(words[0]):
                    words.pop(0)
                if words and words[0] == "recloak":
                    yield words[1:]


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.fixture(scope="module")
def site_source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the site's source with its reference pages, generated as ``make docs`` does."""
    copy = tmp_path_factory.mktemp("source")
    ignored = shutil.ignore_patterns("__pycache__", "reference")
    shutil.copytree(DOCS, copy / "docs", ignore=ignored)
    shutil.copy(ROOT / "mkdocs.yml", copy)
    script = [sys.executable, str(copy / "docs" / "_generate.py")]
    subprocess.run(script, check=True, capture_output=True, timeout=280)
    return copy


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder with the ratings that examples read; packages in it can be imported."""
    write(random_ratings(n_users=40, n_items=30, density=0.4, times=True), tmp_path / "ratings.csv")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def lay_out(page: Path, folder: Path) -> None:
    """Put the files that a page shows under their titles into ``folder``; install its package."""
    titled = {block.title: block.text for block in blocks(page) if block.title}
    for title, text in titled.items():
        (folder / title).write_text(text, encoding="utf-8")
    if "pyproject.toml" in titled:
        project = tomllib.loads(titled["pyproject.toml"])["project"]
        described = (project["name"], project["version"], project["entry-points"])
        describe_package(folder, *described)


def _glossary() -> ModuleType:
    found = importlib.util.spec_from_file_location("docs_glossary", DOCS / "_glossary.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def test_terms_are_linked_to_the_vocabulary_where_a_page_uses_them_first() -> None:
    glossary = _glossary()
    for page in glossary.pages():
        text = page.read_text(encoding="utf-8")
        linked = glossary.with_links(text, page.relative_to(DOCS).as_posix())
        assert linked == text, f"{page.name}: run python docs/_glossary.py"


def test_a_term_is_linked_once_and_not_in_code_or_headings() -> None:
    glossary = _glossary()
    page = "# A rehearsal\n\n`rehearsal` A rehearsal, another rehearsal.\n"
    assert glossary.with_links(page, "how-to/some.md") == (
        "# A rehearsal\n\n`rehearsal` A [rehearsal](../explanation/vocabulary.md#rehearsal), "
        "another rehearsal.\n"
    )


@pytest.mark.parametrize(
    ("page", "members"),
    [
        ("methods.md", METHODS),
        ("guarantees.md", GUARANTEES),
        ("attacks.md", ATTACKS),
        ("measures.md", MEASURES),
        ("recommenders.md", RECOMMENDERS),
        ("formats.md", FORMATS),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_generated_page_has_every_member_with_its_parameters(
    site_source: Path, page: str, members: object
) -> None:
    text = (site_source / "docs" / "reference" / page).read_text(encoding="utf-8")
    assert "generated from the code" in text
    for member in members:
        own = text.partition(f"\n## {member}\n")[2].partition("\n## ")[0]
        assert own, f"{member} has no section"
        described = getattr(members.get(member), "Parameters", None)
        for info in described.described() if described else ():
            assert f"| `{info.flag}` |" in own
            assert info.doc.replace("|", "\\|") in own


def test_the_page_of_the_command_line_has_every_command_and_flag(site_source: Path) -> None:
    text = (site_source / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
    for command in COMMANDS:
        own = text.partition(f"\n## recloak {command}\n")[2].partition("\n## ")[0]
        assert f"usage: recloak {command} " in own
        assert "--config FILE" in own
        assert "examples:" in own
    assert "--exclude-users FILE" in text


def test_figures_that_the_default_policy_names_are_in_the_reference(site_source: Path) -> None:
    folder = site_source / "docs" / "reference"
    text = "".join((folder / page).read_text() for page in ("attacks.md", "measures.md"))
    for line in Policy.default().requirements:
        assert f"| `{line.figure}` |" in text


def test_every_page_is_in_the_navigation(site_source: Path) -> None:
    """Or, of the many pages of studies, in their own index."""
    listed = re.findall(r"(\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
    docs = site_source / "docs"
    index = (docs / "studies" / "index.md").read_text()
    listed += [f"studies/{page}" for page in re.findall(r"\(([a-z0-9-]+\.md)\)", index)]
    assert sorted(listed) == sorted(str(page.relative_to(docs)) for page in docs.rglob("*.md"))


def test_internal_links_resolve(site_source: Path) -> None:
    broken = []
    for page in (site_source / "docs").rglob("*.md"):
        for target in _LINK.findall(prose(page)):
            if target.startswith(("https:", "http:", "mailto:")):
                continue
            file, _, anchor = target.partition("#")
            aimed = (page.parent / file).resolve() if file else page
            if not aimed.is_file() or (anchor and anchor not in anchors(aimed)):
                broken.append(f"{page.name}: {target}")
    assert broken == []


@pytest.mark.parametrize("page", SHOWN, ids=name)
def test_python_blocks_run(page: Path, workplace: Path) -> None:
    """The blocks of a page run in one go, each after the ones before it."""
    lay_out(page, workplace)
    names: dict[str, object] = {"__name__": "example"}
    for at, block in enumerate(block for block in blocks(page) if block.language == "python"):
        exec(compile(block.text, f"{page.name}, block {at + 1}", "exec"), names)


@pytest.mark.parametrize("page", SHOWN, ids=name)
def test_command_lines_parse(page: Path, workplace: Path) -> None:
    """Those of console blocks are run, and may be shown for how they are refused."""
    lay_out(page, workplace)
    for words in commands(page, ("sh",) if page in pages() else SHELL):
        parse(load(words[0]), words[0], words[1:])


def test_command_lines_are_found() -> None:
    counts = {page.name: len(list(commands(page))) for page in SHOWN}
    assert counts["README.md"] >= 7
    assert counts["tutorial.md"] >= 7


@pytest.mark.parametrize("page", SHOWN, ids=name)
def test_policies_that_are_shown_can_be_read(page: Path, workplace: Path) -> None:
    for block in blocks(page):
        if block.language == "toml" and "[[require]]" in block.text:
            (workplace / "shown.toml").write_text(block.text, encoding="utf-8")
            assert Policy.read("shown.toml").requirements


def test_the_method_of_the_how_to_is_found_by_its_entry_point(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lay_out(DOCS / "how-to" / "add-a-method.md", workplace)
    publish = ["publish", "ratings.csv", "--method", "coarse", "--levels", "3", "--out", "release"]
    assert main(["methods", "coarse"]) == 0
    assert "How many different ratings are left." in capsys.readouterr().out
    assert main([*publish, "--table-format", "csv"]) == 0
    rows = (workplace / "release" / "ratings.csv").read_text().splitlines()[1:]
    assert {float(row.split(",")[2]) for row in rows} == {1.0, 3.0, 5.0}


def test_the_attack_of_the_how_to_is_run_reported_judged_compared_required_and_listed(
    workplace: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lay_out(DOCS / "how-to" / "add-an-attack.md", workplace)
    publish = ["publish", "ratings.csv", "--method", "pseudonymize"]
    assert main([*publish, "--out", "release"]) == 0
    report = (workplace / "release-report.html").read_text(encoding="utf-8")
    assert "By their favourites, " in report
    assert "Found by favourites" in report
    line = '[[require]]\nattack = "favourites"\nfigure = "found_by_favourites"\nat_most = 0.2\n'
    (workplace / "policy.toml").write_text(f'{line}because = "Favourites are easily known."\n')
    assert main([*publish, "--out", "other", "--policy", "policy.toml"]) == 3
    capsys.readouterr()
    advise = ["advise", "ratings.csv", "--methods", "pseudonymize", "--maximise", "utility"]
    assert main([*advise, "--require", "found_by_favourites<=0.2", "--out", "c"]) == 3
    assert "found_by_favourites" in capsys.readouterr().out
    comparison = (workplace / "c" / "comparison.html").read_text(encoding="utf-8")
    assert "people found by their favourite items" in comparison
    monkeypatch.syspath_prepend(str(DOCS))
    registered = importlib.import_module("_reference.registered")
    page = registered._family("Attacks", ATTACKS, registered._figures_of([]))
    assert "## favourites" in page
    assert "`found_by_favourites`" in page


@pytest.mark.parametrize("page", sorted(DOCS.glob("how-to/add-a*.md")), ids=lambda page: page.stem)
def test_the_component_of_a_how_to_passes_its_contract(page: Path, workplace: Path) -> None:
    lay_out(page, workplace)
    (tests,) = workplace.glob("test_*.py")
    known = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, [str(workplace), *sys.path]))}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", tests.name],
        env=known,
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_files_that_the_architecture_names_are_there() -> None:
    page = (DOCS / "explanation" / "architecture.md").read_text(encoding="utf-8")
    package = Path(recloak.__file__).parent
    named = _paths_in(page)
    assert len(named) > 60
    missing = [path for path in named if not (package / path).exists()]
    assert missing == ["src/recloak/"], "only the folder that all are in is not in itself"


def _paths_in(text: str) -> list[str]:
    return re.findall(r"`([\w/]+/(?:[\w.]+\.(?:py|toml))?)`", text)


def test_whoever_asks_where_to_change_something_is_sent_to_a_file() -> None:
    page = (DOCS / "explanation" / "architecture.md").read_text(encoding="utf-8")
    table = page.split("## Where would I change")[1].split("|---|---|\n")[1]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("|")]
    assert len(rows) >= 12
    package = Path(recloak.__file__).parent
    for what, where in rows:
        files = _paths_in(where)
        assert files, what
        assert all((package / file).is_file() for file in files), what


def build(source: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean"]
    return subprocess.run(command, cwd=source, capture_output=True, text=True, timeout=280)


def _refuse_a_search_that_misses(site: Path, words: str, page: str) -> None:
    """Cut words and sections as the search of the site does, by what its index says."""
    index = json.loads((site / "search.json").read_text(encoding="utf-8"))
    separator = re.compile(index["config"]["separator"])
    wanted = set(filter(None, separator.split(words.lower())))
    found = [
        item["location"].partition("#")[0]
        for item in index["items"]
        if wanted <= set(separator.split(re.sub("<[^>]+>", " ", item["text"]).lower()))
    ]
    assert page in found


def test_every_how_to_is_linked_from_the_index_and_roles_from_the_home() -> None:
    index, home = DOCS / "how-to" / "index.md", DOCS / "index.md"
    linked = set(_LINK.findall(index.read_text(encoding="utf-8")))
    assert {page.name for page in index.parent.glob("*.md")} - {"index.md"} == linked
    text = home.read_text(encoding="utf-8")
    assert "](how-to/index.md)" in text
    assert "](gallery.md)" in text
    assert "](report.png)" in text
    for role in ("Data steward", "Privacy officer", "Researcher", "Engineer", "Survey's owner"):
        assert f"**{role}**" in text


@pytest.mark.skipif(
    importlib.util.find_spec("zensical") is None,
    reason="zensical is not installed: pip install '.[docs]'",
)
def test_the_site_builds_and_fetches_nothing(site_source: Path, tmp_path: Path) -> None:
    source = tmp_path / "source"
    shutil.copytree(site_source, source)
    done = build(source)
    assert done.returncode == 0, done.stdout + done.stderr
    site = source / "site"
    assert not list(site.rglob("*.py"))
    for page in source.joinpath("docs").rglob("*.md"):
        html = site / page.relative_to(source / "docs").with_suffix(".html")
        fetched = re.findall(
            r"<(?:script|link|img|iframe)\b[^>]*(?:src|href)=\"?(https?:[^\"> ]+)",
            html.read_text(encoding="utf-8"),
        )
        assert fetched == []
    _refuse_a_search_that_misses(site, "latin-1", "how-to/read-odd-columns.html")
    _refuse_a_search_that_misses(site, "duckdb", "how-to/use-duckdb.html")
    (source / "docs" / "index.md").write_text("# Broken\n\n[nowhere](nowhere.md)\n")
    assert build(source).returncode != 0, "a broken link must stop the build"
