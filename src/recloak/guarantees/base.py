"""What every guarantee offers: check a claim on a release, and name a witness if it is broken."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from recloak.findings import Verdict
from recloak.parameters import Parameters, format_spec
from recloak.progress import SILENT, Progress
from recloak.ratings import Ratings


class Guarantee(ABC):
    """A formal claim that can be checked without trusting whoever made it."""

    name: ClassVar[str]
    summary: ClassVar[str]
    reference: ClassVar[str] = ""
    Parameters: ClassVar[type[Parameters]] = Parameters

    def __init__(self, **values: Any) -> None:
        self.parameters = self.Parameters.build(f"guarantee {self.name}", values)

    @property
    def claim(self) -> str:
        """The claim in its written form, all parameters spelled out."""
        return format_spec(self.name, self.parameters.public())

    @abstractmethod
    def check(self, rows: Ratings, progress: Progress = SILENT) -> Verdict:
        """Look at the rows of a release as they were read from disk."""
