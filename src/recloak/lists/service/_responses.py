"""Responses: what the API answers, declared; the OpenAPI description derives from it."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field


class ListResponse(BaseModel):
    """The list of one item, its empty slots in their places."""

    item: str
    release: int = Field(description="The number of the release it belongs to.")
    slots: int = Field(description="How many slots a whole list has.")
    offset: int = Field(description="The slot that the answer begins with, from 0.")
    related: list[str | None] = Field(description="Items, nearest first; null is an empty slot.")


class ReleaseResponse(BaseModel):
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


class ReleasesResponse(BaseModel):
    """A page of releases, newest first."""

    releases: list[ReleaseResponse]
    next_before: int | None = Field(description="`before` of the next page; null on the last.")


class Wanted(BaseModel):
    """Several items at once."""

    model_config = {"extra": "forbid"}
    items: list[Annotated[str, Field(min_length=1, max_length=1000)]] = Field(
        min_length=1, max_length=1000, description="The items whose lists are wanted."
    )
    limit: int | None = Field(default=None, ge=1, le=1000, description="How many slots at most.")
    offset: int = Field(default=0, ge=0, le=1000, description="The first slot, from 0.")
    exclude: list[str] = Field(
        default=[], max_length=10_000, description="Items to leave out; their slots stay empty."
    )
    category: str | None = Field(default=None, description="Only items of this category.")


class ListsResponse(BaseModel):
    """The lists of several items, all of one release."""

    release: int = Field(description="The number of the release they belong to.")
    slots: int = Field(description="How many slots a whole list has.")
    offset: int = Field(description="The slot that the lists begin with, from 0.")
    lists: dict[str, list[str | None]] = Field(description="By item; null is an empty slot.")
    unknown: list[str] = Field(description="Items that have no list in force.")


class Health(BaseModel):
    """Whether lists can be answered, and whether the store answers."""

    status: str = Field(description="ok, stale (the store failed; the last lists stay) or empty.")
    release: int | None
    published_at: str | None
    problem: str | None
    answered_at: str | None = Field(description="When the store last answered; null: never.")
    silent_seconds: float | None = Field(description="How long ago that is.")


class State(BaseModel):
    """One word."""

    status: str


class Problem(BaseModel):
    """Why there is no answer."""

    detail: str


NOT_MODIFIED: dict[str, Any] = {"description": "Not changed since the given ETag."}
NOT_FOUND: dict[str, Any] = {"model": Problem, "description": "No such item in force."}
NOTHING_YET: dict[str, Any] = {"model": Health, "description": "Nothing is published yet."}
NOT_READY: dict[str, Any] = {"model": State, "description": "No lists are loaded yet."}
UNAVAILABLE: dict[str, Any] = {"model": Problem, "description": "No lists are loaded yet."}
REFUSED: dict[str, Any] = {"model": Problem, "description": "An API key is needed."}
