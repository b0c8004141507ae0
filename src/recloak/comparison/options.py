"""Options of comparisons and of advice: what is tried, what it is judged by, where it is kept."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recloak.core.options import Options, option

if TYPE_CHECKING:
    from recloak.auditing.policy import Policy, Requirement
    from recloak.comparison.protocol import Protocol
    from recloak.comparison.requirements import Objective
else:
    Policy = Requirement = Protocol = Objective = Any  # they are checked where they are used


def _as_path(value: Any) -> Any:
    return Path(value) if isinstance(value, os.PathLike) else value


class ComparisonOptions(Options):
    """What may be said about a comparison beside the ratings and the settings.

    >>> ComparisonOptions(methods="synthetic", seed=3).seed
    3
    """

    methods: Sequence[str] | str | None = None
    """only these methods, by their names"""

    grid: str | Path | None = option(convert=_as_path)
    """a grid file with the settings"""

    out: str | Path | None = option(convert=_as_path)
    """a folder for the trials, which may hold some already; without one nothing is kept"""

    seed: int = 0
    """decides every release and sample"""

    policy: Policy | str | Path | None = option(convert=_as_path)
    """what every setting is judged by, or the file of it (default: ours)"""

    protocol: Protocol | None = None
    """how all are attacked and measured (default: as usual)"""

    jobs: int | None = None
    """how many trials run at once at most (default: as many as cores and memory allow)"""


class AdviceOptions(ComparisonOptions):
    """What may be said about advice beside the ratings and the settings.

    >>> AdviceOptions(require="excess<=0.08", quick=True).require
    'excess<=0.08'
    """

    require: Sequence[Requirement | str] | str | None = None
    """requirements, or texts such as ``excess<=0.08`` (default: every line of the policy)"""

    maximise: Objective | str | None = None
    """the figure to be as high as can be (default: how well recommendations fit people who are not
    in the release)"""

    minimise: Objective | str | None = None
    """the figure to be as low as can be"""

    quick: bool = False
    """try half of the settings, on a sample of the people only and by the attacks that what is
    required asks for: a first answer, not the last word, for people stand out more among few than
    among many"""
