"""Manifest check: does a manifest say only what recloak would have said, and is it so?"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Protocol

import polars as pl

from recloak.auditing.leak_scan._config_check import odd_config
from recloak.core.arrays import Integers
from recloak.core.claim import Claim
from recloak.core.described import choices_in
from recloak.core.errors import ParameterError
from recloak.core.issue_names import joined, names_in
from recloak.core.parameters import Parameters
from recloak.core.scale import Scale
from recloak.releases.account import QUERIES, written
from recloak.releases.manifest import Manifest

LONGEST_SCALE = 80
VERSION = (
    r"[0-9]{1,4}(\.[0-9]{1,4}){1,3}((a|b|rc|\.post|\.dev)[0-9]{1,4}){0,3}(\+g?[0-9a-f]{1,12})?"
)
NUMBER = r"-?[0-9]{1,10}([./][0-9]{1,10})?"
TIME_UNITS = {"year": "1y", "quarter": "1q", "month": "1mo"}


class KnownMethod(Protocol):
    """What a manifest is compared with: the method that it names, with its parameters."""

    @property
    def parameters(self) -> Parameters:
        """Its parameters, checked and complete."""
        ...

    def claims(self) -> list[Claim]:
        """What it promises formally with these parameters."""
        ...

    def reasons_not_to_publish(self, guessable: bool) -> list[str]:
        """Why a release of this method must stay inside."""
        ...


class KnownMethods(Protocol):
    """The methods whose words are known, by name, as their registry gives them."""

    def names(self) -> list[str]:
        """All names."""
        ...

    def get(self, name: str) -> Callable[..., KnownMethod]:
        """What makes a method from its parameters."""
        ...


def odd_statement(
    manifest: Manifest, methods: KnownMethods, table_format: str, items: set[str]
) -> str | None:
    """What the manifest says beside, or other than, what recloak would have said.

    ``items`` are the names that stand in the release anyway: a manifest may name them too.
    """
    if not re.fullmatch(VERSION, manifest.recloak):
        return "the manifest names a version of recloak that does not exist"
    canonical = str(Scale.parse(manifest.scale))
    if manifest.scale != canonical or len(canonical) > LONGEST_SCALE:
        return "the scale in the manifest is not written in the canonical way"
    times = {"dropped", *(f"coarsened to the {unit}" for unit in TIME_UNITS)}
    if manifest.times not in times:
        return "the manifest says something else about times than recloak does"
    odd = odd_account(manifest) or odd_config(manifest, table_format, items)
    return odd or _method_statements(manifest, methods, items)


def _method_statements(manifest: Manifest, methods: KnownMethods, items: set[str]) -> str | None:
    if manifest.method not in methods.names():
        return (
            f"the method '{manifest.method}' is not installed here, and what the manifest says of "
            "it cannot be judged: anything may be hidden in it"
        )
    try:
        method = methods.get(manifest.method)(**manifest.parameters)
    except ParameterError:
        return "the manifest's parameters are not those of its method"
    if method.parameters.public() != manifest.parameters:
        return "the manifest's parameters are not written in the canonical way"
    odd = [name for name in manifest.parameters if not _is_known(method.parameters, name, items)]
    if odd:
        return f"the parameter '{odd[0]}' is neither a number nor a name in the release"
    if manifest.claims != [str(claim) for claim in method.claims()]:
        return "the manifest claims something else than its method does"
    if manifest.not_for_publication != method.reasons_not_to_publish(manifest.reproducible):
        return "the manifest gives other reasons against publication than recloak would"
    return None


def _is_known(parameters: Parameters, name: str, items: set[str]) -> bool:
    """Is a parameter that may be any text a number, or names that stand in the release anyway?"""
    value = parameters.public()[name]
    choices = choices_in(type(parameters).model_fields[name].annotation)
    if not isinstance(value, str) or value in choices or re.fullmatch(NUMBER, value):
        return True
    names = names_in(value)
    written = (joined(names), "+".join(names), ",".join(names))  # as recloak or a user writes it
    return items.issuperset(names) and value in written


def odd_account(manifest: Manifest) -> str | None:
    """Anything in the account of queries that recloak would not have written there."""
    account = manifest.account
    if account is None:
        return None
    numbers = [account.mu, *account.earlier]
    for query in account.queries:
        if query.name not in QUERIES:
            return f"the manifest's account has an unknown query '{query.name}'"
        if account.mu is not None and query.share > 0:
            noise = query.sensitivity / (account.mu * query.share**0.5)
            if abs(query.sigma - noise) > 1e-9 * noise:
                return "the noise in the manifest's account does not follow from its budget"
        numbers += [query.sensitivity, query.share, query.sigma]
    if any(number is not None and written(number) != number for number in numbers):
        return "the manifest's account has numbers with more digits than recloak writes"
    return None


def odd_times(times: Integers | None, stated: str) -> str | None:
    """Times that are there, or finer, although the manifest says otherwise."""
    if times is None:
        return None
    unit = stated.removeprefix("coarsened to the ")
    if unit not in TIME_UNITS:
        return f"there are times although the manifest says they are {stated}"
    moments = pl.from_epoch(pl.Series(times), time_unit="s")
    if not moments.equals(moments.dt.truncate(TIME_UNITS[unit])):
        return f"some times are finer than the {unit}"
    return None
