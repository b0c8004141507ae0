"""What every measure is: a figure of utility or of information lost."""

from __future__ import annotations

from typing import ClassVar, Literal

from recloak.examination import Examination


class Measure(Examination):
    """Says what a release is still good for."""

    family: ClassVar[Literal["attack", "measure"]] = "measure"
