"""What is handed over in Python: ratings, or whatever `recloak.read` takes, with its options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from recloak.core.errors import ParameterError
from recloak.core.progress import SILENT, Progress
from recloak.core.ratings import Ratings
from recloak.io._inputs import no_source
from recloak.io.loading import Loaded, load
from recloak.io.options import ReadOptions


class Given(NamedTuple):
    """Ratings, the columns that were left out on the way, and what the data are called."""

    ratings: Ratings
    left_out: Sequence[str] = ()
    name: str = ""

    @classmethod
    def of(
        cls,
        source: Any,
        reading: Mapping[str, Any] | None = None,
        *,
        progress: Progress = SILENT,
        **defaults: Any,
    ) -> Given:
        """From whatever holds ratings; ``reading`` are options of `recloak.read`.

        ``defaults`` are options that hold unless others are given. Raises `ParameterError` for
        what holds no ratings, and for options where nothing is left to read.
        """
        given = dict(reading or {})
        if isinstance(source, Ratings | Loaded):
            _refuse_options(given)
            return cls.loaded(source) if isinstance(source, Loaded) else cls(source)
        if isinstance(source, Mapping):
            raise no_source(source)
        options = ReadOptions.of("read", given.pop("options", None), given).settled()
        return cls.loaded(load(source, options.with_defaults(**defaults), progress=progress))

    @classmethod
    def loaded(cls, loaded: Loaded) -> Given:
        """From what was read; a frame has no name."""
        left_out = list(dict.fromkeys((*loaded.dropped, *loaded.personal)))
        return cls(loaded.ratings, left_out, "" if loaded.format == "frame" else loaded.source)


def _refuse_options(given: Mapping[str, Any]) -> None:
    if given:
        raise ParameterError(
            "says how to read a file, but these ratings have been read already",
            where=next(iter(given)),
            hint="Give it to recloak.read, or hand over the file or the frame itself.",
        )
