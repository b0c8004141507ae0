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
    "gain_kept": (
        "Gain kept",
        "What an attacker gains from the release, as a share of what the same tries would gain "
        "from the unprotected data. The lower, the more the release takes from him.",
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
    "k-anonymity": (
        "k-anonymity",
        "Every row of the release is identical to at least k − 1 others, so that nobody can be "
        "narrowed down to fewer than k rows. It says nothing about what these rows have in "
        "common.",
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
