"""Loading: how to read a release without recloak, and how to give it to recommender libraries.

Each piece of code runs as it stands in the folder of the release, after the first one. None of
them writes there: a file more would be a release that somebody changed.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath

from recloak.core.scale import Scale
from recloak.releases.manifest import Manifest

_SPREADSHEETS = (
    "Names stand in the tables as they are in the original. A spreadsheet takes one that begins "
    "with `=`, `+`, `-` or `@` for a formula and may run it: import the tables there as text."
)

_WITH_RECLOAK = """\
import recloak

ratings = recloak.open_release(".").as_ratings()"""

_RATINGS = """\
import pandas as pd

table = {ratings}"""

_GROUPS = """\
import pandas as pd

profiles = {profiles}
groups = {groups}
people = groups.loc[groups.index.repeat(groups["size"])].reset_index(drop=True)
people["user"] = people.index  # nobody in a group can be told from another
table = people[["user", "group"]].merge(profiles, on="group").drop(columns="group")"""

_MEMBERS = """\
import pandas as pd

profiles = {profiles}
members = {members}
table = members.merge(profiles, on="group").drop(columns="group")"""

_SURVEY = """\
import pandas as pd

answers = {answers}
respondent, *others = answers.columns
issues = others[:{items}]  # a further column, if there is one, tells the group
table = answers.rename(columns={{respondent: "user"}}).melt("user", issues, "item", "rating")
table = table.dropna(subset="rating")"""

_DATASETS = """\
from datasets import load_dataset

dataset = load_dataset(".", split="train")"""

_LENSKIT = """\
from lenskit.data import from_interactions_df

dataset = from_interactions_df(table, user_col="user", item_col="item"{rating})"""

_SURPRISE = """\
from surprise import Dataset, Reader

reader = Reader(rating_scale=({low:g}, {high:g}))
trainset = Dataset.load_from_df(table[["user", "item", "rating"]], reader).build_full_trainset()"""

_IMPLICIT = """\
import numpy as np
from implicit.als import AlternatingLeastSquares
from scipy.sparse import csr_matrix

{liked}
users, items = liked["user"].astype("category"), liked["item"].astype("category")
seen = np.ones(len(liked), dtype=np.float32)
matrix = csr_matrix((seen, (users.cat.codes, items.cat.codes)))
model = AlternatingLeastSquares(factors=32)
model.fit(matrix)"""

_CONFIGS = (
    "The table that the release is about; further ones, if there are any, go by their names. "
    "`croissant.json` describes the same tables for tools that read Croissant."
)
_HUGGING_FACE = ("Hugging Face datasets", _CONFIGS, _DATASETS)
_RECBOLE_NEEDS = (
    "RecBole 1.2 needs NumPy 1, pandas 2 and a PyArrow that works with these, such as 21: give it "
    "an environment of its own."
)

_RECBOLE = """\
import tempfile
from pathlib import Path

from recbole.config import Config
from recbole.data import create_dataset

place = Path(tempfile.mkdtemp()) / "release"  # never here: nothing may be added to a release
place.mkdir()
names = {{"user": "user_id:token", "item": "item_id:token"{renamed}}}
table[list(names)].rename(columns=names).to_csv(place / "release.inter", sep="\\t", index=False)
settings = {{"data_path": str(place.parent), "load_col": {{"inter": [{columns}]}}}}
dataset = create_dataset(Config(model="BPR", dataset="release", config_dict=settings))"""


def loading_lines(manifest: Manifest, tables: Iterable[str]) -> list[str]:
    """The section of the card that tells how to load the release."""
    scale, names = Scale.parse(manifest.scale), list(tables)
    in_csv = any(name.endswith(".csv") for name in names)
    return [
        "## How to load it",
        "",
        "Run these in the folder of the release. With recloak:",
        "",
        *_code(_WITH_RECLOAK),
        "Without it, as a table with the columns user, item"
        + ("" if scale.implicit else " and rating")
        + ":",
        "",
        *_code(table_code(manifest, names)),
        *((_SPREADSHEETS, "") if in_csv else ()),
        *_libraries(scale),
    ]


def table_code(manifest: Manifest, tables: Iterable[str]) -> str:
    """Code that makes a frame ``table`` of a release, by its kind and the files it has."""
    read = {PurePath(name).stem: _reading(name) for name in sorted(tables)}
    if manifest.kind == "grouped":
        return (_MEMBERS if "members" in read else _GROUPS).format(**read)
    if manifest.kind in ("survey", "made-up-survey"):
        return _SURVEY.format(items=manifest.items, **read)
    return _RATINGS.format(**read)


def _reading(name: str) -> str:
    """An item called 007 must not become a number."""
    if PurePath(name).suffix == ".parquet":
        return f'pd.read_parquet("{PurePath(name)}")'
    return f'pd.read_csv("{name}", dtype={{"item": str}})'


def _libraries(scale: Scale) -> list[str]:
    rating = "" if scale.implicit else ', rating_col="rating"'
    renamed = "" if scale.implicit else ', "rating": "rating:float"'
    columns = '"user_id", "item_id"' + ("" if scale.implicit else ', "rating"')
    parts = [
        _HUGGING_FACE,
        ("LensKit", "", _LENSKIT.format(rating=rating)),
        ("implicit", *_implicit(scale)),
        ("RecBole", _RECBOLE_NEEDS, _RECBOLE.format(renamed=renamed, columns=columns)),
    ]
    if scale.implicit:
        parts.insert(2, ("Surprise", "Surprise needs ratings, and there are none here.", ""))
    else:
        parts.insert(2, ("Surprise", "", _SURPRISE.format(low=scale.low, high=scale.high)))
    return [line for part in parts for line in _library(*part)][:-1]


def datasets_lines() -> list[str]:
    """How any folder with a front matter is loaded with Hugging Face datasets."""
    return _library(*_HUGGING_FACE)


def _library(name: str, sentence: str, code: str) -> list[str]:
    said = [sentence, ""] if sentence else []
    return [f"### {name}", "", *said, *(_code(code) if code else [])]


def _implicit(scale: Scale) -> tuple[str, str]:
    if scale.implicit:
        return "", _IMPLICIT.format(liked="liked = table")
    sentence = "implicit knows no dislikes, so only the upper half of the scale is given to it."
    return sentence, _IMPLICIT.format(liked=f'liked = table[table["rating"] >= {scale.middle:g}]')


def _code(code: str) -> list[str]:
    return ["```python", code, "```", ""]
