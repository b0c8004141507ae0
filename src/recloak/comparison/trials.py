"""Trials: one setting under the protocol, kept on disk so that it is never computed twice."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any

import polars as pl

import recloak
from recloak.auditing.evaluation_registry import declared_figures
from recloak.auditing.policy import Policy
from recloak.comparison.protocol import Protocol
from recloak.comparison.settings import Setting
from recloak.core.arrays import Labels
from recloak.core.files import write_whole
from recloak.core.ratings import Ratings
from recloak.evaluation.findings import FIGURE_SCHEMA, Audit, Figure, figure_rows
from recloak.evaluation.reading import audit_from
from recloak.guarantees import guarantee
from recloak.report.to_json import to_plain

FOLDER = "trials"
_WHO = {"method": pl.String, "setting": pl.String}  # the first columns of tidy rows


@dataclass(frozen=True)
class Trial:
    """What was found with one setting: an audit, or why the method refused these data."""

    setting: Setting
    audit: Audit | None
    refused: str = ""
    seconds: float = 0.0
    caveat: str = ""

    @property
    def name(self) -> str:
        """The setting in a few words."""
        return self.setting.label

    @property
    def broken(self) -> tuple[str, ...]:
        """What the method itself claims and does not hold; others may ask for more."""
        verdicts = self.audit.verdicts if self.audit else ()
        # the data may decide what exactly is claimed, and then only the release says it
        stated = self.audit.release.get("claims", ()) if self.audit else ()
        claimed = {guarantee(claim).spec for claim in (*self.setting.method.claims(), *stated)}
        return tuple(one.claim for one in verdicts if one.claim in claimed and not one.holds)

    def figure(self, spec: str, name: str) -> Figure | None:
        """A figure of one attack or measure."""
        findings = self.audit.findings if self.audit else ()
        finding = next((one for one in findings if one.spec == spec), None)
        return finding.figure(name) if finding else None

    def figures(self, name: str) -> list[tuple[str, Figure]]:
        """The figures of a name, each with the attack or measure that has it.

        A worst-off tenth counts only by attackers who look for people; others are of ratings.
        """
        findings = self.audit.findings if self.audit else ()
        declared = declared_figures().get(name)
        whole = declared.part_of if declared else ""
        return [
            (finding.spec, figure)
            for finding in findings
            if (figure := finding.figure(name)) is not None
            and (not whole or finding.figure(whole) is not None)
        ]

    def judged(self, policy: Policy) -> Trial:
        """The same with the results of a policy's lines."""
        if self.audit is None:
            return self
        audit = replace(self.audit, policy=policy.title, policy_results=policy.judge(self.audit))
        return replace(self, audit=audit)


def tidy(trials: Iterable[Trial]) -> pl.DataFrame:
    """The figures of trials as tidy rows; of a method that refused the data, why."""
    rows = [
        {"method": trial.setting.name, "setting": trial.name, **row}
        for trial in trials
        for row in (
            figure_rows(trial.audit)
            if trial.audit
            else [{"family": "refused", "label": trial.refused}]
        )
    ]
    return pl.DataFrame(rows, schema={**_WHO, **FIGURE_SCHEMA})


class ResultCache:
    """The trials of one data set under one protocol, a file each.

    A file is named after all that its content follows from: the data, the method with all its
    parameters, the protocol and the version. It appears whole or not at all, so that a run can be
    killed at any moment and taken up again.
    """

    def __init__(self, folder: Path, data: str, protocol: Protocol) -> None:
        self.folder, self.data, self.protocol = folder / FOLDER, data, protocol
        self._finished: dict[str, Trial] = {}
        self._writing = Lock()  # who writes removes what killed runs left, also of who just begins

    def read(self, setting: Setting) -> Trial | None:
        """The trial, if it is there and is what it says; its file is read once."""
        path = self._path(setting)
        if path.name not in self._finished and (found := self._parsed(path, setting)):
            self._finished[path.name] = found
        return self._finished.get(path.name)

    def _parsed(self, path: Path, setting: Setting) -> Trial | None:
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            if content["key"] != self._key(setting):
                return None
            return trial_in(content, setting)
        except (OSError, ValueError, KeyError, TypeError):
            return None  # missing or damaged: it is computed again

    def write(self, trial: Trial) -> None:
        """Keep a finished cell."""
        self.folder.mkdir(parents=True, exist_ok=True)
        content = {
            "key": self._key(trial.setting),
            "refused": trial.refused,
            "seconds": trial.seconds,
            "caveat": trial.caveat,
            "audit": trial.audit.to_dict() if trial.audit else None,
        }
        text = json.dumps(to_plain(content), ensure_ascii=False, allow_nan=False)
        with self._writing:
            write_whole(self._path(trial.setting), text.encode(), overwrite=True)

    def _key(self, setting: Setting) -> dict[str, Any]:
        declared = {"declared": dict(setting.declared)} if setting.declared else {}
        return {
            **declared,
            "data": self.data,
            "method": setting.name,
            "parameters": setting.method.parameters.public(),
            "protocol": self.protocol.to_dict(),
            "version": recloak.__version__,
        }

    def _path(self, setting: Setting) -> Path:
        key = json.dumps(self._key(setting), sort_keys=True, ensure_ascii=False)
        digest = hashlib.sha256(key.encode()).hexdigest()[:24]
        return self.folder / f"{setting.name}-{digest}.json"


def trial_in(content: Mapping[str, Any], setting: Setting) -> Trial:
    """The trial of a setting from the content of its file."""
    found = content["audit"]
    audit = audit_from(found) if found else None
    return Trial(setting, audit, content["refused"], content["seconds"], content["caveat"])


def digest_of_ratings(ratings: Ratings) -> str:
    """A digest of all that ratings hold: people, items, values, times and scale."""
    digest = hashlib.sha256(str(ratings.scale).encode())
    for array in (ratings.offsets, ratings.items, ratings.values):
        digest.update(array.tobytes())
    for labels in (ratings.user_labels, ratings.item_labels):
        digest.update(_labels_bytes(labels))
    if ratings.times is not None:
        digest.update(ratings.times.tobytes())
    return digest.hexdigest()


def _labels_bytes(labels: Labels) -> bytes:
    """Numbers as they are; texts one after the other, told apart by their lengths."""
    if labels.dtype != object:
        return bytes(labels.tobytes())
    texts = [str(label).encode("utf-8", "surrogatepass") for label in labels]
    return b"".join(len(text).to_bytes(8, "big") + text for text in texts)
