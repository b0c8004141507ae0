"""The frontier of a comparison as far as it is known: settings, their state, charts, details."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from recloak.studio.studio import Studio
from recloak.studio.workspace import DataFile

if TYPE_CHECKING:
    from recloak.auditing.policy import Policy
    from recloak.comparison.run import Comparison
    from recloak.comparison.settings import Setting
    from recloak.comparison.trials import Trial


def record_of(studio: Studio, name: str) -> tuple[DataFile, dict[str, str]]:
    """The data of a comparison, and what else was asked for."""
    folder = studio.workspace.path("comparisons", name)
    record = studio.workspace.read_json(f"comparisons/{folder.name}", "studio.json")
    return studio.workspace.file(record["file"]), record["more"]


def settings_of(studio: Studio, name: str) -> list[Setting]:
    """The settings of its grid, with what is declared of a survey."""
    from recloak.comparison.settings import read_grid, with_declared
    from recloak.core.survey import SurveyParameters

    file, _ = record_of(studio, name)
    issues = {
        side: file.options[side] for side in ("sensitive", "non_sensitive") if side in file.options
    }
    grid = read_grid(studio.workspace.path("comparisons", name) / "grid.toml")
    return with_declared(grid, SurveyParameters(**issues) if issues else None)


def policy_of(studio: Studio, name: str) -> Policy:
    """The policy that judges it."""
    from recloak.auditing.policy import Policy

    chosen = record_of(studio, name)[1].get("policy")
    if not chosen:
        return Policy.default()
    return Policy.read(studio.workspace.path("policies", f"{chosen}.toml"))


def comparison_of(studio: Studio, name: str) -> Comparison | None:
    """All that is finished; None if nothing is."""
    from recloak.comparison.finished import finished_in

    folder = studio.workspace.path("comparisons", name)
    return finished_in(folder, settings_of(studio, name), policy_of(studio, name))


def seen(studio: Studio, name: str) -> dict[str, Any]:
    """What the page of a comparison shows, now."""
    from recloak.comparison.overview import columns, overview
    from recloak.evaluation.formatting import figure_shown
    from recloak.report.table import MISSING

    found = comparison_of(studio, name)
    trials = {trial.name: trial for trial in found.trials} if found else {}
    shown = columns(found.audited) if found else []
    rows = []
    for setting in settings_of(studio, name):
        trial = trials.get(setting.label)
        figures = overview(trial, shown) if trial and trial.audit else []
        state = "waits" if trial is None else "not possible" if trial.audit is None else "done"
        cells = [figure_shown(one) if one else MISSING for one in figures]
        why = trial.refused if trial else ""
        rows.append((setting.label, state, why, cells or [MISSING] * len(shown)))
    return {
        "columns": [one.column for one in shown],
        "meanings": [(one.column, one.at_a_glance) for one in shown],
        "rows": rows,
        "finished": sum(row[1] != "waits" for row in rows),
        **drawn(found, found.audited if found else []),
    }


def drawn(found: Comparison | None, settings: Sequence[Trial]) -> dict[str, Any]:
    """The charts of some settings of a comparison, and the details that their dots lead to."""
    from recloak.comparison.charts import comparison_charts
    from recloak.comparison.page import setting_details
    from recloak.comparison.requirements import measurable, utility_objective

    aim = measurable(utility_objective(), found.trials) if found and settings else None
    return {
        "charts": comparison_charts(settings, aim) if aim else [],
        "details": [setting_details(trial) for trial in settings],
    }
