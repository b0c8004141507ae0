"""Results: what a command found, from its JSON, arranged for its page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from recloak.core.progress.durations import duration, size
from recloak.studio.jobs import Job
from recloak.studio.studio import Studio

View = dict[str, Any]
NO_VERDICT: View = {"headline": None, "lines": [], "claims": [], "policy": ""}
"""What is shown of a release that nobody audited."""


def result_of(studio: Studio, job: Job) -> View:
    """What the page of a job shows of its result; empty if there is nothing to show."""
    made = _RESULTS.get(job.kind)
    return made(studio, job) if made and job.output and not job.problem else _kept(studio, job)


def _kept(studio: Studio, job: Job) -> View:
    """A publication that was refused keeps its report, which shows why."""
    report = job.more.get("report", "")
    if not report or not (studio.workspace.folder / report).is_file():
        return {}
    return {"template": "result_report", "report": f"{job.link}/report"}


def audit_in(content: Mapping[str, Any]) -> Any:
    """The audit that a command printed."""
    from recloak.evaluation.reading import audit_from

    return audit_from({key: value for key, value in content.items() if key != "not_looked_at"})


def verdict_in(content: Mapping[str, Any]) -> View:
    """The verdict and the lines of the policy, in the words of the report."""
    from recloak.evaluation.formatting import with_minus_signs
    from recloak.report.wording import result_words, verdict_words
    from recloak.report.wording.verdict import line_in_words, verdict_of

    audit = audit_in(content)
    lines = [
        (
            line_in_words(result, audit),
            *result_words(result),
            with_minus_signs(result.found),
            result.because,
        )
        for result in audit.policy_results
    ]
    claims = [(one.claim, *verdict_words(one), one.how) for one in audit.verdicts]
    return {"headline": verdict_of(audit), "lines": lines, "claims": claims, "policy": audit.policy}


def _made_up(studio: Studio, job: Job) -> View:
    return {"template": "result_simulate", "made": job.output}


def _estimated(studio: Studio, job: Job) -> View:
    found = job.output
    return {
        "template": "result_estimate",
        "time": duration(found["seconds"]),
        "memory": size(found["memory_bytes"]),
        "free": size(found["free_bytes"]),
        "lacks": found["memory_bytes"] > found["free_bytes"],
        "tried": " and ".join(f"{count:,}" for count in found["tried_on_ratings"]),
        "ratings": f"{found['ratings']:,}",
    }


def _look(studio: Studio, job: Job) -> View:
    from recloak.report.charts.inspection import inspection_charts

    found = job.output
    times = found.get("times")
    facts = [
        ("People", f"{found['users']:,}"),
        ("Items", f"{found['items']:,}"),
        ("Ratings", f"{found['ratings']:,}"),
        ("Scale", found["scale"]),
        ("Density", f"{found['density']:.3%}"),
        ("Format", found["format"]),
        ("Repeated pairs", f"{found['repeated']:,}"),
        ("Times", _span(times) if times else "none"),
        ("Unique by the items they rated", f"{found['alone_in_items']:.1%}"),
        ("Unique by items and ratings", f"{found['alone_in_ratings']:.1%}"),
    ]
    return {
        "template": "result_look",
        "facts": facts,
        "charts": inspection_charts(found),
        "survey": found.get("survey"),
        "file": job.subject,
    }


def _span(times: list[int]) -> str:
    from datetime import UTC, datetime

    try:
        first, last = (datetime.fromtimestamp(moment, UTC).date() for moment in times)
    except (ValueError, OverflowError, OSError):
        return f"{times[0]} to {times[1]} seconds since 1970"
    return f"{first} to {last}"


def _published(studio: Studio, job: Job) -> View:
    content = job.output
    verdict = verdict_in(content["audit"]) if content.get("audit") else NO_VERDICT
    return {"template": "result_published", "name": job.subject, "content": content, **verdict}


def _verified(studio: Studio, job: Job) -> View:
    from recloak.evaluation.findings import Verdict
    from recloak.report.wording import verdict_words

    verdicts = [Verdict(**one) for one in job.output["verdicts"]]
    rows = [(one, *verdict_words(one)) for one in verdicts]
    return {"template": "result_verified", "verdicts": rows}


def _audited(studio: Studio, job: Job) -> View:
    return {
        "template": "result_audited",
        "report": f"{job.link}/report",
        **verdict_in(job.output),
    }


def _lists(studio: Studio, job: Job) -> View:
    from recloak.report.charts import charts_of

    audit = audit_in(job.output["audit"])
    return {
        "template": "result_lists",
        "name": job.subject,
        "report": f"{job.link}/report",
        "charts": charts_of(audit),
        "releases": _entries(audit),
        "published": (studio.workspace.path("lists", job.subject) / "manifest.json").is_file(),
        **verdict_in(job.output["audit"]),
    }


def _entries(audit: Any) -> Any:
    """What was done to the entries of each release, and what is left of them."""
    from recloak.evaluation.formatting import figure_shown, label
    from recloak.report.table import MISSING, Table

    found = [one for one in audit.measures if one.parameters.get("release")]
    names = list(dict.fromkeys(figure.name for one in found for figure in one.figures))
    rows = []
    for one in found:
        figures = (one.figure(name) for name in names)
        shown = (figure_shown(figure) if figure else MISSING for figure in figures)
        rows.append((str(one.parameters["release"]), *shown))
    return Table("Release by release", ("Release", *map(label, names)), tuple(rows))


def _attacked(studio: Studio, job: Job) -> View:
    """Unprotected lists, noise and protected lists, each with what the adversary gets."""
    from recloak.evaluation.formatting import figure_shown, label
    from recloak.report.table import MISSING, Table

    audits = {name: audit_in(content) for name, content in job.output.items()}
    tables = []
    for at, finding in enumerate(next(iter(audits.values())).findings):
        rows = []
        for name in (figure.name for figure in finding.figures):
            figures = (audit.findings[at].figure(name) for audit in audits.values())
            rows.append((label(name), *(figure_shown(one) if one else MISSING for one in figures)))
        if rows:
            title = finding.label or finding.spec
            tables.append(Table(title, ("Figure", *audits), tuple(rows)))
    return {"template": "result_attacked", "tables": tables}


_RESULTS: dict[str, Callable[[Studio, Job], View]] = {
    "simulate": _made_up,
    "inspect": _look,
    "estimate": _estimated,
    "publish": _published,
    "verify": _verified,
    "audit": _audited,
    "lists": _lists,
    "lists attack": _attacked,
    "lists verify": _verified,
}
