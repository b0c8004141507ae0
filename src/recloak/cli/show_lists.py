"""An audit of lists on the screen: the bound, what is left, what an adversary guesses."""

from __future__ import annotations

from collections.abc import Sequence

from recloak.cli.screen import Screen
from recloak.findings import Audit, Finding

UTILITY = (
    "list_recall",
    "targeted_recall",
    "suppressed",
    "permuted",
    "list_filled",
    "worst_breach",
)
ATTACK = ("inference_precision", "inference_prior", "inference_recall", "guesses", "worst_breach")


def show_lists(screen: Screen, audit: Audit) -> None:
    """The summary; the report has the rest."""
    screen.heading("Claims")
    rows = [(seen.claim, seen.status, seen.how) for seen in audit.verdicts[:1]]
    screen.table(("claim", "verdict", "how"), rows)
    screen.heading("What is left of the lists")
    show_measures(screen, "of", [(one.label, one) for one in audit.measures])
    screen.heading("What an adversary guesses")
    show_attacks(screen, "adversary", [(one.label, one) for one in audit.attacks])
    if audit.lights:
        screen.heading(f"{audit.policy}: {audit.status}")


def show_measures(screen: Screen, first: str, rows: Sequence[tuple[str, Finding]]) -> None:
    """Findings of the measure below each other, each under a name."""
    columns = (">recall", ">targeted", ">suppressed", ">moved", ">filled", ">worst breach")
    screen.table((first, *columns), [(name, *_cells(one, UTILITY)) for name, one in rows])


def show_attacks(screen: Screen, first: str, rows: Sequence[tuple[str, Finding]]) -> None:
    """Findings of the attack below each other, each under a name."""
    columns = (">right", ">by popularity", ">of all added", ">guesses", ">worst breach")
    screen.table((first, *columns), [(name, *_cells(one, ATTACK)) for name, one in rows])


def _cells(finding: Finding, names: Sequence[str]) -> list[str]:
    figures = [finding.figure(name) for name in names]
    return [figure.shown() if figure else "–" for figure in figures]
