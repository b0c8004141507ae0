"""Meanings: what each formal claim says, and what it leaves open, in words for anyone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from recloak.core.claim import Claim


class Meaning(NamedTuple):
    """A claim's name in the literature, what it says, and what it does not."""

    term: str
    says: str
    leaves_open: str


_MEANINGS = {
    "k-anonymity": Meaning(
        "k-anonymity",
        "Every row of the release is identical to at least k − 1 others, so that nobody can be "
        "narrowed down to fewer than k rows.",
        "It says nothing about what these rows have in common: that is known of everyone in them. "
        "Where one person has several rows it counts rows, not people.",
    ),
    "km-anonymity": Meaning(
        "k^m-anonymity",
        "Every combination of up to m ratings that anyone has fits at least k people, so that "
        "nobody who knows that much of a person can narrow them down further.",
        "It says nothing about someone who knows more than m ratings, nor about what the k people "
        "have in common. For clusters, it covers what the release says, not what else follows "
        "from how the method works: with listed=true, fewer than k people of a cluster "
        "hold a term that its term chunk lists, with k = 2 exactly one; and that items stand in "
        "different chunks tells that some combination of them is rare.",
    ),
    "diversity": Meaning(
        "Diversity",
        "Any b items that someone rated are in the profiles of at least l groups, so that "
        "someone who knows b items of a person cannot name the person's group.",
        "It says nothing about more items, nor about what the l groups have in common.",
    ),
    "proximity": Meaning(
        "(k, ε, l)-anonymity",
        "For every respondent there are at least k − 1 others whose answers to the non-sensitive "
        "issues all lie within ε of theirs and who left out the same issues (their "
        "neighbourhood); and within every such group the answers to each sensitive issue have a "
        "standard deviation of at least l. Groups may also be read as disjoint ones in which any "
        "two respondents are that close.",
        "With ε above 0 someone who knows exact answers can still tell the members apart.",
    ),
    "differential-privacy": Meaning(
        "Differential privacy",
        "Whatever is computed from this release would be almost as likely if any one person "
        "had not been in the data: no probability changes by more than a factor of e^ε, "
        "except with a "
        "probability of δ. It holds against anyone, whatever they "
        "know. It is proved by construction, from the account in the manifest: no file can show "
        "it.",
        "What is true of people in general can be learnt from it, about those in the data as about "
        "anyone else. The list of items and the scale are taken to be public. Another release of "
        "the same people adds to what is spent.",
    ),
    "floor": Meaning(
        "Floor",
        "No item, answer or range of sizes in the release rests on fewer than k people of the "
        "original.",
        "It is no differential privacy: whoever compares the statistics of k people before and "
        "after one of them leaves learns about that one.",
    ),
    "delta-bound": Meaning(
        "δ-bound",
        "Where an item newly enters, or climbs in, the lists of some items from one release to "
        "another of the window, at most a share δ of those who rated all of these items rated it.",
        "A background with further items, disappearances, empty slots and the combination of three "
        "releases are not covered.",
    ),
}
_OTHER = "It protects in the sense of its definition and no further."


def meaning_of(guarantee: str) -> Meaning | None:
    """What a guarantee of this name says; None for one that somebody else provides."""
    return _MEANINGS.get(guarantee)


_SENSITIVE_OPEN = (
    "The sensitive answers are not protected: l is 0, so all who are near to each other may have "
    "given the same one, and then it is known of each of them."
)
_NONE_SENSITIVE = "No issue is declared sensitive, so it is about who is found, not about answers."


def left_open(claim: Claim | str) -> str:
    """What a claim does not cover."""
    stated = Claim.parse(claim) if isinstance(claim, str) else claim
    known = meaning_of(stated.guarantee)
    if known is None:
        return _OTHER
    if stated.guarantee == "proximity" and not _least(stated):
        return f"{unprotected([stated]) or _NONE_SENSITIVE} {known.leaves_open}"
    return known.leaves_open


def unprotected(claims: Iterable[Claim | str]) -> str:
    """That declared sensitive answers are not protected by what is claimed of them, if so."""
    stated = [Claim.parse(claim) if isinstance(claim, str) else claim for claim in claims]
    of_surveys = [one for one in stated if one.guarantee == "proximity"]
    named = [one for one in of_surveys if one.parameters.get("sensitive")]
    return _SENSITIVE_OPEN if named and not any(map(_least, named)) else ""


def _least(claim: Claim) -> float:
    """The least deviation that is claimed; what is not a number claims none."""
    try:
        return float(claim.parameters.get("l") or 0)
    except ValueError:
        return 0.0
