"""Findings and audits that the tests of the report make themselves."""

from __future__ import annotations

from typing import Any

from recloak.auditing.evaluation_registry import by_evaluation
from recloak.evaluation.findings import Audit, Figure, Finding, PolicyResult, Verdict
from recloak.report._definitions import figures_for, glossary_for

HOSTILE = "</script><script>alert('x')</script><img src=https://evil.example/x onerror=alert(1)>\"&"
NAN, INFINITY = float("nan"), float("inf")


def linkage(
    known: int, success: float, *, values: bool = True, sample: int = 943, **more: Any
) -> Finding:
    """A finding of the attack record-linkage."""
    half = 0.02
    return Finding(
        "attack",
        "record-linkage",
        {"known": known, "values": values, "targets": 1000, "repeats": 4},
        f"The adversary knows {known or 'all'} of a person's ratings.",
        f"knows {known or 'all'} {'ratings' if values else 'items'}",
        (
            Figure("success", success, success - half, success + half, meaning="right row named"),
            Figure("wrong", 1 - success, 1 - success - half, 1 - success + half),
            Figure("worst_tenth", min(1.0, success * 1.3), meaning="the same for the worst-off"),
            Figure("gain", 80 * success, 75 * success, 85 * success, "count", "true new facts"),
        ),
        sample,
        7,
        1.25,
        **more,
    )


def scored(known: int, gain: float, before: float, **more: Any) -> Finding:
    """A finding of the attack scoreboard-rh, with what the original would have told."""
    return Finding(
        "attack",
        "scoreboard-rh",
        {"known": known, "upto": 0, "matching": "strongest"},
        f"The adversary knows {known} ratings.",
        f"knows {known} ratings",
        (
            Figure("success", 0.4, 0.38, 0.42),
            Figure("gain", gain, gain - 1, gain + 1, "count"),
            Figure("success_original", 1.0, 0.99, 1.0),
            Figure("gain_original", before, before - 1, before + 1, "count"),
            Figure("gain_kept", gain / before, 0.1, 0.9),
        ),
        865,
        7,
        **more,
    )


def prediction(recommender: str, before: float, after: float, sample: int = 10_000) -> Finding:
    """A finding of the measure prediction."""
    loss = after - before
    return Finding(
        "measure",
        "prediction",
        {"recommender": recommender, "share": 0.1},
        f"Ratings predicted by {recommender}.",
        recommender,
        (
            Figure("rmse", after, after - 0.01, after + 0.01, "rating", "error on the probe"),
            Figure("rmse_original", before, before - 0.01, before + 0.01, "rating"),
            Figure("rmse_loss", loss, loss - 0.01, loss + 0.01, "rating"),
            Figure("mae", after * 0.8, None, None, "rating"),
            Figure("mae_original", before * 0.8, None, None, "rating"),
        ),
        sample,
        7,
        0.8,
        ("A probe of 10 % was set aside first.",),
    )


def _tail(top: int, length: int) -> list[list[int]]:
    ranks = sorted({round(length ** (step / 40)) for step in range(41)})
    return [[rank, max(1, round(top / rank**0.7))] for rank in ranks]


def full_audit() -> Audit:
    known = {1: 0.21, 2: 0.58, 4: 0.93, 8: 0.97, 0: 0.98}
    items_only = {1: 0.04, 2: 0.2, 4: 0.61, 8: 0.88, 0: 0.97}
    return Audit(
        title="ml-100k, gaussian-noise",
        release={
            "method": "gaussian-noise",
            "parameters": {"sigma": 1.0, "rounding": "hundredth"},
            "claims": ["k-anonymity:k=5"],
            "rows": 943,
            "items": 1682,
            "ratings": 100_000,
            "scale": "1..5 continuous",
            "times": "dropped",
            "reproducible": True,
            "not_for_publication": ["made under a seed of fewer than 128 bits"],
            "columns_left_out": ["age", "zip"],
        },
        original={
            "users": 943,
            "items": 1682,
            "ratings": 100_000,
            "scale": "1..5",
            "density": 0.0630467,
        },
        verdicts=(
            Verdict(
                "k-anonymity:k=5,values=true",
                "broken",
                "All 943 rows were compared: 943 groups. 943 rows have fewer than 5.",
                {
                    "row": "b81f",
                    "rows like it": 1,
                    "first items": ["1", "2"],
                    "their values": [4.1],
                },
                0.2,
            ),
            Verdict("k-anonymity:k=2,values=false", "undecided", "Only a sample was compared."),
        ),
        attacks=(
            *(linkage(count, rate) for count, rate in known.items()),
            *(linkage(count, rate, values=False) for count, rate in items_only.items()),
        ),
        measures=(
            prediction("item-mean", 1.02, 1.024),
            prediction("factorization", 0.92, 0.981),
        ),
        policy_results=(
            PolicyResult(
                "attack record-linkage:known=4: success ≤ 20%",
                "fail",
                "93.0% (91.0%–95.0%)",
                "an acquaintance who knows four ratings finds almost everyone",
            ),
            PolicyResult("measure prediction: rmse_loss ≤ 0.1", "pass", "0.0610", "stays useful"),
            PolicyResult("attack scoreboard: success ≤ 20%", "not measured", "—", "was not run"),
        ),
        policy="default",
        enforced=False,
        tails={
            "user_counts": {"original": _tail(737, 943), "release": _tail(700, 943)},
            "item_support": {"original": _tail(583, 1682), "release": _tail(500, 1500)},
        },
        notes=("Utility is measured on a rehearsal: a probe is set aside first.",),
        versions={"recloak": "0.1.0", "python": "3.11.2", "numpy": "2.2.0"},
        seconds=12.34,
    )


def minimal_audit() -> Audit:
    return Audit(title="", release={}, original={})


def hostile_audit() -> Audit:
    figures = (
        Figure("success", NAN, 0.0, 1.0, "share", HOSTILE),
        Figure("worst_tenth", 0.5, NAN, INFINITY, "share", HOSTILE),
        Figure("rmse", INFINITY, None, None, "rating", HOSTILE),
        Figure("rmse_original", 1.0, -INFINITY, 1.0, "rating", HOSTILE),
        Figure(HOSTILE, -INFINITY, None, None, "count", HOSTILE),
    )
    parameters = {"known": 4, "values": HOSTILE, HOSTILE: [HOSTILE]}
    found = Finding("attack", HOSTILE, parameters, HOSTILE, HOSTILE, figures, 3, 1, NAN, (HOSTILE,))
    drawn = Finding(
        "attack", HOSTILE, {"target": HOSTILE}, HOSTILE, HOSTILE, (Figure("success", 0.5),), 3, 1
    )
    taken = Finding("measure", HOSTILE, {"recommender": HOSTILE}, HOSTILE, HOSTILE, figures, 3, 1)
    return Audit(
        title=HOSTILE,
        release={"method": HOSTILE, "parameters": {HOSTILE: NAN}, "not_for_publication": [HOSTILE]},
        original={HOSTILE: HOSTILE, "density": NAN},
        verdicts=(Verdict(HOSTILE, "broken", HOSTILE, {HOSTILE: [HOSTILE] * 50}, INFINITY),),
        attacks=(found, drawn, linkage(1, 0.1), linkage(4, 0.5)),
        measures=(taken, prediction(HOSTILE, 1.0, 1.1)),
        policy_results=(PolicyResult(HOSTILE, "fail", HOSTILE, HOSTILE),),
        policy=HOSTILE,
        tails={HOSTILE: {"original": [[1, 9], [2, NAN], [3, 0], [4, 2]], "release": []}},
        notes=(HOSTILE, "half a pair \ud800, a bell \x07"),
        versions={HOSTILE: HOSTILE},
        seconds=INFINITY,
    )


def attacked(*attacks: Finding) -> Audit:
    """An audit with these attacks and nothing else."""
    return Audit("a release", {}, {}, attacks=attacks)


def said_by(name: str, audit: Audit) -> list[str]:
    """What the report says of the findings of one attack or measure."""
    found = {one.name: one.sentences(own, audit) for one, own in by_evaluation(audit)}
    return found.get(name, [])


def said_first(name: str, audit: Audit, about: str = "") -> str | None:
    """The first of these sentences that speaks ``about`` something."""
    return next((sentence for sentence in said_by(name, audit) if about in sentence), None)


def definitions_for(audit: Audit) -> list[tuple[str, str]]:
    """All terms that the report explains."""
    return [*figures_for(audit), *glossary_for(audit)]
