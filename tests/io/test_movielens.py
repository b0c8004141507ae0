"""MovieLens folders and files, made up in their layout and the real ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from recloak.core.errors import InputError, ParameterError
from recloak.core.ratings import Ratings
from recloak.io import load, read
from recloak.testing.formats import Packed, Scaled, Sniffed, example_rows


class Test100k(Sniffed, Packed, Scaled):
    name = "movielens-100k"

    def make(self, folder: Path) -> Path:
        source = folder / "ml-100k"
        source.mkdir()
        text = "".join("\t".join(map(str, row)) + "\n" for row in example_rows())
        (source / "u.data").write_text(text)
        return source

    def test_the_file_itself(self, source: Path) -> None:
        assert load(source / "u.data").format == self.name

    def test_scale_is_that_of_the_format(self, source: Path) -> None:
        (source / "u.data").write_text("1\t1\t3\t0\n1\t2\t2\t0\n")
        assert str(read(source).scale) == "1..5"

    def test_people_are_left_behind_and_named(self, source: Path) -> None:
        (source.parent / "beside").mkdir()
        assert load(source).personal == ()
        (source / "u.user").write_text("1|24|M|technician|85711\n")
        loaded = load(source)
        assert loaded.personal == ("u.user: age, gender, occupation, zip",)

    def test_off_scale_names_the_line(self, source: Path) -> None:
        (source / "u.data").write_text("1\t1\t3\t0\n\n1\t2\t6\t0\n")
        with pytest.raises(InputError, match="rating 6 is not on the scale") as caught:
            read(source)
        assert caught.value.where == f"{source / 'u.data'}, line 3, column 3 (rating)"

    def test_fields_must_be_four(self, source: Path) -> None:
        (source / "u.data").write_text("1\t1\t3\t0\n1\t2\t2\n")
        with pytest.raises(InputError, match="3 fields where 4 are expected") as caught:
            read(source)
        assert caught.value.where == f"{source / 'u.data'}, line 2"

    @pytest.mark.parametrize("option", [{"columns": {"user": "1"}}, {"separator": ","}])
    def test_options_it_has_no_use_for(self, source: Path, option: dict[str, object]) -> None:
        with pytest.raises(ParameterError, match="takes no"):
            read(source, **option)  # type: ignore[arg-type]


class Test1M(Sniffed, Packed, Scaled):
    name = "movielens-1m"

    def make(self, folder: Path) -> Path:
        source = folder / "ml-1m"
        source.mkdir()
        text = "".join("::".join(map(str, row)) + "\n" for row in example_rows())
        (source / "ratings.dat").write_text(text)
        return source

    def test_the_file_itself(self, source: Path) -> None:
        assert load(source / "ratings.dat").format == self.name

    def test_scale_is_fixed_beside_its_people(self, source: Path) -> None:
        (source / "ratings.dat").write_text("1::0104257::0::5\n1::2::10::5\n")
        assert str(read(source).scale) == "0..10"
        (source / "users.dat").write_text("1::F::1::10::48067\n")
        with pytest.raises(InputError, match=r"not on the scale 1\.\.5"):
            read(source)

    def test_people_are_left_behind_and_named(self, source: Path) -> None:
        (source / "users.dat").write_text("1::F::1::10::48067\n")
        assert load(source).personal == ("users.dat: gender, age, occupation, zip",)

    def test_half_stars_without_people(self, source: Path) -> None:
        (source / "ratings.dat").write_text("1::2::0.5::5\n1::3::5::5\n")
        assert str(read(source).scale) == "0.5..5 step 0.5"

    def test_leading_zeros_stay(self, source: Path) -> None:
        (source / "ratings.dat").write_text("2::0104257::8::1364690142\n2::1853728::7::13646901\n")
        assert list(read(source).item_labels) == ["0104257", "1853728"]

    def test_single_colons_do_not_separate(self, source: Path) -> None:
        (source / "ratings.dat").write_text("1::a:b::3::5\n1::a:c::4::5\n")
        assert list(read(source).item_labels) == ["a:b", "a:c"]


class Test10M(Sniffed, Packed, Scaled):
    name = "movielens-10m"
    example = Ratings.from_columns(
        [10, 10, 20], [7, 8, 7], [5, 3.5, 1], [978300760, 838985046, 5], scale="0.5..5 step 0.5"
    )

    def make(self, folder: Path) -> Path:
        source = folder / "ml-10M100K"
        source.mkdir()
        rows = "10::7::5::978300760\n10::8::3.5::838985046\n20::7::1::5\n"
        (source / "ratings.dat").write_text(rows)
        return source

    def test_the_file_itself(self, source: Path) -> None:
        assert load(source / "ratings.dat").format == self.name

    def test_beside_people_it_is_1m(self, source: Path) -> None:
        (source / "users.dat").write_text("1::F::1::10::48067\n")
        with pytest.raises(InputError, match=r"not on the scale 1\.\.5"):
            load(source)

    def test_scale_is_that_of_the_format(self, source: Path) -> None:
        assert str(read(source).scale) == "0.5..5 step 0.5"


class Test20M(Sniffed, Packed, Scaled):
    name = "movielens-20m"
    example = Test10M.example

    def make(self, folder: Path) -> Path:
        source = folder / "ml-20m"
        source.mkdir()
        rows = "10,7,5.0,978300760\n10,8,3.5,838985046\n20,7,1,5\n"
        (source / "ratings.csv").write_text("userId,movieId,rating,timestamp\n" + rows)
        return source

    def test_the_file_itself(self, source: Path) -> None:
        assert load(source / "ratings.csv").format == self.name

    def test_other_columns(self, source: Path) -> None:
        (source / "ratings.csv").write_text("user,item,rating\n1,2,3\n")
        assert load(source).format == "csv"
        with pytest.raises(InputError, match="first line is not userId,movieId"):
            read(source, format=self.name)

    def test_other_scales_are_not_taken_for_it(self, source: Path) -> None:
        (source / "ratings.csv").write_text("userId,movieId,rating,timestamp\n1,2,9,3\n")
        assert load(source).format == "csv"


class TestCiaoDvd(Sniffed, Packed, Scaled):
    name = "ciaodvd"
    example = Ratings.from_columns(
        [10, 10, 20], [7, 8, 7], [5, 3, 1], [0, 86400, 963360000], scale="1..5"
    )

    def make(self, folder: Path) -> Path:
        source = folder / "ciaodvd"
        source.mkdir()
        rows = "10,7,1,1,5,1970-01-01\n10,8,1,2,3,1970-01-02\n20,7,1,3,1,2000-07-12\n"
        (source / "movie-ratings.txt").write_text(rows)
        return source


@pytest.mark.real
class TestReal:
    @pytest.mark.parametrize(
        ("folder", "shape", "scale", "personal"),
        [
            ("ml-100k", (100_000, 943, 1_682), "1..5", 1),
            ("ml-1m", (1_000_209, 6_040, 3_706), "1..5", 1),
            ("movietweetings-100k", (100_000, 16_554, 10_506), "0..10", 0),
        ],
    )
    def test_folders(
        self, real_data: Path, folder: str, shape: tuple[int, ...], scale: str, personal: int
    ) -> None:
        loaded = load(real_data / folder)
        ratings = loaded.ratings
        assert (ratings.n_ratings, ratings.n_users, ratings.n_items) == shape
        assert str(ratings.scale) == scale
        assert ratings.times is not None
        assert len(loaded.personal) == personal

    def test_insteval(self, real_data: Path) -> None:
        loaded = load(real_data / "insteval" / "InstEval.csv")
        ratings = loaded.ratings
        assert (ratings.n_ratings, ratings.n_users, ratings.n_items) == (73_421, 2_972, 1_128)
        assert str(ratings.scale) == "1..5"
        assert loaded.dropped == ("studage", "lectage", "service", "dept")
        assert loaded.personal == ("studage", "lectage")

    def test_ciaodvd(self, real_data: Path) -> None:
        file = real_data / "ciaodvd" / "movie-ratings.txt"
        loaded = load(real_data / "ciaodvd", duplicates="last")
        ratings = loaded.ratings
        assert (ratings.n_ratings, ratings.n_users, ratings.n_items) == (72_345, 17_615, 16_121)
        assert loaded.notes == ("320 repeated pairs merged by last.",)
        with pytest.raises(InputError, match="320 ratings repeat") as caught:
            read(file)
        assert "line 22499 and line 22573" in caught.value.what

    @pytest.mark.parametrize(
        ("folder", "name", "shape"),
        [
            ("insteval", "csv", (73_421, 2_972, 1_128)),
            ("jester", "jester", (1_810_455, 24_983, 100)),
            ("set-valued", "baskets", (149_639, 59_602, 497)),
        ],
    )
    def test_folders_with_one_file(
        self, real_data: Path, folder: str, name: str, shape: tuple[int, ...]
    ) -> None:
        loaded = load(real_data / folder)
        ratings = loaded.ratings
        assert loaded.format == name
        assert (ratings.n_ratings, ratings.n_users, ratings.n_items) == shape
