"""audit: attack a release, check its claims, measure what it is still good for."""

from __future__ import annotations

import argparse
from dataclasses import replace
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
    from recloak.core.progress import Progress
    from recloak.core.ratings import Ratings
    from recloak.evaluation.findings import Audit
    from recloak.io import Loaded
    from recloak.io.options import ReadOptions
    from recloak.releases.base import Release
    from recloak.releases.linkage import Linkage
    from recloak.releases.secret import Secret

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
    from recloak.auditing.run import audit
    from recloak.cli._shared.screen import Screen
    from recloak.core.files import parent_of, refuse_existing
    from recloak.io import Loaded, read
    from recloak.report import write_report
    from recloak.report.rendering import json_beside
    from recloak.report.to_json import content_of

    screen = Screen(arguments)
    named = _named(arguments)
    policy = Policy.read(arguments.policy) if arguments.policy else None
    report = Path(arguments.report) if arguments.report else None
    for path in (report, json_beside(report)) if report else ():
        refuse_existing(path, "--report")
        parent_of(path, "--report")
    reading = Reading(arguments)
    judged = _release(Path(arguments.release), arguments, reading.options, screen.progress)
    release = judged.ratings if isinstance(judged, Loaded) else judged
    previous = None
    if arguments.previous:
        earlier = _release(Path(arguments.previous), arguments, reading.options, screen.progress)
        previous = earlier.ratings if isinstance(earlier, Loaded) else earlier
    original = read(arguments.original, reading.options, progress=screen.progress)
    judging = Policy.nothing() if named and policy is None else policy
    if arguments.dry_run:
        return _dry_run(screen, original, release, judging, named)
    found = audit(
        original,
        judged,
        secret=_secret(arguments.secret, arguments, release, "--secret"),
        linkage=_linkage(arguments, original, release),
        rehearse=arguments.rehearse,
        policy=judging,
        previous=previous,
        previous_secret=_secret(
            arguments.previous_secret, arguments, previous, "--previous-secret"
        ),
        claims=reading.declared.stated(arguments.claim or ()),
        attacks=named[0] if named else None,
        measures=named[1] if named else None,
        seed=arguments.seed or 0,
        progress=screen.progress,
    )
    found = replace(found, data=arguments.data_name or data_name([arguments.original]))
    if report:
        write_report(found, report)
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
    from recloak.comparison.estimating import audit_of, estimate, publication_of
    from recloak.releases.base import Release

    how: dict[str, Any] = {"attacks": named[0], "measures": named[1]} if named else {}
    method = named_method(release)
    rows = release.as_ratings() if isinstance(release, Release) else release
    work = publication_of(method, policy, **how) if method else audit_of(rows, policy, **how)
    tell(screen, estimate(original, work, bytes_needed(original)), "the audit")
    return 0


def _release(
    target: Path, arguments: argparse.Namespace, options: ReadOptions, progress: Progress
) -> Release | Loaded:
    """A release folder, or a file read as the original is, but for its columns if they differ."""
    from recloak.core.columns import parse_mapping
    from recloak.io import load, load_to_verify
    from recloak.releases.base import is_release, open_release

    if is_release(target):
        if arguments.release_columns:
            raise ParameterError("is for a file, not for a release", where="--release-columns")
        return open_release(target)
    own: dict[str, Any] = {"scale": None}
    if arguments.release_columns:
        own["columns"] = parse_mapping(arguments.release_columns)
    claimed = arguments.claim or arguments.policy  # else it need not be read a second time
    return (load_to_verify if claimed else load)(target, options, progress=progress, **own)


def _secret(
    path: str | None, arguments: argparse.Namespace, release: Release | Ratings | None, flag: str
) -> Secret | None:
    if not path:
        return None
    from recloak.cli._shared.locks import lock_from
    from recloak.releases.base import Release
    from recloak.releases.secret import open_secret

    if not isinstance(release, Release):
        hint = "Use --mapping." if flag == "--secret" else "Give --previous too."
        raise ParameterError("belongs to a release folder", where=flag, hint=hint)
    lock = lock_from(arguments)
    return open_secret(path, lock, release_id=release.manifest.release_id)


def _linkage(
    arguments: argparse.Namespace, original: Ratings, release: Release | Ratings
) -> Linkage | None:
    if not arguments.mapping:
        return None
    from recloak.auditing.matching import linkage_from_mapping
    from recloak.releases.base import Release

    rows = release.as_ratings() if isinstance(release, Release) else release
    return linkage_from_mapping(arguments.mapping, original, rows)
