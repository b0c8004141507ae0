"""Component: what methods, guarantees, attacks, measures and recommenders have in common."""

from __future__ import annotations

from typing import Any, ClassVar

from recloak.core.parameters import Parameters, format_spec

AnyParameters = Parameters  # inside the class the name means the member's own model


class Component:
    """A named thing with declared, validated parameters.

    A member of a family sets the class attributes; ``parameters`` is an instance of its
    ``Parameters`` model.
    """

    family: ClassVar[str]
    name: ClassVar[str]
    summary: ClassVar[str]
    reference: ClassVar[str] = ""
    Parameters: ClassVar[type[Parameters]] = Parameters

    parameters: AnyParameters

    def __init__(self, **values: Any) -> None:
        self.parameters = self.Parameters.build(f"{self.family} {self.name}", values)

    @property
    def spec(self) -> str:
        """Name and parameters in the written form, all spelled out."""
        return format_spec(self.name, self.parameters.public())

    @property
    def label(self) -> str:
        """A few words for a table or a chart."""
        return self.spec

    def __repr__(self) -> str:
        shown = ", ".join(f"{key}={value!r}" for key, value in self.parameters.public().items())
        return f"{type(self).__name__}({shown})"
