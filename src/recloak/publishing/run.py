"""Publishing: ratings or a file of them, in memory, on disk or in Spark, become a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from recloak.core import memory
from recloak.core.errors import ParameterError, RecloakError
from recloak.core.files import staging_folder
from recloak.core.options import takes
from recloak.core.progress import Progress, Staged
from recloak.core.progress.shown import SHOWN
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.core.staged_ratings import RatingsElsewhere, StagedRatings
from recloak.io.duckdb import is_url
from recloak.io.given import Given
from recloak.io.loading import Loaded, load
from recloak.io.options import ReadOptions
from recloak.io.staging import FileToRead, StagedFile
from recloak.methods import Applied, Method
from recloak.publishing._disk_audit import SampledPeople
from recloak.publishing._disk_release import AppliedByBlocks, ByBlocks, apply_on_disk
from recloak.publishing._engines import Engine, bytes_in_memory, engine_for, memory_of_disk_engine
from recloak.publishing._keywords import Keywords
from recloak.publishing._made_up import refuse_misfit
from recloak.publishing._original import original_of, refuse_nobody
from recloak.publishing._publication import Publication
from recloak.publishing._staged_input import BYTES_TO_READ, name_of, staged_from
from recloak.publishing.checked_options import CheckedOptions, bytes_needed, refuse_before_work
from recloak.publishing.options import PublishOptions
from recloak.publishing.published import Published
from recloak.publishing.spark import SparkSource, applied_in_spark, is_spark_frame


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
        file, the URL of a table in DuckDB; or a DataFrame of Spark. Columns that are no ratings are
        left out.
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
    checked = CheckedOptions.of(wanted)  # before the data are read, which may take long
    if words.reading:
        said = words.reading["options"].for_manifest()
        checked = checked.with_defaults(config={"reading": said})
    with memory.limited_memory(wanted.most_memory):
        if wanted.engine == "spark" or (wanted.engine == "auto" and is_spark_frame(ratings)):
            source = SparkSource(ratings, words.reading.get("options", ReadOptions()))
            return _publish_in_spark(source, words.method, checked, progress)[0]
        if isinstance(ratings, str | Path) and not is_url(ratings):
            file = FileToRead(ratings, words.reading.get("options", ReadOptions()))
            return publish_file(file, words.method, checked, progress)[0]
        given = Given.of(ratings, words.reading, progress=progress)
        return _publish_given(given, words.method, checked, progress)


def publish_file(
    file: FileToRead, recipe: Method, checked: CheckedOptions, progress: Progress
) -> tuple[Published, Loaded | StagedFile[Any]]:
    """As `publish`, from a file, on any engine; and what was noticed while it was read."""
    engine = engine_of_file(file, recipe, checked.options)
    if engine.name == "spark":
        source = SparkSource(file.paths, file.options)
        return _publish_in_spark(source, recipe, checked, progress)
    if engine.name == "disk":
        return _publish_on_disk(file, recipe, checked, engine.note, progress)
    loaded = load(file.paths, file.options, progress=progress)
    return _publish_given(Given.loaded(loaded), recipe, checked, progress), loaded


def _publish_given(
    given: Given, recipe: Method, checked: CheckedOptions, progress: Progress
) -> Published:
    ratings, wanted = given.ratings, checked.options
    checked = checked.with_defaults(columns_left_out=given.left_out, data_name=given.name)
    needed = bytes_needed(ratings, audited=wanted.audited)
    engine = engine_for(wanted.engine, recipe, ratings.n_ratings, needed, wanted.table_format)
    if engine.name == "disk":
        return _publish_on_disk(ratings, recipe, checked, engine.note, progress)[0]
    refuse_before_work(ratings, recipe, wanted)
    original = original_of(ratings, wanted)
    applied = _apply(recipe, original, Randomness.from_seed(wanted.seed), progress)
    excluded = len(original.user_labels) < len(ratings.user_labels)
    config = {"users_excluded": excluded, **wanted.config}
    return Publication(applied, recipe, original, config).publish(checked, progress)


def engine_of_file(file: FileToRead, recipe: Method, options: PublishOptions) -> Engine:
    """The engine for ratings that were not read yet: a file tells about how many there are."""
    count = file.estimated_ratings() if options.engine == "auto" else 0
    needed = bytes_in_memory(count, audited=options.audited) + BYTES_TO_READ * count
    return engine_for(options.engine, recipe, count, needed, options.table_format)


def refuse_unknown_cost(file: FileToRead, recipe: Method, options: PublishOptions) -> None:
    """Refuse to estimate what is not known: an estimate is made from all ratings in memory."""
    engine = engine_of_file(file, recipe, options)
    if engine.name == "spark":
        raise ParameterError(
            "what Spark needs is not known without running it", where="--dry-run --engine spark"
        )
    too_many = BYTES_TO_READ * file.estimated_ratings() > memory.available()
    if engine.name == "disk" and (engine.note or too_many):
        raise ParameterError(
            "an estimate is made from all ratings in memory, and these do not fit",
            where="--dry-run --engine disk",
            hint="Leave --dry-run out: the disk engine says before its work if memory is too small "
            "for it. Or estimate a part of the ratings: time grows with their number.",
        )


def _publish_on_disk(
    source: FileToRead | Ratings,
    recipe: Method,
    checked: CheckedOptions,
    note: str | None,
    progress: Progress,
) -> tuple[Published, StagedFile[StagedRatings]]:
    """With ratings in blocks on disk; and what was noticed while they were read."""
    assert isinstance(recipe, ByBlocks)
    options = checked.options
    refuse_misfit(recipe, options, by_blocks=True)
    with staging_folder(checked.paths.out) as work:
        file = staged_from(source, work, options.exclude_users, progress)
        staged = file.ratings
        refuse_nobody(staged.n_users)
        memory.require_memory(memory_of_disk_engine(staged, recipe, options), "the disk engine")
        randomness = Randomness.from_seed(options.seed)
        made = apply_on_disk(recipe, staged, randomness, work, progress)
        notes = (*([note] if note else []), *made.applied.notes)
        made = made._replace(applied=made.applied._replace(notes=notes))
        checked = checked.with_defaults(data_name=name_of(source))
        return _publish_made(made, recipe, file, checked, progress), file


def _publish_in_spark(
    source: SparkSource, recipe: Method, checked: CheckedOptions, progress: Progress
) -> tuple[Published, StagedFile[RatingsElsewhere]]:
    """With ratings that stay in Spark; and what was noticed while they were read."""
    options = checked.options
    engine_for("spark", recipe, 0, 0, options.table_format)
    assert isinstance(recipe, ByBlocks)
    refuse_misfit(recipe, options, by_blocks=True)
    with (
        staging_folder(checked.paths.out) as work,
        applied_in_spark(source, recipe, options, work, progress) as (file, made),
    ):
        checked = checked.with_defaults(data_name=source.name)
        return _publish_made(made, recipe, file, checked, progress), file


def _publish_made(
    made: AppliedByBlocks,
    recipe: ByBlocks,
    file: StagedFile[RatingsElsewhere],
    checked: CheckedOptions,
    progress: Progress,
) -> Published:
    """Publish what was made by blocks."""
    options, staged = checked.options, file.ratings
    left_out = list(dict.fromkeys((*file.dropped, *file.personal)))
    config = {"users_excluded": bool(options.exclude_users), **options.config}
    sampled = SampledPeople(staged, recipe, made)
    publication = Publication(made.applied, recipe, staged, config, sampled=sampled)
    return publication.publish(checked.with_defaults(columns_left_out=left_out), progress)


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
