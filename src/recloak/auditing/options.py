"""Options of an audit: who is who, what it is judged by, and what is run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from recloak.core.options import Options, option

if TYPE_CHECKING:
    from recloak.auditing.policy import Policy
    from recloak.core.ratings import Ratings
    from recloak.evaluation.all_rows import Everyone
    from recloak.evaluation.findings import Verdict
    from recloak.methods.base import Method
    from recloak.releases.base import Release
    from recloak.releases.linkage import Linkage
    from recloak.releases.secret import Secret
else:
    Policy = Ratings = Everyone = Verdict = Method = Release = Linkage = Secret = (
        Any  # help needs none
    )


def _as_specs(value: Sequence[str] | str | None) -> Any:
    """Several, or one that stands alone as a text."""
    if value is None:
        return None
    return (value,) if isinstance(value, str) else tuple(value)


class AuditOptions(Options):
    """What may be said about an audit beside the original and the release.

    >>> import recloak
    >>> recloak.AuditOptions(attacks=["record-linkage:known=4"], measures=[]).attacks
    ('record-linkage:known=4',)
    """

    secret: Secret | None = option(metavar="FILE", help="the release's sealed secret")
    """the secret of the release, which says who is who"""

    linkage: Linkage | None = option(
        flag="mapping", metavar="FILE", help="CSV with the columns user, pseudonym"
    )
    """who is who, where there is no secret; without both, rows are matched to people by
    containment, and of groups what needs it is not measured"""

    rehearse: bool = option(
        False, help="without --secret: attack what the release's method makes of ORIGINAL now"
    )
    """run the method once more on the original and attack what it makes, of which it is known whose
    row is whose; the audit says so"""

    previous: Release | Ratings | None = option(
        metavar="RELEASE",
        help="an earlier release of the same people: what does holding both give away?",
    )
    """an earlier release of the same people: what does someone learn who holds both?"""

    previous_secret: Secret | None = option(
        metavar="FILE", help="the earlier release's secret, locked in the same way"
    )
    """the secret of the earlier release"""

    policy: Policy | None = option(metavar="FILE", help="exit with 3 if a line does not pass")
    """what the release is judged by (default: ours); whoever publishes enforces it"""

    claims: Sequence[str] = option(
        (),
        flag="claim",
        metavar="CLAIM",
        help="also check this claim",
        many=True,
        convert=_as_specs,
    )
    """claims to check beside those of the manifest, such as k-anonymity:k=5"""

    attacks: Sequence[str] | None = option(
        flag="attack",
        metavar="SPEC",
        help="run only these attacks; repeatable",
        many=True,
        convert=_as_specs,
    )
    """attacks to run instead of all that apply to the release"""

    measures: Sequence[str] | None = option(
        flag="measure",
        metavar="SPEC",
        help="run only these measures; repeatable",
        many=True,
        convert=_as_specs,
    )
    """measures to run instead of all that apply to the release"""

    seed: int = option(0, help="seed of the samples (default: 0)")
    """decides the samples of attacks and measures"""

    method: Method | None = None
    """utility is measured on a rehearsal with it; by default with the one that the manifest names,
    and for a release that someone else made, cells are held out of it instead"""

    everyone: Everyone | None = None
    """where original and release are those of a sample of people: reads the rows of all"""

    verdicts: Sequence[Verdict] = option((), flag=False, convert=tuple)
    """those on claims that were checked on this release already"""
