"""Checked options: whatever can be refused is refused before the work begins."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from recloak.auditing.policy import Policy
from recloak.core import memory
from recloak.core.errors import ParameterError
from recloak.core.randomness import parse_seed
from recloak.core.ratings import Ratings
from recloak.methods import Method
from recloak.publishing._engines import bytes_in_memory
from recloak.publishing._made_up import refuse_misfit
from recloak.publishing._output_paths import OutputPaths
from recloak.publishing.options import PublishOptions
from recloak.releases.manifest import Manifest
from recloak.releases.sealing import Lock


@dataclass(frozen=True)
class CheckedOptions:
    """Options of which it is known, before any work begins, that they can be followed."""

    options: PublishOptions
    paths: OutputPaths
    policy: Policy | None
    parts_lock: Lock | None
    """What the tables are encrypted with for their recipient."""

    @classmethod
    def of(cls, options: PublishOptions) -> CheckedOptions:
        """Raise `ParameterError` for what cannot be followed, such as a place that is taken."""
        paths, policy = OutputPaths.of(options), options.policy
        if options.seed is not None:
            parse_seed(options.seed)
        enforced = Policy.read(policy) if isinstance(policy, str | Path) else policy
        if enforced is not None and not options.audited:
            raise ParameterError(
                "a policy cannot be judged without an audit", where="--policy with --no-audit"
            )
        return cls(options, paths, enforced, _parts_lock(options))

    def with_defaults(self, **values: Any) -> CheckedOptions:
        """These, and ``values`` of options that nobody gave and that need no check."""
        return replace(self, options=self.options.with_defaults(**values))

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


def _parts_lock(options: PublishOptions) -> Lock | None:
    if options.encrypt_parts is None:
        return None
    if options.export is not None:
        raise ParameterError(
            "a database would hold the tables unencrypted", where="--export with --encrypt-parts"
        )
    return Lock.key_file(options.encrypt_parts, "--encrypt-parts")


def refuse_before_work(ratings: Ratings, recipe: Method, options: PublishOptions) -> None:
    """Refuse what the data, or the method, cannot do, before the work begins."""
    refuse_too_large(ratings, audited=options.audited)
    refuse_misfit(recipe, options)


def refuse_too_large(ratings: Ratings, *, audited: bool) -> None:
    """Refuse before the start what would end half way for want of memory."""
    needed = bytes_needed(ratings, audited=audited)
    memory.require_memory(needed, f"publishing {ratings.n_ratings:,} ratings")


def bytes_needed(ratings: Ratings, *, audited: bool) -> int:
    """What a publication needs beside the ratings."""
    return bytes_in_memory(ratings.n_ratings, audited=audited)
