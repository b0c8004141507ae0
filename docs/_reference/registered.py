"""The pages of all that is registered: methods, guarantees, attacks, measures, formats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import recloak
from _reference.pieces import block, docstring, page, table
from recloak.attacks import ATTACKS
from recloak.auditing.evaluation_registry import audited_by_default
from recloak.core.registry import Registry
from recloak.evaluation.findings import Audit, Finding
from recloak.evaluation.list_context import context_of
from recloak.guarantees import GUARANTEES
from recloak.io import FORMATS, Format
from recloak.lists.audit import audit_lists
from recloak.lists.replay import replay
from recloak.measures import MEASURES
from recloak.methods import METHODS, Method
from recloak.recommenders import RECOMMENDERS

Extras = Callable[[Any], list[str]]
YES = {True: "yes", False: "no"}


def family_pages() -> dict[str, str]:
    """A page for each family whose members take parameters."""
    figures = _figures_of(_findings())
    return {
        "methods.md": _family("Methods", METHODS, _promises),
        "guarantees.md": _family("Guarantees", GUARANTEES, _claim_written),
        "attacks.md": _family("Attacks", ATTACKS, figures),
        "measures.md": _family("Measures", MEASURES, figures),
        "recommenders.md": _family("Recommenders", RECOMMENDERS, lambda member: []),
    }


def formats_page() -> str:
    """All formats, in the order in which they are tried."""
    members = [FORMATS.get(name) for name in FORMATS]
    listed = table(
        ("format", "what it is", "read", "written"),
        (
            (f"[`{one.name}`](#{one.name})", one.summary, "yes", YES[_is_written(one)])
            for one in members
        ),
    )
    parts = ["Formats are tried in this order; `--format NAME` says it instead.", listed]
    for one in members:
        parts += [f"## {one.name}", docstring(one)]
        parts.append(f"A folder is recognised by: {one.looks_for}." if one.looks_for else "")
        parts.append("May be compressed by gzip or zstd." if one.text else "")
        parts.append(_how_written(one))
    return page("Formats", *parts)


def _is_written(member: type[Format]) -> bool:
    ways = ("write", "write_folder")
    return any(getattr(member, way).__func__ is not vars(Format)[way].__func__ for way in ways)


def _how_written(member: type[Format]) -> str:
    if not _is_written(member):
        return "Read only."
    endings = ", ".join(f"`{ending}`" for ending in member.suffixes)
    return f"Written to names that end in {endings}." if endings else "Can be written, if named."


def _family(title: str, registry: Registry[Any], extras: Extras) -> str:
    members = [(name, registry.get(name)) for name in registry]
    listed = table(
        (registry.word, "what it is"),
        ((f"[`{name}`](#{name})", member.summary) for name, member in members),
    )
    parts = []
    for name, member in members:
        parts += [f"## {name}", docstring(member), *extras(member), _parameters(member)]
        parts.append(f"Reference: {member.reference}" if member.reference else "")
    return page(title, listed, *parts)


def _promises(method: Any) -> list[str]:
    claims = "none" if method.claims is Method.claims else "stated with its parameters, checked"
    return [
        f"**Promise.** {method.promise}",
        f"**Never for publication:** {method.caveat}." if method.caveat else "",
        f"**Formal claims:** {claims}.",
        block(f"recloak publish FILE --method {method.name} --out DIR"),
    ]


def _claim_written(guarantee: Any) -> list[str]:
    required = [info for info in guarantee.Parameters.described() if info.required]
    return [] if required else [f"Written with all its defaults: `{guarantee().spec}`."]


def _parameters(member: Any) -> str:
    described = member.Parameters.described()
    if not described:
        return "It takes no parameters."
    rows = (
        (
            f"`{info.flag}`",
            info.kind,
            "required" if info.required else f"`{_default(info.default)}`",
            info.allowed or "any",
            info.doc,
        )
        for info in described
    )
    return table(("parameter", "kind", "default", "allowed", "meaning"), rows)


def _default(value: Any) -> str:
    return YES[value] if isinstance(value, bool) else str(value)


def _findings() -> Sequence[Finding]:
    """Every attack and measure, run on a small release: what they yield is seen, not declared."""
    ratings = recloak.synthesize("ml-100k", users=60, items=80, ratings=1500, seed=1)
    method = recloak.method("pseudonymize")
    applied = method.apply(ratings, recloak.Randomness.from_seed(1))
    found: Audit = recloak.audit(
        ratings,
        applied.release,
        secret=applied.secret,
        method=method,
        attacks=[*ATTACKS, *audited_by_default("attack")],
        measures=[*MEASURES, *audited_by_default("measure")],
    )
    others = (*_on_groups(ratings), *_on_fragments(ratings), *_on_a_survey(), *_on_lists())
    return [*found.findings, *others]


def _on_groups(ratings: recloak.Ratings) -> Sequence[Finding]:
    """The same for those that read the profiles of groups."""
    method = recloak.method("predictive")
    applied = method.apply(ratings, recloak.Randomness.from_seed(1))
    found: Audit = recloak.audit(
        ratings,
        applied.release,
        secret=applied.secret,
        method=method,
    )
    return found.findings


def _on_fragments(ratings: recloak.Ratings) -> Sequence[Finding]:
    """The same for those that join rows."""
    method = recloak.method("fragmentation", fragments=4)
    applied = method.apply(ratings, recloak.Randomness.from_seed(1))
    found: Audit = recloak.audit(
        ratings,
        applied.release,
        secret=applied.secret,
        method=method,
        measures=(),
    )
    return found.attacks


def _on_a_survey() -> Sequence[Finding]:
    """The same for those that need declared issues."""
    answers = recloak.synthesize("survey", users=200, seed=1)
    method = recloak.method("pseudonymize")
    applied = method.apply(answers, recloak.Randomness.from_seed(1))
    families: tuple[Registry[Any], ...] = (ATTACKS, MEASURES)
    names = {
        name
        for family in families
        for name in family
        if family.get(name).applies_to == "of a survey"
    }
    found: Audit = recloak.audit(
        answers,
        applied.release,
        secret=applied.secret,
        method=method,
        attacks=[f"{name}:sensitive=1" for name in ATTACKS if name in names],
        measures=[f"{name}:sensitive=1" for name in MEASURES if name in names],
    )
    return [finding for finding in found.findings if finding.name in names]


def _on_lists() -> Sequence[Finding]:
    """The same for those that watch lists change."""
    ratings = recloak.synthesize("ml-100k", users=80, items=60, ratings=2000, seed=1)
    history = replay(ratings, start="0.6", gap="0.2", releases=1, delta="0.3")
    return audit_lists(context_of(history, ratings)).findings


def _figures_of(findings: Sequence[Finding]) -> Extras:
    def extras(member: Any) -> list[str]:
        seen = {
            figure.name: figure.meaning
            for finding in findings
            if finding.name == member.name
            for figure in finding.figures
        }
        rows = (
            (f"`{one.name}`", one.unit, one.worse or "", seen.get(one.name) or one.meaning)
            for one in member.figures
        )
        shown = table(("figure", "unit", "worse", "meaning"), rows)
        return ["Its figures, as a policy names them:", shown, _when_run(member)]

    return extras


def _when_run(member: Any) -> str:
    specs = audited_by_default(member.family, member.subject)
    own = [spec for spec in specs if spec.partition(":")[0] == member.name]
    if not own:
        return "It runs when a policy names it."
    where = f" {member.applies_to}" if member.applies_to else ""
    return f"Every audit{where} runs {', '.join(f'`{spec}`' for spec in own)}."
