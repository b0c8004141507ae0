"""The pages of exit codes, manifest, policy and traces.

What the code does not say in words is said here; a field without words stops the run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from _reference.pieces import block, docstring, page, table
from recloak.auditing.leak_scan import CHECKS
from recloak.auditing.policy import Requirement, template_text
from recloak.core.errors import RecloakError
from recloak.releases.manifest import MANIFEST_NAME, FileEntry, Manifest

EXIT_CODES = {
    0: "Done.",
    1: "A defect of recloak. Set `RECLOAK_DEBUG=1` to see where it happened, and report it.",
    2: "Bad usage or bad input. The message says what, where, and what to do.",
    3: "A claim is broken or undecided, a trace was found, or a line of the policy does not "
    "pass. Nothing was published.",
    4: "The machine failed: disk full, no permission, not enough memory.",
    130: "Interrupted by Ctrl-C or a signal. Nothing was published.",
}
MANIFEST = {
    "format_version": "version of this layout; another version is refused",
    "recloak": "version of recloak that made the release",
    "release_id": "random name of the release; a kept secret carries the same",
    "kind": "what the tables are",
    "method": "name of the method",
    "parameters": "its parameters, all spelled out",
    "claims": "the formal claims, in written form; each was checked before publication",
    "scale": "the scale of the published values",
    "rows": "number of rows",
    "items": "number of items",
    "ratings": "number of ratings",
    "times": "what became of the times of ratings",
    "row_ids": "whether rows bear random ids or those of the original",
    "reproducible": "true if it was made under a seed of fewer than 128 bits",
    "not_for_publication": "reasons why this release must stay inside; empty if there are none",
    "account": "of made-up people: every look at the data, with its sensitivity, its share of the "
    "budget and its noise, and what all spend together; left out of other releases",
    "encryption": "of an encrypted release: the cipher, what the key is, and the salt; left out of "
    "other releases",
    "config": "what else shaped the release; never a path, a seed or the name of a person",
    "files": "the files of the release, by name",
    "files.bytes": "size of the file",
    "files.sha256": "its SHA-256 digest; a file that differs is refused",
}
POLICY = {
    "claim": "a formal claim that must hold, such as `k-anonymity:k=5`; takes no figure or limit",
    "attack": "an attack in written form, such as `record-linkage:known=4`",
    "measure": "a measure in written form, such as `prediction:recommender=item-mean`",
    "figure": "the figure of the attack or measure that is judged",
    "at_most": "the upper end of the figure's interval must not be above this",
    "at_least": "the lower end of the figure's interval must not be below this",
    "because": "why the line is there; it stands in the report",
}
TRACES = {
    "columns": "The table has no columns but user, item, rating and time.",
    "row order": "Rows stand in the order of their ids, then of their items.",
    "row ids": "Ids look drawn from the whole range, and do not follow the rows' size or mean.",
    "files": "Tables, manifest, data card and croissant.json, all plain files, and nothing else.",
    "statements": "The manifest says only what recloak would have said, in each of its values.",
    "times": "There are no times, or none finer than the manifest says.",
    "digits": "Where a method rounds: at most two decimals, and the last does not follow the row.",
    "metadata": "A Parquet file holds no metadata but its schema.",
    "texts": "Data card and croissant.json say nothing beyond the manifest and the tables.",
    "group sizes": "Where k-anonymity is claimed, no row is alone in its number of ratings.",
    "bytes": "Writing the table once more gives the same bytes. Only `verify` checks this.",
}


def exit_codes_page() -> str:
    """Every exit code, and the error that leads to it."""
    kinds = list(_errors(RecloakError))
    _complete("exit code", map(str, {0, *(kind.exit_code for kind in kinds)}), map(str, EXIT_CODES))
    codes = ((f"`{code}`", meaning) for code, meaning in EXIT_CODES.items())
    errors = (
        (f"`{kind.__name__}`", f"`{kind.exit_code}`", docstring(kind).splitlines()[0])
        for kind in kinds
    )
    return page(
        "Exit codes",
        table(("code", "meaning"), codes),
        "In Python the same things are errors; all stand in `recloak.core.errors`.",
        table(("error", "code", "meaning"), errors),
    )


def manifest_page() -> str:
    """Every field of the manifest."""
    fields = dict(Manifest.model_fields)
    fields |= {f"files.{name}": field for name, field in FileEntry.model_fields.items()}
    rows = _described("field of the manifest", fields, MANIFEST)
    said = (
        f"A release says in `{MANIFEST_NAME}` what it is. The manifest is public: it never holds "
        "a seed, a path or the name of a person. A manifest with other fields is refused."
    )
    return page("Manifest", said, table(("field", "type", "meaning"), rows))


def policy_page() -> str:
    """Every key of a policy, and the policy that ships."""
    rows = _described("key of a policy", Requirement.model_fields, POLICY)
    return page(
        "Policy file",
        "A policy is a TOML file: a `title`, and a `[[require]]` table for each line.",
        table(("key of a line", "type", "meaning"), rows),
        "A line has exactly one of `claim`, `attack` and `measure`. With an attack or a measure "
        "it names the figure and exactly one limit. The figures are listed with the "
        "[attacks](attacks.md) and the [measures](measures.md).",
        "## The default policy",
        "`recloak policy init` writes this file.",
        block(template_text(), "toml"),
    )


def traces_page() -> str:
    """Every check for traces that link rows to people."""
    _complete("check for traces", [*CHECKS, "bytes"], TRACES)
    said = (
        "`recloak publish` and `recloak verify` look for anything in the bytes of a release that "
        "links rows to people or to each other. Each check has a verdict. `publish` publishes "
        "nothing if one fails, unless the method is never for publication anyway."
    )
    return page("Traces", said, table(("no trace in the", "what is checked"), TRACES.items()))


def _errors(kind: type[RecloakError]) -> Iterator[type[RecloakError]]:
    yield kind
    for further in kind.__subclasses__():
        if further.__module__ == RecloakError.__module__:
            yield from _errors(further)


def _described(
    what: str, fields: Mapping[str, Any], words: Mapping[str, str]
) -> list[tuple[str, str, str]]:
    _complete(what, fields, words)
    return [(f"`{name}`", _type(fields[name]), meaning) for name, meaning in words.items()]


def _complete(what: str, declared: Iterable[str], documented: Iterable[str]) -> None:
    different = set(declared) ^ set(documented)
    if different:
        raise SystemExit(f"docs: the {what} '{min(different)}' is declared or described, not both")


def _type(field: Any) -> str:
    kind = field.annotation
    text = kind.__name__ if type(kind) is type else str(kind)
    for noise in ("recloak.releases.manifest.", "typing.", " | None"):
        text = text.replace(noise, "")
    return f"`{text}`"
