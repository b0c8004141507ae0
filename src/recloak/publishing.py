"""Publishing: apply, write beside, read back, verify, audit, judge, and only then appear."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from recloak import memory
from recloak.auditing import audit
from recloak.errors import (
    ClaimError,
    InputError,
    MachineError,
    ParameterError,
    PolicyError,
    RecloakError,
)
from recloak.files import (
    machine_errors,
    move_into_place,
    staged_file,
    staging_folder,
    sync_tree,
)
from recloak.findings import Audit
from recloak.forensics import look_for_traces
from recloak.interrupts import held_off
from recloak.manifest import Manifest
from recloak.methods import Applied, Method
from recloak.methods import method as method_called
from recloak.places import Places
from recloak.policy import Policy
from recloak.progress import SILENT, Progress
from recloak.randomness import Randomness
from recloak.ratings import Ratings
from recloak.release import (
    Release,
    open_release,
    save_release,
)
from recloak.report import render_html, render_json
from recloak.secret import Lock, Secret, seal
from recloak.verifying import check_claims, refuse_broken
from recloak.wallets import write_wallets

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
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        parts = [f"Published {self.release} in {self.folder}"]
        parts += [f"report: {self.report}"] if self.report else []
        parts += [f"secret: {self.secret}"] if self.secret else ["secret: destroyed"]
        parts += [f"wallets: {self.wallets}"] if self.wallets else []
        return "\n  ".join(parts)


def publish(
    ratings: Ratings,
    method: Method | str,
    *,
    out: str | Path,
    report: str | Path | None = None,
    policy: Policy | str | Path | None = None,
    exclude_users: Iterable[Any] = (),
    keep_secret: str | Path | None = None,
    split_secret: str | Path | None = None,
    lock: Lock | None = None,
    seed: int | str | None = None,
    audit_seed: int = 0,
    audited: bool = True,
    table_format: str = "parquet",
    config: Mapping[str, Any] | None = None,
    columns_left_out: Iterable[str] = (),
    progress: Progress = SILENT,
    **parameters: Any,
) -> Published:
    """Publish ``ratings`` by ``method`` as the folder ``out``, whole or not at all.

    The release is written beside its place and read back; its claims are verified on what was
    read, it is audited, and with ``policy`` every line must pass; then it appears under its name.
    A report for the inside (``out`` with ``-report.html``, and the same as JSON) stands beside it.
    The secret is destroyed unless ``keep_secret`` names a file, which ``lock`` encrypts, or
    ``split_secret`` a folder, where each person's own pseudonyms stand in a file of their own.
    """
    recipe = method_called(method, **parameters) if isinstance(method, str) else method
    orders = Orders.check(
        out=out,
        report=report,
        policy=policy,
        keep_secret=keep_secret,
        split_secret=split_secret,
        lock=lock,
        audit_seed=audit_seed,
        audited=audited,
        table_format=table_format,
        columns_left_out=tuple(columns_left_out),
    )
    refuse_too_large(ratings, audited=audited)
    kept = without(ratings, list(exclude_users))
    applied = _apply(recipe, kept, Randomness.from_seed(seed), progress)
    excluded = len(kept.user_labels) < len(ratings.user_labels)
    told = {"users_excluded": excluded} | dict(config or {})
    return carry_out(orders, applied, recipe, kept, told, progress)


@dataclass(frozen=True)
class Orders:
    """What was asked for beside the release itself, checked before any work begins."""

    places: Places
    policy: Policy | None
    lock: Lock | None
    audit_seed: int
    audited: bool
    table_format: str
    columns_left_out: tuple[str, ...]

    @classmethod
    def check(
        cls,
        *,
        out: str | Path,
        report: str | Path | None,
        policy: Policy | str | Path | None,
        keep_secret: str | Path | None,
        split_secret: str | Path | None,
        lock: Lock | None,
        audit_seed: int,
        audited: bool,
        table_format: str,
        columns_left_out: tuple[str, ...],
    ) -> Orders:
        """Refuse what cannot be carried out."""
        shown = report if audited else None
        places = Places.check(out, shown, keep_secret, split_secret, lock, table_format)
        enforced = Policy.read(policy) if isinstance(policy, str | Path) else policy
        if enforced is not None and not audited:
            raise ParameterError("a policy needs the audit", where="--policy with --no-audit")
        return cls(places, enforced, lock, audit_seed, audited, table_format, columns_left_out)

    def told(self, recipe: Method) -> dict[str, Any]:
        """What the manifest says of them."""
        return {
            "method": recipe.name,
            "parameters": recipe.parameters.public(),
            "table_format": self.table_format,
            "users_excluded": False,
            "secret": _kept(self.places.secret, self.places.wallets),
            "policy_enforced": self.policy is not None,
            "audited": self.audited,
            "audit_seed": self.audit_seed,
        }


def carry_out(
    orders: Orders,
    applied: Applied,
    recipe: Method,
    kept: Ratings,
    told: Mapping[str, Any],
    progress: Progress,
    previous: Release | None = None,
    previous_secret: Secret | None = None,
) -> Published:
    """Write, verify, audit and judge what ``recipe`` made of ``kept``; then let it appear.

    With ``previous``, the audit also asks what holding both releases gives away.
    """
    applied, places = _described(applied, orders.told(recipe) | dict(told)), orders.places
    with staging_folder(places.out) as staging:
        with machine_errors(places.out):
            staged, manifest = _write_and_read_back(applied, staging, orders.table_format)
        refuse_broken(check_claims(staged, manifest.claimed, progress, kept))
        if recipe.caveat is None:
            refuse_broken(look_for_traces(staging / "release", canonical=False))
            _refuse_original_ids(kept, staged)
        found = None
        if orders.audited:
            found = audit(
                kept,
                staged,
                secret=applied.secret,
                method=recipe,
                policy=orders.policy,
                previous=previous,
                previous_secret=previous_secret,
                seed=orders.audit_seed,
                progress=progress,
            )
            facts = {**found.release, "columns_left_out": list(orders.columns_left_out)}
            notes, enforced = (*applied.notes, *found.notes), orders.policy is not None
            found = replace(found, enforced=enforced, release=facts, notes=notes)
            refuse_failing(found)
        with progress.task("Publishing", 1) as task:
            task.advance()  # the last moment to stop: from here on it appears
            _appear(places, staging / "release", applied, orders.lock, found, progress)
    html = places.html if orders.audited else None
    return Published(places.out, staged, found, html, places.secret, places.wallets, applied.notes)


def _kept(keep: str | Path | None, split: str | Path | None) -> str:
    """What the manifest says became of the secret."""
    if keep and split:
        return "kept and split"
    return "kept" if keep else "split" if split else "destroyed"


def without(ratings: Ratings, excluded: list[Any]) -> Ratings:
    """The ratings of all others; somebody must be left."""
    if not excluded:
        return ratings
    try:
        kept = ratings.without_users(excluded)
    except InputError as problem:
        raise InputError(problem.what, where="--exclude-users", hint=problem.hint) from None
    if kept.n_users == 0:
        raise InputError("nobody is left to publish", where="--exclude-users")
    return kept


def _apply(recipe: Method, kept: Ratings, randomness: Randomness, progress: Progress) -> Applied:
    """Run the method; what goes wrong in someone else's is said to be theirs."""
    try:
        return recipe.apply(kept, randomness, progress)
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
    each = BYTES_PER_RATING["audited" if audited else "published"]
    memory.need(each * ratings.n_ratings, f"publishing {ratings.n_ratings:,} ratings")


def _described(applied: Applied, config: Mapping[str, Any]) -> Applied:
    manifest = applied.release.manifest.model_copy(update={"config": dict(config)})
    return applied._replace(release=replace(applied.release, manifest=manifest))


def _write_and_read_back(
    applied: Applied, staging: Path, table_format: str
) -> tuple[Release, Manifest]:
    folder = staging / "release"
    folder.mkdir(mode=0o755)
    manifest = save_release(applied.release, folder, table_format)
    staged = open_release(folder)
    if not staged.same_tables(applied.release):
        raise MachineError("what was written does not read back the same", where=str(folder))
    return staged, manifest


def refuse_failing(found: Audit) -> None:
    """Raise if a policy is enforced and a line of it does not pass."""
    failing = [light for light in found.lights if not light.passed]
    if found.enforced and failing:
        told = "\n".join(f"  {light.line}: {light.found} [{light.status}]" for light in failing)
        raise PolicyError(
            f"{len(failing)} of {len(found.lights)} lines of the policy do not pass; "
            f"nothing was published\n{told}",
            where=found.policy,
            hint="Change the method or its parameters, or have the policy changed by who signs it.",
        )


def _appear(
    places: Places,
    staged: Path,
    applied: Applied,
    lock: Lock | None,
    found: Audit | None,
    progress: Progress,
) -> None:
    """Write everything beside its place first, then let it appear: secrets, release, reports.

    All is on the disk before the first appears, so that little can go wrong from then on; what
    does is undone. The secret comes first because a release that lost it cannot be mended.
    """
    with ExitStack() as staging, ExitStack() as undo:
        secret = []
        if places.secret is not None and lock is not None:
            secret = [_staged(staging, places.secret, seal(applied.secret, lock), 0o600)]
        reports = []
        if found is not None:
            texts = {places.html: render_html(found), places.json: render_json(found)}
            reports = [_staged(staging, path, text.encode()) for path, text in texts.items()]
        wallets = None
        if places.wallets is not None:
            wallets = staging.enter_context(staging_folder(places.wallets)) / "wallets"
            with machine_errors(places.wallets):
                wallets.mkdir(mode=0o700)
                write_wallets(applied.secret, wallets, progress)
                os.sync()  # one call for what may be half a million small files
        sync_tree(staged)
        with held_off():
            for path, appear in secret:
                appear()
                undo.callback(path.unlink, missing_ok=True)
            if wallets is not None and places.wallets is not None:
                wallets.rename(places.wallets)
                undo.callback(places.wallets.rename, wallets)
            move_into_place(staged, places.out)
            undo.callback(places.out.rename, staged)
            for path, appear in reports:
                appear()
                undo.callback(path.unlink, missing_ok=True)
            undo.pop_all()


def _staged(
    staging: ExitStack, path: Path, content: bytes, mode: int = 0o644
) -> tuple[Path, Callable[[], None]]:
    """A file that is whole on the disk beside its place, and the function that puts it there."""
    file, appear = staging.enter_context(staged_file(path, mode=mode))
    with machine_errors(path):
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    return path, appear
