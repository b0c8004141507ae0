"""What the contracts of all families share: declaring itself, parameters, progress."""

from __future__ import annotations

from typing import Any, ClassVar, Generic, TypeVar

import pytest

from recloak.core.component import Component
from recloak.core.errors import ParameterError
from recloak.core.parameters import parse_spec
from recloak.core.ratings import Ratings
from recloak.core.registry import Registry
from recloak.testing.data import random_ratings

C = TypeVar("C", bound=Component)


class ComponentContract(Generic[C]):
    """A test class sets ``component``, or ``name`` if the component is registered."""

    registry: ClassVar[Registry[Any]]
    component: ClassVar[type[Any]]
    name: ClassVar[str]
    parameters: ClassVar[dict[str, Any]] = {}
    """The parameters that are tested, where they are not the defaults."""

    @classmethod
    def member(cls) -> type[C]:
        """The class under test."""
        member: type[C] = getattr(cls, "component", None) or cls.registry.get(cls.name)
        return member

    def make(self, **values: Any) -> C:
        """The component under test; ``values`` override its parameters."""
        return self.member()(**{**self.parameters, **values})

    @pytest.fixture
    def small(self) -> Ratings:
        """Sixty people and forty items, at random."""
        return random_ratings()

    def test_declares_itself(self) -> None:
        member = self.member()
        assert member.name
        assert member.summary
        for info in member.Parameters.described():
            assert info.doc, f"{info.name} has no docstring"

    def test_is_registered_under_its_name(self) -> None:
        """By a line in the family's ``__init__.py``, or by the entry point of a package."""
        assert self.registry.get(self.member().name) is self.member()

    def test_parameters_round_trip(self) -> None:
        made = self.make()
        assert self.member()(**made.parameters.public()).parameters == made.parameters

    def test_the_written_form_makes_the_same(self) -> None:
        made = self.make()
        name, values = parse_spec(made.spec)
        assert self.registry.get(name)(**values).parameters == made.parameters

    def test_unknown_parameters_are_refused(self) -> None:
        with pytest.raises(ParameterError, match="no such parameter"):
            self.make(no_such_parameter=1)
