"""Unjudged: what a policy did not look at, in a sentence to stand beside a verdict that passes."""

from __future__ import annotations

import re

from recloak.auditing.evaluation_registry import by_evaluation
from recloak.core.parameters import parse_spec
from recloak.evaluation import Evaluation
from recloak.evaluation.findings import Audit, Finding
from recloak.evaluation.formatting import amount, enumerated

EVERYTHING = (
    "The policy looked at every kind of attack that was run, and at nothing else. It does not "
    "cover an attacker who knows more or who works in another way."
)
_EVERY_REQUIREMENT = EVERYTHING.replace("The policy", "The requirements").replace(
    "It does", "They do"
)


def not_looked_at(audit: Audit, *, required: bool = False) -> str:
    """What was found out about the release and no line of the policy judges.

    Named are the risks that no line is about, each at its worst, the kinds of attack that no line
    is about, and the use of the data if that was not judged. ``required``: what judges is not
    called a policy, but requirements.
    """
    judged = {parse_spec(result.of)[0] for result in audit.policy_results if result.of}
    figures = {result.figure for result in audit.policy_results}
    risks: dict[str, str] = {}
    attacks, used = [], False
    for kind, findings in by_evaluation(audit):
        used = used or (kind.family == "measure" and kind.name in judged)
        if kind.family == "attack" and kind.name not in judged:
            attacks += [kind.name] if any(one.figures for one in findings) else []
        elif kind.family == "attack":
            risks |= _risks(kind, findings, figures | risks.keys())
    listed = enumerated(list(risks.values()))
    judge, names = ("requirements", "they name") if required else ("policy", "it names")
    parts = [
        *([f"these figures of the attacks that {names}: {listed}"] if risks else []),
        *([f"what {enumerated(attacks)} found"] if attacks else []),
        *([] if used else ["what the release is still good for"]),
    ]
    if not parts:
        return _EVERY_REQUIREMENT if required else EVERYTHING
    return f"The {judge} did not look at {'; nor at '.join(parts)}."


def _risks(
    kind: type[Evaluation], findings: list[Finding], known: set[str] | frozenset[str]
) -> dict[str, str]:
    """The risks that are not ``known``, each with the worst that was found.

    What a difference is taken of is no risk of its own: the difference is. What was found nowhere
    is not told, nor what is found about others no less.
    """
    known = known | {figure.members for figure in kind.figures}
    found = {}
    for figure in kind.figures:
        explained = figure.heading or figure.at_a_glance
        worst = figure.worst(findings) if figure.worse == "more" and explained else None
        reached = amount(worst[1].value, worst[1].unit) if worst and worst[1].value > 0 else ""
        if figure.name not in known and re.search("[1-9]", reached):
            found[figure.name] = f"{figure.in_words} (up to {reached})"
    return found
