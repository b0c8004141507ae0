from __future__ import annotations

import pytest

from recloak.core.columns import find_columns, is_personal, parse_mapping
from recloak.core.errors import InputError, ParameterError


@pytest.mark.parametrize(
    "names",
    [
        ["userId", "movieId", "rating", "timestamp"],
        ["timestamp", "rating", "movieId", "userId"],
        ["User-ID", "ISBN", "Book-Rating", "date"],
        ["customer_id", "product id", "Stars", "ts"],
    ],
)
def test_usual_names_are_known(names: list[str]) -> None:
    assert set(find_columns(names, {}).roles) == {"user", "item", "rating", "time"}


def test_declared_columns_go_before_known_names() -> None:
    found = find_columns(["user", "nick", "film", "score"], {"user": "nick", "item": "3"})
    assert found.roles == {"user": "nick", "item": "film", "rating": "score"}
    assert found.dropped == ("user",)


def test_person_columns_are_recognised() -> None:
    found = find_columns(["user", "item", "rating", "age", "Zip-Code", "genre"], {})
    assert found.personal == ("age", "Zip-Code")
    assert is_personal("user_gender")
    assert not is_personal("language")


def test_a_missing_column_is_named_with_the_nearest() -> None:
    with pytest.raises(InputError, match="Did you mean 'movie'"):
        find_columns(["user", "movie"], {"item": "movies"})
    with pytest.raises(InputError, match="no column for the item"):
        find_columns(["user", "what"], {})


def test_what_looks_like_a_survey_is_told_how_to_be_read() -> None:
    for first in ("respondent", "0"):
        with pytest.raises(InputError, match="no column for the") as caught:
            find_columns([first, "1", "2", "3", "4"], {})
        assert "--format survey" in str(caught.value.hint)
    with pytest.raises(InputError) as caught:
        find_columns(["user", "what", "rating"], {})
    assert "survey" not in str(caught.value.hint)


@pytest.mark.parametrize("text", ["user", "person=1", "user=", "=1"])
def test_broken_mappings_are_refused(text: str) -> None:
    with pytest.raises(ParameterError):
        parse_mapping(text)


def test_mappings_are_read() -> None:
    assert parse_mapping("user=1, item = film") == {"user": "1", "item": "film"}
    assert parse_mapping("user=Name%2C first,item=film")["user"] == "Name, first"
