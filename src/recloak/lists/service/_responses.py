"""Answers: what the API answers, declared; the OpenAPI description derives from it."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field


class Related(BaseModel):
    """The list of one item, its empty slots in their places."""

    item: str
    release: int = Field(description="The number of the release it belongs to.")
    slots: int = Field(description="How many slots a whole list has.")
    offset: int = Field(description="The slot that the answer begins with, from 0.")
    related: list[str | None] = Field(description="Items, nearest first; null is an empty slot.")


class Release(BaseModel):
    """One release, and what is promised for it."""

    number: int
    published_at: str
    protected: bool
    delta: str | None
    window: int
    top: int
    algorithm: str
    similarity: str
    n_items: int
    digest: str


class Releases(BaseModel):
    """A page of releases, newest first."""

    releases: list[Release]
    next_before: int | None = Field(description="`before` of the next page; null on the last.")


class Health(BaseModel):
    """Whether lists can be answered."""

    status: str = Field(description="ok, stale (the store failed; the last lists stay) or empty.")
    release: int | None
    published_at: str | None
    problem: str | None


class Problem(BaseModel):
    """Why there is no answer."""

    detail: str


NOT_MODIFIED: dict[str, Any] = {"description": "Not changed since the given ETag."}
NOT_FOUND: dict[str, Any] = {"model": Problem, "description": "No such item in force."}
NOTHING_YET: dict[str, Any] = {"model": Health, "description": "Nothing is published yet."}
