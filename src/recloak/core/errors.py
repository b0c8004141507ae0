"""Every error a user can meet: what was wrong, where, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable


class RecloakError(Exception):
    """Base of all errors that recloak raises on purpose.

    ``what`` went wrong, ``where`` (a file and line, a column, a parameter) and a ``hint`` that
    says what to do. ``exit_code`` is what the command line ends with.

    >>> import recloak
    >>> try:
    ...     recloak.method("pseudonymise")
    ... except recloak.RecloakError as problem:
    ...     problem.exit_code
    2
    """

    exit_code = 1

    def __init__(self, what: str, *, where: str | None = None, hint: str | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        advice = f"\n{self.hint}" if self.hint else ""
        return f"{place}{self.what}{advice}"


class InputError(RecloakError):
    """The data that was given cannot be used as it is."""

    exit_code = 2


class ParameterError(RecloakError):
    """A name, a flag or a parameter that does not exist or is out of range."""

    exit_code = 2


class SecretError(RecloakError):
    """A secret that cannot be opened, or that belongs to another release."""

    exit_code = 2


class ClaimError(RecloakError):
    """A claim is broken or undecided: nothing is published."""

    exit_code = 3


class PolicyError(RecloakError):
    """A line of the policy fails: nothing is published."""

    exit_code = 3


class MachineError(RecloakError):
    """The machine failed us: disk full, no permission, not enough memory."""

    exit_code = 4


class Cancelled(RecloakError):
    """Whoever asked for the work has asked to stop it."""

    exit_code = 130

    def __init__(self, *, hint: str | None = None) -> None:
        super().__init__("stopped on request", hint=hint)


def did_you_mean(name: str, known: Iterable[str], quote: str = "'") -> str:
    """A question with the name of ``known`` that is nearest to ``name``; empty if none is near.

    >>> did_you_mean("pubish", ["publish", "audit"])
    "Did you mean 'publish'? "
    """
    from difflib import get_close_matches  # only after a mistake: it takes a while to import

    near = get_close_matches(name, list(known), n=1)
    return f"Did you mean {quote}{near[0]}{quote}? " if near else ""
