"""inspect: what a ratings file looks like, and how much people stand out in it."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from recloak.cli._shared.arguments import Parser, needed
from recloak.cli._shared.reading import (
    DeclaredIssues,
    Reading,
    add_files,
    add_reading,
    to_take,
)

if TYPE_CHECKING:
    from recloak.auditing.inspection import Inspection, Tail
    from recloak.cli._shared.screen import Screen
    from recloak.core.survey.patterns import SurveyFacts
    from recloak.io.loading import Loaded

EXAMPLES = """examples:
  recloak inspect ratings.csv
  recloak inspect ml-1m --json
  recloak inspect january.csv.gz february.csv.gz
  recloak inspect survey.csv --format survey --id-column respondent --issues taxes,schools,roads
  recloak inspect survey.csv --sensitive income,health
  recloak inspect votes.csv --columns user=1,item=2,rating=5 --duplicates last"""
BLOCKS = " ▁▂▃▄▅▆▇█"
BAR_WIDTH = 40


def configure(parser: Parser, words: list[str]) -> None:
    add_files(parser)
    parser.add_argument("--seed", default="0", help="seed of the samples (default: 0)")
    add_reading(parser)


def run(arguments: argparse.Namespace) -> int:
    needed(arguments, "file")
    from recloak.auditing.inspection import inspect
    from recloak.cli._shared.screen import Screen
    from recloak.core.randomness import parse_seed
    from recloak.io import load

    screen = Screen(arguments)
    reading = Reading(arguments)
    options = reading.options.with_defaults(duplicates="last")
    loaded = load(arguments.file, options, progress=screen.progress)
    found = inspect(loaded.ratings, seed=parse_seed(arguments.seed)[0], progress=screen.progress)
    source: dict[str, Any] = {"format": loaded.format, "notes": loaded.notes}
    source["dropped"] = loaded.dropped
    source |= {"personal": loaded.personal, "repeated": loaded.repeated}
    facts = _survey(reading.declared, loaded)
    source |= {"survey": asdict(facts)} if facts else {}
    screen.result(found.to_dict() | source)
    _show(screen, found)
    if facts:
        _show_survey(screen, facts)
    screen.say(f"\nratings that repeat a (user, item) pair: {loaded.repeated:,}")
    for note in loaded.notes:
        screen.warn(note)
    others = [name for name in loaded.dropped if name not in loaded.personal]
    if others:
        screen.warn(f"other columns are not read: {', '.join(others)}{to_take(loaded.format)}")
    if loaded.personal:
        screen.warn(f"columns about the person are not read: {', '.join(loaded.personal)}")
    return 0


def _survey(declared: DeclaredIssues, loaded: Loaded) -> SurveyFacts | None:
    """Facts about issues, if the file is a survey or someone declared some."""
    from recloak.core.errors import RecloakError
    from recloak.core.survey import Survey, SurveyParameters
    from recloak.core.survey.patterns import SurveyFacts

    if not declared and loaded.format != "survey":
        return None
    try:
        survey = Survey.of(loaded.ratings, SurveyParameters(**declared.values()), loaded.source)
    except RecloakError:
        if declared:
            raise
        return None  # such as Jester: wide, but no survey of whole levels
    return SurveyFacts.of(survey)


def _show_survey(screen: Screen, facts: SurveyFacts) -> None:
    screen.heading("As a survey")
    screen.say(
        f"null patterns: {facts.patterns:,}; {facts.alone:.1%} of respondents are the only ones "
        "with theirs; "
        f"the largest has {facts.largest:,}"
    )
    head = ("issue", "side", ">answered", ">deviation")
    screen.table(
        head,
        [
            (
                issue.name,
                "sensitive" if issue.sensitive else "",
                f"{issue.answered:.1%}",
                f"{issue.deviation:.3f}",
            )
            for issue in facts.issues
        ],
    )


def _show(screen: Screen, found: Inspection) -> None:
    screen.heading(f"{found.ratings:,} ratings of {found.items:,} items by {found.users:,} users")
    screen.say(f"scale {found.scale}, density {found.density:.3%}{_span(found)}")
    screen.heading("Values")
    most = max(found.histogram.values(), default=0) or 1
    total = found.ratings or 1
    bars = (
        (value, "█" * round(BAR_WIDTH * count / most), f"{count / total:.1%}")
        for value, count in found.histogram.items()
    )
    screen.table((">value", "", ">share"), bars)
    screen.heading("Long tails of ratings (from the most to the least; top 10 % = their share)")
    rows = [_tail_row("per user", found.user_tail)]
    rows.append(_tail_row("per item", found.item_tail))
    head = ("", "", ">least", ">median", ">mean", ">most", ">top 10 %", ">Gini")
    screen.table(head, rows)
    screen.heading("How unique people are")
    screen.say(f"unique by the items they rated: {found.alone_in_items:.1%} of users")
    screen.say(f"unique by items and ratings: {found.alone_in_ratings:.1%} of users")
    screen.say(f"singled out by what someone knows ({found.sample:,} users tried):")
    singled = [
        (
            str(step.known),
            step.items.shown(),
            step.values.shown(),
            step.rarest_items.shown(),
            step.rarest_values.shown(),
        )
        for step in found.singled_out
    ]
    columns = (">known", ">any items", ">with ratings", ">rarest items", ">with ratings")
    screen.table(columns, singled)


def _span(found: Inspection) -> str:
    if found.times is None:
        return ", no times"
    try:
        first, last = (datetime.fromtimestamp(moment, UTC).date() for moment in found.times)
    except (ValueError, OverflowError, OSError):
        return f", times from {found.times[0]} to {found.times[1]} seconds since 1970"
    return f", from {first} to {last}"


def _tail_row(label: str, tail: Tail) -> tuple[str, ...]:
    return (
        label,
        _sparkline(tail.profile),
        f"{tail.least:,}",
        f"{tail.median:,.0f}",
        f"{tail.mean:,.1f}",
        f"{tail.most:,}",
        f"{tail.top_tenth_share:.0%}",
        f"{tail.gini:.2f}",
    )


def _sparkline(profile: tuple[float, ...]) -> str:
    """The tail as a row of blocks, on a square-root scale so that the low end can be seen."""
    top = max(profile, default=0.0) ** 0.5 or 1.0
    return "".join(BLOCKS[max(1, round(8 * value**0.5 / top))] for value in profile)
