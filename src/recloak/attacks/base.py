"""What every attack is: an adversary against a release whose answers are known."""

from __future__ import annotations

from typing import ClassVar, Literal

from recloak.examination import Examination


class Attack(Examination):
    """A simulated adversary; the auditor knows who is who, the adversary does not."""

    family: ClassVar[Literal["attack", "measure"]] = "attack"
