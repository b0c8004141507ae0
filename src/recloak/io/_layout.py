"""How a text file is laid out: separator, header, which field plays which role."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from recloak.core.arrays import Mask
from recloak.core.errors import ParameterError
from recloak.io._text_kernels import stop_bytes
from recloak.io._values import AS_NUMBERS, Written

NOT_TEXT_HINT = "Is it a text file with one rating on each line?"
SEPARATORS = ("::", "\t", ";", "|", ",", " ")
_FIELD_END = rb"[ ]*(?:[,;|\t ]|::|\r?\n|\Z)"
_ESCAPED = re.compile(rb'(?<!\\)\\"(?:(?!"|' + _FIELD_END + rb')|"(?=' + _FIELD_END + rb"))")
_MESSAGES = {"\t": "tab", " ": "space"}
_WORDS = {"tab": "\t", "\\t": "\t", "space": " ", "comma": ",", "semicolon": ";", "pipe": "|"}


@dataclass(frozen=True)
class TextLayout:
    """Everything that is decided before the records are read; places count from 0."""

    separator: str
    width: int
    places: dict[str, int]
    names: dict[str, str]
    iso_times: bool = False
    quotes_mark_text: bool = True
    escapes: bool | None = False
    """Do quotes inside fields stand behind backslashes? None: this shows as the file is read."""
    written: Written = AS_NUMBERS
    encoding: str | None = None
    skipped_bytes: int = 0
    first_line: int = 1

    @cached_property
    def marks(self) -> tuple[Mask, int, int]:
        """For the kernels: bytes that end a field, the separator, its second byte or -1."""
        first, second = ord(self.separator[0]), self.separator[1:]
        return stop_bytes(first), first, ord(second) if second else -1

    @property
    def quoting(self) -> bool:
        """Do quotes enclose fields? Files with separators of two characters know no quoting."""
        return len(self.separator) == 1


@dataclass(frozen=True)
class Field:
    """One field of a record, as text."""

    text: str
    quoted: bool


@dataclass(frozen=True)
class TextRecord:
    """One record: its fields, and where it ends in the text."""

    fields: list[Field]
    end: int

    @property
    def texts(self) -> list[str]:
        return [field.text for field in self.fields]


def escapes_quotes(text: bytes) -> bool:
    r"""Is a quote written ``\"`` where it cannot end a field in quotes?"""
    return b'\\"' in text and _ESCAPED.search(text) is not None


def records_of(text: str, separator: str, *, escapes: bool = False) -> Iterator[TextRecord]:
    """The records of a text: readable and slow, to look at a few.

    With ``escapes``, quotes inside fields may stand behind backslashes. A quote that is not closed
    properly is taken literally here; reading the file refuses it.
    """
    field, blank = _patterns(separator, escapes)
    pairs = re.compile(r'\\["\\]|""' if escapes else '""')
    at = 0
    while at < len(text):
        if skipped := blank.match(text, at):
            at = skipped.end()
            continue
        fields, at = _fields(text, field, separator, at, pairs)
        if fields != [Field("", False)]:
            yield TextRecord(fields, at)


def _patterns(separator: str, escapes: bool) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A field, in quotes or bare, and a blank line."""
    mark = re.escape(separator)
    if len(separator) == 2:
        return re.compile(rf"((?!))|((?:(?!{mark})[^\r\n])*)"), re.compile(r"[ ]*\r?\n")
    inside = r'(?:[^"\\]|\\["\\]|\\|"")*+' if escapes else r'[^"]*+(?:""[^"]*+)*+'
    quoted = rf'[ ]*"({inside})"[ ]*(?={mark}|\r?\n|\Z)'
    return re.compile(rf"{quoted}|([^{mark}\r\n]*)"), re.compile(r"[ ]*\r?\n")


def _fields(
    text: str, field: re.Pattern[str], separator: str, at: int, pairs: re.Pattern[str]
) -> tuple[list[Field], int]:
    fields = []
    while True:
        found = field.match(text, at)
        assert found is not None  # the pattern matches the empty text
        quoted, bare = found.groups()
        at = found.end()
        if quoted is not None:
            fields.append(Field(pairs.sub(lambda pair: pair[0][1], quoted), True))
        else:
            fields.append(Field(bare.strip(" ") if separator != " " else bare, False))
        if not text.startswith(separator, at):
            break
        at += len(separator)
    line_end = text.find("\n", at)
    return fields, len(text) if line_end < 0 else line_end + 1


def checked_separator(separator: str) -> str:
    """A separator as the user gave it, in words or as it stands in the file."""
    meant = _WORDS.get(separator, separator)
    usable = len(meant) in (1, 2) and meant.isascii() and (meant.isprintable() or meant == "\t")
    if not usable or any(letter.isalnum() or letter in '"-+.' for letter in meant):
        raise ParameterError(
            f"'{separator}' cannot separate fields",
            where="--separator",
            hint="Use one or two characters, such as , ; | :: or the word tab.",
        )
    return meant


def separator_name(separator: str) -> str:
    """The separator as a message names it."""
    return _MESSAGES.get(separator, f"'{separator}'")
