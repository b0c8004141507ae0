"""Deciding: what is required, and which settings of a comparison meet it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlencode

from fastapi import Depends, FastAPI
from starlette.responses import HTMLResponse, RedirectResponse, Response

from recloak.core.errors import ParameterError
from recloak.studio.commands import flag_words, shown_command
from recloak.studio.forms import Filled, filled_in
from recloak.studio.pages import _frontier
from recloak.studio.pages._reading import reading_words
from recloak.studio.pages.policies import LIMIT, USE, line_title, save_policy
from recloak.studio.studio import Studio

if TYPE_CHECKING:
    from recloak.auditing.policy import Policy, Requirement
    from recloak.comparison.advising import Advice
    from recloak.comparison.relaxing import Relaxation
    from recloak.comparison.run import Comparison

Form = Annotated[Filled, Depends(filled_in)]


def add(app: FastAPI, studio: Studio) -> None:
    """The routes of this part."""

    @app.get("/comparisons/{name}/decide")
    def decide(name: str, filled: Form) -> Response:
        return studio.page("decide", "/policies", **_decision(studio, name, filled))

    @app.get("/comparisons/{name}/decide/part")
    def part(name: str, filled: Form) -> Response:
        return HTMLResponse(studio.part("decide_part", **_decision(studio, name, filled)))

    @app.post("/comparisons/{name}/decide")
    def keep(name: str, filled: Form) -> Response:
        """What is required of the pick becomes a policy that its publication is held to."""
        from recloak.comparison.requirements import policy_of

        advice = _decision(studio, name, filled)["advice"]
        if advice is None or advice.pick is None:
            raise ParameterError(
                "no setting meets everything", hint="Require less, or compare more."
            )
        policy = policy_of(advice.requirements, advice.pick)
        saved = studio.workspace.free_name("policies", filled.get("policy") or name, ".toml")
        save_policy(studio, saved, policy.to_toml(), "decided", _command(studio, name, advice))
        return RedirectResponse(f"/policies/{saved}", 303)


def _decision(studio: Studio, name: str, filled: Filled) -> dict[str, Any]:
    from recloak.comparison.advising import decided
    from recloak.comparison.requirements import refuse_contradictions, utility_objective

    comparison = _frontier.comparison_of(studio, name)
    file, _ = _frontier.record_of(studio, name)
    view: dict[str, Any] = {"name": name, "file": file, "advice": None, "command": "", "rows": []}
    view["policy_name"] = filled.get("policy", name)
    if comparison is None:
        return {**view, "sliders": [], "lines": [], "publish": ""}
    policy = _frontier.policy_of(studio, name)
    sliders = _sliders(comparison, policy, filled)
    required = _required(sliders)
    contradiction = None
    try:
        refuse_contradictions(required)
    except ParameterError as problem:
        contradiction = problem
    advice = decided(comparison, utility_objective(), required)
    rows = [_row(advice, trial) for trial in comparison.audited]
    meeting = [trial for trial, row in zip(comparison.audited, rows, strict=True) if row["passes"]]
    return {
        **view,
        **_frontier.drawn(comparison, meeting),
        "advice": advice,
        "contradiction": contradiction,
        "sliders": sliders,
        "rows": rows,
        "heads": [f"{one['place'] + 1}. {one['short']}" for one in sliders if one["used"]],
        "missed": _missed(advice, [one for one in sliders if one["used"]]),
        "relaxations": [_moved(one, advice, sliders) for one in advice.relaxations],
        "command": _command(studio, name, advice),
        "publish": _publish_link(file.name, advice),
        "policy": policy.title,
    }


def _missed(advice: Advice, used: list[dict[str, Any]]) -> list[str]:
    """What the nearest setting misses, line by line."""
    if advice.pick is not None or advice.nearest is None:
        return []
    from recloak.evaluation.formatting import with_minus_signs

    missed = []
    for one, met in zip(used, advice.met(advice.nearest), strict=True):
        limit = "" if one["value"] is None else f", {one['sign']} {one['value']:g}"
        if met.status != "pass":
            found = with_minus_signs(met.found)
            missed.append(f"{one['place'] + 1}. {one['short']}{limit}: found {found}")
    return missed


def _moved(relaxed: Relaxation, advice: Advice, sliders: list[dict[str, Any]]) -> str:
    """Which limits would have to move where, and what that buys."""
    from recloak.evaluation.formatting import with_minus_signs

    places = [one["place"] + 1 for one in sliders if one["used"]]
    moves = [
        f"{places[advice.requirements.index(line)]} to {limit:g}" for line, limit in relaxed.limits
    ]
    found = f"{relaxed.setting} then meets everything, with utility {relaxed.utility.shown()}"
    joined = " and ".join([", ".join(moves[:-1]), moves[-1]] if moves[1:] else moves)
    return with_minus_signs(f"Move {joined}: {found}.")


def _sliders(comparison: Comparison, policy: Policy, filled: Filled) -> list[dict[str, Any]]:
    """One for each line of the policy: its limit between the least and the most that was found."""
    from recloak.comparison.requirements import judge

    sliders = []
    for place, line in enumerate(policy.requirements):
        title, by = line_title(line)
        mets = [judge(line, trial) for trial in comparison.audited]
        ends = [met.judged for met in mets if met.judged is not None]
        limit = line.at_most if line.at_most is not None else line.at_least
        given = filled.get(f"{LIMIT}{place}")
        used = filled.get(f"{USE}{place}") == "yes" if filled.pairs else True
        value = _number(given, limit or 0.0) if limit is not None else None
        low = min([0.0, *ends, *([value] if value is not None else [])])
        high = max([*ends, limit or 0.0, value or 0.0])
        sliders.append(
            {
                "place": place,
                "line": line,
                "by": by,
                "short": title,
                "because": line.because,
                "used": used,
                "value": value,
                "least": round(low - 0.005, 2),
                "most": round(high + 0.005, 2),
                "sign": "at most" if line.at_most is not None else "at least",
            }
        )
    return sliders


def _number(text: str, otherwise: float) -> float:
    try:
        return float(text)
    except ValueError:
        return otherwise


def _required(sliders: list[dict[str, Any]]) -> list[Requirement]:
    """The lines that count, with the limits of the sliders."""
    found = []
    for slider in sliders:
        line: Requirement = slider["line"]
        if not slider["used"]:
            continue
        if slider["value"] is not None:
            side = "at_most" if line.at_most is not None else "at_least"
            line = line.model_copy(update={side: slider["value"]})
        found.append(line)
    return found


def _row(advice: Advice, trial: Any) -> dict[str, Any]:
    from recloak.evaluation.formatting import figure_shown
    from recloak.report.table import MISSING

    mets = advice.met(trial)
    found = advice.objective.found(trial)
    passes = all(met.status == "pass" for met in mets) and not trial.caveat and not trial.broken
    return {
        "name": trial.name,
        "utility": figure_shown(found) if found else MISSING,
        "mets": mets,
        "passes": passes,
        "picked": advice.pick is trial,
        "nearest": advice.nearest is trial,
        "caveat": trial.caveat,
    }


def _command(studio: Studio, name: str, advice: Advice) -> str:
    """Advice on the same folder, in which nothing is run again."""
    file, more = _frontier.record_of(studio, name)
    place = f"comparisons/{name}"
    words = ["advise", *reading_words(file), "--grid", f"{place}/grid.toml"]
    words += flag_words("seed", more["seed"]) if more.get("seed") else []
    for one in advice.requirements:
        words += ["--require", _written(one)]
    return shown_command([*words, "--maximise", "utility", "--out", place])


def _written(line: Requirement) -> str:
    """A line of a policy as ``--require`` takes it."""
    if line.claim is not None:
        return line.claim
    sign, limit = ("<=", line.at_most) if line.at_most is not None else (">=", line.at_least)
    return f"{line.attack or line.measure} {line.figure}{sign}{limit:g}"


def _publish_link(file: str, advice: Advice) -> str:
    if advice.pick is None:
        return ""
    setting = advice.pick.setting
    given = {f"parameter.{key}": str(value) for key, value in setting.given.items()}
    return f"/files/{file}/publish?{urlencode({'method': setting.name, **given})}"
