"""What a notebook shows of results: small tables with lights, charts, frames and progress."""

from __future__ import annotations

import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest

import recloak
from recloak.auditing.run import audit as audit_of_release
from recloak.core.errors import ParameterError
from recloak.core.progress import shown as shown_progress
from recloak.core.progress.shown import SHOWN, ConsoleProgress, NotebookProgress
from recloak.evaluation.findings import PolicyResult, Verdict, Verdicts
from recloak.evaluation.reading import audit_from
from recloak.testing import random_ratings
from tests.comparison.samples import compared, trial
from tests.report.samples import HOSTILE, linkage
from tests.support.browsing import WIDTHS, browser, visiting

if TYPE_CHECKING:
    from playwright.sync_api import Browser

__all__ = ["browser"]

VOID = {"img", "br", "wbr"}


class Balanced(HTMLParser):
    """Refuses tags that are not closed; keeps what was opened, and the text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.open += [tag] if tag not in VOID else []

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def audit(**more: Any) -> recloak.Audit:
    facts = {"users": 9, "items": 9, "ratings": 81, "scale": "1..5", "density": 1.0}
    return recloak.Audit(HOSTILE, {"method": HOSTILE}, facts, data=HOSTILE, **more)


FAILED = audit(
    verdicts=(Verdict("k-anonymity:k=5", "broken", HOSTILE, {HOSTILE: HOSTILE}),),
    attacks=(linkage(1, 0.2), linkage(4, 0.8)),
    policy_results=(PolicyResult(HOSTILE, "fail", HOSTILE), PolicyResult("x", "pass", "1")),
    policy="Ours",
)


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Any:
    out = tmp_path_factory.mktemp("shown") / "<b>release"
    return recloak.publish(random_ratings(30, 20, 0.4), "pseudonymize", out=out, audited=False)


def shown(published: Any) -> dict[str, Any]:
    return {
        "inspection": recloak.inspect(random_ratings(30, 20, 0.4)),
        "published": published,
        "audit": FAILED,
        "comparison": compared(trial("predictive", mu=0.3), trial("microaggregation", k=5)),
        "verdict": FAILED.verdicts[0],
        "verdicts": Verdicts(FAILED.verdicts),
    }


@pytest.mark.parametrize(
    "kind", ["inspection", "published", "audit", "comparison", "verdict", "verdicts"]
)
def test_a_result_is_a_small_table_with_lights_and_names(kind: str, published: Any) -> None:
    page = shown(published)[kind]._repr_html_()
    found = Balanced(page)
    tags = [tag for tag, _ in found.tags]
    assert not {"script", "iframe", "link"} & set(tags)
    assert not [attrs for tag, attrs in found.tags if tag == "img"]
    assert all("on" not in name[:2] for _, attrs in found.tags for name in attrs)
    assert "caption" in tags
    assert all(attrs.get("scope") for tag, attrs in found.tags if tag == "th")
    assert any(mark in found.text for mark in "✔✘?")
    assert len(page) < 20_000


@pytest.mark.parametrize("width", WIDTHS)
def test_in_a_browser_results_are_legible(
    browser: Browser, published: Any, width: int, tmp_path: Path
) -> None:
    views = "\n".join(one._repr_html_() for one in shown(published).values())
    page = f'<!doctype html><html lang="en"><title>x</title><main><h1>x</h1>{views}</main></html>'
    size = {"viewport": {"width": width, "height": 900}}
    with visiting(browser, page, tmp_path, **size) as visit:
        assert visit.findings == []
        assert visit.clipped() == []


def test_lights_say_in_words_what_colours_say() -> None:
    text = Balanced(FAILED._repr_html_()).text
    assert "✘ fail" in text
    assert "✔ pass" in text
    assert "✘ broken" in text
    assert HOSTILE in text  # as text, nowhere as a tag


def test_an_audit_is_a_frame_with_a_row_for_each_figure() -> None:
    frame = FAILED.to_frame()
    assert frame["family"].unique(maintain_order=True).to_list() == ["claim", "attack", "policy"]
    row = frame.filter(figure="gain").row(1, named=True)
    assert (row["value"], row["low"], row["high"]) == (64.0, 60.0, 68.0)
    assert frame.filter(family="policy")["label"].to_list() == ["fail", "pass"]


def test_a_comparison_is_a_frame_and_charts() -> None:
    found = compared(trial("predictive", mu=0.3, success=0.2), trial("microaggregation", k=5))
    frame = found.to_frame()
    assert set(frame["setting"]) == {one.name for one in found.trials}
    assert len(found.plot()) > 0


def test_charts_stand_alone_and_carry_their_numbers(tmp_path: Path) -> None:
    pictures = FAILED.plot()
    assert len(pictures) > 0
    page = Balanced(pictures._repr_html_())
    images = [attrs for tag, attrs in page.tags if tag == "img"]
    assert len(images) == len(pictures)
    assert all(attrs["alt"] and "data:image/svg+xml" in (attrs["src"] or "") for attrs in images)
    assert "The numbers as a table" in page.text
    for path in pictures.save(tmp_path / "charts"):
        svg = ElementTree.parse(path).getroot()
        assert svg.tag.endswith("svg")
        assert "prefers-color-scheme: dark" in path.read_text()
    title = next(iter(pictures)).title
    assert len(FAILED.plot(title.upper())) >= 1
    with pytest.raises(ParameterError, match="no chart has a title like"):
        FAILED.plot("no such chart")


def test_an_audit_is_one_class_wherever_it_comes_from() -> None:
    original = random_ratings(30, 20, 0.4)
    chosen: dict[str, Any] = {"attacks": [], "measures": []}
    asked = recloak.audit(original, original, **chosen)
    assert type(asked) is type(audit_of_release(original, original, **chosen)) is recloak.Audit
    read = audit_from(asked.to_dict())
    assert type(read) is recloak.Audit
    assert read._repr_html_() == asked._repr_html_()


def test_an_audit_that_is_made_first_of_all_can_be_drawn() -> None:
    script = "import recloak; print(recloak.Audit('x', {}, {}).plot())"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=280)
    assert done.stdout.decode().strip() == "Pictures:", done.stderr.decode()


def test_without_the_report_an_audit_shows_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recloak.Audit, "presentation", None)
    assert Balanced(FAILED._repr_html_()).text == repr(FAILED)
    with pytest.raises(ParameterError, match="import recloak.report"):
        FAILED.plot()


class Handle:
    def __init__(self) -> None:
        self.shown: list[dict[str, str]] = []

    def __call__(self, data: dict[str, str], **_: Any) -> Handle:
        self.shown.append(data)
        return self

    update = __call__


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shown_progress, "SHOWN_AFTER_SECONDS", 0.0)
    monkeypatch.setattr(shown_progress, "SECONDS_BETWEEN_UPDATES", 0.0)


def test_a_notebook_shows_one_display_that_ends_empty(
    at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    handle, cell = Handle(), SimpleNamespace(kernel=object(), execution_count=1)
    display = SimpleNamespace(display=handle)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: cell))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    with SHOWN.task("outer <b>", 4) as outer:
        outer.advance(2)
        with SHOWN.task("inner") as inner:
            inner.advance()
    assert any("outer &lt;b&gt;: 50%" in one["text/html"] for one in handle.shown)
    assert any("inner" in one["text/plain"] for one in handle.shown)
    assert handle.shown[-1] == {"text/plain": "", "text/html": ""}
    assert isinstance(SHOWN._here(), NotebookProgress)


def test_a_console_shows_a_line_and_a_script_nothing(
    at_once: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "IPython", None)
    with SHOWN.task("work", 2) as task:
        task.advance()
    assert capsys.readouterr().err == ""
    with ConsoleProgress().task("work", 2) as task:
        task.advance()
    assert "work: 50%" in capsys.readouterr().err
