"""The card's page: what a release is, how it was made, what was verified, and its limits.

It follows from the manifest and the names of the tables alone, so that nothing can be hidden in it
and nothing that re-links can reach it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from recloak.releases.card._front_matter import front_matter
from recloak.releases.card._loading import loading_lines
from recloak.releases.card.meanings import left_open, meaning_of, unprotected
from recloak.releases.manifest import Manifest

CARD_NAME = "README.md"

_KIND_TEXTS = {
    "ratings": (
        "Each line of the table is one rating: the row that it belongs to, the item, the value. A "
        "row need not be all that one person rated, nor only what one person rated; that depends "
        "on the method.",
    ),
    "grouped": (
        "People are in groups: profiles has one row of ratings for each group, groups tells how "
        "many people share it. A cell that is not listed has the value implied in items, if there "
        "is one. As ratings, every person is a row, the profile of their group.",
    ),
    "made-up": (
        "The people in it are made up: they were drawn from a model of how people rate, and no row "
        "is anybody's. Each line of the table is one rating: the made-up person, the item, the "
        "value.",
    ),
    "made-up-survey": (
        "The respondents in it are made up: they were drawn from a model of how people answer, and "
        "no row is anybody's. answers has a row for each of them and a column for each issue; an "
        "empty cell is no answer.",
    ),
    "disassociated": (
        "Records were torn into pieces. Each row of ratings is a piece (a sub-record), or a single "
        "rating of a term chunk; subrecords tells in which chunk of which cluster it stands, and "
        "clusters how many people a cluster stands for. Which pieces belong to one person is not "
        "told. What fewer than k people of a cluster gave was left out, or is listed in its term "
        "chunk: the parameter `rare` tells which.",
    ),
    "survey": (
        "It is a survey: answers has a row for each respondent and a column for each issue; an "
        "empty cell is no answer. Where there is a last column for groups, it tells whose answers "
        "were made proximate to each other.",
    ),
}
_ROW_IDS = {
    "random": "random and mean nothing outside this release",
    "original": "those of the original data",
}
_SECRETS = {
    "destroyed": "What would link the rows to people was destroyed by whoever published this.",
    "kept": "Whoever published this kept, encrypted, what links the rows to people.",
    "split": "Each person was to be given the names of their own rows; whoever holds all of these "
    "can link the rows to people.",
    "none": "No row is anybody's, so nothing would link rows to people.",
    "kept and split": "Whoever published this kept, encrypted, what links the rows to people, and "
    "each person was to be given the names of their own rows.",
}
_RATED_AT_ALL = "That someone rated a thing at all can reveal enough, whatever the rating."
_LEFT_OUT = "Which issues someone left out can reveal something, too."
_KIND_LIMITS = {
    "grouped": "A rating is that of a group's profile, not what any one person gave.",
    "disassociated": "Counts by row are counts of pieces, not of people.",
    "made-up": "A made-up person is no fact about anyone.",
    "made-up-survey": "A made-up respondent is no fact about anyone.",
    "survey": "Answers may have been changed or left out; single ones are no facts about anyone.",
}
_AS_GIVEN = "The answers to the sensitive issues are as they were given."
_IDENTICAL = (
    "Answers were changed: where those of a group to a non-sensitive issue differed, they were "
    "moved to one level, made up where somebody had left the issue out, or taken out where "
    "somebody had answered. Some published answers are answers that nobody gave, and no row is "
    "what one person said."
)
_INTERVAL = (
    "Answers were changed: where those of a group to a non-sensitive issue were more than ε apart, "
    "they were moved nearer, made up where somebody had left the issue out, or taken out where "
    "somebody had answered. Some published answers are answers that nobody gave."
)
_DELETED = (
    "Answers are as they were given. Respondents who had too few others near them were left out, "
    "and these are not like the rest: counts and shares are about those who stayed."
)


def card_of(manifest: Manifest, tables: Iterable[str]) -> str:
    """The card of a release whose tables are in files of these names."""
    names, noun = list(tables), noun_of(manifest)
    lines = [
        *front_matter(manifest, noun, names),
        f"# Data card: {noun}, published with recloak {manifest.recloak}",
        "",
        *_warnings(manifest),
        "## What it is",
        "",
        f"{counted(manifest)}, scale {manifest.scale}. {_times(manifest)} "
        f"Release id: `{manifest.release_id}`.",
        "",
        *_KIND_TEXTS.get(manifest.kind, ()),
        "",
        *_making(manifest),
        *verified_lines(manifest),
        *limits_of(manifest.claims, _what_was_done(manifest), manifest.kind in _SURVEYS),
        *loading_lines(manifest, names),
    ]
    return "\n".join(lines) + "\n"


_SURVEYS = frozenset({"survey", "made-up-survey"})
_NOUNS = {
    "survey": "answers of a survey",
    "grouped": "ratings of groups",
    "made-up": "ratings by made-up people",
    "made-up-survey": "answers of made-up respondents",
    "lists": "related-item lists",
}


def noun_of(manifest: Manifest) -> str:
    """What a release holds, in a few words."""
    return _NOUNS.get(manifest.kind, "ratings")


def counted(manifest: Manifest) -> str:
    """How much a release holds, in the words of its kind."""
    ratings, items = f"{manifest.ratings:,}", f"{manifest.items:,}"
    if manifest.kind in _SURVEYS:
        return f"{ratings} answers to {items} issues in {manifest.rows:,} rows"
    return f"{ratings} ratings of {items} items in {manifest.rows:,} rows"


def _times(manifest: Manifest) -> str:
    """Whether there are any; the manifest says "dropped" of data that never had times, too."""
    if manifest.times == "dropped":
        return "No times are published."
    return f"Times: {manifest.times}."


def _what_was_done(manifest: Manifest) -> str | None:
    """What readers of the values must know of how they came about."""
    parameters = manifest.parameters
    if manifest.method == "proximity-deletion":
        return _DELETED
    if manifest.method == "proximity":
        changed = _INTERVAL if parameters.get("mode") == "interval" else _IDENTICAL
        return f"{changed} {_AS_GIVEN}" if parameters.get("sensitive") else changed
    return _KIND_LIMITS.get(manifest.kind)


def _warnings(manifest: Manifest) -> list[str]:
    open_to_all = unprotected(manifest.claims)
    return [
        *(f"**Not for publication:** {reason}\n" for reason in manifest.not_for_publication),
        *([f"**{open_to_all}**\n"] if open_to_all else []),
    ]


def _making(manifest: Manifest) -> list[str]:
    config = manifest.config
    drawn = (
        "It was made under a short seed: whoever tries seeds can make it again."
        if manifest.reproducible
        else "What is random in it was drawn from the operating system, or from a seed too long to "
        "be guessed; it is told nowhere."
    )
    excluded = (
        ["Some people were left out before anything else was done.", ""]
        if config.get("users_excluded")
        else []
    )
    return [
        "## How it was made",
        "",
        f"Method `{manifest.method}` with these parameters:",
        "",
        "```json",
        json.dumps(manifest.parameters, indent=2, ensure_ascii=False, sort_keys=True),
        "```",
        "",
        f"{drawn} Row ids are {_ROW_IDS[manifest.row_ids]}. "
        f"{_SECRETS.get(str(config.get('secret')), '')}".rstrip(),
        "",
        *excluded,
        *_left_out(config.get("columns_left_out")),
        *_extending(config.get("extends")),
    ]


def _left_out(columns: object) -> list[str]:
    """How many columns are missing; their names stand in the report, for here they may hide any."""
    if not isinstance(columns, int) or not columns:
        return []
    if columns == 1:
        return ["One column of the original is not in it.", ""]
    return [f"{columns:,} columns of the original are not in it.", ""]


def _extending(earlier: object) -> list[str]:
    if not isinstance(earlier, dict):
        return []
    return [
        f"It extends release `{earlier.get('release_id')}`: rows of the same id are the same rows, "
        "with all that stood in them and perhaps more.",
        "",
    ]


def verified_lines(
    manifest: Manifest,
    again: str = "Do not take this page's word for it: whoever has the folder can check it again.",
    command: str = "recloak verify FOLDER",
) -> list[str]:
    """What was checked before the release appeared, and how to check it oneself."""
    return [
        "## What was verified",
        "",
        *_claims(manifest.claims),
        *_checks(manifest),
        again,
        "",
        "```console",
        command,
        "```",
        "",
    ]


def _claims(claims: Sequence[str]) -> list[str]:
    if not claims:
        return ["Formal claims: none.", ""]
    lines = ["Formal claims:", ""]
    for claim in claims:
        known = meaning_of(claim.partition(":")[0])
        lines.append(f"- `{claim}`" + (f": {known.says}" if known else "."))
    return [*lines, ""]


def _checks(manifest: Manifest) -> list[str]:
    """Only what `recloak publish` did; a folder that was made otherwise says nothing here."""
    config = manifest.config
    if "audited" not in config:
        return []
    checked = ["The files were written, read back and compared before the folder appeared"]
    checked += ["the claims were checked on what was read"] if manifest.claims else []
    attacked = (
        "It was attacked and measured; the report stays with whoever published this, because it "
        "describes the original data. That an audit was made does not mean that no attack succeeded"
        if config["audited"]
        else "No attack was tried on it"
    )
    judged = (
        "; every line of the publisher's policy was met."
        if config.get("policy_enforced")
        else "; no policy had to be met."
    )
    return [f"{', and '.join(checked)}. {attacked}{judged}", ""]


def limits_of(claims: Sequence[str], more: str | None = None, survey: bool = False) -> list[str]:
    """What nobody should expect of the release."""
    limits = [f"`{claim}`: {left_open(claim)}" for claim in claims] or [
        "There is no formal claim: nothing here shows that people cannot be found in it."
    ]
    limits += [
        f"Someone who knows some of a person's {'answers' if survey else 'ratings'} may recognise "
        "more of them here. Do not try to find people in it, and do not join it with other data "
        "about people.",
        _LEFT_OUT if survey else _RATED_AT_ALL,
        *([more] if more else []),
        "It is not the original: values, rows and counts may differ from what people gave. What a "
        "model scores on it is about this release.",
    ]
    return ["## Limits", "", *(f"- {limit}" for limit in limits), ""]
