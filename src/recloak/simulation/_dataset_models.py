"""Models of known data sets: sizes, distributions and times that made-up ratings follow."""

from __future__ import annotations

from dataclasses import dataclass

from recloak.core.scale import Scale

DAY = 86_400


@dataclass(frozen=True)
class TimeModel:
    """When people come, how often they come back, how items age.

    ``begin`` and ``end`` are seconds since 1970; people arrive between them by a beta
    distribution ``arrivals``.
    """

    begin: int
    end: int
    arrivals: tuple[float, float] = (1.0, 1.0)
    returning: float = 0.4
    """Share of people who come back; the others rate everything in one session."""
    stay: float = 100.0
    """Median days between first and last visit of those who come back."""
    session_size: float = 20.0
    """Mean ratings in a session of those who come back."""
    together: float = 0.55
    """Chance that a rating has the same second as the one before: pages are sent whole."""
    pause: float = 20.0
    """Mean seconds between pages."""
    tick: int = 1
    """Seconds that times are rounded down to."""
    periods: int = 8
    new_items: float = 0.15
    """Share of items that come out while people are already rating."""
    drift: float = 0.8
    """How far an item's popularity moves over the whole time (standard deviation of its log)."""


@dataclass(frozen=True)
class DatasetModel:
    """Sizes, distributions and spreads of the ratings of one data set.

    Counts of users and items follow a power of an exponential variable (a Weibull law), which
    fits both margins of MovieLens; ``activity`` and ``popularity`` are the powers: 0 is equal
    shares, larger is more skewed. The spreads say how far users, items and tastes move a rating,
    in units of its noise.
    """

    description: str
    users: int
    items: int
    ratings: int
    scale: Scale
    shares: tuple[float, ...]
    """Share of each level; of equal slices of the range where the scale is continuous."""
    activity: float
    popularity: float
    fewest: int = 1
    """Ratings that everyone has at least, where the sizes allow it."""
    complete: float = 0.0
    """Share of users who rated everything."""
    item_growth: float = 0.4
    """Items grow with this power of the ratings; 0 is a fixed catalogue."""
    groups: int = 16
    """Groups of taste that decide which items people come across."""
    choosiness: float = 1.6
    """How much tastes decide what is rated."""
    factors: int = 10
    user_spread: float = 0.5
    item_spread: float = 0.85
    taste_spread: float = 0.68
    temper: float = 0.2
    """How much users differ in the width of the scale they use."""
    fame: float = 0.6
    """Correlation between an item's popularity and how much it is liked."""
    block_size: int = 0
    """Issues in a block that respondents skip as a whole; 0: what is rated is picked freely."""
    time_model: TimeModel | None = None


_STARS = Scale(1.0, 5.0)
_HALF_STARS = Scale(0.5, 5.0, 0.5)
_HALF_STAR_SHARES = (0.012, 0.045, 0.018, 0.082, 0.040, 0.228, 0.110, 0.285, 0.063, 0.117)

DATASET_MODELS: dict[str, DatasetModel] = {
    "ml-100k": DatasetModel(
        "MovieLens 100k: 943 people, 1,682 films, 100,000 ratings of 1 to 5 stars",
        users=943,
        items=1_682,
        ratings=100_000,
        scale=_STARS,
        shares=(0.061, 0.114, 0.271, 0.342, 0.212),
        activity=1.2,
        popularity=2.1,
        fewest=20,
        choosiness=2.0,
        user_spread=0.52,
        item_spread=0.7,
        taste_spread=0.66,
        fame=0.8,
        time_model=TimeModel(874_724_710, 893_286_638, (1.0, 1.1)),
    ),
    "ml-1m": DatasetModel(
        "MovieLens 1M: 6,040 people, 3,706 films, 1,000,209 ratings of 1 to 5 stars",
        users=6_040,
        items=3_706,
        ratings=1_000_209,
        scale=_STARS,
        shares=(0.056, 0.108, 0.261, 0.349, 0.226),
        activity=1.3,
        popularity=1.62,
        fewest=20,
        time_model=TimeModel(956_703_932, 1_046_454_590, (2.2, 12.0)),
    ),
    "ml-10m": DatasetModel(
        "MovieLens 10M: 69,878 people, 10,677 films, 10,000,054 ratings in half stars",
        users=69_878,
        items=10_677,
        ratings=10_000_054,
        scale=_HALF_STARS,
        shares=_HALF_STAR_SHARES,
        activity=1.6,
        popularity=2.35,
        fewest=20,
        time_model=TimeModel(789_652_009, 1_231_131_736, (1.2, 1.2), new_items=0.35, periods=12),
    ),
    "netflix": DatasetModel(
        "Netflix Prize: 480,189 people, 17,770 films, 100,480,507 ratings of 1 to 5 stars",
        users=480_189,
        items=17_770,
        ratings=100_480_507,
        scale=_STARS,
        shares=(0.046, 0.101, 0.287, 0.336, 0.230),
        activity=1.45,
        popularity=2.6,
        item_spread=0.6,
        time_model=TimeModel(
            942_278_400,
            1_135_987_200,
            (3.5, 1.2),
            returning=0.9,
            stay=400.0,
            session_size=8.0,
            tick=DAY,
            periods=12,
            new_items=0.4,
        ),
    ),
    "jester": DatasetModel(
        "Jester 1: 24,983 people, 100 jokes, 1,810,455 ratings of −10 to 10; many rate all",
        users=24_983,
        items=100,
        ratings=1_810_455,
        scale=Scale(-10.0, 10.0, None),
        shares=(
            *(0.041, 0.031, 0.032, 0.036, 0.029, 0.039, 0.040, 0.038, 0.043, 0.072),
            *(0.064, 0.069, 0.071, 0.074, 0.062, 0.065, 0.061, 0.054, 0.058, 0.021),
        ),
        activity=0.9,
        popularity=4.0,
        fewest=36,
        complete=0.288,
        item_growth=0.0,
        groups=4,
        choosiness=0.2,
        factors=6,
        user_spread=0.7,
        item_spread=0.34,
        taste_spread=0.6,
        temper=0.4,
        fame=0.05,
    ),
    "flixster": DatasetModel(
        "Flixster: 1,000,000 people, 49,000 films, 8,400,000 ratings in half stars; most rate few",
        users=1_000_000,
        items=49_000,
        ratings=8_400_000,
        scale=_HALF_STARS,
        shares=(0.030, 0.040, 0.030, 0.070, 0.070, 0.160, 0.140, 0.180, 0.090, 0.190),
        activity=3.5,
        popularity=3.2,
        time_model=TimeModel(
            1_135_900_800, 1_257_033_600, (2.0, 1.5), returning=0.3, new_items=0.1
        ),
    ),
    "book-crossing": DatasetModel(
        "Book-Crossing: 105,283 people, 340,556 books, 1,149,780 ratings of 0 to 10; most rate one",
        users=105_283,
        items=340_556,
        ratings=1_149_780,
        scale=Scale(0.0, 10.0),
        # 0 stands for a book that was read and not rated
        shares=(0.623, 0.002, 0.002, 0.005, 0.008, 0.044, 0.032, 0.067, 0.090, 0.059, 0.068),
        activity=4.0,
        popularity=3.2,
        item_growth=0.8,
        user_spread=0.9,
        item_spread=0.25,
        taste_spread=0.35,
    ),
    "survey": DatasetModel(
        "A survey: 10,000 respondents, 20 issues, answers of 1 to 5; 40 % skip blocks of issues",
        users=10_000,
        items=20,
        ratings=168_000,
        scale=_STARS,
        shares=(0.12, 0.20, 0.28, 0.24, 0.16),
        activity=1.0,
        popularity=0.0,
        complete=0.6,
        item_growth=0.0,
        groups=6,
        choosiness=0.0,
        factors=4,
        user_spread=0.4,
        item_spread=0.5,
        taste_spread=1.0,
        fame=0.0,
        block_size=5,
    ),
}
