"""Formats: reading ratings from files and folders of many kinds, and writing them back."""

from recloak.formats.base import Format
from recloak.registry import Registry

# Sniffed in this order: what is recognised by name or magic first, text that may be anything last.
FORMATS: Registry[type[Format]] = Registry(
    "formats",
    "format",
    {
        "netflix": "recloak.formats.netflix:Netflix",
        "movielens-100k": "recloak.formats.movielens:MovieLens100k",
        "movielens-10m": "recloak.formats.movielens:MovieLens10M",
        "movielens-1m": "recloak.formats.movielens:MovieLens1M",
        "movielens-20m": "recloak.formats.movielens_csv:MovieLensCsv",
        "ciaodvd": "recloak.formats.ciaodvd:CiaoDvd",
        "parquet": "recloak.formats.parquet:Parquet",
        "arrow": "recloak.formats.arrow:Arrow",
        "jester": "recloak.formats.jester:Jester",
        "baskets": "recloak.formats.baskets:Baskets",
        "survey": "recloak.formats.survey:Survey",
        "csv": "recloak.formats.csv:Csv",
    },
)

from recloak.formats.loading import Loaded, load, read  # noqa: E402 - they look into FORMATS
from recloak.formats.writing import write  # noqa: E402

__all__ = ["FORMATS", "Format", "Loaded", "load", "read", "write"]
