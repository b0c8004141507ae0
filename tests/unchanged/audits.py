"""Audits: the figures, verdicts and words of reports, which together run all that there is."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.unchanged import data
from tests.unchanged.commands import SEED, call, digest, lines, masked, run, shown
from tests.unchanged.releases import ISSUES

PASSING = {"date", "seconds", "versions", "recloak", "spec"}
_NUMBERS = re.compile(r"-?\d+(?:[.,]\d+)*(?:e[+-]?\d+)?")


def report_of(name: str) -> dict[str, Any]:
    """A report without times and versions: its JSON, and a digest of its page's words."""
    content = json.loads(Path(f"{name}.json").read_text())
    return {"json": plain(content), "page": page_words(Path(f"{name}.html").read_text())}


def plain(value: Any) -> Any:
    """Rounded to six digits, figures on a line, without what passes."""
    if isinstance(value, dict):
        if {"name", "value", "low", "high", "unit"} <= value.keys():
            return [plain(value[key]) for key in value]
        return {key: plain(part) for key, part in value.items() if key not in PASSING}
    if isinstance(value, list):
        return [plain(part) for part in value]
    if isinstance(value, float):
        return float(f"{value:.6g}") if abs(value) > 1e-9 else 0.0
    return masked(value) if isinstance(value, str) else value


def page_words(page: str) -> dict[str, Any]:
    """How much a page says, and digests of its words and tags.

    Numbers are left out: they stand in the JSON, and a chart's coordinates may differ by the last
    digit on another machine.
    """
    body = re.sub(r"<(style|script)\b.*?</\1>", "", page[page.index("<body") :], flags=re.S)
    text = html.unescape(re.sub(r"<[^>]+>", " ", body))
    words = _NUMBERS.sub("#", masked(text)).split()
    tags = re.findall(r"</?[a-z][\w-]*", body)
    return {
        "words": len(words),
        "tags": len(tags),
        "digest of words": digest(" ".join(words)),
        "digest of tags": digest(" ".join(tags)),
    }


def _published(*words: str) -> dict[str, Any]:
    printed = shown("publish", *words, "--seed", SEED, "--out", "release")
    return {"printed": printed, **report_of("release-report")}


def noisy() -> dict[str, Any]:
    return _published(data.ratings(), "--method", "gaussian-noise", "--sigma", "0.5")


def with_times() -> dict[str, Any]:
    return _published(data.ratings(), "--method", "pseudonymize", "--times", "month")


def grouped() -> dict[str, Any]:
    return _published(data.ratings(), "--method", "predictive", "--k", "5", "--publish", "members")


def averaged() -> dict[str, Any]:
    return _published(data.ratings(), "--method", "microaggregation", "--k", "4")


def disassociated() -> dict[str, Any]:
    return _published(data.ratings(), "--method", "disassociation", "--k", "3")


def surveyed() -> dict[str, Any]:
    return _published(data.survey(), "--method", "proximity", "--k", "3", *ISSUES)


def fragmented_twice() -> dict[str, Any]:
    """A fragmented release, what it grows into, and an audit of the second against the first."""
    whole = data.ratings()
    old, new = data.old_and_new()
    locked = ("--key-file", data.key())
    first = ("publish", old, "--method", "fragmentation", "--fragments", "3", "--seed", SEED)
    shown(*first, "--out", "r1", "--keep-secret", "s1", *locked)
    kept = ("--secret", "s1", "--keep-secret", "s2", *locked)
    grow = ("--seed", SEED + "0", "--at-least", "1", "--out", "r2", "--no-audit")
    shown("extend", "r1", new, *kept, *grow)
    again = ("--previous", "r1", "--previous-secret", "s1", "--secret", "s2", *locked)
    return {
        "first": report_of("r1-report"),
        "printed": shown("audit", whole, "r2", *again, "--report", "both.html"),
        "both": report_of("both"),
    }


def of_others() -> dict[str, Any]:
    """A table that another tool made: with and without knowing who is who, and refused claims."""
    whole = data.ratings()
    release, mapping = data.anonymised()
    claim = ("--claim", "k-anonymity:k=3")
    output = run("audit", whole, release, "--mapping", mapping, *claim, "--json", code=3)
    return {
        "with a mapping": plain(json.loads(output)),
        "by containment": shown("audit", whole, release),
        "verify": shown("verify", release, *claim, code=3),
    }


def looked_at() -> dict[str, Any]:
    """What is printed by inspect and verify."""
    ratings, survey = data.ratings(), data.survey()
    return {
        "inspect ratings": shown("inspect", ratings),
        "inspect ratings as JSON": plain(json.loads(run("inspect", ratings, "--json"))),
        "inspect survey": shown("inspect", survey, "--format", "survey"),
        **_verified(ratings, survey),
    }


def _verified(ratings: str, survey: str) -> dict[str, Any]:
    aggregated = ("--method", "microaggregation", "--k", "4", "--no-audit", "--seed", SEED)
    run("publish", ratings, *aggregated, "--out", "grouped")
    torn = ("--method", "disassociation", "--k", "3", "--no-audit", "--seed", SEED)
    run("publish", ratings, *torn, "--out", "torn")
    near = ("--claim", "proximity:k=3,epsilon=1,l=0.5")
    diverse = ("--claim", "diversity:b=2,l=2", "--original", ratings)
    return {
        "verify grouped": shown("verify", "grouped"),
        "verify another claim": lines(_any("verify", "grouped", "--claim", "k-anonymity:k=9")),
        "verify diversity": lines(_any("verify", "grouped", *diverse)),
        "verify torn": shown("verify", "torn"),
        "verify survey": lines(_any("verify", survey, *near, *ISSUES)),
    }


def _any(*words: str) -> str:
    code, out, err = call(*words)
    return f"{out}{err}\nexit code {code}"


AUDITS: dict[str, Callable[[], dict[str, Any]]] = {
    "noisy": noisy,
    "with-times": with_times,
    "grouped": grouped,
    "averaged": averaged,
    "disassociated": disassociated,
    "surveyed": surveyed,
    "fragmented-twice": fragmented_twice,
    "of-others": of_others,
    "looked-at": looked_at,
}
