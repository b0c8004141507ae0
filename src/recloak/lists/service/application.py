"""The routes of the service. All of them only read; publishing stays with the command line."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import FastAPI, Header, Path, Query, Response
from fastapi.responses import JSONResponse
from prometheus_client import CONTENT_TYPE_LATEST

import recloak
from recloak.lists.service._metrics import Metrics
from recloak.lists.service._middleware import JSON, RELATED_ROUTE, Middleware
from recloak.lists.service._reloader import Reloader
from recloak.lists.service._responses import (
    NOT_FOUND,
    NOT_MODIFIED,
    NOTHING_YET,
    Health,
    Related,
    Releases,
)
from recloak.lists.service._snapshot import knows
from recloak.lists.store.store import Store

MAX_PAGE = 1000

Item = Annotated[str, Path(min_length=1, max_length=1000, description="The item's id.")]
Known = Annotated[str | None, Header(description="ETags of answers that the client has.")]
Limit = Annotated[int | None, Query(ge=1, le=MAX_PAGE, description="How many slots at most.")]
Offset = Annotated[int, Query(ge=0, le=MAX_PAGE, description="The first slot, from 0.")]
Page = Annotated[int, Query(ge=1, le=MAX_PAGE, description="How many releases at most.")]
Before = Annotated[
    int | None, Query(ge=0, le=2**31 - 1, description="Only releases below this number.")
]


def application(store: Store, *, every: float = 1.0, max_age: int = 60) -> FastAPI:
    """The service over one store; answers may be cached for ``max_age`` seconds."""
    metrics = Metrics()
    reloader = Reloader(store, metrics, every)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with reloader.running():
            yield

    app = FastAPI(
        title="Related-item lists",
        version=recloak.__version__,
        description="Published lists, read only. An empty slot is null and stays in its place.",
        lifespan=lifespan,
        docs_url=None,  # its pages fetch scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.reloader = reloader
    cached = f"public, max-age={max_age}"
    app.add_middleware(Middleware, reloader=reloader, metrics=metrics, cached=cached)
    _add_lists(app, reloader, cached)
    _add_state(app, reloader, metrics)
    return app


def _add_lists(app: FastAPI, reloader: Reloader, cached: str) -> None:
    @app.get(
        RELATED_ROUTE,
        response_model=Related,
        responses={304: NOT_MODIFIED, 404: NOT_FOUND},
        summary="The list of an item",
    )
    async def related(
        item: Item, limit: Limit = None, offset: Offset = 0, if_none_match: Known = None
    ) -> Response:
        snapshot = reloader.snapshot
        body = snapshot.related(item, limit, offset)
        if body is None:
            return JSONResponse({"detail": "no such item"}, 404, {"Cache-Control": "no-store"})
        return _cacheable(body, snapshot.etag, cached, if_none_match)

    @app.get(
        "/releases",
        response_model=Releases,
        responses={304: NOT_MODIFIED},
        summary="All releases, newest first",
    )
    async def releases(
        limit: Page = 50, before: Before = None, if_none_match: Known = None
    ) -> Response:
        snapshot = reloader.snapshot
        body = json.dumps(snapshot.releases(limit, before), ensure_ascii=False).encode()
        return _cacheable(body, snapshot.etag, cached, if_none_match)


def _cacheable(body: bytes, etag: str, cached: str, known: str | None) -> Response:
    headers = {"ETag": etag, "Cache-Control": cached}
    if knows(known, etag):
        return Response(status_code=304, headers=headers)
    return Response(body, media_type=JSON, headers=headers)


def _add_state(app: FastAPI, reloader: Reloader, metrics: Metrics) -> None:
    @app.get("/health", response_model=Health, responses={503: NOTHING_YET}, summary="Health")
    async def health() -> Response:
        record = reloader.snapshot.record
        status = "empty" if record is None else "stale" if reloader.problem else "ok"
        state = Health(
            status=status,
            release=record.number if record else None,
            published_at=record.published_at if record else None,
            problem=reloader.problem,
        )
        code = 503 if record is None else 200
        return JSONResponse(state.model_dump(), code, {"Cache-Control": "no-store"})

    @app.get("/metrics", summary="Metrics for Prometheus", response_class=Response)
    async def counted() -> Response:
        headers = {"Cache-Control": "no-store"}
        return Response(metrics.text(), media_type=CONTENT_TYPE_LATEST, headers=headers)
