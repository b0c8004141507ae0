"""What the report says of guesses from changed lists."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recloak.evaluation.findings import Finding
from recloak.evaluation.formatting import of_100


def guessed_sentence(findings: Sequence[Finding]) -> Iterator[str]:
    """How many guesses are right, beside what popularity alone would give."""
    tried = [(right, one) for one in findings if (right := one.share("inference_precision"))]
    if not tried:
        return
    right, finding = max(tried, key=lambda pair: pair[0].value)
    prior = finding.share("inference_prior")
    beside = f"; by popularity alone {of_100(prior)} would be" if prior else ""
    yield (
        f"Of 100 guesses from changed lists by somebody who {finding.label}, {of_100(right)} "
        f"are right{beside}."
    )


def control_sentence(findings: Sequence[Finding]) -> Iterator[str]:
    """What is guessed rightly of members, beside people who rated nothing in between."""
    tried = [(excess, one) for one in findings if (excess := one.share("inference_excess"))]
    if not tried:
        return
    _, finding = max(tried, key=lambda pair: pair[0].value)
    members, outsiders = (finding.share(f"inference_{who}") for who in ("members", "outsiders"))
    if members and outsiders:
        yield (
            f"Of 100 guesses by somebody who {finding.label} about people who rated between two "
            f"releases, {of_100(members)} are right; of 100 about people who rated nothing in "
            f"between, {of_100(outsiders)} are what they rated next."
        )
