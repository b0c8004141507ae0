"""Croissant: the release as MLCommons JSON-LD, which data set search and loaders understand.

It follows from the manifest and the tables alone, as the card does, so that nothing can be hidden
in it. Nothing is said of a licence, an author or a date: whoever publishes the folder knows them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from recloak.releases.card._page import counted, noun_of
from recloak.releases.manifest import FileEntry, Manifest

CROISSANT_NAME = "croissant.json"
CONFORMS_TO = "http://mlcommons.org/croissant/1.0"
_ENCODINGS = {".parquet": "application/x-parquet", ".csv": "text/csv"}
_CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}


def croissant_of(manifest: Manifest, folder: Path, files: Mapping[str, FileEntry]) -> str:
    """The description of a release whose tables are these files of a folder."""
    tables = sorted(name for name in files if Path(name).suffix in _ENCODINGS)
    folders = sorted({name.split("/")[0] for name in tables if "/" in name})
    whole = [name for name in tables if "/" not in name]
    content = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS_TO,
        "name": f"recloak-release-{manifest.release_id}",
        "description": _description(manifest),
        "version": "1.0.0",
        "rai:personalSensitiveInformation": _protection(manifest),
        "distribution": [
            *(_file(name, files[name]) for name in tables),
            *(_file_set(name) for name in folders),
        ],
        "recordSet": [_records(folder / name) for name in (*whole, *folders)],
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _description(manifest: Manifest) -> str:
    noun = noun_of(manifest)
    return (
        f"{noun[0].upper()}{noun[1:]}, published with recloak {manifest.recloak}: "
        f"{_contents(manifest)}. README.md says how it was made, what was verified and what its "
        "limits are."
    )


def _contents(manifest: Manifest) -> str:
    if manifest.kind == "lists":
        rows, items, cells = (f"{n:,}" for n in (manifest.rows, manifest.items, manifest.ratings))
        releases = len(manifest.config["releases"])
        return f"{cells} entries in {rows} lists, for {items} items in {releases:,} releases"
    return f"{counted(manifest)}, scale {manifest.scale}"


def _protection(manifest: Manifest) -> str:
    claims = ", ".join(manifest.claims) or "none"
    if manifest.kind == "lists":
        return f"Algorithm {manifest.method}; formal claims: {claims}.{_raw(manifest)}"
    return f"Sanitised by the method {manifest.method}; formal claims: {claims}."


def _raw(manifest: Manifest) -> str:
    """How many releases of lists a claim does not cover by itself."""
    many = manifest.config["unprotected_releases"]
    return f" Not protected: {many:,} of {len(manifest.config['releases']):,} releases."


def _file(name: str, entry: FileEntry) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": name,
        "contentSize": f"{entry.bytes} B",
        "encodingFormat": _ENCODINGS[Path(name).suffix],
        "sha256": entry.sha256,
    }


def _file_set(name: str) -> dict[str, Any]:
    """The parts of a table together."""
    return {
        "@type": "cr:FileSet",
        "@id": name,
        "name": name,
        "encodingFormat": _ENCODINGS[Path(name).suffix],
        "includes": f"{name}/*{Path(name).suffix}",
    }


def _records(path: Path) -> dict[str, Any]:
    """The rows of a table."""
    of = "fileSet" if path.is_dir() else "fileObject"
    return {
        "@type": "cr:RecordSet",
        "@id": path.stem,
        "name": path.stem,
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{path.stem}/{_identified(column, at)}",
                "name": column,
                "dataType": kind,
                "source": {of: {"@id": path.name}, "extract": {"column": column}},
            }
            for at, (column, kind) in enumerate(_columns(path).items(), 1)
        ],
    }


def _identified(column: str, at: int) -> str:
    """What stands for a column in an address: its name, or its place if that could not stand."""
    return column if column.isidentifier() else str(at)


def _columns(path: Path) -> dict[str, str]:
    """The columns of a table and what each holds; in text, an item called 007 stays text."""
    if path.suffix == ".parquet":
        first = min(path.iterdir()) if path.is_dir() else path
        return {name: _kind(dtype) for name, dtype in pl.read_parquet_schema(first).items()}
    text = pl.scan_csv(path, infer_schema_length=None).collect_schema()
    return {name: _kind(pl.String() if name == "item" else text[name]) for name in text}


def _kind(dtype: pl.DataType) -> str:
    if dtype.is_integer():
        return "sc:Integer"
    if dtype.is_float():
        return "sc:Float"
    return "sc:DateTime" if dtype.is_temporal() else "sc:Text"
