"""Manifest: what a release says about itself, without anything that would re-link it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    ValidationError,
    model_serializer,
)

from recloak.core.claim import Claim
from recloak.core.errors import InputError
from recloak.releases._json_text import parse_json
from recloak.releases.account import Account

MANIFEST_NAME = "manifest.json"
FORMAT_VERSION = 1


class FileEntry(BaseModel):
    """A file of the release: its size and digest."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    bytes: int = Field(ge=0)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")


class Encryption(BaseModel):
    """How the files of a release are sealed; the key is that of its recipient."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    cipher: Literal["AES-256-GCM"] = "AES-256-GCM"
    lock: Literal["key file"] = "key file"
    salt: str = Field(pattern=r"^[0-9a-f]{32}$")


class Manifest(BaseModel):
    """The public description of a release; never holds a seed, a path or a user's name."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format_version: int = FORMAT_VERSION
    recloak: str = Field(pattern=r"^[0-9][0-9A-Za-z.+]{0,40}$")
    release_id: str = Field(pattern=r"^[0-9a-f]{32}$")
    kind: str = Field(pattern=r"^[a-z][a-z0-9-]{0,40}$")
    method: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,60}$")
    parameters: dict[str, Any]
    claims: list[str]
    scale: str
    rows: int = Field(ge=0)
    items: int = Field(ge=0)
    ratings: int = Field(ge=0)
    times: str = "dropped"
    row_ids: Literal["random", "original"] = "random"
    reproducible: bool = False
    not_for_publication: list[str] = []
    account: Account | None = None
    encryption: Encryption | None = None
    config: dict[str, Any] = {}
    files: dict[str, FileEntry] = {}

    @property
    def claimed(self) -> list[Claim]:
        """The claims, ready to be checked."""
        return [Claim.parse(text) for text in self.claims]

    def to_json(self) -> str:
        """The text that is written; the same for the same content."""
        return json.dumps(self.model_dump(mode="json"), indent=2, ensure_ascii=False) + "\n"

    @model_serializer(mode="wrap")
    def _without_what_is_empty(self, plain: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Only releases of made-up people have an account, and few are encrypted."""
        content: dict[str, Any] = plain(self)
        for name in ("account", "encryption"):
            if content.get(name, ...) is None:
                del content[name]
        return content

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """Read and validate the manifest of a release folder.

        Raises `InputError` if there is none, or if it cannot be right.
        """
        path = folder / MANIFEST_NAME
        try:
            content = parse_json(path.read_text(encoding="utf-8"))
            version = content.get("format_version") if isinstance(content, dict) else None
        except FileNotFoundError:
            raise InputError(
                f"there is no {MANIFEST_NAME}",
                where=str(folder),
                hint="A release is the folder that 'recloak publish' made.",
            ) from None
        except (ValueError, UnicodeDecodeError) as problem:
            raise InputError(
                f"cannot be read as a manifest: {problem}",
                where=str(path),
                hint="The release was edited or damaged; get it again from whoever published it.",
            ) from None
        if version != FORMAT_VERSION:
            raise InputError(
                f"has format version {version}, this recloak reads {FORMAT_VERSION}",
                where=str(path),
                hint="Use the version of recloak that made the release.",
            )
        try:
            return cls.model_validate(content)
        except ValidationError as problem:
            first = problem.errors()[0]
            place = ".".join(str(part) for part in first["loc"])
            raise InputError(f"'{place}': {first['msg']}", where=str(path)) from None
