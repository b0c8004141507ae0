"""Text as UTF-8: other encodings are told by their marks, declared, or concluded from the bytes."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterable, Iterator
from itertools import chain

from recloak.errors import InputError, ParameterError

_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_MULTI_BYTE = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)
_NOT_LATIN = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")  # undefined in Windows-1252
LATIN_NOTE = (
    "The text is not UTF-8 and was read as Latin-1 (Windows-1252); "
    "if names look wrong, give --encoding."
)


def declared_encoding(head: bytes, encoding: str | None) -> str | None:
    """The encoding that is declared or marked at the start of the file; None if neither."""
    if encoding is None:
        return next((name for mark, name in _MARKS.items() if head.startswith(mark)), None)
    try:
        io.TextIOWrapper(io.BytesIO(), encoding)  # refuses encodings that are not of text
    except (LookupError, ValueError):
        raise ParameterError(
            f"'{encoding}' is no text encoding",
            where="--encoding",
            hint="Usual ones: utf-8, latin-1, cp1252, utf-16.",
        ) from None
    return encoding


def transcoded(
    chunks: Iterable[bytes], encoding: str | None, where: str, *, complete: bool = True
) -> Iterator[bytes]:
    """Chunks of a file in ``encoding`` as UTF-8; as they are if no encoding is declared.

    If the chunks are not the ``complete`` file, a letter may be cut at their end.
    """
    if encoding is None:
        yield from chunks
        return
    decoder = codecs.getincrementaldecoder(encoding)()
    lines = 1
    for chunk in chain(chunks, [b""]):
        try:
            text = decoder.decode(chunk, final=complete and not chunk)
            data = text.encode()
        except UnicodeError as problem:
            raise InputError(
                f"the text is not {encoding}: {getattr(problem, 'reason', problem)}",
                where=f"{where}, line {lines + _lines_before(problem, encoding)}",
                hint="Give the right --encoding, or none to let it be found.",
            ) from problem
        lines += text.count("\n")
        yield data


class Utf8:
    """Checks blocks for UTF-8, one after the other, or reads them as Latin-1 if they never were.

    A file with valid UTF-8 letters in one place and invalid bytes in another is damaged, and
    reading it as Latin-1 would turn names into gibberish; so this is refused.
    """

    def __init__(self, where: str) -> None:
        self.where = where
        self.latin = False
        self._seen_utf8 = False

    def __call__(self, block: bytes, line: int) -> bytes:
        """The block as UTF-8; ``line`` is its first."""
        if block.isascii():
            return block
        bad = _first_undecodable(block)
        self._seen_utf8 = self._seen_utf8 or _MULTI_BYTE.search(block) is not None
        self.latin = self.latin or bad is not None
        if not self.latin:
            return block
        undefined = _NOT_LATIN.search(block)
        if self._seen_utf8 or undefined:
            at = bad if bad is not None else undefined.start() if undefined else 0
            raise self._broken(block, at, line)
        return block.decode("cp1252").encode()

    def _broken(self, block: bytes, at: int, line: int) -> InputError:
        return InputError(
            f"the text encoding is broken: byte 0x{block[at]:02x} is not UTF-8",
            where=f"{self.where}, line {line + block.count(10, 0, at)}",
            hint="Repair the file, or say how it is encoded: --encoding latin-1.",
        )


def _first_undecodable(block: bytes) -> int | None:
    try:
        block.decode()
    except UnicodeDecodeError as problem:
        return problem.start
    return None


def _lines_before(problem: UnicodeError, encoding: str) -> int:
    if not isinstance(problem, UnicodeDecodeError):
        return 0
    try:
        return problem.object[: problem.start].decode(encoding, "replace").count("\n")
    except UnicodeError:  # an encoding that cannot pass over what is wrong
        return 0
