"""A service over a store, on a real port."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import httpx
import pytest
import uvicorn

from recloak.core.sockets import listening_at
from recloak.lists.service.options import ServiceOptions
from recloak.lists.service.serving import config_of
from recloak.lists.store.store import Store
from tests.support.databases import PATIENCE_SECONDS


@contextmanager
def served(store: Store, every: float = 0.05, **more: Any) -> Iterator[str]:
    """The base URL of a service in a thread of this process, on a free port."""
    with listening_at("127.0.0.1", 0) as listener:
        config = config_of(store, ServiceOptions(every, **more))
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            until(lambda: server.started or not thread.is_alive())
            assert server.started
            reloader = config.app.state.reloader  # type: ignore[union-attr]
            until(lambda: reloader.answered_at is not None or reloader.problem is not None)
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(PATIENCE_SECONDS)


@pytest.fixture
def serving() -> Iterator[Callable[..., httpx.Client]]:
    """Start services; they end with the test."""
    with ExitStack() as closing:

        def start(store: Store, **more: Any) -> httpx.Client:
            base = closing.enter_context(served(store, **more))
            return closing.enter_context(httpx.Client(base_url=base, timeout=PATIENCE_SECONDS))

        yield start


def until(holds: Callable[[], bool], seconds: float = PATIENCE_SECONDS) -> None:
    """Wait until something is so; how long it may take says nothing but that it hangs."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.02)
