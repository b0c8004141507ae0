"""Formats: reading ratings from files and folders of many kinds, and writing them back."""

from recloak.formats.base import Format
from recloak.registry import Registry

# Sniffed in this order: what is recognised by name or magic first, text that may be anything last.
FORMATS: Registry[type[Format]] = Registry(
    "formats",
    "format",
    {
        "movielens-100k": "recloak.formats.movielens:MovieLens100k",
        "movielens-1m": "recloak.formats.movielens:MovieLens1M",
        "parquet": "recloak.formats.parquet:Parquet",
        "csv": "recloak.formats.csv:Csv",
    },
)

from recloak.formats.loading import Loaded, load, read  # noqa: E402 - they look into FORMATS
from recloak.formats.writing import write  # noqa: E402

__all__ = ["FORMATS", "Format", "Loaded", "load", "read", "write"]
