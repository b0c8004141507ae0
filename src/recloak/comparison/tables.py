"""Tables: a comparison as files, of tidy rows and as JSON."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from recloak.comparison.advising import Advice
from recloak.comparison.run import Comparison
from recloak.comparison.trials import Trial
from recloak.core.files import write_whole
from recloak.report.to_json import to_plain


def comparison_content(comparison: Comparison) -> dict[str, Any]:
    """Everything that was found, as plain JSON types."""
    return {
        "data": {"digest": comparison.data, **comparison.original},
        "protocol": comparison.protocol.to_dict(),
        "policy": comparison.policy.title,
        "versions": comparison.versions,
        "seconds": comparison.seconds,
        "trials": [
            {
                "method": trial.setting.name,
                "setting": trial.name,
                "parameters": trial.setting.method.parameters.public(),
                "refused": trial.refused or None,
                "not_for_publication": trial.caveat or None,
                "seconds": trial.seconds,
                "audit": trial.audit.to_dict() if trial.audit else None,
            }
            for trial in comparison.trials
        ],
    }


def advice_content(advice: Advice, command: str | None) -> dict[str, Any]:
    """Advice as plain JSON types."""
    return {
        "pick": advice.pick.name if advice.pick else None,
        "nearest": advice.nearest.name if advice.nearest else None,
        "reason": advice.reason,
        "relaxations": [one.to_dict() for one in advice.relaxations],
        "sampled_people": advice.people,
        "not_looked_at": advice.not_looked_at,
        "command": command,
        "objective": advice.objective.words,
        "requirements": [str(one) for one in advice.requirements],
        "frontier": [_choice(advice, trial) for trial in advice.frontier],
        "rounds": [
            {
                "people": one.people,
                "tried": list(one.tried),
                "kept": list(one.kept),
                "first": one.first or None,
            }
            for one in advice.rounds
        ],
    }


def _choice(advice: Advice, trial: Trial) -> dict[str, Any]:
    found = advice.objective.found(trial)
    return {
        "setting": trial.name,
        advice.objective.figure: _interval(found),
        "requirements": [
            {
                "requirement": str(one),
                "status": met.status,
                "found": _interval(met.figure),
                "judged": met.judged,
                "by": met.spec,
            }
            for one, met in zip(advice.requirements, advice.met(trial), strict=True)
        ],
    }


def _interval(figure: Any) -> dict[str, Any] | None:
    return {"value": figure.value, "low": figure.low, "high": figure.high} if figure else None


def write_tables(comparison: Comparison, folder: Path) -> list[Path]:
    """Write comparison.parquet, .csv and .json; each appears whole or not at all."""
    table = comparison.to_frame()
    packed = io.BytesIO()
    table.write_parquet(packed, compression="zstd", statistics=False)
    contents = {
        "comparison.parquet": packed.getvalue(),
        "comparison.csv": table.write_csv().encode(),
        "comparison.json": as_json(comparison_content(comparison)),
    }
    for name, content in contents.items():
        write_whole(folder / name, content, overwrite=True)
    return [folder / name for name in contents]


def as_json(content: dict[str, Any]) -> bytes:
    """JSON that every reader accepts."""
    plain = to_plain(content)
    return (json.dumps(plain, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()
