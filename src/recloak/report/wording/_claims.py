"""Claims as a release states them, without the parameters that nobody gave."""

from __future__ import annotations

from recloak.evaluation.findings import Audit
from recloak.guarantees import GUARANTEES, guarantee


def as_written(audit: Audit) -> dict[str, str]:
    """The claims that the release makes, by how they are called with all parameters spelled out."""
    known = GUARANTEES.names()
    claims = [str(claim) for claim in audit.release.get("claims") or ()]
    made = [claim for claim in claims if claim.partition(":")[0] in known]
    return {guarantee(claim).spec: claim for claim in made}
