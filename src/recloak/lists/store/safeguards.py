"""Safeguards: what must be so before a release may follow, and a digest kept outside of the store.

A store that was lost, an older copy of it, or an export that was cut would each give a release
that seems to hold and breaks the promise, or empties the lists.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from recloak.core.errors import InputError, ParameterError
from recloak.core.files import parent_of, write_whole
from recloak.core.ratings import Ratings
from recloak.lists.store.records import ReleaseRecord

MOST_LOST = Fraction(1, 20)
_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Safeguards:
    """What a release asks of the store and of tonight's ratings.

    ``new``: it must be the first of its store. ``known``: a digest that must be
    in the chain. ``most_lost``: the largest share of ratings, people, items or filled slots that
    may be gone since the last release. ``new_key``: the key of digests was lost; make another.
    """

    new: bool = False
    known: str | None = None
    most_lost: Fraction = MOST_LOST
    new_key: bool = False

    def check_chain(
        self, records: Sequence[ReleaseRecord], digests: Sequence[str], where: str
    ) -> None:
        """Refuse a store that is not the one that lists were last published from."""
        known = {record.digest for record in records} | set(digests)
        if self.known is not None and self.known not in known:
            raise InputError(
                "the digest that you noted is not in the chain: releases were rewritten or taken "
                "away, or this is an older copy",
                where=where,
                hint=(
                    "Restore the newest copy of the store: new lists must be compared with all "
                    "that people saw."
                ),
            )

    def check_first(self, records: Sequence[ReleaseRecord], where: str) -> None:
        """Refuse ``--new`` for a store that has releases: in a nightly job it would hide a loss."""
        if self.new and records:
            count = f"{len(records):,} release{'s' if len(records) > 1 else ''}"
            raise ParameterError(
                f"holds {count} already: this is not the first",
                where=f"--new, {where}",
                hint="Leave --new out; it is for the very first release of a store.",
            )

    def check_ratings(self, last: ReleaseRecord, ratings: Ratings) -> None:
        """Refuse ratings of which too many are gone since the last release."""
        people = int((ratings.user_counts > 0).sum())
        items = int((ratings.item_support > 0).sum())
        for what, now, then in (
            ("ratings", ratings.n_ratings, last.n_ratings),
            ("people who rated", people, last.n_users),
            ("items", items, last.n_items),
        ):
            if then is not None and last.protected:
                self._refuse_loss(
                    what, now, then, f"{then:,} in release {last.number}, {now:,} now"
                )

    def check_filled(self, last: ReleaseRecord, made: ReleaseRecord) -> None:
        """Refuse lists that run empty from one night to the next under the same settings."""
        then, now = last.filled, made.filled
        if then is None or now is None or not same_settings(last, made):
            return
        change = f"{then:.1%} in release {last.number}, {now:.1%} now"
        self._refuse_loss("filled slots", now, then, change)

    def _refuse_loss(self, what: str, now: float, then: float, change: str) -> None:
        if now < then * (1 - self.most_lost):
            lost = 1 - now / then
            raise InputError(
                f"too many {what} are gone: {change} ({lost:.1%} fewer, beyond the limit "
                f"--most-lost {float(self.most_lost) * 100:g} %)",
                hint="Was the export cut short? If they are really gone, allow it for this release "
                "only: "
                f"--most-lost {min(100, -int(-lost * 100 // 1))}%",
            )


def same_settings(one: ReleaseRecord, two: ReleaseRecord) -> bool:
    """Were both releases made in the same way?"""
    names = ("protected", "delta", "window", "top", "algorithm", "similarity")
    return all(getattr(one, name) == getattr(two, name) for name in names)


def share_of(text: str, flag: str) -> Fraction:
    """A share from 0 to 1, as 5% or 0.05."""
    try:
        plain = text.strip().replace(" ", "")
        share = Fraction(plain.removesuffix("%")) / (100 if plain.endswith("%") else 1)
    except (ValueError, ZeroDivisionError):
        share = Fraction(-1)
    if not 0 <= share <= 1:
        raise ParameterError("must be a share such as 5% or 0.05", where=f"{flag} {text}")
    return share


def checked_digest(text: str, flag: str) -> str:
    """A digest of a release as it was given; refused if it cannot be one."""
    if not _DIGEST.fullmatch(text.strip()):
        raise ParameterError(
            "is not the digest of a release, which has 64 digits from 0 to f",
            where=f"{flag} {text}",
            hint="'recloak lists history' shows those of a store.",
        )
    return text.strip()


def read_anchor(path: Path, *, new: bool) -> str | None:
    """The last digest that was kept outside; a new store has none yet."""
    if not path.exists() and new:
        return None
    try:
        text = path.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        text = ""
    if not _DIGEST.fullmatch(text):
        raise InputError(
            "holds no digest of a release",
            where=f"--anchor {path}",
            hint="If you begin to keep one, write the last digest that you trust into it: "
            "'recloak lists history' shows it.",
        )
    return text


def refuse_unwritable_anchor(path: Path) -> None:
    """Refuse a file that could not be written once the release is in force: it would be too late.

    Raises `ParameterError` or `MachineError`.
    """
    parent_of(path, "--anchor")


def write_anchor(path: Path, record: ReleaseRecord) -> None:
    """Keep the digest of the release in force; the file appears whole."""
    write_whole(path, f"{record.digest}\n".encode(), overwrite=True)
