"""Publishing: apply, write beside, read back, verify, audit, judge, and only then appear."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from recloak.auditing.leak_scan import scan_for_leaks
from recloak.auditing.policy import Policy
from recloak.auditing.run import audit
from recloak.auditing.verification import check_claims
from recloak.core import memory
from recloak.core.errors import (
    ClaimError,
    InputError,
    ParameterError,
    RecloakError,
)
from recloak.core.files import machine_errors, staging_folder
from recloak.core.options import takes
from recloak.core.progress import Progress, Staged
from recloak.core.progress.shown import SHOWN
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.core.staged_ratings import RatingsElsewhere, StagedRatings
from recloak.evaluation import notebook_tables
from recloak.evaluation.findings import Audit
from recloak.evaluation.notebook_tables import StatusMark
from recloak.evaluation.refusals import refuse_broken
from recloak.io.duckdb import is_url
from recloak.io.given import Given
from recloak.io.options import ReadOptions
from recloak.io.staging import FileToRead, StagedFile
from recloak.methods import Applied, BlockMethod, Method
from recloak.publishing._appearing import appear, write_and_read_back
from recloak.publishing._disk_audit import AuditSubject, SampledPeople
from recloak.publishing._disk_release import AppliedByBlocks, apply_on_disk
from recloak.publishing._engines import Engine, bytes_in_memory, engine_for, memory_of_disk_engine
from recloak.publishing._input import BYTES_TO_READ, name_of, staged_from
from recloak.publishing._keywords import Keywords
from recloak.publishing._made_up import (
    refuse_misfit,
    with_earlier_budget,
    with_public_items,
)
from recloak.publishing._output_paths import OutputPaths
from recloak.publishing.options import PublishOptions
from recloak.publishing.spark import SparkSource, applied_in_spark, is_spark_frame
from recloak.releases.base import Release
from recloak.releases.manifest import Manifest
from recloak.releases.secret import Secret
from recloak.releases.survey import SurveyRelease
from recloak.releases.tables import names_like_formulas
from recloak.report.refusal import refuse_with_report


@dataclass(frozen=True, repr=False)
class Published:
    """Where things are after a publication."""

    folder: Path
    release: Release
    audit: Audit | None
    report: Path | None
    secret: Path | None
    wallets: Path | None = None
    model: Path | None = None
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        parts = [f"Published {self.release} in {self.folder}"]
        parts += [f"report: {self.report}"] if self.report else []
        made_up = self.release.made_up
        parts += [f"secret: {self.secret or 'destroyed'}"] if not made_up else []
        parts += [f"model: {self.model or 'destroyed'}"] if made_up else []
        parts += [f"wallets: {self.wallets}"] if self.wallets else []
        return "\n  ".join(parts)

    def _repr_html_(self) -> str:
        places: dict[str, Path | str | None] = {"release": self.folder, "report": self.report}
        if self.release.made_up:
            places["model"] = self.model or "destroyed"
        else:
            places |= {"secret": self.secret or "destroyed", "wallets": self.wallets}
        rows = [(name, str(where)) for name, where in places.items() if where]
        warnings = [*self.release.manifest.not_for_publication, *self.notes]
        rows += [("note", warning) for warning in warnings]
        mark = StatusMark.of(self.audit.status if self.audit else "not audited")
        shown = notebook_tables.table(
            f"Published by {self.release.manifest.method}", rows, mark=mark
        )
        return shown + (self.audit._repr_html_() if self.audit else "")


@takes(PublishOptions, ReadOptions)
def publish(
    ratings: Any,
    method: Method | str,
    *,
    options: PublishOptions | None = None,
    progress: Progress = SHOWN,
    **parameters: Any,
) -> Published:
    """Publish ``ratings`` by ``method`` as the folder ``out``, whole or not at all.

    The release is written beside its place and read back; its claims are verified on what was
    read, it is audited, and with ``policy`` every line must pass; then it appears under its name.
    If one does not pass, nothing is left but the ``report``, if that was asked for by its name.
    A report for the inside (``out`` with ``-report.html``, and the same as JSON) stands beside it.
    The secret is destroyed unless ``keep_secret`` names a file, which ``lock`` encrypts, or
    ``split_secret`` a folder, where each person's own pseudonyms stand in a file of their own.

    Parameters
    ----------
    ratings
        Ratings, or whatever `recloak.read` takes: a Polars, pandas or Arrow table, the path of a
        file, the URL of a table in DuckDB. Columns that are no ratings are left out.
    method
        A method, or the name of one.
    options
        All options at once; those that are given one by one win.
    progress
        Where to report how far the work is.
    **parameters
        The options below one by one, also those of reading, and the parameters of a method that is
        given by its name.

    Returns
    -------
    Published
        The release as it was read back, its audit, and where folder, report and secret are.

    Raises
    ------
    ParameterError
        An option or a parameter is wrong, or something stands where the release should go.
    InputError
        The ratings cannot be used, or the method can do nothing with them.
    ClaimError, PolicyError
        A claim or a line of the policy does not hold. Nothing was published.
    MachineError
        There is not enough memory or disk.

    Examples
    --------
    >>> import tempfile, recloak
    >>> ratings = recloak.synthesize("ml-100k", users=60, ratings=2_000, seed=1)
    >>> folder = tempfile.mkdtemp()
    >>> done = recloak.publish(
    ...     ratings, "gaussian-noise", sigma=0.5, out=f"{folder}/release", audited=False
    ... )
    >>> recloak.open_release(f"{folder}/release").as_ratings().n_users
    60

    """
    words = Keywords.of(ratings, method, parameters)
    wanted = PublishOptions.of("publish", options, words.options)
    CheckedOptions.of(wanted)  # before the data are read, which may take long
    with memory.allowed(wanted.most_memory):
        return _published(ratings, words, wanted, progress)


def _published(
    source: Any, words: Keywords, wanted: PublishOptions, progress: Progress
) -> Published:
    recipe = words.method
    if wanted.engine == "spark" or (wanted.engine == "auto" and is_spark_frame(source)):
        data = SparkSource(source, words.reading.get("options", ReadOptions()))
        return publish_in_spark(data, recipe, wanted, progress)[0]
    if isinstance(source, str | Path) and not is_url(source):
        file = FileToRead(source, words.reading.get("options", ReadOptions()))
        engine = engine_of_file(file, recipe, wanted)
        if engine.name == "disk":
            return publish_on_disk(file, recipe, wanted, engine.note, progress)[0]
    given = Given.of(source, words.reading, progress=progress)
    ratings = given.ratings
    settled = wanted.with_defaults(columns_left_out=given.left_out, data_name=given.name)
    needed = bytes_needed(ratings, audited=wanted.audited)
    engine = engine_for(wanted.engine, recipe, ratings.n_ratings, needed, wanted.table_format)
    if engine.name == "disk":
        return publish_on_disk(ratings, recipe, settled, engine.note, progress)[0]
    checked = checked_before_work(ratings, recipe, settled)
    original = _compacted(without(ratings, checked.options.exclude_users))
    original = with_public_items(original, checked.options.public_items)
    applied = _apply(recipe, original, Randomness.from_seed(checked.options.seed), progress)
    excluded = len(original.user_labels) < len(ratings.user_labels)
    config = {"users_excluded": excluded, **checked.options.config}
    return publish_applied(checked, applied, recipe, original, config, progress)


def engine_of_file(file: FileToRead, recipe: Method, options: PublishOptions) -> Engine:
    """The engine for ratings that were not read yet: a file tells about how many there are."""
    count = file.estimated_ratings() if options.engine == "auto" else 0
    needed = bytes_in_memory(count, audited=options.audited) + BYTES_TO_READ * count
    return engine_for(options.engine, recipe, count, needed, options.table_format)


def publish_on_disk(
    source: FileToRead | Ratings,
    recipe: Method,
    options: PublishOptions,
    note: str | None,
    progress: Progress,
) -> tuple[Published, StagedFile[StagedRatings]]:
    """As `publish`, with ratings in blocks on disk; and what was noticed while they were read."""
    assert isinstance(recipe, BlockMethod)
    checked = CheckedOptions.of(options)
    refuse_misfit(recipe, checked.options)
    with staging_folder(checked.paths.out) as work:
        file = staged_from(source, work, options.exclude_users, progress)
        staged = file.ratings
        if staged.n_users == 0:
            raise InputError("nobody is left to publish", where="--exclude-users")
        memory.need(memory_of_disk_engine(staged, recipe, options), "the disk engine")
        randomness = Randomness.from_seed(options.seed)
        made = apply_on_disk(recipe, staged, randomness, work, progress)
        made = made._replace(applied=made.applied._replace(notes=(note,) if note else ()))
        return _publish_made(checked, recipe, file, made, name_of(source), progress), file


def publish_in_spark(
    source: SparkSource, recipe: Method, options: PublishOptions, progress: Progress
) -> tuple[Published, StagedFile[RatingsElsewhere]]:
    """As `publish`, with ratings that stay in Spark; and what was noticed while they were read."""
    engine_for("spark", recipe, 0, 0, options.table_format)
    assert isinstance(recipe, BlockMethod)
    checked = CheckedOptions.of(options)
    refuse_misfit(recipe, checked.options)
    with (
        staging_folder(checked.paths.out) as work,
        applied_in_spark(source, recipe, options, work, progress) as (file, made),
    ):
        return _publish_made(checked, recipe, file, made, source.name, progress), file


def _publish_made(
    checked: CheckedOptions,
    recipe: BlockMethod,
    file: StagedFile[RatingsElsewhere],
    made: AppliedByBlocks,
    name: str,
    progress: Progress,
) -> Published:
    """Publish what was made by blocks, of data called ``name`` if the user does not say."""
    options, staged = checked.options, file.ratings
    left_out = list(dict.fromkeys((*file.dropped, *file.personal)))
    settled = options.with_defaults(columns_left_out=left_out, data_name=name)
    return publish_applied(
        replace(checked, options=settled),
        made.applied,
        recipe,
        staged,
        {"users_excluded": bool(options.exclude_users), **options.config},
        progress,
        sampled=SampledPeople(staged, recipe, made),
    )


@dataclass(frozen=True)
class CheckedOptions:
    """Options of which it is known, before any work begins, that they can be followed."""

    options: PublishOptions
    paths: OutputPaths
    policy: Policy | None

    @classmethod
    def of(cls, options: PublishOptions) -> CheckedOptions:
        """Raise `ParameterError` for what cannot be followed, such as a place that is taken."""
        paths, policy = OutputPaths.of(options), options.policy
        enforced = Policy.read(policy) if isinstance(policy, str | Path) else policy
        if enforced is not None and not options.audited:
            raise ParameterError("a policy needs the audit", where="--policy with --no-audit")
        return cls(options, paths, enforced)

    def config(self, made: Manifest, *, made_up: bool) -> dict[str, Any]:
        """What the manifest ``made`` by the method also says of them.

        Its parameters are those that the method settled on, if the data decide any of them.
        """
        return {
            "method": made.method,
            "parameters": made.parameters,
            "table_format": self.options.table_format,
            "users_excluded": False,
            "secret": "none" if made_up else self.paths.secret_fate,
            "policy_enforced": self.policy is not None,
            "audited": self.options.audited,
            "audit_seed": self.options.audit_seed,
        }


def checked_before_work(
    ratings: Ratings, recipe: Method, options: PublishOptions
) -> CheckedOptions:
    """The options, after all that can be refused before the work begins was refused."""
    checked = CheckedOptions.of(options)
    refuse_too_large(ratings, audited=checked.options.audited)
    refuse_misfit(recipe, checked.options)
    return checked


class WordsOf(NamedTuple):
    """The method in use as the vocabulary of a manifest: it need not be registered anywhere."""

    recipe: Method

    def names(self) -> list[str]:
        """Its name."""
        return [self.recipe.name]

    def get(self, name: str) -> type[Method]:
        """Its class, which makes it from its parameters."""
        return type(self.recipe)


class Earlier(NamedTuple):
    """A release that was published before of the same people, and the secret of it."""

    release: Release
    secret: Secret


def publish_applied(
    checked: CheckedOptions,
    applied: Applied,
    recipe: Method,
    original: Ratings | RatingsElsewhere,
    config: Mapping[str, Any],
    progress: Progress,
    earlier: Earlier | None = None,
    sampled: SampledPeople | None = None,
) -> Published:
    """Write, verify, audit and judge what ``recipe`` made of ``original``; then let it appear.

    ``config`` is for the manifest, beside what the options say. With an ``earlier`` release, the
    audit also asks what holding both gives away. ``sampled`` chooses whom the audit looks at, for
    an original on disk.
    """
    options, paths = checked.options, checked.paths
    applied = with_earlier_budget(applied, options.previous)
    left_out = _columns_left_out(options, original, applied.release)
    counted = {"columns_left_out": len(left_out)} if left_out else {}
    made = applied.release.manifest
    recorded = {**checked.config(made, made_up=recipe.made_up), **counted, **config}
    applied = _described(applied, recorded)
    applied = applied._replace(notes=(*applied.notes, *_formula_notes(applied.release, options)))
    with staging_folder(paths.out) as staging:
        with machine_errors(paths.out):
            staged = write_and_read_back(applied, staging, options.table_format)
        whole = original if isinstance(original, Ratings) else None
        verdicts = check_claims(staged, staged.manifest.claimed, progress, whole)
        refuse_broken(verdicts)
        if recipe.caveat is None:
            folder = staging / "release"
            refuse_broken(scan_for_leaks(folder, WordsOf(recipe), opened=staged, canonical=False))
            _refuse_original_ids(original, staged)
        found = None
        if options.audited:
            subject = _subject(original, staged, applied, sampled)
            found = audit(
                subject.original,
                subject.release,
                secret=subject.secret,
                method=recipe,
                policy=checked.policy,
                previous=earlier.release if earlier else None,
                previous_secret=earlier.secret if earlier else None,
                verdicts=verdicts,
                seed=options.audit_seed,
                progress=progress,
            )
            facts = {**found.release, "columns_left_out": left_out}
            notes = (*applied.notes, *subject.notes, *found.notes)
            enforced = checked.policy is not None
            found = replace(
                found, enforced=enforced, release=facts, notes=notes, data=options.data_name
            )
            refuse_with_report(found, paths.html if options.report else None)
        with progress.task("Publishing", 1) as task:
            task.advance()  # the last moment to stop: from here on it appears
            appear(paths, staging / "release", applied, options.lock, found, progress)
    html, published = paths.html if options.audited else None, staged.moved_to(paths.out)
    return Published(
        paths.out, published, found, html, paths.secret, paths.wallets, paths.model, applied.notes
    )


def _subject(
    original: Ratings | RatingsElsewhere,
    staged: Release,
    applied: Applied,
    sampled: SampledPeople | None,
) -> AuditSubject:
    if isinstance(original, Ratings):
        return AuditSubject(original, staged, applied.secret)
    assert sampled is not None
    return sampled.subject(staged, applied)


def _columns_left_out(
    options: PublishOptions, original: Ratings | RatingsElsewhere, release: Release
) -> list[str]:
    """All columns of the file that are not in the release; of a survey, issues as well."""
    names = list(options.columns_left_out)
    if isinstance(release, SurveyRelease):
        published = {str(label) for label in release.as_ratings().item_labels}
        names += [str(label) for label in original.item_labels if str(label) not in published]
    return list(dict.fromkeys(names))


def without(ratings: Ratings, excluded: Sequence[Any]) -> Ratings:
    """The ratings of all others; `InputError` for an unknown name, or if nobody is left."""
    if not excluded:
        return ratings
    try:
        others = ratings.without_users(list(excluded))
    except InputError as problem:
        raise InputError(problem.what, where="--exclude-users", hint=problem.hint) from None
    if others.n_users == 0:
        raise InputError("nobody is left to publish", where="--exclude-users")
    return others


def _compacted(ratings: Ratings) -> Ratings:
    """Without users and items that have no rating: a part of a table still knows those of all."""
    gaps = (ratings.item_support == 0).any() or (ratings.user_counts == 0).any()
    return ratings.compact() if gaps else ratings


def _apply(
    recipe: Method, original: Ratings, randomness: Randomness, progress: Progress
) -> Applied:
    """Run the method; what goes wrong in someone else's is said to be theirs."""
    try:
        return recipe.apply(original, randomness, Staged(progress, f"Applying {recipe.name}"))
    except RecloakError:
        raise
    except Exception as problem:
        package = type(recipe).__module__.split(".")[0]
        if package == "recloak":
            raise
        raise RecloakError(
            f"the method '{recipe.name}' failed: {type(problem).__name__}: {problem}",
            where=f"package {package}",
            hint="It is not part of recloak: ask whoever provides it. Nothing was published.",
        ) from problem


def _refuse_original_ids(original: Ratings | RatingsElsewhere, staged: Release) -> None:
    """A few may coincide by chance where people have numbers of fifteen digits as names."""
    names = {str(name) for name in original.user_labels}
    shared = sum(str(row) in names for row in staged.row_labels)
    if shared > 1 + original.n_users // 1000:
        raise ClaimError(
            f"{shared:,} rows bear the id of a user of the original; nothing was published",
            hint="The method must give rows new names, or declare that it does not.",
        )


def refuse_too_large(ratings: Ratings, *, audited: bool) -> None:
    """Refuse before the start what would end half way for want of memory."""
    needed = bytes_needed(ratings, audited=audited)
    memory.need(needed, f"publishing {ratings.n_ratings:,} ratings")


def bytes_needed(ratings: Ratings, *, audited: bool) -> int:
    """What a publication needs beside the ratings."""
    return bytes_in_memory(ratings.n_ratings, audited=audited)


def _described(applied: Applied, config: Mapping[str, Any]) -> Applied:
    manifest = applied.release.manifest.model_copy(update={"config": dict(config)})
    return applied._replace(release=replace(applied.release, manifest=manifest))


def _formula_notes(release: Release, options: PublishOptions) -> list[str]:
    """What a recipient with a spreadsheet must be told of the names in CSV tables."""
    if options.table_format != "csv":
        return []
    names = names_like_formulas(release.listed.item_labels)
    names += names_like_formulas(release.row_labels)
    if not names:
        return []
    return [
        f"{len(names):,} names begin as formulas do, such as {names[0]!r}. They are written as "
        "they are; a spreadsheet may run them, so tell recipients to import the tables as text."
    ]
