"""Options of publishing: where a release goes, what must hold, what becomes of its secret."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from recloak.core.memory import parse_size
from recloak.core.options import Options, option

if TYPE_CHECKING:
    from recloak.auditing.policy import Policy
    from recloak.releases.secret import Lock

    Seed = int | str | None
else:
    Policy = Lock = Seed = Any  # the real ones take a second to import, and help is shown without


SECRET, MADE_UP, SPARK = "secret", "made-up people", "Apache Spark"  # titles in the help


def _as_path(value: Any) -> Any:
    return Path(value) if isinstance(value, os.PathLike) else value


class PublishOptions(Options):
    """What may be said about a publication beside the ratings and the method.

    >>> import recloak
    >>> recloak.PublishOptions(out="release", audited=False).out
    'release'
    """

    out: str | Path = option(..., metavar="DIR", convert=_as_path)
    """the release's folder; must not exist"""

    report: str | Path | None = option(metavar="FILE", convert=_as_path)
    """the report (default: DIR-report.html)"""

    data_name: str = option("", metavar="NAME")
    """what the report calls the data (default: the name of the file)"""

    policy: Policy | str | Path | None = option(metavar="FILE", convert=_as_path)
    """publish only if every line passes"""

    exclude_users: Sequence[Any] = option((), metavar="FILE", convert=tuple)
    """ids to leave out, one on each line"""

    table_format: Literal["parquet", "csv"] = option("parquet")
    """how the release's tables are written (default: parquet)"""

    engine: Literal["auto", "memory", "disk", "spark"] = option("auto")
    """where ratings are held during the work: in memory, on disk, on disk if memory does not
    suffice, or with the workers of Apache Spark; the release is the same (default: auto)"""

    memory: str | None = option(metavar="SIZE")
    """how much memory may be used, such as 4GB (default: what is free)"""

    master: str | None = option(metavar="URL", group=SPARK)
    """where Spark runs, such as local[4], spark://host:7077 or sc://host (default: what
    spark-submit or spark-defaults.conf say)"""

    unencrypted_shuffle: bool = option(False, group=SPARK)
    """let Spark write and send ratings and draws unencrypted"""

    export: str | None = option(metavar="URL")
    """also write the release's tables into DuckDB: duckdb:///file.db?table=NAME, a new one"""

    seed: Seed = option()
    """make it reproducible; with fewer than 128 bits it is not for publication"""

    audit_seed: int = option(0)
    """seed of the audit's samples"""

    audited: bool = option(True, flag="no-audit", help="publish without an audit")
    """whether the release is attacked and measured before it is published"""

    keep_secret: str | Path | None = option(metavar="FILE", group=SECRET, convert=_as_path)
    """keep what re-links the release, encrypted"""

    split_secret: str | Path | None = option(metavar="DIR", group=SECRET, convert=_as_path)
    """write each person's own pseudonyms, a file each, for their clients"""

    encrypt_parts: str | Path | None = option(metavar="KEY", group=SECRET, convert=_as_path)
    """encrypt the tables for their recipient, who has this key file of 32 random bytes"""

    keep_model: str | Path | None = option(metavar="FILE", group=MADE_UP, convert=_as_path)
    """of made-up people: keep what they are drawn from, encrypted, for 'recloak draw'"""

    previous: str | Path | None = option(metavar="DIR", group=MADE_UP, convert=_as_path)
    """of made-up people: an earlier release of the same people; its budget is added to this"""

    public_items: Sequence[Any] = option((), metavar="FILE", group=MADE_UP, convert=tuple)
    """of made-up people: the catalogue, one item on each line, instead of what is in the file"""

    lock: Lock | None = None
    """what encrypts the secret or the model that is kept"""

    config: Mapping[str, Any] = option({}, flag=False, convert=lambda value: value or {})
    """what else shaped the release, for the manifest"""

    columns_left_out: Sequence[str] = option((), flag=False, convert=tuple)
    """columns of the original that were not read, for the report"""

    @property
    def most_memory(self) -> float | None:
        """The bytes that `memory` allows; None if nothing is said."""
        return parse_size(self.memory) if self.memory else None


class ExtendOptions(PublishOptions):
    """What may be said about the extension of a release, which is never one of made-up people.

    >>> import recloak
    >>> recloak.ExtendOptions(out="release-2", changed="keep").changed
    'keep'
    """

    engine: Literal["auto", "memory", "disk", "spark"] = option("memory", flag=False)
    memory: str | None = option(flag=False)
    master: str | None = option(flag=False)
    unencrypted_shuffle: bool = option(False, flag=False)
    keep_model: str | Path | None = option(flag=False)
    previous: str | Path | None = option(flag=False)
    public_items: Sequence[Any] = option((), flag=False, convert=tuple)

    changed: Literal["refuse", "keep"] = option("refuse")
    """new ratings of what is published with another value: refuse them, or keep the published value
    (default: refuse)"""
