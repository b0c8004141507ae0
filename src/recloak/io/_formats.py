"""The formats by name."""

from recloak.core.registry import Registry
from recloak.io.base import Format

# Sniffed in this order: what is recognised by name or magic first, text that may be anything last.
FORMATS: Registry[type[Format]] = Registry(
    "formats",
    "format",
    {
        "duckdb": "recloak.io.duckdb:DuckDb",
        "netflix": "recloak.io.netflix:Netflix",
        "movielens-100k": "recloak.io.movielens:MovieLens100k",
        "movielens-10m": "recloak.io.movielens:MovieLens10M",
        "movielens-1m": "recloak.io.movielens:MovieLens1M",
        "movielens-20m": "recloak.io.movielens:MovieLensCsv",
        "ciaodvd": "recloak.io.ciaodvd:CiaoDvd",
        "parquet": "recloak.io.parquet:Parquet",
        "arrow": "recloak.io.arrow:Arrow",
        "jsonl": "recloak.io.jsonl:JsonLines",
        "jester": "recloak.io.jester:Jester",
        "baskets": "recloak.io.baskets:Baskets",
        "survey": "recloak.io.survey:SurveyFormat",
        "csv": "recloak.io.csv:Csv",
    },
)
