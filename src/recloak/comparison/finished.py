"""Finished trials: what a comparison that may still be running has found so far."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from recloak.auditing.policy import Policy
from recloak.comparison.protocol import Protocol
from recloak.comparison.run import Comparison
from recloak.comparison.settings import Setting
from recloak.comparison.trials import FOLDER, Trial, trial_in


def finished_in(folder: Path, settings: Sequence[Setting], policy: Policy) -> Comparison | None:
    """The trials of one folder that are done, in the order of the settings; None without any.

    The folder is taken to hold one set of data: nothing is read to make sure. Files appear whole,
    so that this can be asked while trials are being written.
    """
    contents = {_identity(one["key"]): one for one in _contents(folder / FOLDER)}
    found = [(setting, contents.get(_identity(_key(setting)))) for setting in settings]
    done = [(setting, content) for setting, content in found if content is not None]
    if not done:
        return None
    key = done[0][1]["key"]
    audits = [content["audit"] for _, content in done if content["audit"]]
    return Comparison(
        trials=tuple(_trial(setting, content, policy) for setting, content in done),
        original=audits[0]["original"] if audits else {},
        data=key["data"],
        protocol=_protocol(key["protocol"]),
        policy=policy,
        versions=audits[0]["versions"] if audits else {},
    )


def _contents(folder: Path) -> list[dict[str, Any]]:
    found = []
    for path in sorted(folder.glob("*.json")):
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue  # damaged: the comparison computes it again
        if isinstance(content, dict) and isinstance(content.get("key"), dict):
            found.append(content)
    return found


def _key(setting: Setting) -> dict[str, Any]:
    return {"method": setting.name, "parameters": setting.method.parameters.public()}


def _identity(key: dict[str, Any]) -> str:
    identity = {name: key.get(name) for name in ("method", "parameters")}
    return json.dumps(identity, sort_keys=True, ensure_ascii=False)


def _trial(setting: Setting, content: dict[str, Any], policy: Policy) -> Trial:
    return trial_in(content, setting).judged(policy)


def _protocol(content: dict[str, Any]) -> Protocol:
    lists = {name: tuple(content[name]) for name in ("attacks", "measures", "claims")}
    return Protocol(**lists, seed=content["seed"])
