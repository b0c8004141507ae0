"""Publishing: apply, write beside, read back, verify, audit, judge, and only then appear."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
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
    MachineError,
    ParameterError,
    RecloakError,
)
from recloak.core.files import (
    machine_errors,
    move_into_place,
    staged_file,
    staging_folder,
    sync_tree,
)
from recloak.core.options import takes
from recloak.core.progress import Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.core.shown_progress import SHOWN
from recloak.core.stopping import indivisible
from recloak.evaluation import findings, lights
from recloak.evaluation.lights import Light
from recloak.evaluation.refusals import refuse_broken
from recloak.io.duckdb import staged_tables
from recloak.io.given import Given
from recloak.io.options import ReadOptions
from recloak.methods import Applied, Method
from recloak.publishing._keywords import Keywords
from recloak.publishing._made_up import (
    refuse_misfit,
    with_earlier_budget,
    with_public_items,
)
from recloak.publishing._output_paths import OutputPaths
from recloak.publishing._staged_wallets import StagedWallets
from recloak.publishing.options import PublishOptions
from recloak.releases.base import Release, open_release, save_release
from recloak.releases.manifest import Manifest
from recloak.releases.secret import Lock, NoSecret, Secret, seal
from recloak.releases.survey import SurveyRelease
from recloak.releases.tables import names_like_formulas
from recloak.report import render_html, render_json
from recloak.report.audits import Audit
from recloak.report.refusal import refuse_with_report

# The most that is held beside the original while a release is made, as measured at 100M ratings.
BYTES_PER_RATING = {"published": 60, "audited": 90}


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
        light = Light.of(self.audit.status if self.audit else "not audited")
        shown = lights.table(f"Published by {self.release.manifest.method}", rows, light=light)
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
    recipe = words.method
    wanted = PublishOptions.of("publish", options, words.options)
    CheckedOptions.of(wanted)  # before the data are read, which may take long
    given = Given.of(ratings, words.reading, progress=progress)
    ratings = given.ratings
    settled = wanted.with_defaults(columns_left_out=given.left_out, data_name=given.name)
    checked = checked_before_work(ratings, recipe, settled)
    original = _compacted(without(ratings, checked.options.exclude_users))
    original = with_public_items(original, checked.options.public_items)
    applied = _apply(recipe, original, Randomness.from_seed(checked.options.seed), progress)
    excluded = len(original.user_labels) < len(ratings.user_labels)
    config = {"users_excluded": excluded, **checked.options.config}
    return publish_applied(checked, applied, recipe, original, config, progress)


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
    original: Ratings,
    config: Mapping[str, Any],
    progress: Progress,
    earlier: Earlier | None = None,
) -> Published:
    """Write, verify, audit and judge what ``recipe`` made of ``original``; then let it appear.

    ``config`` is for the manifest, beside what the options say. With an ``earlier`` release, the
    audit also asks what holding both gives away.
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
            staged = _write_and_read_back(applied, staging, options.table_format)
        verdicts = check_claims(staged, staged.manifest.claimed, progress, original)
        refuse_broken(verdicts)
        if recipe.caveat is None:
            folder = staging / "release"
            refuse_broken(scan_for_leaks(folder, WordsOf(recipe), opened=staged, canonical=False))
            _refuse_original_ids(original, staged)
        found = None
        if options.audited:
            found = audit(
                original,
                staged,
                secret=applied.secret,
                method=recipe,
                policy=checked.policy,
                previous=earlier.release if earlier else None,
                previous_secret=earlier.secret if earlier else None,
                verdicts=verdicts,
                seed=options.audit_seed,
                progress=progress,
            )
            facts = {**found.release, "columns_left_out": left_out}
            notes, enforced = (*applied.notes, *found.notes), checked.policy is not None
            found = replace(
                found, enforced=enforced, release=facts, notes=notes, data=options.data_name
            )
            refuse_with_report(found, paths.html if options.report else None)
        with progress.task("Publishing", 1) as task:
            task.advance()  # the last moment to stop: from here on it appears
            _appear(paths, staging / "release", applied, options.lock, found, progress)
    html = paths.html if options.audited else None
    drawn = Audit.of(found) if found is not None else None
    return Published(
        paths.out, staged, drawn, html, paths.secret, paths.wallets, paths.model, applied.notes
    )


def _columns_left_out(options: PublishOptions, original: Ratings, release: Release) -> list[str]:
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
        return recipe.apply(original, randomness, progress)
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


def _refuse_original_ids(original: Ratings, staged: Release) -> None:
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
    return BYTES_PER_RATING["audited" if audited else "published"] * ratings.n_ratings


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


def _write_and_read_back(applied: Applied, staging: Path, table_format: str) -> Release:
    folder = staging / "release"
    folder.mkdir(mode=0o755)
    save_release(applied.release, folder, table_format)
    staged = open_release(folder)
    if not staged.same_tables(applied.release):
        raise MachineError("what was written does not read back the same", where=str(folder))
    return staged


def _appear(
    paths: OutputPaths,
    staged: Path,
    applied: Applied,
    lock: Lock | None,
    found: findings.Audit | None,
    progress: Progress,
) -> None:
    """Write everything beside its place first, then let it appear: secrets, release, reports.

    All is on the disk before the first appears, so that little can go wrong from then on; what
    does is undone. The secret comes first because a release that lost it cannot be mended.
    """
    with ExitStack() as staging:
        secrets = _staged_secrets(staging, paths, applied, lock)
        reports = []
        if found is not None:
            texts = {paths.html: render_html(found), paths.json: render_json(found)}
            reports = [_staged(staging, path, text.encode()) for path, text in texts.items()]
        exported = _staged_export(staging, paths, applied.release, staged)
        wallets = None
        if paths.wallets is not None:
            place = staging.enter_context(staging_folder(paths.wallets)) / "wallets"
            wallets = StagedWallets(applied.secret, place, paths.wallets)
            task = staging.enter_context(progress.task("Writing wallets", 2 * len(wallets)))
            wallets.prepare(task)
        sync_tree(staged)
        split = [Step(wallets.appear, wallets.withdraw)] if wallets is not None else []
        moved = Step(
            partial(move_into_place, staged, paths.out, synced=True),
            partial(paths.out.rename, staged),
        )
        with indivisible(), ExitStack() as undo:
            for step in (*secrets, *split, moved, *exported, *reports):
                step.appear()
                undo.callback(step.withdraw)
            undo.pop_all()
        if wallets is not None:
            wallets.finish(task)


class Step(NamedTuple):
    """One of the things that appear together, and how it is undone if a later one cannot."""

    appear: Callable[[], object]
    withdraw: Callable[[], object]


def _staged_secrets(
    staging: ExitStack, paths: OutputPaths, applied: Applied, lock: Lock | None
) -> list[Step]:
    """What is kept of the secret or the model, sealed."""
    steps = []
    if paths.secret is not None and lock is not None:
        steps = [_staged(staging, paths.secret, seal(applied.secret, lock), 0o600)]
    model = applied.secret.model if isinstance(applied.secret, NoSecret) else None
    if paths.model is not None and lock is not None and model is not None:
        sealed = model.sealed(lock, applied.release.manifest.release_id)
        steps.append(_staged(staging, paths.model, sealed, 0o600))
    return steps


def _staged_export(
    staging: ExitStack, paths: OutputPaths, release: Release, folder: Path
) -> list[Step]:
    """The tables of the release in a database, if they are to stand there as well."""
    if paths.export is None:
        return []
    exported = staging.enter_context(staged_tables(paths.export))
    exported.write(release.read_frames(folder))
    return [Step(exported.appear, exported.withdraw)]


def _staged(staging: ExitStack, path: Path, content: bytes, mode: int = 0o644) -> Step:
    """A file that is whole on the disk beside its place, and the step that puts it there."""
    file, appear = staging.enter_context(staged_file(path, mode=mode))
    with machine_errors(path):
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    return Step(appear, partial(path.unlink, missing_ok=True))
