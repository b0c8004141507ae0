"""Risk terms: the figures of attacks, explained: a heading, and what it means."""

from __future__ import annotations

RISK_TERMS = {
    "success": (
        "Success",
        "The share of tries in which the attacker names the right row. Where several rows fit "
        "equally well he guesses: one of three counts as a third.",
    ),
    "success_first": (
        "Success first",
        "The same, but among those equally near the attacker takes the first in the order of the "
        "original. Papers that publish in this order report it; a release in random order does "
        "not give it away.",
    ),
    "read_back": (
        "Read back",
        "The share of all ratings of which the attacker states truly that someone in a group gave "
        "it, from the group's profile alone. He does not learn who of the group it was.",
    ),
    "right": (
        "Right",
        "Of all that the attacker states, the share that is true.",
    ),
    "alone": (
        "Alone",
        "The share of ratings of items that nobody else in the person's group rated. A mean then "
        "hides one rating only.",
    ),
    "rated_given_visible": (
        "Rated given visible",
        "How likely it is that a member of a group rated an item that the group's profile tells "
        "of. Being one of k does not make it one in k.",
    ),
    "verbatim": (
        "Verbatim",
        "The share of ratings that nobody else in the person's group gave and that its profile "
        "states exactly as the person gave them.",
    ),
    "linked": (
        "Linked",
        "Of an adversary who holds two releases: the share of tries in which he joins two things "
        "that belong to one person. For rows that keep their ids, a row that changed and another "
        "row of the same person; for groups, a person and the only one in both groups; for one "
        "row each, the rows of both releases.",
    ),
    "found_recent": (
        "Found recent",
        "The share of tries in which a few ratings that a person gave since the earlier release "
        "find a row of theirs, if only what is new is searched, or all of the later release.",
    ),
    "group_found": (
        "Group found",
        "The share of tries in which the attacker names a row of the person's group. Who of the "
        "group it is he does not know, but what its profile tells, he does.",
    ),
    "identified": (
        "Identified",
        "The share of tries in which only rows of the person's group fit what is known: their "
        "profile is found for certain, however many people share it.",
    ),
    "rated_given_edge": (
        "Rated given edge, prior, promise, bound",
        "How likely it is that a member of a group rated an item that its profile lists; how "
        "likely it is by the item's popularity alone; and what the literature on groups of k "
        "promises it to be at most, 1/k, or a little more where the popularity p is known and "
        "below 1/k. The promises assume that people rate independently of each other.",
    ),
    "absent": (
        "Absent",
        "How many items the profile of a person's group lacks. Nobody in the group rated them, "
        "unless the release hides what few rated.",
    ),
    "half_step": (
        "Half step, exact",
        "Of the other ratings of a person whose group is known, the share that its profile states "
        "within half a step of the scale, or exactly.",
    ),
    "inconclusive": (
        "Inconclusive",
        "The share of tries that do not come down to one person: no row stands out, or the "
        "right row is one of several and the guess falls on another.",
    ),
    "wrong": (
        "Wrong",
        "The share of tries in which the attacker names a row that is not the person's. It "
        "protects nobody who is taken for somebody else.",
    ),
    "worst_tenth": (
        "Worst-off tenth",
        "The tenth of the tried people whom the attack hits hardest. An average can look "
        "harmless while these people are always found.",
    ),
    "gain": (
        "Gain",
        "How many true facts about a person, not known before, the attacker reads from the rows "
        "that he names.",
    ),
    "item_precision": (
        "Item precision",
        "Of all further items in the rows that the attacker takes for the person's, the share that "
        "the person did rate.",
    ),
    "gain_single": (
        "Gain single, gain repeated",
        "What the same tries gain that name one row, or name one again and again for what is left "
        "of the known ratings, without learning from other people's data.",
    ),
    "singled_out": (
        "Singled out",
        "The share of all ways to choose so many of a person's ratings after which what is known "
        "of one of their rows stands in no other row. It is counted, not tried; where rows are "
        "long it can be too high, never too low.",
    ),
    "top1": (
        "Top1, AUC",
        "How often the row that looks most like another is the same person's; and how often a row "
        "of the same person looks more alike than one of somebody else (one half by chance).",
    ),
    "gain_kept": (
        "Gain kept",
        "What an attacker gains from the release, as a share of what the same tries would gain "
        "from the unprotected data. The lower, the more the release takes from him.",
    ),
    "learned": (
        "Learned, learned near",
        "The share of sensitive answers that the attacker names rightly, exactly or within one "
        "level: he says what most of the rows say that fit what he knows, and the most frequent "
        "answer of all where no row fits. He need not know whose row it is.",
    ),
    "learned_guess": (
        "Learned guess, learned near guess",
        "The same for someone who always says the most frequent answer. What lies above it is "
        "what the rows give away.",
    ),
    "worst_breach": (
        "Worst breach",
        "The largest share, over all pairs of releases and all sets of items whose lists an item "
        "newly enters or climbs in, of those who rated the set that also rated the item.",
    ),
    "inference_precision": (
        "Inference precision, recall, rated, prior",
        "Of the guesses of somebody who watches the lists of items that a person is known to have "
        "rated, the share that the person rated between the two releases; of what people rated in "
        "between, the share that is guessed; the guesses that the person had rated at all; and "
        "what the popularity of the guessed items alone would give.",
    ),
}
