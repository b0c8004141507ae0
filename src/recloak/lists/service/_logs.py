"""Logs: what happens to the service, a line of JSON for each event; never who asked for what."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any

LOGGER = logging.getLogger("recloak.lists.service")


def event(name: str, level: int = logging.INFO, **facts: Any) -> None:
    """Tell an event and its facts."""
    LOGGER.log(level, name, extra={"facts": facts})


class JsonFormatter(logging.Formatter):
    """One object a line: time, level, event, and the facts."""

    def format(self, record: logging.LogRecord) -> str:
        when = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        fields = {
            "time": when.replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "event": record.getMessage().strip(),
            "process": record.process,
            **getattr(record, "facts", {}),
        }
        if record.exc_info:  # a defect: where it happened is all that helps
            fields["traceback"] = self.formatException(record.exc_info)
        return json.dumps(fields, ensure_ascii=False, default=str)


def log_to_stderr() -> None:
    """Write events, and what the server itself complains about, to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    for name, level in ((LOGGER.name, logging.INFO), ("uvicorn.error", logging.WARNING)):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level)
