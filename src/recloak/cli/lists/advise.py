"""lists advise: how long lists stay worth showing under a bound, and what would keep more."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from recloak.cli._shared.arguments import Parser, needed, within
from recloak.cli._shared.reading import Reading, add_reading

if TYPE_CHECKING:
    from recloak.lists.decay import Course, NightlyAdvice

USAGE = "RATINGS"
EXAMPLES = """examples:
  recloak lists advise ratings.csv --delta 0.1 --window 4 --top 5
  recloak lists advise ml-1m --nights 33 --growth 1% --least 80%

Releases the last nights of these ratings as a shop would have, once with the setting that is asked
for, once less often, once with more slots, once with a larger δ, and says what is left of the best
--top entries of each night's unprotected lists. An entry that exceeds δ by itself may never enter
a list in which it was missing: lists fall behind the ratings, however they are made. 'upper
bound' is the most that any algorithm could keep on the last night, even one that knew the future.
RATINGS need times."""


def configure(parser: Parser, words: list[str]) -> None:
    """Flags of the action."""
    parser.add_argument("file", nargs="?", metavar="RATINGS", help="ratings with times")
    parser.add_argument("--delta", default="0.1", help="the bound (default: 0.1)")
    parser.add_argument("--window", type=int, default=4, help="releases compared (default: 4)")
    parser.add_argument("--top", type=int, default=5, help="entries that are wanted (default: 5)")
    parser.add_argument(
        "--algorithm", default="constructive", metavar="NAME", help="(default: constructive)"
    )
    parser.add_argument("--similarity", default="cosine", metavar="NAME", help="(default: cosine)")
    parser.add_argument("--nights", type=int, default=30, metavar="N", help="(default: 30)")
    parser.add_argument(
        "--growth", default="1%", metavar="SHARE", help="new ratings a night (default: 1%%)"
    )
    parser.add_argument(
        "--least", default="80%", metavar="SHARE", help="what is to be kept (default: 80%%)"
    )
    add_reading(parser)


def run(arguments: argparse.Namespace) -> int:
    """Try settings and say which to take."""
    needed(arguments, "file")
    from recloak.cli._shared.screen import Screen
    from recloak.core.timeline import Timeline
    from recloak.io import read
    from recloak.lists.decay import NightlySetting, advise_nightly
    from recloak.lists.protection import ALGORITHMS
    from recloak.lists.store.safeguards import share_of
    from recloak.recommenders.similarity import SIMILARITIES

    screen = Screen(arguments)
    within(arguments, "nights", 2, 1000)
    asked = {name: getattr(arguments, name) for name in ("delta", "window", "top")}
    maker = ALGORITHMS.get(arguments.algorithm)(**asked)  # refused before data are read
    setting = NightlySetting(
        maker.parameters.delta, arguments.window, arguments.top, 1, arguments.algorithm
    )
    growth, least = (share_of(getattr(arguments, one), f"--{one}") for one in ("growth", "least"))
    ratings = read(arguments.file, Reading(arguments).options, progress=screen.progress)
    advice = advise_nightly(
        Timeline(ratings),
        setting,
        nights=arguments.nights,
        growth=growth,
        least=float(least),
        similarity=SIMILARITIES.get(arguments.similarity)(),
        progress=screen.progress,
    )
    screen.result(_content(advice))
    columns = ("δ", ">window", ">slots", ">every", ">night 1", f">night {advice.nights // 2}")
    shown = (*columns, f">night {advice.nights}", ">upper bound", f">nights ≥ {float(least):.0%}")
    screen.table(shown, [_row(one, advice) for one in advice.courses])
    for line in sentences(advice):
        screen.say(line)
    return 0


def _row(course: Course, advice: NightlyAdvice) -> tuple[str, ...]:
    setting = course.setting
    nights = (1, advice.nights // 2, advice.nights)
    return (
        setting.delta,
        str(setting.window),
        str(setting.top),
        "night" if setting.every == 1 else f"{setting.every} nights",
        *(f"{course.recalls[night]:.1%}" for night in nights),
        f"{course.upper_bound:.1%}",
        str(course.nights_above(advice.least) - 1)
        if course.nights_above(advice.least) <= advice.nights
        else f"all {advice.nights}",
    )


def sentences(advice: NightlyAdvice) -> list[str]:
    """What to do, in words."""
    asked, proposed, cadence = advice.asked, advice.proposed, advice.cadence
    lines = [""]
    if min(asked.recalls) >= advice.least:
        return [
            *lines,
            f"As asked for, all {advice.nights} nights keep {advice.least:.0%} or more.",
        ]
    lines.append(
        f"As asked for, lists fall below {advice.least:.0%} on night "
        f"{asked.nights_above(advice.least)} and keep {asked.last:.1%} on night {advice.nights}; "
        f"no algorithm could keep more than {asked.upper_bound:.1%} there under this bound."
    )
    every = "every night" if cadence.setting.every == 1 else f"every {cadence.setting.every} nights"
    lines.append(
        f"How often: {every} keeps most on average, {cadence.mean:.1%} of each night's best entries"
        + (f" ({asked.mean:.1%} every night)." if cadence is not asked else ".")
    )
    if proposed is None:
        best = max(advice.courses, key=lambda one: one.last)
        lines.append(
            f"Nothing that was tried keeps {advice.least:.0%}. Most is kept by "
            f"{_words(best)}: {best.last:.1%} on night {advice.nights}."
        )
    else:
        lines.append(
            f"{_words(proposed)} keeps {min(proposed.recalls):.1%} or more on every night."
        )
    return lines


def _words(course: Course) -> str:
    setting = course.setting
    often = "" if setting.every == 1 else f", every {setting.every} nights"
    return f"--delta {setting.delta} --top {setting.top}{often}"


def _content(advice: NightlyAdvice) -> dict[str, Any]:
    def as_json(course: Course) -> dict[str, Any]:
        shares = ("recalls", "attainable", "upper_bound")
        return {**vars(course.setting), **{name: getattr(course, name) for name in shares}}

    return {
        "nights": advice.nights,
        "least": advice.least,
        "courses": [as_json(one) for one in advice.courses],
        "cadence": advice.cadence.setting.every,
        "proposed": as_json(advice.proposed) if advice.proposed else None,
    }
