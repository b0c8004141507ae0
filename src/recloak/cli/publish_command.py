"""publish: sanitise ratings, audit the result, and publish it whole or not at all."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recloak.cli.arguments import add_reading, needed, reading_options
from recloak.cli.survey_arguments import SIDES, declared_in
from recloak.errors import InputError, ParameterError

if TYPE_CHECKING:
    from recloak.cli.screen import Screen
    from recloak.formats.loading import Loaded
    from recloak.publishing import Published

EXAMPLES = """examples:
  recloak publish ratings.csv --method pseudonymize --out release
  recloak publish ml-1m --method gaussian-noise --sigma 0.5 --out release --policy policy.toml
  recloak publish ratings.parquet --method uniform-noise --out release --keep-secret release.secret

The release stands in DIR, and a report for the inside beside it (DIR-report.html and .json). An
existing file or folder is never overwritten. 'recloak methods' lists the methods; with --method
NAME, --help shows that method's own flags too."""


def configure(parser: argparse.ArgumentParser, words: list[str]) -> None:
    parser.add_argument(
        "file",
        nargs="*",
        metavar="FILE",
        help="ratings: a file, files that belong together, a known folder, or - (standard input)",
    )
    parser.add_argument("--method", metavar="NAME", help="how to sanitise; see 'recloak methods'")
    parser.add_argument("--out", metavar="DIR", help="the release's folder; must not exist")
    add_orders(parser, excluded="ids to leave out, one on each line")
    add_lock(parser.add_argument_group("secret"), keep=True)
    add_reading(parser)
    _add_method_flags(parser, words)


def add_orders(parser: argparse.ArgumentParser, *, excluded: str) -> None:
    """Flags of every command that publishes a release, beside where it is to stand."""
    parser.add_argument("--report", metavar="FILE", help="the report (default: DIR-report.html)")
    parser.add_argument("--policy", metavar="FILE", help="publish only if every line passes")
    parser.add_argument("--exclude-users", metavar="FILE", help=excluded)
    parser.add_argument("--table-format", choices=("parquet", "csv"), default="parquet")
    parser.add_argument("--seed", help="make it reproducible; below 128 bits never for publication")
    parser.add_argument("--audit-seed", type=int, default=0, help="seed of the audit's samples")
    parser.add_argument("--no-audit", action="store_true", help="publish without an audit")


def add_lock(group: Any, *, keep: bool) -> None:
    """Flags for what locks a secret."""
    if keep:
        group.add_argument(
            "--keep-secret", metavar="FILE", help="keep what re-links the release, encrypted"
        )
        group.add_argument(
            "--split-secret",
            metavar="DIR",
            help="write each person's own pseudonyms, a file each, for their clients",
        )
    group.add_argument("--key-file", metavar="FILE", help="lock with a file of 32 random bytes")
    group.add_argument(
        "--passphrase-file",
        metavar="FILE",
        help="lock with a passphrase: from this file, from RECLOAK_PASSPHRASE, or asked for",
    )


def run(arguments: argparse.Namespace) -> int:
    needed(arguments, "file", "--method", "--out")
    from recloak.cli.locks import lock_from
    from recloak.cli.screen import Screen
    from recloak.formats import load
    from recloak.methods import method
    from recloak.publishing import publish

    screen = Screen(arguments)
    recipe = method(arguments.method, **_method_values(arguments))
    reading = reading_options(arguments)
    if "-" in arguments.file and arguments.exclude_users == "-":
        raise ParameterError("standard input can be read once", where="--exclude-users -")
    lock = lock_from(arguments, confirm=True) if arguments.keep_secret else None
    loaded = load(arguments.file, progress=screen.progress, **reading)
    published = publish(
        loaded.ratings,
        recipe,
        lock=lock,
        config={"reading": reading},
        progress=screen.progress,
        **orders_of(arguments, loaded),
    )
    return show_published(screen, published, loaded)


def orders_of(arguments: argparse.Namespace, loaded: Loaded) -> dict[str, Any]:
    """What `add_orders` and `add_lock` gathered, for `publish` and `extend`."""
    return {
        "out": arguments.out,
        "report": arguments.report,
        "policy": arguments.policy,
        "exclude_users": excluded_in(arguments.exclude_users),
        "keep_secret": arguments.keep_secret,
        "split_secret": arguments.split_secret,
        "seed": arguments.seed,
        "audit_seed": arguments.audit_seed,
        "audited": not arguments.no_audit,
        "table_format": arguments.table_format,
        "columns_left_out": dict.fromkeys((*loaded.dropped, *loaded.personal)),
    }


def show_published(screen: Screen, published: Published, loaded: Loaded) -> int:
    """Tell what was published, where it stands and what became of the secret."""
    from recloak.cli.show_audit import show_audit

    manifest = published.release.manifest
    screen.result(
        {
            "release": str(published.folder),
            "report": str(published.report) if published.report else None,
            "secret": str(published.secret) if published.secret else "destroyed",
            "wallets": str(published.wallets) if published.wallets else None,
            "manifest": manifest.model_dump(mode="json"),
            "audit": published.audit.to_dict() if published.audit else None,
        }
    )
    for note in (*loaded.notes, *published.notes):
        screen.warn(note)
    if loaded.personal:
        screen.warn(f"columns about the person were left out: {', '.join(loaded.personal)}")
    if published.audit:
        show_audit(screen, published.audit)
    screen.heading("Published")
    screen.say(f"release  {published.folder}")
    if published.report:
        screen.say(f"report   {published.report} (for the inside: it describes the original data)")
    screen.say(f"secret   {published.secret or 'destroyed'}")
    if published.wallets:
        screen.say(
            f"wallets  {published.wallets} (hand each to its person, then delete the folder)"
        )
    for reason in manifest.not_for_publication:
        screen.warn(f"NOT FOR PUBLICATION: {reason}")
    return 0


def _add_method_flags(parser: argparse.ArgumentParser, words: list[str]) -> None:
    finder = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    finder.add_argument("--method")
    chosen = finder.parse_known_args([*words, ""])[0].method
    if chosen is None:
        return
    from recloak.methods import METHODS

    method = METHODS.get(chosen)
    group = parser.add_argument_group(f"method {chosen}")
    parser.set_defaults(method_flags=[info.name for info in method.Parameters.described()])
    for info in method.Parameters.described():
        if info.name in SIDES:
            continue  # flags of reading too: they say which columns to take
        allowed = f", {info.allowed}" if info.allowed else ""
        default = "" if info.required else f"; default {info.default}"
        text = f"{info.doc} ({info.kind}{allowed}{default})".replace("%", "%%")
        if f"--{info.flag}" in parser._option_string_actions:
            raise ParameterError(
                f"declares a parameter '{info.name}', which is a flag of publish",
                where=f"method {chosen}",
                hint="Use it from Python, or ask whoever provides it to rename the parameter.",
            )
        group.add_argument(f"--{info.flag}", dest=f"method_{info.name}", metavar="VALUE", help=text)


def _method_values(arguments: argparse.Namespace) -> dict[str, str]:
    flags = [name for name in arguments.method_flags if name not in SIDES]
    values = {name: getattr(arguments, f"method_{name}") for name in flags}
    declared = declared_in(arguments).values()
    for name in declared:
        if name not in arguments.method_flags:
            raise ParameterError(
                "knows nothing of sensitive issues, so what is declared would be ignored",
                where=f"method {arguments.method}",
                hint="'recloak methods' lists those for surveys, such as proximity.",
            )
    return {name: value for name, value in values.items() if value is not None} | declared


def excluded_in(path: str | None) -> list[str]:
    """The ids in a file, one on each line; none without a file."""
    if path is None:
        return []
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        raise InputError(f"cannot be read: {problem}", where=f"--exclude-users {path}") from None
    names = [line.strip() for line in text.splitlines() if line.strip()]
    if not names:
        raise ParameterError("holds no user ids", where=f"--exclude-users {path}")
    return names
