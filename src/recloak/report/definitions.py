"""Definitions: the words of the report, explained once; only those that the report uses."""

from __future__ import annotations

from recloak.findings import Audit

_ALWAYS = {
    "95% interval": "Figures come from a sample of people or ratings. If the audit were repeated "
    "with other samples, about 95 of 100 such intervals would hold the true figure.",
    "Sample": "How many tries an attack made, or how many ratings a measure was taken on.",
    "Seed": "The number that fixes what an attack or measure drew at random; the same seed gives "
    "the same figures. It tells nothing about the randomness of the release.",
}
_BY_FIGURE = {
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
    "rmse_random": (
        "RMSE label, RMSE random",
        "The error of what a person's own profile says, and of a recommender that learns groups "
        "which were put together at random. Groups that predict no better are worth no more.",
    ),
    "fake_ratio": (
        "Fake ratio, label RMSE, hidden",
        "How many listed ratings were never given by the person, for each that was; how far listed "
        "ratings are from those that were given; and which share of them is not listed.",
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
    "cell_distortion": (
        "Cell distortion, total",
        "By how many levels an answer in the release differs from the one that was given, on "
        "average over the non-sensitive issues, and in total over all. An answer that was erased, "
        "or made up where there was none, counts as the number of levels.",
    ),
    "moved_mean": (
        "Moved mean, moved most",
        "The share of respondents who would have to answer an issue otherwise for its "
        "distribution to be that of the original; on average over issues, and for the worst one.",
    ),
    "correlation_change": (
        "Correlation change",
        "By how much the correlation of two issues (from −1 to 1) differs between original and "
        "release, on average over all pairs, and for the worst pair.",
    ),
    "accuracy": (
        "Accuracy",
        "The share of sensitive answers that a naive Bayes classifier tells rightly from the "
        "non-sensitive ones. It is what a researcher could learn from the release; an attacker "
        "who knows those answers can use the same rule.",
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
    "list_recall": (
        "List recall, targeted recall, filled",
        "The share of entries of the raw lists that stand in the published ones, in whichever "
        "slot; the same for lists that were changed; and the share of slots that are not empty.",
    ),
    "suppressed": (
        "Suppressed, permuted",
        "How many entries of the raw lists are shown no more, and how many stand in another slot.",
    ),
    "rmse": (
        "RMSE",
        "Root mean square error: how far predicted ratings lie from true ones, in units of the "
        "rating scale, large misses weighing more. Lower is better.",
    ),
    "mae": (
        "MAE",
        "Mean absolute error: how far predicted ratings lie from true ones on average, in units "
        "of the rating scale. Lower is better.",
    ),
    "sse": (
        "SSE",
        "Sum of squared errors: the differences between what people rated and what the release "
        "says of them, squared and added up over all cells. A cell without a rating counts as "
        "what stands for a missing one, on either side. It grows with the size of the data.",
    ),
    "sse_share": (
        "SSE share",
        "The sum of squared errors as a share of what would be lost if everyone were published as "
        "the average of each item: 0% if nothing was changed, 100% if only averages are left, and "
        "more if the release misleads more than averages would.",
    ),
    "mae_midpoint": (
        "MAE midpoint, MAE item mean",
        "The mean absolute error of knowing nothing: of the middle of the scale for every rating, "
        "and of the average of what others rated the same item. A release whose error is no lower "
        "is worth no more than these.",
    ),
    "mu": (
        "Tailoring utility",
        "How far the predictions of a recommender that knows the person are better than the "
        "average rating of each item, which anyone could publish without a single row: the share "
        "by which the RMSE is lower. At 0 the rows are worth no more than the averages.",
    ),
    "acceptable": (
        "Acceptable",
        "Pass or fail, by the rule that tailoring utility must stay above 0 where it was above 0 "
        "before (1 or 0 where a policy asks for it).",
    ),
    "precision": (
        "Precision, recall",
        "Of a list of recommended items, the share that the person liked; of the items that the "
        "person liked, the share that is in the list. Only what was held out counts, so that both "
        "are lower than a person would find them.",
    ),
    "ndcg": (
        "nDCG",
        "How near to the top of a list the liked items stand: 1 if they all come first, 0 if none "
        "is in the list.",
    ),
    "topk_deviation": (
        "Top-K deviation",
        "The share of the most frequent combinations of items in the original that are no longer "
        "among the most frequent ones. 0 if all are kept.",
    ),
    "pair_error": (
        "Pair error",
        "By how much the number of people who have both of two common items differs between "
        "original and release, relative to the mean of the two numbers. From 0% (no difference) "
        "to 200% (the pair is gone).",
    ),
    "ks": (
        "KS distance",
        "Kolmogorov–Smirnov distance: the largest gap between the shares of rows up to a length, "
        "in the original and in the release. 0% if rows are as long as before.",
    ),
}
_BY_CLAIM = {
    "proximity": (
        "(k, ε, l)-anonymity",
        "For every respondent there are at least k − 1 others whose answers to the non-sensitive "
        "issues all lie within ε of theirs and who left out the same issues (their "
        "neighbourhood); and within every such group the answers to each sensitive issue have a "
        "standard deviation of at least l. Groups may also be read as disjoint ones in which any "
        "two respondents are that close. With ε above 0 someone who knows exact answers can still "
        "tell the members apart.",
    ),
    "delta-bound": (
        "δ-bound",
        "Where an item newly enters, or climbs in, the lists of some items from one release to "
        "another of the window, at most a share δ of those who rated all of these items rated it.",
    ),
    "k-anonymity": (
        "k-anonymity",
        "Every row of the release is identical to at least k − 1 others, so that nobody can be "
        "narrowed down to fewer than k rows. It says nothing about what these rows have in "
        "common.",
    ),
    "diversity": (
        "Diversity",
        "Any b items that someone rated are in the profiles of at least l groups, so that who "
        "knows b items of a person cannot name the person's group. It says nothing about more "
        "items, nor about what the l groups have in common.",
    ),
}
_LIGHTS = {
    "Policy": "The thresholds that whoever answers for the data has set. A figure is judged by the "
    "unfavourable end of its interval, so that a lucky sample does not pass.",
}
_CLAIMS = {
    "Claim": "A formal promise about a release that can be checked without trusting whoever made "
    "it. It holds, is broken, or stays undecided when it could not be checked in full.",
    "Witness": "A concrete example in the release that shows why a claim is broken.",
}


def definitions_for(audit: Audit) -> list[tuple[str, str]]:
    """The terms that the report on ``audit`` uses, and what they mean, by alphabet."""
    figures = {figure.name for finding in audit.findings for figure in finding.figures}
    claims = {verdict.claim.partition(":")[0] for verdict in audit.verdicts}
    chosen = dict(_ALWAYS) if audit.findings else {}
    chosen |= _LIGHTS if audit.lights else {}
    chosen |= _CLAIMS if audit.verdicts else {}
    chosen |= dict(entry for name, entry in _BY_FIGURE.items() if name in figures)
    chosen |= dict(entry for name, entry in _BY_CLAIM.items() if name in claims)
    return sorted(chosen.items(), key=lambda entry: entry[0].lower())
