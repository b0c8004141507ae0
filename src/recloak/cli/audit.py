"""audit: attack a release, check its claims, measure what it is still good for."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recloak.auditing.options import AuditOptions
from recloak.cli._shared.arguments import Parser, needed
from recloak.cli._shared.dry_run import add_dry_run, tell
from recloak.cli._shared.flags import add_options, add_verbose
from recloak.cli._shared.reading import Reading, add_reading
from recloak.cli.publish import MORE, add_lock, data_name
from recloak.core.errors import ParameterError

if TYPE_CHECKING:
    from recloak.auditing.policy import Policy
    from recloak.cli._shared.screen import Screen
    from recloak.core.ratings import Ratings
    from recloak.evaluation.findings import Audit
    from recloak.releases.base import Release

EXAMPLES = """examples:
  recloak audit ratings.csv release --secret release.secret
  recloak audit ratings.csv anonymised.csv --mapping who.csv --report audit.html
  recloak audit ratings.csv anonymised.csv --claim k-anonymity:k=3
  recloak audit ratings.csv release --rehearse
  recloak audit ratings.csv release --previous release-of-last-year
  recloak audit ratings.csv release --attack record-linkage:known=4 --measure fold-in

RELEASE is a folder that recloak published, or any ratings file that another tool made. Without
--secret or --mapping, rows are matched to people by containment, and the report says so; attacks on
a release of groups are not measured then, because nobody can tell whose group is whose. With
--rehearse, the method that the release names runs once more on ORIGINAL, and attacks are scored on
what it makes: a release of the same kind, not this one. With --attack or --measure only these are
run, and no policy is judged unless --policy names one; 'recloak attacks' and 'recloak measures'
list them."""


def configure(parser: Parser, words: list[str]) -> None:
    parser.add_argument("original", nargs="?", metavar="ORIGINAL", help="the original ratings")
    parser.add_argument(
        "release", nargs="?", metavar="RELEASE", help="a release, or a ratings file"
    )
    add_options(parser, AuditOptions, "secret", "linkage", "rehearse")
    parser.add_argument(
        "--release-columns", metavar="MAP", help="as --columns, for a RELEASE whose columns differ"
    )
    add_options(parser, AuditOptions, "previous", "previous_secret", "policy")
    add_options(parser, AuditOptions, "claims", "attacks", "measures")
    parser.add_argument("--report", metavar="FILE", help="write FILE (.html) and the same as .json")
    add_dry_run(parser)
    parser.add_argument(
        "--data-name",
        metavar="NAME",
        help="what the report calls the data (default: the name of the file)",
    )
    add_verbose(parser)
    add_options(parser, AuditOptions, "seed")
    add_lock(parser.group("secret"))
    add_reading(parser)


def run(arguments: argparse.Namespace) -> int:
    needed(arguments, "original", "release")
    if arguments.secret and arguments.mapping:
        raise ParameterError("give either --secret or --mapping")
    from recloak.auditing.policy import Policy
    from recloak.cli._shared.locks import lock_from
    from recloak.cli._shared.screen import Screen
    from recloak.io import load
    from recloak.releases.base import Release
    from recloak.report.auditing import Opening, audit, free_page, rows_or_release
    from recloak.report.to_json import content_of

    screen = Screen(arguments)
    named = _named(arguments)
    policy = Policy.read(arguments.policy) if arguments.policy else None
    report = free_page(arguments.report) if arguments.report else None
    reading = Reading(arguments)
    claims = reading.declared.stated(arguments.claim or ())
    opening = Opening(
        reading.options, arguments.release_columns, bool(claims or policy), screen.progress
    )
    judged = opening.opened(arguments.release)
    previous = opening.opened(arguments.previous) if arguments.previous else None
    original = load(arguments.original, reading.options, progress=screen.progress)
    judging = Policy.nothing() if named and policy is None else policy
    if arguments.dry_run:
        return _dry_run(screen, original.ratings, rows_or_release(judged), judging, named)
    sealed = (arguments.secret and judged, arguments.previous_secret and previous)
    lock = lock_from(arguments) if any(isinstance(one, Release) for one in sealed) else None
    found: Audit = audit(
        original,
        judged,
        secret=arguments.secret,
        mapping=arguments.mapping,
        rehearse=arguments.rehearse,
        policy=judging,
        previous=previous,
        previous_secret=arguments.previous_secret,
        lock=lock,
        claims=claims,
        attacks=named[0] if named else None,
        measures=named[1] if named else None,
        report=report,
        data_name=arguments.data_name or data_name([arguments.original]),
        seed=arguments.seed or 0,
        progress=screen.progress,
    )
    screen.result(content_of(found))
    if arguments.rehearse:
        screen.warn(found.notes[0])
    _show(screen, found, arguments, report)
    broken = not all(verdict.holds for verdict in found.verdicts)
    failed = policy is not None and not all(result.passed for result in found.policy_results)
    return 3 if broken or failed else 0


def _show(screen: Screen, found: Audit, arguments: argparse.Namespace, report: Path | None) -> None:
    """The verdict in five lines, or all figures; of what was named alone there is no verdict."""
    from recloak.cli._shared.show import show_audit, show_glance

    named = arguments.attack or arguments.measure
    where = [f"release {arguments.release}", f"report {report or 'not written (--report FILE)'}"]
    if not named or arguments.policy:
        show_glance(screen, found, where)
    if arguments.verbose or named:
        show_audit(screen, found)
    screen.say()
    for note in found.notes:
        screen.say(note)
    if not (arguments.verbose or named):
        screen.say(MORE)


def _named(arguments: argparse.Namespace) -> tuple[list[str], list[str]] | None:
    """Attacks and measures to run instead of all that apply; what is unknown is refused."""
    from recloak.attacks import attack
    from recloak.measures import measure

    if not (arguments.attack or arguments.measure):
        return None
    attacks = [attack(spec).spec for spec in arguments.attack or ()]
    return attacks, [measure(spec).spec for spec in arguments.measure or ()]


def _dry_run(
    screen: Screen,
    original: Ratings,
    release: Release | Ratings,
    policy: Policy | None,
    named: tuple[list[str], list[str]] | None,
) -> int:
    """Estimate what the audit needs: on what the method makes of samples, if it is known."""
    from recloak.auditing.run import bytes_needed, named_method
    from recloak.comparison.estimating import audit_of, audit_of_method, estimate
    from recloak.releases.base import Release

    how: dict[str, Any] = {"attacks": named[0], "measures": named[1]} if named else {}
    method = named_method(release)
    rows = release.as_ratings() if isinstance(release, Release) else release
    work = audit_of_method(method, policy, **how) if method else audit_of(rows, policy, **how)
    tell(screen, estimate(original, work, bytes_needed(original)), "the audit")
    return 0
