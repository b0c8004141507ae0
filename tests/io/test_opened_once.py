"""How often a file is opened and its header parsed while it is read, counted."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recloak.core.errors import InputError
from recloak.io import load, read
from recloak.io._text_head import TextHead

CSV = "user,item,rating\n1,2,3\n2,2,4\n"
SURVEY = "respondent,mood,income\n1,2,3\n2,,4\n"
LINES = "1::2::3::978300760\n2::2::4::978300761\n"
JESTER = "".join(f"{12 - gone},{'99,' * gone}{','.join('1' * (12 - gone))}\n" for gone in (1, 2))
BASKETS = "1 2 3\n1 2\n4\n1 5 6 7\n"


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Counter[str]:
    """How often each file of the test was opened, by its name."""
    counted: Counter[str] = Counter()
    plain = Path.open

    def counting(self: Path, *words: Any, **options: Any) -> Any:
        if tmp_path in self.parents:
            counted[self.name] += 1
        return plain(self, *words, **options)

    monkeypatch.setattr(Path, "open", counting)
    return counted


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files whose start was decoded and looked at."""
    looked_at: list[Path] = []
    plain = TextHead.of.__func__  # type: ignore[attr-defined]

    def counting(cls: Any, path: Path, *rest: Any) -> Any:
        looked_at.append(path)
        return plain(cls, path, *rest)

    monkeypatch.setattr(TextHead, "of", classmethod(counting))
    return looked_at


def put(file: Path, text: str) -> Path:
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    return file


def packed(folder: Path) -> Path:
    file = folder / "ratings.csv.gz"
    file.write_bytes(gzip.compress(CSV.encode()))
    return file


SOURCES: dict[str, Callable[[Path], Path]] = {
    "csv": lambda folder: put(folder / "ratings.csv", CSV),
    "packed": packed,
    "jester": lambda folder: put(folder / "jokes.csv", JESTER),
    "baskets": lambda folder: put(folder / "baskets.txt", BASKETS),
    "the only file of a folder": lambda folder: put(folder / "data" / "one.csv", CSV).parent,
    "MovieLens 1M": lambda folder: put(folder / "ml" / "ratings.dat", LINES).parent,
    "MovieLens 20M": lambda folder: (
        put(
            folder / "ml" / "ratings.csv", "userId,movieId,rating,timestamp\n1,2,3.5,978300760\n"
        ).parent
    ),
    "CiaoDVD": lambda folder: (
        put(folder / "dvd" / "movie-ratings.txt", "1,2,3,4,5,2012-01-02\n").parent
    ),
}


@pytest.mark.parametrize("kind", SOURCES)
def test_a_text_file_is_opened_for_its_head_and_its_content(
    kind: str, tmp_path: Path, opened: Counter[str]
) -> None:
    source = SOURCES[kind](tmp_path)
    opened.clear()
    assert read(source).n_ratings
    assert list(opened.values()) == [2]


def test_files_that_are_one_are_each_opened_for_head_and_content(
    tmp_path: Path, opened: Counter[str]
) -> None:
    first, second = put(tmp_path / "a.csv", CSV), put(tmp_path / "b.csv", CSV.replace("2,4", "7,4"))
    opened.clear()
    read([first, second], duplicates="last")
    assert opened == {"a.csv": 2, "b.csv": 2}


def test_the_header_of_a_survey_is_parsed_once_for_all_that_is_declared(
    tmp_path: Path, opened: Counter[str], parsed: list[Path]
) -> None:
    file = put(tmp_path / "survey.csv", SURVEY)
    opened.clear()
    assert load(file, declared=["income", "mood"]).format == "survey"
    assert opened == {"survey.csv": 2}
    assert parsed == [file]


def test_a_survey_with_a_column_that_is_not_there_is_refused_after_one_look(
    tmp_path: Path, parsed: list[Path]
) -> None:
    file = put(tmp_path / "survey.csv", SURVEY)
    with pytest.raises(InputError, match="no column 'wealth'"):
        read(file, declared=["wealth", "riches", "mood"])
    assert parsed == [file]


def test_ratings_whose_items_are_declared_are_tried_as_a_survey_once(
    tmp_path: Path, opened: Counter[str], parsed: list[Path]
) -> None:
    file = put(tmp_path / "ratings.csv", CSV)
    opened.clear()
    assert load(file, declared=["1", "2", "3"]).format == "csv"
    assert opened == {"ratings.csv": 2}
    assert len(parsed) == 2


def test_a_declared_issue_that_also_says_who_answers_is_refused(tmp_path: Path) -> None:
    file = put(tmp_path / "survey.csv", SURVEY)
    with pytest.raises(InputError, match="both the id and an issue"):
        read(file, declared=["respondent", "mood"])


@pytest.mark.parametrize(
    ("said", "flag"),
    [
        ({"sensitive": ["wealth"]}, "--sensitive"),
        ({"non_sensitive": ["wealth"]}, "--non-sensitive"),
        ({"sensitive": ["income"], "non_sensitive": ["wealth"]}, "--non-sensitive"),
        ({"issues": ["wealth"]}, "--issues"),
        ({"id_column": "wealth"}, "--id-column"),
    ],
)
@pytest.mark.parametrize(
    "text", [SURVEY, SURVEY.replace("mood", "1"), "age,town,mood,income\na,b,c,d\n"]
)
def test_a_name_that_no_column_has_is_refused_with_those_that_there_are(
    tmp_path: Path, text: str, said: dict[str, Any], flag: str
) -> None:
    with pytest.raises(InputError, match="there is no column 'wealth'") as caught:
        read(put(tmp_path / "survey.csv", text), **said)
    first = text.partition("\n")[0].replace(",", ", ")
    assert f"Give {flag} the name of a column. The columns are: {first}." in str(caught.value)


def test_a_mistake_in_ratings_is_not_taken_for_a_missing_column(tmp_path: Path) -> None:
    file = put(tmp_path / "ratings.csv", "user,item,rating\n1,2,x\n2,2,4\n")
    with pytest.raises(InputError, match="'x' is not a number"):
        read(file, sensitive=["wealth"])


def test_a_header_that_names_people_but_no_items_may_be_a_survey(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="none names the item") as caught:
        read(put(tmp_path / "survey.csv", "respondent,mood,income\na,good,low\n"))
    assert "--format survey" in str(caught.value)
    assert "mood" in str(caught.value)
