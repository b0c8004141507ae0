"""Use terms: the figures of measures, explained: a heading, and what it means."""

from __future__ import annotations

USE_TERMS = {
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
