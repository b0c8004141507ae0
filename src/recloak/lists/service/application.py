"""The routes of the service. All of them only read; publishing stays with the command line."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import FastAPI, Header, HTTPException, Path, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from prometheus_client import CONTENT_TYPE_LATEST

import recloak
from recloak.lists.service._metrics import Metrics
from recloak.lists.service._middleware import JSON, RELATED_ROUTE, Middleware
from recloak.lists.service._pages import docs_page, landing_page
from recloak.lists.service._reloader import Reloader
from recloak.lists.service._responses import (
    NOT_FOUND,
    NOT_MODIFIED,
    NOT_READY,
    NOTHING_YET,
    REFUSED,
    UNAVAILABLE,
    Health,
    ListResponse,
    ListsResponse,
    ReleasesResponse,
    State,
    Wanted,
)
from recloak.lists.service._snapshot import ListQuery, ServedSnapshot, as_bytes, knows
from recloak.lists.service.options import ServiceOptions
from recloak.lists.store.store import Store

MAX_PAGE = 1000
_FRESH = {"Cache-Control": "no-store"}

Item = Annotated[str, Path(min_length=1, max_length=1000, description="The item's id.")]
Known = Annotated[str | None, Header(description="ETags of answers that the client has.")]
Limit = Annotated[int | None, Query(ge=1, le=MAX_PAGE, description="How many slots at most.")]
Offset = Annotated[int, Query(ge=0, le=MAX_PAGE, description="The first slot, from 0.")]
Exclude = Annotated[
    list[str], Query(max_length=MAX_PAGE, description="Items to leave out; their slots stay empty.")
]
Category = Annotated[str | None, Query(description="Only items of this category.")]
Page = Annotated[int, Query(ge=1, le=MAX_PAGE, description="How many releases at most.")]
Before = Annotated[
    int | None, Query(ge=0, le=2**31 - 1, description="Only releases below this number.")
]


def application(store: Store, options: ServiceOptions | None = None) -> FastAPI:
    """The service over one store."""
    options, metrics = options or ServiceOptions(), Metrics()
    reloader = Reloader(store, metrics, options)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with reloader.running():
            yield

    app = FastAPI(
        title="Related-item lists",
        version=recloak.__version__,
        description="Published lists, read only. An empty slot is null and stays in its place.",
        lifespan=lifespan,
        docs_url=None,  # its pages fetch scripts from elsewhere; ours do not
        redoc_url=None,
        redirect_slashes=False,
        responses={401: REFUSED} if options.keys else {},
    )
    app.state.reloader = reloader
    app.add_exception_handler(RequestValidationError, _not_understood)
    app.add_middleware(
        Middleware, reloader=reloader, metrics=metrics, cached=options.cached, keys=options.keys
    )
    _add_lists(app, reloader, options)
    _add_releases(app, reloader, options)
    _add_state(app, reloader, metrics)
    _add_pages(app, reloader)
    return app


async def _not_understood(request: Request, problem: Exception) -> Response:
    """What is wrong with a request, without what it said: that may be no text at all."""
    assert isinstance(problem, RequestValidationError)
    detail = [{name: one[name] for name in ("type", "loc", "msg")} for one in problem.errors()]
    return Response(json.dumps({"detail": detail}), 422, _FRESH, JSON)


def _loaded(reloader: Reloader) -> ServedSnapshot:
    """The snapshot in force; without one nobody can say what there is not."""
    if reloader.snapshot.record is None:
        headers = {**_FRESH, "Retry-After": "1"}
        raise HTTPException(503, "no lists are loaded yet", headers)
    return reloader.snapshot


def _asked(
    options: ServiceOptions,
    limit: int | None,
    offset: int,
    exclude: list[str],
    category: str | None,
) -> ListQuery:
    if category is not None and category not in options.categories:
        raise HTTPException(404, "no such category", _FRESH)
    within, without = options.categories.get(category or ""), frozenset(exclude)

    def wants(entry: str) -> bool:
        return entry not in without and (within is None or entry in within)

    return ListQuery(limit, offset, wants)


def _add_lists(app: FastAPI, reloader: Reloader, options: ServiceOptions) -> None:
    @app.get(
        RELATED_ROUTE,
        response_model=ListResponse,
        responses={304: NOT_MODIFIED, 404: NOT_FOUND, 503: UNAVAILABLE},
        summary="The list of an item",
    )
    async def related(
        item: Item,
        limit: Limit = None,
        offset: Offset = 0,
        exclude: Exclude = [],  # noqa: B006, FastAPI copies it
        category: Category = None,
        if_none_match: Known = None,
    ) -> Response:
        snapshot = _loaded(reloader)
        found = snapshot.related(item, _asked(options, limit, offset, exclude, category))
        if found is None:
            return JSONResponse({"detail": "no such item"}, 404, _FRESH)
        tag = snapshot.etag if category is None else options.tag_within(snapshot.etag)
        return _cacheable(as_bytes(found), tag, options.cached, if_none_match)

    @app.post(
        "/lists",
        response_model=ListsResponse,
        responses={404: NOT_FOUND, 503: UNAVAILABLE},
        summary="The lists of several items, all of one release",
    )
    async def lists(wanted: Wanted) -> Response:
        snapshot = _loaded(reloader)
        asked = _asked(options, wanted.limit, wanted.offset, wanted.exclude, wanted.category)
        found = {item: snapshot.related(item, asked) for item in dict.fromkeys(wanted.items)}
        record = snapshot.record
        assert record is not None
        answer: dict[str, Any] = {
            "release": record.number,
            "slots": record.top,
            "offset": wanted.offset,
            "lists": {item: one["related"] for item, one in found.items() if one is not None},
            "unknown": [item for item, one in found.items() if one is None],
        }
        return Response(as_bytes(answer), media_type=JSON, headers=_FRESH)


def _add_releases(app: FastAPI, reloader: Reloader, options: ServiceOptions) -> None:
    @app.get(
        "/releases",
        response_model=ReleasesResponse,
        responses={304: NOT_MODIFIED, 503: UNAVAILABLE},
        summary="All releases, newest first",
    )
    async def releases(
        limit: Page = 50, before: Before = None, if_none_match: Known = None
    ) -> Response:
        snapshot = _loaded(reloader)
        body = json.dumps(snapshot.releases(limit, before), ensure_ascii=False).encode()
        return _cacheable(body, snapshot.etag, options.cached, if_none_match)


def _cacheable(body: bytes, etag: str, cached: str, known: str | None) -> Response:
    headers = {"ETag": etag, "Cache-Control": cached}
    if knows(known, etag):
        return Response(status_code=304, headers=headers)
    return Response(body, media_type=JSON, headers=headers)


def _add_state(app: FastAPI, reloader: Reloader, metrics: Metrics) -> None:
    @app.get("/live", response_model=State, summary="Is the process alive?")
    async def live() -> Response:
        return JSONResponse({"status": "live"}, headers=_FRESH)

    @app.get("/ready", response_model=State, responses={503: NOT_READY}, summary="Are there lists?")
    async def ready() -> Response:
        there = reloader.snapshot.record is not None
        state = {"status": "ready" if there else "empty"}
        return JSONResponse(state, 200 if there else 503, _FRESH)

    @app.get("/health", response_model=Health, responses={503: NOTHING_YET}, summary="Health")
    async def health() -> Response:
        state = _health(reloader)
        return JSONResponse(state.model_dump(), 503 if state.status == "empty" else 200, _FRESH)

    @app.get("/metrics", summary="Metrics for Prometheus", response_class=Response)
    async def counted() -> Response:
        return Response(metrics.text(), media_type=CONTENT_TYPE_LATEST, headers=_FRESH)


def _health(reloader: Reloader) -> Health:
    record, answered_at = reloader.snapshot.record, reloader.answered_at
    when = None if answered_at is None else datetime.fromtimestamp(answered_at, UTC)
    return Health(
        status="empty" if record is None else "stale" if reloader.problem else "ok",
        release=record.number if record else None,
        published_at=record.published_at if record else None,
        problem=reloader.problem,
        answered_at=when.isoformat(timespec="seconds").replace("+00:00", "Z") if when else None,
        silent_seconds=None
        if answered_at is None
        else round(max(0.0, time.time() - answered_at), 1),
    )


def _add_pages(app: FastAPI, reloader: Reloader) -> None:
    @app.get("/", include_in_schema=False)
    async def landing() -> Response:
        page = landing_page(reloader.snapshot.record, recloak.__version__)
        return HTMLResponse(page, headers=_FRESH)

    @app.get("/docs", include_in_schema=False)
    async def docs() -> Response:
        return HTMLResponse(docs_page(app.openapi()), headers=_FRESH)
