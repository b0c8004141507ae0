"""publish: sanitise ratings, audit the result, and publish it whole or not at all."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from recloak.cli._shared.arguments import Parser, needed
from recloak.cli._shared.dry_run import add_dry_run, tell
from recloak.cli._shared.flags import (
    TakesFlags,
    add_grouped,
    add_options,
    add_parameters,
    add_verbose,
    given_options,
    given_parameters,
)
from recloak.cli._shared.reading import (
    DeclaredIssues,
    Reading,
    add_files,
    add_reading,
    to_take,
)
from recloak.core.errors import InputError, ParameterError
from recloak.publishing.options import SECRET, PublishOptions

if TYPE_CHECKING:
    from recloak.cli._shared.screen import Screen
    from recloak.core.ratings import Ratings
    from recloak.io.loading import Loaded
    from recloak.io.staging import FileToRead, StagedFile
    from recloak.methods import Method
    from recloak.publishing.checked_options import CheckedOptions
    from recloak.publishing.published import Published

MORE = "--verbose prints all figures."
METHOD = "method_with_"  # before the name of a parameter, where arguments are kept
EXAMPLES = """examples:
  recloak publish ratings.csv --method pseudonymize --out release
  recloak publish ml-1m --method gaussian-noise --sigma 0.5 --out release --policy policy.toml
  recloak publish ml-1m --method microaggregation --k 5 --out release --dry-run
  recloak publish ratings.parquet --method uniform-noise --out release --keep-secret release.secret

The release is written to DIR, and a report for internal use beside it (DIR-report.html and
.json). An existing file or folder is never overwritten. 'recloak methods' lists the methods; with
--method NAME, --help shows that method's own flags too."""


def configure(parser: Parser, words: list[str]) -> None:
    add_files(parser)
    parser.add_argument("--method", metavar="NAME", help="how to sanitise; see 'recloak methods'")
    add_options(parser, PublishOptions)
    add_dry_run(parser)
    add_verbose(parser)
    add_grouped(parser, PublishOptions)
    add_lock(parser.group(SECRET))
    add_reading(parser)
    _add_method_flags(parser, words)


def add_lock(group: TakesFlags) -> None:
    """Flags for what locks a secret."""
    group.add_argument("--key-file", metavar="FILE", help="lock with a file of 32 random bytes")
    group.add_argument(
        "--passphrase-file",
        metavar="FILE",
        help="lock with a passphrase: from this file, from RECLOAK_PASSPHRASE, or asked for",
    )


def run(arguments: argparse.Namespace) -> int:
    needed(arguments, "file", "--method", "--out")
    from recloak.cli._shared.locks import lock_from
    from recloak.cli._shared.screen import Screen
    from recloak.core.memory import limited_memory
    from recloak.methods import method

    screen = Screen(arguments)
    reading = Reading(arguments)
    recipe = method(arguments.method, **_method_values(arguments, reading.declared))
    _ = reading.options  # what is wrong with them is said first
    if "-" in arguments.file and arguments.exclude_users == "-":
        raise ParameterError("standard input can be read only once", where="--exclude-users -")
    kept = arguments.keep_secret or arguments.keep_model
    lock = lock_from(arguments, confirm=True) if kept else None
    given = said_options(arguments, PublishOptions, reading)
    given["public_items"] = listed_in(arguments.public_items, "--public-items", "items")
    options = PublishOptions.of("publish", None, given | {"lock": lock})
    with limited_memory(options.most_memory):
        return _published(screen, arguments, reading, recipe, options)


def _published(
    screen: Screen,
    arguments: argparse.Namespace,
    reading: Reading,
    recipe: Method,
    options: PublishOptions,
) -> int:
    """Publish on the engine that suffices, or estimate what it would take."""
    from recloak.io.staging import FileToRead
    from recloak.publishing.checked_options import CheckedOptions
    from recloak.publishing.run import publish_file

    checked = CheckedOptions.of(options)
    file = FileToRead(arguments.file, reading.options)
    if arguments.dry_run:
        return _dry_run(screen, file, recipe, checked)
    published, noticed = publish_file(file, recipe, checked, screen.progress)
    return show_published(screen, published, noticed, verbose=arguments.verbose)


def _dry_run(screen: Screen, file: FileToRead, recipe: Method, checked: CheckedOptions) -> int:
    """Check what a publication would check before its work, and estimate what it needs."""
    from recloak.comparison.estimating import estimate
    from recloak.io import load
    from recloak.publishing.checked_options import bytes_needed, refuse_before_work
    from recloak.publishing.run import refuse_unknown_cost

    refuse_unknown_cost(file, recipe, checked.options)
    started = time.perf_counter()
    ratings = load(file.paths, file.options, progress=screen.progress).ratings
    reading = time.perf_counter() - started
    refuse_before_work(ratings, recipe, checked.options)
    needed = bytes_needed(ratings, audited=checked.options.audited)
    found = estimate(ratings, _published_alike(recipe, checked), needed, before=reading)
    tell(screen, found, f"publishing by {recipe.name}")
    return 0


def _published_alike(recipe: Method, checked: CheckedOptions) -> Callable[[Ratings], object]:
    """The same publication of other ratings, in a folder that does not stay."""
    from recloak.core.progress import SILENT
    from recloak.publishing.run import publish

    asked = checked.options

    def published(sample: Ratings) -> None:
        with TemporaryDirectory() as folder:
            options = PublishOptions(
                out=f"{folder}/release",
                policy=checked.policy,
                audited=asked.audited,
                table_format=asked.table_format,
                public_items=asked.public_items,
            )
            publish(sample, recipe, options=options, progress=SILENT)

    return published


def publishing_options(
    arguments: argparse.Namespace, model: type[PublishOptions], loaded: Loaded, reading: Reading
) -> dict[str, Any]:
    """What the flags say, and which columns of the file were left out."""
    return said_options(arguments, model, reading) | {"columns_left_out": columns_left_out(loaded)}


def columns_left_out(loaded: Loaded) -> list[str]:
    """The columns of a file that were not read, each once."""
    return list(dict.fromkeys((*loaded.dropped, *loaded.personal)))


def said_options(
    arguments: argparse.Namespace, model: type[PublishOptions], reading: Reading
) -> dict[str, Any]:
    """What the flags say, for `publish` and `extend`; the file of excluded users is read."""
    return {
        **given_options(arguments, model),
        "exclude_users": excluded_in(arguments.exclude_users),
        "data_name": arguments.data_name or data_name(arguments.file),
        "config": {"reading": reading.facts},
    }


def data_name(files: Sequence[str]) -> str:
    """What a report calls the data of these files: their names, without the folders."""
    from recloak.io.duckdb import DuckDbUrl, is_url

    names = [
        "standard input"
        if file == "-"
        else DuckDbUrl.parse(file).shown
        if is_url(file)
        else Path(file).name
        for file in files
    ]
    more = f" and {len(names) - 1:,} more" if len(names) > 1 else ""
    return f"{names[0]}{more}"


def show_published(
    screen: Screen, published: Published, loaded: Loaded | StagedFile[Any], *, verbose: bool = False
) -> int:
    """Tell what was found and where things are; all tables if asked for."""
    from recloak.cli._shared.show import show_audit, show_glance
    from recloak.report.to_json import content_of

    manifest = published.release.manifest
    screen.result(
        {
            "release": str(published.folder),
            "report": str(published.report) if published.report else None,
            "secret": str(published.secret) if published.secret else "destroyed",
            "wallets": str(published.wallets) if published.wallets else None,
            "model": str(published.model) if published.model else None,
            "exported": published.exported,
            "manifest": manifest.model_dump(mode="json"),
            "audit": content_of(published.audit) if published.audit else None,
        }
    )
    show_glance(screen, published.audit, _places(published))
    if published.audit and verbose:
        show_audit(screen, published.audit)
    elif published.audit:
        screen.say(f"\nThe report has the rest; {MORE}")
    for note in (*published.notes, *loaded.notes):
        screen.warn(note)
    others = [name for name in loaded.dropped if name not in loaded.personal]
    if others:
        take = to_take(getattr(loaded, "format", ""))  # no survey is staged on disk
        screen.warn(f"other columns were left out: {', '.join(others)}{take}")
    if loaded.personal:
        screen.warn(f"columns about the person were left out: {', '.join(loaded.personal)}")
    for reason in manifest.not_for_publication:
        screen.warn(f"NOT FOR PUBLICATION: {reason}")
    return 0


def _places(published: Published) -> list[str]:
    """Where release, report and secret are, or what became of them."""
    sealed = " (encrypted for its recipient)" if published.release.manifest.encryption else ""
    places = [f"release {published.folder}{sealed}"]
    if published.report:
        places.append(f"report {published.report} (internal: it describes the original data)")
    kept = published.model if published.release.made_up else published.secret
    places.append(f"{'model' if published.release.made_up else 'secret'} {kept or 'destroyed'}")
    if published.wallets:
        hand = "hand each to its person, then delete the folder"
        places.append(f"wallets {published.wallets} ({hand})")
    if published.exported:
        places.append(f"exported {published.exported}")
    return places


def _add_method_flags(parser: Parser, words: list[str]) -> None:
    finder = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    finder.add_argument("--method")
    chosen = finder.parse_known_args([*words, ""])[0].method
    if chosen is None:
        return
    from recloak.methods import METHODS

    method = METHODS.get(chosen)
    described = method.Parameters.described()
    # What is sensitive is said by flags of reading, which also say which columns to take.
    own = [info for info in described if info.name not in vars(DeclaredIssues())]
    taken = {flag for one in parser.declared for flag in one.action.option_strings}
    for info in own:
        if f"--{info.flag}" in taken:
            raise ParameterError(
                f"declares a parameter '{info.name}', which is a flag of publish",
                where=f"method {chosen}",
                hint="Use it from Python, or ask whoever provides it to rename the parameter.",
            )
    add_parameters(parser.group(f"method {chosen}"), own, METHOD)
    parser.set_defaults(method_parameters=[info.name for info in described])


def _method_values(arguments: argparse.Namespace, declared: DeclaredIssues) -> dict[str, Any]:
    issues = declared.values()
    known = arguments.method_parameters
    if any(name not in known for name in issues):
        raise ParameterError(
            "cannot protect sensitive issues, so the declaration would be ignored",
            where=f"method {arguments.method}",
            hint="'recloak methods' lists those for surveys, such as proximity.",
        )
    return given_parameters(arguments, METHOD) | issues


def excluded_in(path: str | None) -> list[str]:
    """The ids in a file, one on each line; none without a file."""
    return listed_in(path, "--exclude-users", "user ids")


def listed_in(path: str | None, flag: str, what: str) -> list[str]:
    """The names in a file, one on each line; none without a file."""
    if path is None:
        return []
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        raise InputError(f"cannot be read: {problem}", where=f"{flag} {path}") from None
    names = [line.strip() for line in text.splitlines() if line.strip()]
    if not names:
        raise ParameterError(f"holds no {what}", where=f"{flag} {path}")
    return names
