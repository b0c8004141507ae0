"""Appendix: what was random, how long each part took, and where it is from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from recloak.attacks import ATTACKS
from recloak.core.registry import Registry
from recloak.evaluation.findings import Audit
from recloak.evaluation.formatting import amount, fact_shown
from recloak.guarantees import GUARANTEES
from recloak.measures import MEASURES
from recloak.methods import METHODS
from recloak.report.table import Table

_RELEASE = {
    True: "Made under a short seed: whoever tries seeds can make it again, and so re-link it.",
    False: "Drawn from the operating system, or from a seed of at least 128 bits. It is recorded "
    "nowhere but in the secret, if that was kept.",
    None: "Not recorded.",
}


def randomness_facts(audit: Audit) -> tuple[tuple[str, str], ...]:
    """Seeds, or their absence; never one that could re-link the release."""
    config = audit.release.get("config")
    recorded = config if isinstance(config, dict) else {}
    made = audit.release.get("reproducible")
    seeds = sorted({str(finding.seed) for finding in audit.findings})
    drawn = f"Seed {', '.join(seeds)}: it fixes what attacks and measures drew." if seeds else ""
    return (
        ("Release", _RELEASE[made if isinstance(made, bool) else None]),
        ("Secret", fact_shown(recorded["secret"]) if "secret" in recorded else "Not recorded."),
        ("Audit", drawn or "Nothing was drawn."),
    )


def signature_facts(audit: Audit) -> tuple[tuple[str, str], ...]:
    """What whoever signs must be able to find again: data, day, release, policy and version."""
    facts = (
        ("Data", audit.data),
        ("Date of the audit", audit.date),
        ("Release", str(audit.release.get("release_id") or "")),
        ("Policy", audit.policy),
        (
            "Made with",
            f"recloak {audit.versions['recloak']}" if "recloak" in audit.versions else "",
        ),
        ("Digest of the policy (SHA-256)", audit.policy_digest),
    )
    return tuple((name, value or "not recorded") for name, value in facts)


def timings(audit: Audit) -> Table | None:
    """What took how long."""
    rows = [("Claim", verdict.claim, verdict.seconds) for verdict in audit.verdicts]
    rows += [("Attack", finding.title, finding.seconds) for finding in audit.attacks]
    rows += [("Measure", finding.title, finding.seconds) for finding in audit.measures]
    shown = tuple((what, spec, amount(seconds, "seconds")) for what, spec, seconds in rows)
    return Table("Time of each part", ("Part", "What", "Time"), shown) if shown else None


def references(audit: Audit) -> list[tuple[str, str]]:
    """Where the method, claims, attacks and measures were first described, each once."""
    used: list[tuple[Registry[Any], Iterable[str]]] = [
        (METHODS, [str(audit.release.get("method"))]),
        (GUARANTEES, [verdict.claim.partition(":")[0] for verdict in audit.verdicts]),
        (ATTACKS, [finding.name for finding in audit.attacks]),
        (MEASURES, [finding.name for finding in audit.measures]),
    ]
    return [found for registry, names in used for found in _described(registry, names)]


def _described(registry: Registry[Any], names: Iterable[str]) -> Iterator[tuple[str, str]]:
    known = set(registry.names())
    for name in dict.fromkeys(names):
        reference = getattr(registry.get(name), "reference", "") if name in known else ""
        if reference:
            yield name, reference
