"""The claim of disassociation, held against the verifier and against all originals that fit."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import example, given, reject, settings
from hypothesis import strategies as st

from recloak.core.errors import InputError
from recloak.core.randomness import Randomness
from recloak.guarantees import guarantee
from recloak.methods import method
from recloak.releases.disassociated import SHARED, DisassociatedRelease
from recloak.testing import from_rows
from tests.support.plain_reconstruction import Patience, TooManyError, exposed_sets, joint_of

STEPS = 50_000  # pieces handed out for one release, about a second

People = list[dict[int, int]]


@st.composite
def alike_people(draw: st.DrawFn) -> People:
    """A few people with a few items each, so alike that chunks have several terms."""
    cells = st.dictionaries(st.integers(1, draw(st.integers(2, 5))), st.integers(1, 3), min_size=1)
    kinds = draw(st.lists(cells, min_size=1, max_size=3))
    return draw(st.lists(st.sampled_from(kinds) | cells, min_size=3, max_size=7))


@st.composite
def two_kinds(draw: st.DrawFn) -> People:
    """People of two kinds who share what is rare in each kind: this is what joints are for."""
    rare = st.dictionaries(st.integers(3, 4), st.integers(1, 2), max_size=2)
    count = draw(st.integers(4, 7))
    return [{1 + at % 2: 1} | draw(rare) for at in range(count)]


def parameters(
    k: int, m: int, larger: int, refine: bool, values: bool, spread: bool, listing: bool = True
) -> dict[str, Any]:
    settings = {"k": k, "m": m, "max_cluster": max(4, 2 * k) + larger}
    rare = "listed" if listing else "suppressed"
    return {**settings, "refine": refine, "values": values, "spread": spread, "rare": rare}


PARAMETERS = st.builds(
    parameters,
    st.integers(2, 3),
    st.integers(1, 3),
    st.sampled_from([0, 1, 90]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
JOINING = st.builds(
    parameters,
    st.just(2),
    st.integers(1, 3),
    st.just(0),
    st.just(True),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)


def disassociated(people: People, seed: int, chosen: dict[str, Any]) -> DisassociatedRelease:
    rows = {
        f"p{at}": {f"i{item}": float(value) for item, value in row.items()}
        for at, row in enumerate(people)
    }
    made = method("disassociation", **chosen)
    try:
        applied = made.apply(from_rows(rows), Randomness.from_seed(seed))
    except InputError:  # nothing would be left
        assert chosen["rare"] == "suppressed"
        reject()
    assert isinstance(applied.release, DisassociatedRelease)
    return applied.release


def tally(release: DisassociatedRelease, chosen: dict[str, Any]) -> Counter[str]:
    """Assert the claim; what was seen on the way."""
    k, m, values, listed = chosen["k"], chosen["m"], chosen["values"], chosen["rare"] == "listed"
    claim = f"km-anonymity:k={k},m={m},values={values},listed={listed}"
    verdict = guarantee(claim).check_release(release)
    assert verdict.holds, verdict.how
    clusters, patience = release.clusters, Patience(STEPS)
    shared = set(clusters.group[clusters.kind == SHARED].tolist())
    seen: Counter[str] = Counter()
    for joint in range(len(clusters.joint_ids)):
        try:
            assert exposed_sets(joint_of(release, joint, values, not listed), k, m, patience) == []
        except TooManyError:
            seen["given up"] += 1
            continue
        seen["searched"] += 1
        seen["with shared chunks"] += joint in shared
    return seen


TWO_CHUNKS_OF_AN_ITEM = [
    {0: 3, 2: 1, 3: 1},
    {1: 1, 2: 3, 3: 1},
    {0: 1, 3: 1},
    {1: 1, 2: 1},
    {0: 3, 3: 1},
    {1: 1, 2: 1},
    {0: 1, 2: 3, 3: 1},
    {1: 1},
]


def test_nobody_is_exposed_in_a_cluster() -> None:
    seen: Counter[str] = Counter()

    # Chunks with values of the same items were once counted on to reach everybody.
    @example(people=TWO_CHUNKS_OF_AN_ITEM, seed=0, chosen=parameters(2, 2, 90, True, True, True))
    @settings(max_examples=80)
    @given(people=alike_people(), seed=st.integers(0, 99), chosen=PARAMETERS)
    def search(people: People, seed: int, chosen: dict[str, Any]) -> None:
        seen.update(tally(disassociated(people, seed, chosen), chosen))

    search()
    assert seen["searched"] > 9 * seen["given up"]


def test_nobody_is_exposed_in_a_joint() -> None:
    seen: Counter[str] = Counter()

    # A cluster of k people whose terms all went to shared chunks was once left with nothing.
    @example(
        people=[{0: 1, 1: 1, 2: 2}, {2: 2}, {0: 1}, {2: 2}, {2: 2}, {1: 2}],
        seed=0,
        chosen=parameters(2, 1, 1, True, False, False),
    )
    @settings(max_examples=120, derandomize=True)
    @given(people=two_kinds(), seed=st.integers(0, 99), chosen=JOINING)
    def search(people: People, seed: int, chosen: dict[str, Any]) -> None:
        seen.update(tally(disassociated(people, seed, chosen), chosen))

    search()
    assert seen["with shared chunks"] >= 10
    assert seen["searched"] > 5 * seen["given up"]
