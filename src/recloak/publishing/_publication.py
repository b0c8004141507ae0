"""Publication: what a method made is written, verified, audited and judged; then it appears."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from recloak.auditing.leak_scan import scan_for_leaks
from recloak.auditing.policy import Policy
from recloak.auditing.run import audit
from recloak.auditing.verification import check_claims
from recloak.core.errors import ClaimError
from recloak.core.files import machine_errors, staging_folder
from recloak.core.progress import Progress
from recloak.core.ratings import Ratings
from recloak.core.staged_ratings import RatingsElsewhere
from recloak.evaluation.findings import Audit, Verdict
from recloak.evaluation.refusals import refuse_broken
from recloak.guarantees import guarantee
from recloak.methods import Applied, Method
from recloak.publishing._appearing import appear, write_and_read_back
from recloak.publishing._disk_audit import AuditSubject, SampledPeople
from recloak.publishing._made_up import with_earlier_budget
from recloak.publishing.checked_options import CheckedOptions
from recloak.publishing.options import PublishOptions
from recloak.publishing.published import Published
from recloak.releases.base import Release
from recloak.releases.encrypted import encrypt_folder
from recloak.releases.secret import Secret
from recloak.releases.survey import SurveyRelease
from recloak.releases.tables import names_like_formulas
from recloak.report.refusal import refuse_with_report

_NEEDS_ALL_ROWS = (
    "It is decided on all rows at once, and these do not fit into memory: use --engine memory."
)


class EarlierPublication(NamedTuple):
    """A release that was published before of the same people, and the secret of it."""

    release: Release
    secret: Secret


class OneMethod(NamedTuple):
    """The method in use in the place of a registry: it need not be registered anywhere."""

    recipe: Method

    def names(self) -> list[str]:
        """Its name."""
        return [self.recipe.name]

    def get(self, name: str) -> type[Method]:
        """Its class, which makes it from its parameters."""
        return type(self.recipe)


@dataclass(frozen=True)
class Publication:
    """What ``recipe`` made of ``original``, on its way to a folder.

    ``config`` is for the manifest, beside what the options say. With an ``earlier`` release, the
    audit also asks what holding both gives away. ``sampled`` chooses whom the audit looks at, for
    an original on disk.
    """

    applied: Applied
    recipe: Method
    original: Ratings | RatingsElsewhere
    config: Mapping[str, Any]
    earlier: EarlierPublication | None = None
    sampled: SampledPeople | None = None

    def publish(self, checked: CheckedOptions, progress: Progress) -> Published:
        """Write, verify, audit and judge it; then let it appear."""
        options, paths = checked.options, checked.paths
        left_out = self._columns_left_out(options)
        applied = self._described(checked, len(left_out))
        with staging_folder(paths.out) as staging:
            with machine_errors(paths.out):
                staged = write_and_read_back(applied.release, staging, options.table_format)
            verdicts = self._verify(staged, staging / "release", progress)
            found = None
            if options.audited:
                found = self._audit(checked, staged, applied, verdicts, progress)
                facts = {**found.release, "columns_left_out": left_out}
                found = replace(found, release=facts, data=options.data_name)
                refuse_with_report(found, paths.html if options.report else None)
            if checked.parts_lock is not None:
                root = applied.secret.root
                sealed = encrypt_folder(staging / "release", checked.parts_lock, root, progress)
                staged = replace(staged, manifest=sealed)
            with progress.task("Publishing", 1) as task:
                task.advance()  # the last moment to stop: from here on it appears
                appear(paths, staging / "release", applied, options.lock, found, progress)
        return Published(
            paths.out,
            staged.moved_to(paths.out),
            found,
            paths.html if options.audited else None,
            paths.secret,
            paths.wallets,
            paths.model,
            applied.notes,
            paths.export,
        )

    def _columns_left_out(self, options: PublishOptions) -> list[str]:
        """All columns of the file that are not in the release; of a survey, issues as well."""
        names, release = list(options.columns_left_out), self.applied.release
        if isinstance(release, SurveyRelease):
            published = {str(label) for label in release.as_ratings().item_labels}
            issues = (str(label) for label in self.original.item_labels)
            names += [issue for issue in issues if issue not in published]
        return list(dict.fromkeys(names))

    def _described(self, checked: CheckedOptions, n_left_out: int) -> Applied:
        """What the method made, with what its manifest says of the options, and with notes."""
        applied = with_earlier_budget(self.applied, checked.options.previous)
        manifest = applied.release.manifest
        config = checked.config(manifest, made_up=self.recipe.made_up)
        config |= {"columns_left_out": n_left_out} if n_left_out else {}
        manifest = manifest.model_copy(update={"config": config | dict(self.config)})
        notes = (*applied.notes, *_formula_notes(applied.release, checked.options))
        return applied._replace(release=replace(applied.release, manifest=manifest), notes=notes)

    def _verify(self, staged: Release, folder: Path, progress: Progress) -> Sequence[Verdict]:
        """The verdict on each claim; raises if one is broken, or if a trace of people is found."""
        verdicts = check_claims(staged, staged.manifest.claimed, progress, self.original)
        refuse_broken(verdicts)
        if self.recipe.caveat is None:
            method = OneMethod(self.recipe)
            refuse_broken(scan_for_leaks(folder, method, opened=staged, canonical=False))
            _refuse_original_ids(self.original, staged)
        return verdicts

    def _audit(
        self,
        checked: CheckedOptions,
        staged: Release,
        applied: Applied,
        verdicts: Sequence[Verdict],
        progress: Progress,
    ) -> Audit:
        subject = self._subject(staged, applied)
        if subject.sampled and checked.policy is not None:
            verdicts = self._of_all_rows(checked.policy, staged, verdicts, progress)
        found = audit(
            subject.original,
            subject.release,
            secret=subject.secret,
            everyone=subject.everyone,
            method=self.recipe,
            policy=checked.policy,
            previous=self.earlier.release if self.earlier else None,
            previous_secret=self.earlier.secret if self.earlier else None,
            verdicts=verdicts,
            seed=checked.options.audit_seed,
            progress=progress,
        )
        notes = (*applied.notes, *subject.notes, *found.notes)
        return replace(found, enforced=checked.policy is not None, notes=notes)

    def _of_all_rows(
        self, policy: Policy, staged: Release, verdicts: Sequence[Verdict], progress: Progress
    ) -> Sequence[Verdict]:
        """The verdicts, and those on the claims of the policy: a sample would tell too little."""
        specs = {guarantee(claim).spec: guarantee(claim) for claim in policy.claims}
        open_ = [spec for spec in specs if spec not in {one.claim for one in verdicts}]
        by_parts = [spec for spec in open_ if specs[spec].by_parts]
        checked = check_claims(staged, by_parts, progress, self.original)
        others = [
            Verdict(spec, "undecided", _NEEDS_ALL_ROWS) for spec in open_ if spec not in by_parts
        ]
        return (*verdicts, *checked, *others)

    def _subject(self, staged: Release, applied: Applied) -> AuditSubject:
        if isinstance(self.original, Ratings):
            return AuditSubject(self.original, staged, applied.secret)
        assert self.sampled is not None
        return self.sampled.subject(staged, applied)


def _refuse_original_ids(original: Ratings | RatingsElsewhere, staged: Release) -> None:
    """A few may coincide by chance where people have numbers of fifteen digits as names."""
    names = {str(name) for name in original.user_labels}
    shared = sum(str(row) in names for row in staged.row_labels)
    if shared > 1 + original.n_users // 1000:
        raise ClaimError(
            f"{shared:,} rows have the id of a user of the original; nothing was published",
            hint="The method must give rows new names, or declare that it does not.",
        )


def _formula_notes(release: Release, options: PublishOptions) -> list[str]:
    """What a recipient with a spreadsheet must be told of the names in CSV tables."""
    if options.table_format != "csv":
        return []
    names = names_like_formulas(release.listed.item_labels)
    names += names_like_formulas(release.row_labels)
    if not names:
        return []
    return [
        f"{len(names):,} names begin like formulas, such as {names[0]!r}. They are written as "
        "they are; a spreadsheet may run them, so tell recipients to import the tables as text."
    ]
