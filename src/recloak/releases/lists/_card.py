"""The card of lists: what a history holds, what was verified, its limits, and how to load it."""

from __future__ import annotations

from recloak.releases.card import datasets_lines, front_matter, limits_of, noun_of, verified_lines
from recloak.releases.lists.history import History
from recloak.releases.manifest import Manifest

LOADING = """\
import pandas as pd

lists = pd.read_parquet("lists.parquet")  # columns release, item, slot, related
latest = lists[lists["release"] == lists["release"].iloc[-1]].dropna(subset="related")
related = latest.sort_values("slot").groupby("item")["related"].agg(list)"""


def card_of_lists(history: History, manifest: Manifest) -> str:
    """The card of lists: like that of a table, with its releases and what its claim covers."""
    lines = [
        *front_matter(manifest, noun_of(manifest), ["lists.parquet"]),
        f"# Data card: related-item lists, published with recloak {manifest.recloak}",
        "",
        *(f"**Not for publication:** {reason}\n" for reason in manifest.not_for_publication),
        "## What it is",
        "",
        f"{len(history):,} releases of lists of {history.top} slots for {manifest.items:,} items. "
        "An empty slot has no related item; slots are never closed up.",
        "",
        "Releases, the number of ratings that each covers, and whether the claim holds for it:",
        "",
    ]
    for release in history.releases:
        state = "protected" if release.protected else "public before protection"
        lines.append(f"- {release.label}: {release.n_ratings:,} ratings, {state}")
    lines += [
        "",
        "## How it was made",
        "",
        f"Algorithm `{manifest.method}`, from ratings that are not part of this folder.",
        "",
        *verified_lines(
            manifest,
            "Only someone who has the original ratings can check what the lists promise.",
            "recloak lists verify FOLDER --original RATINGS",
        ),
        *limits_of(manifest.claims),
        "## How to load it",
        "",
        "Lists are recommendations, not ratings: there is nothing to train on. Run in the folder:",
        "",
        "```python",
        LOADING,
        "```",
        "",
        *datasets_lines(),
    ]
    return "\n".join(lines)
