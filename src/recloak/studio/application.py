"""The application: all pages over one workspace, behind the guard."""

from __future__ import annotations

from importlib.resources import files

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from recloak.core.errors import RecloakError
from recloak.studio.guard import Access, Guard
from recloak.studio.pages import (
    checking,
    comparing,
    data,
    deciding,
    lists,
    policies,
    publishing,
    releases,
    work,
)
from recloak.studio.studio import Studio

KINDS = {".css": "text/css", ".js": "text/javascript", ".txt": "text/plain"}
STATIC = (
    "studio.css",
    "studio.js",
    "vendor/htmx-2.0.11.min.js",
    "vendor/htmx-ext-sse-2.2.4.min.js",
)
PARTS = (data, work, publishing, releases, comparing, deciding, policies, checking, lists)
OF_REPORT = ("style.css", "charts.js", "reading.js")


def application(studio: Studio, access: Access) -> FastAPI:
    """The studio of one workspace."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False)
    app.add_middleware(Guard, access=access)
    _add_resources(app)
    for part in PARTS:
        part.add(app, studio)
    _add_problems(app, studio)
    return app


def _add_resources(app: FastAPI) -> None:
    own = {name: f"studio/static/{name}" for name in STATIC}
    known = own | {f"report/{name}": f"report/{name}" for name in OF_REPORT}

    @app.get("/static/{name:path}")
    def resource(name: str) -> Response:
        if name not in known:
            raise HTTPException(404)
        content = files("recloak").joinpath(known[name]).read_bytes()
        return Response(content, media_type=KINDS[f".{name.rsplit('.', 1)[-1]}"])


def _add_problems(app: FastAPI, studio: Studio) -> None:
    @app.exception_handler(RecloakError)
    async def known_problem(request: Request, problem: RecloakError) -> Response:
        return studio.page("problem", "", 422, problem=problem)

    async def no_page(request: Request, problem: Exception) -> Response:
        status = problem.status_code if isinstance(problem, HTTPException) else 404
        missing = RecloakError("there is no such page", where=request.url.path[:200])
        return studio.page("problem", "", status, problem=missing)

    async def defect(request: Request, problem: Exception) -> Response:
        message = f"this is a defect of recloak ({type(problem).__name__}: {problem})"
        hint = "Please report it; the terminal shows where it happened."
        return studio.page("problem", "", 500, problem=RecloakError(message, hint=hint))

    app.add_exception_handler(Exception, defect)
    app.add_exception_handler(HTTPException, no_page)
    app.add_exception_handler(RequestValidationError, no_page)
