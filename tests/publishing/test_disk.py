"""The disk engine publishes the same bytes as memory does, and refuses the same input."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from recloak.auditing.policy import Policy, Requirement
from recloak.cli.main import main
from recloak.clustering.binned import Binned
from recloak.core import memory, people_draws, staged_ratings
from recloak.core.errors import InputError, MachineError, ParameterError, RecloakError
from recloak.core.people_draws import PeopleDraws
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import PSEUDONYM_LOW
from recloak.core.ratings import Ratings
from recloak.core.staged_ratings.spill import Spill
from recloak.evaluation.context import AuditContext
from recloak.evaluation.findings import Verdict
from recloak.io.options import ReadOptions
from recloak.io.staging import FileToRead, stage
from recloak.io.writing import write
from recloak.methods import OwnedRows
from recloak.methods.pseudonymize import Pseudonymize
from recloak.methods.synthetic import _drawing, _exact_fit
from recloak.publishing._disk_audit import SampledPeople
from recloak.publishing.published import Published
from recloak.publishing.run import publish
from recloak.releases.base import Release, open_release
from recloak.releases.grouped import GroupedRelease
from recloak.releases.parts import TableParts
from recloak.releases.secret import Lock, Secret, open_secret
from recloak.simulation import synthesize
from tests.support.block_recipes import GROUPED, MADE_UP, RECIPES, SEED, digests
from tests.support.plugins import Numbered
from tests.support.rivals import Guesses, context_of_audit, guesses_among_all, guesses_in_memory


@pytest.fixture(scope="module")
def made() -> Ratings:
    ratings = synthesize("ml-1m", users=150, items=120, ratings=4_000, seed=1)
    times = 978_300_000 + np.random.default_rng(1).integers(0, 10**8, ratings.n_ratings)
    return Ratings.from_columns(*_columns(ratings), times)


def _columns(ratings: Ratings) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    users, items = ratings.user_labels[ratings.user_codes()], ratings.item_labels[ratings.items]
    return users, items, ratings.values


@pytest.fixture
def file(made: Ratings, tmp_path: Path) -> Path:
    return written(made, tmp_path, text=False)


def written(ratings: Ratings, folder: Path, *, text: bool) -> Path:
    """A CSV file in no order; names are numbers or text."""
    table = ratings.to_polars().sample(fraction=1, shuffle=True, seed=3)
    if text:
        table = table.with_columns(
            pl.format("u{}", "user").alias("user"), item="i" + pl.col.item.cast(str)
        )
    table.write_csv(folder / "ratings.csv")
    return folder / "ratings.csv"


def both(source: Any, method: str, out: Path, **options: Any) -> tuple[Published, Published]:
    """What memory and disk publish under the same seed."""
    given = {"seed": SEED, "audited": False, **options}
    return (
        publish(source, method, out=out / "memory", engine="memory", **given),
        publish(source, method, out=out / "disk", engine="disk", **given),
    )


@pytest.mark.parametrize("parts", [1, 5])
@pytest.mark.parametrize("recipe", RECIPES)
def test_bytes_are_the_same(
    made: Ratings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recipe: str, parts: int
) -> None:
    monkeypatch.setattr(TableParts, "ratings_per_part", -(-made.n_ratings // parts))
    name, parameters = RECIPES[recipe]
    source = written(made, tmp_path, text=parts > 1)
    in_memory, on_disk = both(source, name, tmp_path, **parameters)
    assert digests(on_disk.folder) == digests(in_memory.folder)
    assert len(digests(on_disk.folder)) == parts + 3
    assert on_disk.release.counts == in_memory.release.counts
    assert on_disk.release.as_ratings().equals(in_memory.release.as_ratings())


@pytest.mark.parametrize("recipe", MADE_UP)
def test_made_up_people_are_the_same(
    made: Ratings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recipe: str
) -> None:
    """They are learnt from sums over blocks, and drawn a few at a time."""
    monkeypatch.setattr(TableParts, "ratings_per_part", 1500)
    monkeypatch.setattr(_drawing, "RATINGS_AT_A_TIME", 400)
    monkeypatch.setattr(staged_ratings, "ADDED_AT_ONCE", 700)
    monkeypatch.setattr(_exact_fit, "_POWER_STEPS", 2)  # each reads all blocks
    monkeypatch.setattr(_exact_fit, "_EM_STEPS", 2)
    name, parameters = MADE_UP[recipe]
    source = written(made, tmp_path, text=True)
    in_memory, on_disk = both(source, name, tmp_path, **parameters)
    assert digests(on_disk.folder) == digests(in_memory.folder)
    assert len(digests(on_disk.folder)) > 3 + 1
    assert on_disk.notes == in_memory.notes
    assert on_disk.release.counts == in_memory.release.counts
    assert on_disk.release.made_up


@pytest.mark.parametrize("homes", ["several", "one"])
@pytest.mark.parametrize("recipe", GROUPED)
def test_groups_are_the_same(
    made: Ratings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recipe: str, homes: str
) -> None:
    """Bins and factors are learnt from a sample; a home is grouped alone, on whichever engine."""
    if homes == "several":
        monkeypatch.setattr(Binned, "size_for", lambda self, k: 25)
        monkeypatch.setattr("recloak.methods._blocks.SAMPLE_RATINGS", 3000)
    name, parameters = GROUPED[recipe]
    source = written(made, tmp_path, text=homes == "several")
    in_memory, on_disk = both(source, name, tmp_path, **parameters)
    assert digests(on_disk.folder) == digests(in_memory.folder)
    assert on_disk.release.counts == in_memory.release.counts


def test_ratings_and_frames_in_memory_are_taken_as_well(made: Ratings, tmp_path: Path) -> None:
    for at, source in enumerate((made, made.to_polars(), made.without_times())):
        (tmp_path / str(at)).mkdir()
        in_memory, on_disk = both(source, "gaussian-noise", tmp_path / str(at))
        assert digests(on_disk.folder) == digests(in_memory.folder)


def test_data_without_values(tmp_path: Path) -> None:
    seen = Ratings.from_columns([1, 1, 2, 3, 3], [7, 8, 8, 7, 9])
    in_memory, on_disk = both(seen, "pseudonymize", tmp_path)
    assert digests(on_disk.folder) == digests(in_memory.folder)
    with pytest.raises(InputError, match="no values to add noise to"):
        publish(seen, "gaussian-noise", out=tmp_path / "r", engine="disk")


def test_who_opted_out_is_gone(made: Ratings, file: Path, tmp_path: Path) -> None:
    gone = [int(label) for label in made.user_labels[:3]]
    in_memory, on_disk = both(file, "fragmentation", tmp_path, exclude_users=gone, factors=4)
    assert digests(on_disk.folder) == digests(in_memory.folder)
    with pytest.raises(InputError, match="1 of 1 users are not in the data"):
        publish(file, "pseudonymize", out=tmp_path / "r", engine="disk", exclude_users=["nobody"])
    few = Ratings.from_columns([1], [2], [3], scale="1..5")
    with pytest.raises(InputError, match="nobody is left"):
        publish(few, "pseudonymize", out=tmp_path / "r", engine="disk", exclude_users=[1])


def test_names_that_are_drawn_twice(
    made: Ratings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With few names to draw from many are equal at first, and rows move to other parts."""

    def few(words: np.ndarray) -> np.ndarray:
        return PSEUDONYM_LOW + (words % np.uint64(899)).astype(np.int64) * 10**12

    monkeypatch.setattr(people_draws, "as_pseudonyms", few)
    monkeypatch.setattr(TableParts, "ratings_per_part", 900)
    monkeypatch.setattr("recloak.publishing._publication.scan_for_leaks", lambda *_, **__: ())
    lock = Lock("key file", bytes(32))
    given = {"fragments": 3, "factors": 4, "lock": lock}
    kept = [
        publish(
            made, "fragmentation", out=tmp_path / engine, engine=engine, seed=SEED, audited=False,
            keep_secret=tmp_path / f"{engine}.secret", **given,
        )
        for engine in ("memory", "disk")
    ]  # fmt: skip
    assert digests(kept[0].folder) == digests(kept[1].folder)
    tables = [open_secret(one.secret, lock).table() for one in kept if one.secret]
    assert tables[0].equals(tables[1])
    assert tables[0]["pseudonym"].n_unique() == len(tables[0])


class Stopped(Exception):
    """Raised in the place of an audit."""


def test_the_audit_of_few_people_is_that_of_memory(
    made: Ratings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[Ratings, Release, Secret]] = []

    def caught(original: Ratings, release: Release, *, secret: Secret, **_: Any) -> None:
        asked.append((original, release, secret))
        raise Stopped

    monkeypatch.setattr("recloak.publishing._publication.audit", caught)
    for engine in ("memory", "disk"):
        with pytest.raises(Stopped):
            publish(
                made, "fragmentation", fragments=3, factors=4, seed=SEED, engine=engine,
                out=tmp_path / "r",
            )  # fmt: skip
    assert asked[1][0].equals(asked[0][0])
    assert asked[1][1].as_ratings().equals(asked[0][1].as_ratings())
    one, other = asked[0][2], asked[1][2]
    assert one.table().equals(other.table())
    assert one.founders is not None
    assert one.founders.tolist() == (other.founders if other.founders is not None else []).tolist()
    users, items = np.divmod(np.arange(made.n_users * made.n_items), made.n_items)
    assert one.chooser is not None
    assert other.chooser is not None
    assert one.chooser(users, items).tolist() == other.chooser(users, items).tolist()
    assert list(tmp_path.iterdir()) == []


def test_of_many_people_a_sample_is_audited_and_the_report_says_so(
    made: Ratings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SampledPeople, "most_ratings", 1500)
    done = publish(made, "gaussian-noise", out=tmp_path / "r", engine="disk", seed=SEED)
    assert done.audit is not None
    assert done.audit.original["users"] < made.n_users
    assert done.audit.release["rows"] == made.n_users
    assert any("Audited on a random sample: " in note for note in done.audit.notes)
    assert any("overstate their success" in note for note in done.audit.notes)
    sought = {one.name for one in done.audit.attacks if any("among all" in x for x in one.notes)}
    assert sought == {"scoreboard", "scoreboard-rh", "bayes-linkage"}
    assert done.report is not None
    assert "Audited on a random sample: " in done.report.read_text()
    assert f"among all {made.n_users} rows" in done.report.read_text()


@pytest.mark.parametrize("recipe", ["pseudonymize", "gaussian", "so many fragments"])
def test_people_of_the_sample_are_sought_among_all_rows_as_in_memory(
    made: Ratings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recipe: str
) -> None:
    """The guess of every try is that of memory, however rows are put into parts and blocks."""
    monkeypatch.setattr(SampledPeople, "most_ratings", 1500)
    monkeypatch.setattr(TableParts, "ratings_per_part", 900)
    monkeypatch.setattr("recloak.publishing._all_rows.RATINGS_AT_A_TIME", 250)
    name, parameters = RECIPES[recipe]
    bayes = name != "fragmentation"
    contexts: list[AuditContext] = []
    guesses: list[Guesses] = []

    def caught(original: Ratings, release: Release, **given: Any) -> None:
        context = context_of_audit(original, release, given["secret"], given["everyone"])
        contexts.append(context)
        if context.everyone is not None:
            guesses.append(guesses_among_all(context, bayes=bayes))
        raise Stopped

    monkeypatch.setattr("recloak.publishing._publication.audit", caught)
    for engine in ("memory", "disk"):
        with pytest.raises(Stopped):
            publish(made, name, out=tmp_path / "r", engine=engine, seed=SEED, **parameters)
    whole, part = contexts
    assert whole.everyone is None
    assert part.original.n_users < whole.original.n_users
    expected = guesses_in_memory(whole, part, bayes=bayes)
    assert guesses[0].keys() == expected.keys()
    for one, columns in expected.items():
        for here, there in zip(guesses[0][one], columns, strict=True):
            assert here == pytest.approx(there)


@pytest.fixture
def audited(
    made: Ratings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[Ratings, Release, Secret]]:
    """What the audit of a sample of a release on disk is given."""
    asked: list[tuple[Ratings, Release, Secret]] = []

    def caught(original: Ratings, release: Release, *, secret: Secret, **_: Any) -> None:
        asked.append((original, release, secret))
        raise Stopped

    def publish_on_disk(method: str, **given: Any) -> tuple[Ratings, Release, Secret]:
        with pytest.raises(Stopped):
            publish(made, method, out=tmp_path / "r", engine="disk", seed=SEED, **given)
        return asked[-1]

    monkeypatch.setattr("recloak.publishing._publication.audit", caught)
    monkeypatch.setattr(SampledPeople, "most_ratings", 1500)
    return publish_on_disk


def test_of_many_groups_some_are_audited_with_all_members(
    made: Ratings, audited: Callable[..., tuple[Ratings, Release, Secret]]
) -> None:
    for publish_as in ("sizes", "members"):
        original, release, secret = audited(
            "microaggregation",
            clustering="binned",
            k=4,
            publish=publish_as,
            imputation="global-mean",  # which no mean of a few is, so that all cells are listed
        )
        assert isinstance(release, GroupedRelease)
        assert 0 < original.n_ratings <= 1500
        assert int(release.sizes.sum()) == original.n_users < made.n_users
        linkage, rows = secret.linkage(original, release.as_ratings()), release.as_ratings()
        assert len(linkage.linked) == original.n_users
        for person in range(original.n_users):  # a profile lists all that any member rated
            shared = set(rows.row(int(linkage.first_row(np.array([person]))[0]))[0].tolist())
            assert set(original.row(person)[0].tolist()) <= shared


def test_of_many_people_made_up_rows_are_sampled_too(
    audited: Callable[..., tuple[Ratings, Release, Secret]],
) -> None:
    original, release, secret = audited("synthetic", epsilon=40.0, rank=2)
    assert 0 < original.n_ratings <= 1500
    assert release.made_up
    assert 1000 < release.as_ratings().n_ratings < 2000 < release.manifest.ratings
    assert secret.linkage(original, release.as_ratings()).is_of_nobody


def test_claims_of_a_policy_are_checked_on_all_rows_or_not_at_all(
    made: Ratings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That a claim holds of a sample says nothing of the others."""
    asked: list[Sequence[Verdict]] = []

    def caught(*_: Any, verdicts: Sequence[Verdict], **__: Any) -> None:
        asked.append(verdicts)
        raise Stopped

    monkeypatch.setattr("recloak.publishing._publication.audit", caught)
    monkeypatch.setattr(SampledPeople, "most_ratings", 1500)
    lines = [Requirement(claim=claim) for claim in ("k-anonymity:k=2", "km-anonymity:k=2,m=2")]
    policy = Policy(title="claims", requirements=tuple(lines))
    with pytest.raises(Stopped):
        publish(made, "pseudonymize", out=tmp_path / "r", engine="disk", policy=policy)
    compared, other = asked[0]
    assert compared.status == "broken"
    assert f"All {made.n_users} rows were compared by 128-bit fingerprints" in compared.how
    assert other.status == "undecided"
    assert "all rows at once" in other.how


WRONG = {
    "off the scale": ("1,2,3\n1,3,9\n", {"scale": "1..5"}),
    "twice": ("1,2,3\n7,3,4\n1,2,5\n0,4,4\n0,4,3\n", {}),
    "no number": ("1,2,3\n1,3,nan\n", {}),
    "no id": ("1,2,3\n,3,4\n", {}),
    "nothing": ("", {}),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_wrong_in_a_file_is_said_alike(
    wrong: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows, options = WRONG[wrong]
    (tmp_path / "r.csv").write_text("user,item,rating\n" + rows)
    flags = [word for name, value in options.items() for word in (f"--{name}", value)]
    said = []
    for engine in ("memory", "disk"):
        words = ["publish", str(tmp_path / "r.csv"), "--method", "pseudonymize", *flags]
        code = main([*words, "--out", str(tmp_path / "out"), "--engine", engine])
        said.append((code, capsys.readouterr().err))
    assert said[0][0] == 2
    assert said[0] == said[1]
    assert [path.name for path in tmp_path.iterdir()] == ["r.csv"]


@pytest.mark.parametrize("duplicates", ["last", "mean", "max"])
def test_what_stands_twice_is_merged_alike(
    duplicates: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(0)
    columns = {name: rng.integers(1, 6, 60) for name in ("user", "item", "rating")}
    pl.DataFrame(columns).write_csv(tmp_path / "r.csv")
    said = []
    for engine in ("memory", "disk"):
        words = ["publish", str(tmp_path / "r.csv"), "--method", "pseudonymize", "--seed", SEED]
        words += ["--no-audit", "--duplicates", duplicates, "--engine", engine]
        assert main([*words, "--out", str(tmp_path / engine)]) == 0
        said.append(capsys.readouterr().err.replace(engine, ""))
    assert digests(tmp_path / "memory") == digests(tmp_path / "disk")
    assert "repeated pairs merged" in said[0]
    assert said[0] == said[1]


def test_auto_takes_the_disk_when_memory_does_not_suffice_and_says_so(
    made: Ratings, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {"seed": SEED, "audited": False}
    fits = publish(file, "pseudonymize", out=tmp_path / "a", **given)
    assert fits.notes == ()
    monkeypatch.setattr("recloak.publishing._engines.ON_DISK", 0)
    size = f"{made.n_ratings * 30 // 1024}KB"
    for name, source in {"b": file, "c": made}.items():
        done = publish(source, "pseudonymize", out=tmp_path / name, memory=size, **given)
        assert "The disk engine was used: about" in done.notes[0]
        assert digests(done.folder) == digests(fits.folder)
    with pytest.raises(MachineError, match="needs about"):
        publish(made, "microaggregation", out=tmp_path / "d", memory=size, **given)
    with pytest.raises(MachineError, match="needs about"):
        publish(made, "pseudonymize", out=tmp_path / "d", memory=size, engine="memory", **given)
    assert memory.available() > 2**20  # what was said of one publication holds for that alone


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow"])
def test_a_file_that_would_not_fit_is_read_for_the_disk(
    made: Ratings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    """What reading takes in memory is not asked for where ratings go to the disk."""
    monkeypatch.setattr("recloak.publishing._engines.ON_DISK", 0)
    write(made, tmp_path / f"r.{ending}")
    given = {"audited": False, "memory": f"{made.n_users * 120 // 1024}KB"}
    done = publish(tmp_path / f"r.{ending}", "pseudonymize", out=tmp_path / "r", **given)
    assert "The disk engine was used" in done.notes[0]
    assert done.release.counts.ratings == made.n_ratings
    with pytest.raises(MachineError, match="needs about"):
        publish(
            tmp_path / f"r.{ending}", "pseudonymize", out=tmp_path / "s", engine="memory", **given
        )


def test_what_the_disk_engine_cannot_do_is_refused_at_once(
    made: Ratings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused: list[tuple[str, dict[str, Any], str]] = [
        ("disassociation", {}, "needs all people at once"),
        ("microaggregation", {}, "clustering = refined compares all people"),
        ("microaggregation", {"clustering": "binned", "imputation": "user-mean"}, "every cell"),
        ("synthetic", {"data": "survey"}, "a column for each question"),
        ("gaussian-noise", {"cells": "all"}, "fills a table of all people"),
        ("predictive", {"mode": "padded"}, "lists every item of every group"),
        ("predictive", {"l": 2}, "gives groups items of others"),
        ("pseudonymize", {"table_format": "csv"}, "CSV table is written as a whole"),
    ]
    for name, given, why in refused:
        with pytest.raises(ParameterError, match=why) as caught:
            publish(made, name, out=tmp_path / "r", engine="disk", **given)
        assert caught.value.where == "--engine disk"
    with pytest.raises(ParameterError, match="a catalogue needs all ratings in memory"):
        publish(made, "synthetic", out=tmp_path / "r", engine="disk", public_items=["1"])
    with pytest.raises(MachineError, match="the disk engine needs about"):
        publish(made, "pseudonymize", out=tmp_path / "r", engine="disk", memory="10KB")
    monkeypatch.setattr("recloak.publishing._engines.ON_DISK", 0)
    place = f"duckdb:///{tmp_path}/r.db?table=t"
    with pytest.raises(MachineError, match="the disk engine needs about"):
        publish(
            made, "pseudonymize", out=tmp_path / "r", engine="disk", memory="100KB", export=place,
            audited=False,
        )  # fmt: skip
    for wrong in ("much", "0GB", "-1GB"):
        with pytest.raises(ParameterError, match="is not an amount of memory"):
            publish(made, "pseudonymize", out=tmp_path / "r", memory=wrong)
    with pytest.raises(ParameterError, match="needs all ratings in memory"):
        stage(FileToRead("r.csv", ReadOptions(most_rated=5)), tmp_path, (), SILENT)
    assert list(tmp_path.iterdir()) == []


def test_methods_of_others_that_do_not_fit_are_refused(made: Ratings, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="gives rows names of its own"):
        publish(made, Numbered(), out=tmp_path / "r", engine="disk")
    with pytest.raises(RecloakError, match="publishes a different number of ratings"):
        publish(made, Dropping(), out=tmp_path / "r", engine="disk")
    assert list(tmp_path.iterdir()) == []


class Dropping(Pseudonymize):
    """Leaves the first person of a block out."""

    def part(
        self, rows: Ratings, shared: None, people: PeopleDraws, progress: Progress
    ) -> OwnedRows:
        return OwnedRows(rows.take_users(some := np.arange(1, rows.n_users)), some)


def test_a_full_disk_leaves_nothing_behind(
    made: Ratings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Spill, "_file", full)
    with pytest.raises(MachineError, match="the disk is full"):
        publish(made, "pseudonymize", out=tmp_path / "r", engine="disk")
    assert list(tmp_path.iterdir()) == []


def test_a_release_made_on_disk_is_opened_as_any_other(made: Ratings, tmp_path: Path) -> None:
    done = publish(made, "pseudonymize", out=tmp_path / "r", engine="disk", audited=False)
    assert open_release(tmp_path / "r").as_ratings().n_ratings == made.n_ratings
    assert done.release.row_labels.tolist() == sorted(done.release.row_labels.tolist())
    assert isinstance(done.release.manifest.rows, int)
    with pytest.raises(RecloakError):
        publish(made, "pseudonymize", out=tmp_path / "r", engine="disk")
