"""Plain twins of the Bayesian adversary: each posterior as its definition says it, slowly."""

from __future__ import annotations

from itertools import product
from math import comb, erf, exp, log, prod, sqrt

from recloak.core.ratings import Ratings
from recloak.releases.disassociated import SHARED, TERM, DisassociatedRelease

Row = dict[int, float]


def rows_of(table: Ratings) -> list[Row]:
    """Each row as a dictionary from item to value."""
    rows = []
    for user in range(table.n_users):
        items, values = table.row(user)
        rows.append(dict(zip(items.tolist(), values.tolist(), strict=True)))
    return rows


def unchanged(rows: list[Row], known: Row, *, values: bool) -> list[float]:
    """1 over the number of sets of this size that could have come to be known."""
    weights = []
    for row in rows:
        held = all(item in row and (not values or row[item] == known[item]) for item in known)
        weights.append(1 / comb(len(row), len(known)) if held else 0.0)
    return weights


def noise_mass(published: float, value: float, sigma: float, low: float, high: float) -> float:
    """The chance that normal noise on ``value`` is published so, in hundredths, clipped."""

    def below(place: float) -> float:
        return 0.5 * (1 + erf((place - value) / (sigma * sqrt(2))))

    upper = 1.0 if published >= high else below(published + 0.005)
    lower = 0.0 if published <= low else below(published - 0.005)
    return upper - lower


def habits(row: Row, sigma: float, levels: list[float], shares: list[float]) -> list[float]:
    """How often the person of a row gives each value, by EM from what is published."""
    own = list(shares)
    for _ in range(5):
        sums = [10 * share for share in shares]
        for published in row.values():
            parts = [
                share * noise_mass(published, value, sigma, levels[0], levels[-1])
                for value, share in zip(levels, own, strict=True)
            ]
            sums = [so_far + part / sum(parts) for so_far, part in zip(sums, parts, strict=True)]
        own = [so_far / (10 + len(row)) for so_far in sums]
    return own


def member_gave(
    mean: float, size: int, chance: float, shares: dict[float, float], base: float
) -> dict[float | None, float]:
    """For each value how likely a given member gave it, where the mean over all is listed.

    None stands for no rating at all. All ways in which ``size`` members may have rated are gone
    through.
    """
    cells: dict[float | None, float] = {None: 1 - chance}
    cells |= {value: chance * share for value, share in shares.items()}
    found, total = dict.fromkeys(cells, 0.0), 0.0
    for members in product(cells, repeat=size):
        listed = sum(base if value is None else value for value in members) / size
        if abs(listed - mean) < 1e-6:
            weight = 1.0
            for value in members:
                weight *= cells[value]
            total += weight
            found[members[0]] += weight
    return {value: weight / total for value, weight in found.items()}


def member_gave_rounded(
    listed: float | None,
    size: int,
    chance: float,
    shares: dict[float, float],
    base: float,
    grid: float,
    floor: int,
) -> dict[float | None, float]:
    """The same where means are rounded to a grid, and None if fewer than ``floor`` rated.

    A mean that is rounded to ``base`` is not listed either.
    """
    cells: dict[float | None, float] = {None: 1 - chance}
    cells |= {value: chance * share for value, share in shares.items()}
    found, total = dict.fromkeys(cells, 0.0), 0.0
    for members in product(cells, repeat=size):
        raters = sum(value is not None for value in members)
        mean = sum(base if value is None else value for value in members) / size
        near = abs(mean - (base if listed is None else listed)) <= grid / 2
        if (listed is None) if raters < floor else near:
            weight = 1.0
            for value in members:
                weight *= cells[value]
            total += weight
            found[members[0]] += weight
    return {value: weight / total for value, weight in found.items()}


def rater_gave(
    mean: float, size: int, chance: float, shares: dict[float, float]
) -> dict[float | None, float]:
    """The same where the mean of those who rated is listed, and at least one did."""
    cells: dict[float | None, float] = {None: 1 - chance}
    cells |= {value: chance * share for value, share in shares.items()}
    found, total = dict.fromkeys(cells, 0.0), 0.0
    for members in product(cells, repeat=size):
        rated = [value for value in members if value is not None]
        if rated and abs(sum(rated) / len(rated) - mean) < 1e-6:
            weight = 1.0
            for value in members:
                weight *= cells[value]
            total += weight
            found[members[0]] += weight
    return {value: weight / total for value, weight in found.items()}


def rater_gave_above_floor(
    mean: float,
    size: int,
    chance: float,
    shares: dict[float, float],
    value: float,
    floor: int,
    grid: float,
    at_large: float,
) -> float:
    """How likely a given member gave ``value``, over its share, where means are of enough raters.

    Where fewer than ``floor`` rated, a prediction is listed; ratings spread about it by .19 of the
    span of the scale.
    """
    span = max(shares) - min(shares)
    theirs, anyone = 0.0, 0.0
    bell = {one: exp(-((one - mean) ** 2) / (2 * (0.19 * span) ** 2)) for one in shares}
    near = bell[value] / sum(shares[one] * bell[one] for one in shares)
    for raters in range(1, size + 1):
        ways = comb(size, raters) * chance**raters * (1 - chance) ** (size - raters)
        if raters < floor:
            fits, with_value = at_large, at_large * near
        else:
            slack = raters * grid / 2 + 1e-6
            fits = _adding_up(raters, raters * mean, slack, shares)
            with_value = _adding_up(raters - 1, raters * mean - value, slack, shares)
        anyone += ways * fits
        theirs += ways * raters / size * with_value
    return theirs / anyone


def _adding_up(count: int, total: float, slack: float, shares: dict[float, float]) -> float:
    """The chance that so many ratings add up to about ``total``."""
    found = 0.0
    for ratings in product(shares, repeat=count):
        if abs(sum(ratings) - total) <= slack:
            found += prod(shares[one] for one in ratings)
    return found


def cluster_counts(release: DisassociatedRelease, item: int, value: float) -> list[float]:
    """How many people of each cluster gave a rating; shared ones in proportion to their people."""
    placed, rows = release.clusters, rows_of(release.ratings)
    counts = [0.0] * len(placed)
    for row, cells in enumerate(rows):
        if cells.get(item) != value:
            continue
        if placed.kind[row] != SHARED:
            counts[placed.group[row]] += 1
            continue
        joint = [c for c in range(len(placed)) if placed.joint[c] == placed.group[row]]
        people = sum(int(placed.records[c]) for c in joint)
        for cluster in joint:
            counts[cluster] += int(placed.records[cluster]) / people
    return counts


def _chunk_of(release: DisassociatedRelease, row: int) -> tuple[int, ...]:
    """The name of a row's chunk; every listed term has one of its own."""
    placed = release.clusters
    place = row if placed.kind[row] == TERM else int(placed.chunk[row])
    return int(placed.kind[row]), int(placed.group[row]), place


def _clusters_of(release: DisassociatedRelease, row: int) -> list[int]:
    """The cluster of a row, or all of its joint."""
    placed, group = release.clusters, int(release.clusters.group[row])
    if placed.kind[row] != SHARED:
        return [group]
    return [c for c in range(len(placed)) if placed.joint[c] == group]


def _people_of(release: DisassociatedRelease, row: int) -> int:
    """How many people may be the one of a row."""
    return sum(int(release.clusters.records[c]) for c in _clusters_of(release, row))


def activity_weights(release: DisassociatedRelease, known: dict[int, int]) -> dict[int, float]:
    """For sub-records of which so much is known: the mean of 1 over the person's ratings^known.

    The mean is over how active the person may be, given the sub-record and what its chunk has.

    Activity varies as an exponential variable does; on each of 16 levels there are equally many.
    """
    levels = [-log(1 - (place + 0.5) / 16) for place in range(16)]
    levels = [16 * level / sum(levels) for level in levels]
    rows = rows_of(release.ratings)
    raters: dict[tuple[tuple[int, ...], int], int] = {}
    people = {}
    for other, cells in enumerate(rows):
        people[_chunk_of(release, other)] = _people_of(release, other)
        for item in cells:
            key = (_chunk_of(release, other), item)
            raters[key] = raters.get(key, 0) + 1
    rates = {key: _rate(min(raters[key] / people[key[0]], 0.99), levels) for key in raters}
    lengths = [
        sum(people[key[0]] * (1 - exp(-level * rates[key])) for key in rates) for level in levels
    ]
    mean_length = sum(lengths) / 16
    found = {}
    for row, count in known.items():
        above, below = 0.0, 0.0
        for level, length in zip(levels, lengths, strict=True):
            chance = 1.0
            for (chunk, item), rate in rates.items():
                if chunk == _chunk_of(release, row):
                    absent = exp(-level * rate)
                    chance *= 1 - absent if item in rows[row] else absent
            above += chance * (length / mean_length) ** -count
            below += chance
        found[row] = above / below
    return found


def _rate(share: float, levels: list[float]) -> float:
    """By bisection: the rate at which this share of all people rates an item."""
    low, high = 0.0, 1000.0
    for _ in range(100):
        middle = (low + high) / 2
        rated = sum(1 - exp(-level * middle) for level in levels) / len(levels)
        low, high = (middle, high) if rated < share else (low, middle)
    return low


def subrecord_chances(
    release: DisassociatedRelease, known: dict[int, float | None], inside: list[float]
) -> dict[int, float]:
    """For each row that contradicts nothing the chance that it is the person's.

    ``inside`` is the chance of each cluster; a known value of None is not known.
    """
    rows = rows_of(release.ratings)

    def fits(row: int, item: int) -> bool:
        return item in rows[row] and known[item] in (None, rows[row][item])

    chunks: dict[tuple[int, ...], list[int]] = {}
    for row in range(len(rows)):
        chunks.setdefault(_chunk_of(release, row), []).append(row)
    alike: dict[tuple[int, ...], list[int]] = {}
    known_here = {}
    for chunk, members in chunks.items():
        here = [item for item in known if any(fits(row, item) for row in members)]
        for row in members:
            contradicted = any(item in rows[row] and not fits(row, item) for item in known)
            if here and all(fits(row, item) for item in here) and not contradicted:
                alike.setdefault(chunk, []).append(row)
                known_here[row] = here
    weights = activity_weights(release, {row: len(here) for row, here in known_here.items()})
    found = {}
    for row, here in known_here.items():
        chunk = _chunk_of(release, row)
        clusters = _clusters_of(release, row)
        chance = sum(inside[c] for c in clusters) * weights[row]
        chance /= sum(weights[other] for other in alike[chunk])
        for item in here:
            in_chunk = sum(fits(one, item) for one in chunks[chunk])
            in_group = sum(
                _share_in(release, one, clusters) for one in range(len(rows)) if fits(one, item)
            )
            chance *= min(in_chunk / in_group, 1.0)
        found[row] = chance
    return found


def _share_in(release: DisassociatedRelease, row: int, clusters: list[int]) -> float:
    """How much of a row counts for some clusters; shared ones in proportion to their people."""
    placed, group = release.clusters, int(release.clusters.group[row])
    if placed.kind[row] != SHARED:
        return float(group in clusters)
    theirs = sum(int(placed.records[c]) for c in clusters if placed.joint[c] == group)
    return theirs / _people_of(release, row)


def fragment_weight(
    row: Row, known: Row, rows: list[Row], rows_per_person: float, *, shared_lines: bool
) -> float:
    """The likelihood of what is known if a fragment is the person's, uniform knowledge.

    With ``shared_lines`` the person's other fragments are taken to have no item of this one.
    """
    total = len(row) + ratings_per_person(rows, rows_per_person)
    chances = fragment_chances(row, known, rows, rows_per_person, shared_lines=shared_lines)
    return prod(chances.values()) / ways(total, len(known))


def fragment_chances(
    row: Row, known: Row, rows: list[Row], rows_per_person: float, *, shared_lines: bool
) -> dict[int, float]:
    """For each known rating how likely it is of somebody whose fragment this is."""
    ratings = sum(len(other) for other in rows)
    total = len(row) + ratings_per_person(rows, rows_per_person)
    share = min(len(row) / total, 0.95)
    apart = [other for other in rows if not set(other) & set(row)]
    chances = {}
    for item, value in known.items():
        if item in row:
            chances[item] = 1.0 if row[item] == value else 0.0
            continue
        general = sum(other.get(item) == value for other in rows) / ratings
        if shared_lines:
            fitting = sum(other.get(item) == value for other in apart)
            there = fitting / max(sum(len(other) for other in apart), 1)
            general = 0.98 * there + 0.02 * general
        chances[item] = (1 - share) * general * total
    return chances


def ratings_per_person(rows: list[Row], rows_per_person: float) -> float:
    """How many ratings people have on average."""
    return sum(len(row) for row in rows) / (len(rows) / rows_per_person)


def ways(total: float, count: int) -> float:
    """In how many ways so many ratings can be drawn, one after the other."""
    return prod(max(total, count) - drawn for drawn in range(count))


def fragment_and_pairs_weight(
    row: Row, known: Row, rows: list[Row], rows_per_person: float, *, shared_lines: bool
) -> float:
    """The same by the fragment alone, and with each other that shares no item with it.

    Both hold something known. What neither holds lies in the rows that the person has beside these.
    """
    given = {"shared_lines": shared_lines}
    weight = fragment_weight(row, known, rows, rows_per_person, **given)
    others = rows_per_person - 1
    left = max((others - 1) / max(others, 0.1), 0.1)
    own = fragment_chances(row, known, rows, rows_per_person, **given)
    for partner in rows:
        if set(row) & set(partner) or not set(row) & set(known) or not set(partner) & set(known):
            continue
        theirs = fragment_chances(partner, known, rows, rows_per_person, **given)
        fits = 1.0
        for item in known:
            if item in row or item in partner:
                fits *= own[item] if item in row else theirs[item]
            else:
                fits *= left * sqrt(own[item] * theirs[item])
        total = len(row) + len(partner) + left * ratings_per_person(rows, rows_per_person)
        apart = sqrt(share_apart(row, rows) * share_apart(partner, rows))
        weight += fits / ways(total, len(known)) * max(others, 0.1) / len(rows) / apart
    return weight


def share_apart(row: Row, rows: list[Row]) -> float:
    """The share of rows that have no item of this one."""
    return max(sum(not set(row) & set(other) for other in rows) / len(rows), 0.02)
