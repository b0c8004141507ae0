from __future__ import annotations

import pytest

import recloak
from recloak.core.errors import ParameterError


def test_an_unknown_keyword_is_told_in_the_words_of_python() -> None:
    with pytest.raises(ParameterError, match=r"parameter 'most_ratd'") as problem:
        recloak.read("ratings.csv", most_ratd=3)
    hint = problem.value.hint or ""
    assert "Did you mean 'most_rated'?" in hint
    assert "id_column" in hint
    assert "id-column" not in hint
