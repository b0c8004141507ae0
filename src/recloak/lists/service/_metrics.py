"""Metrics: what is counted, for Prometheus."""

from __future__ import annotations

import os
from datetime import datetime
from math import nan

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from recloak.lists.service._snapshot import ServedSnapshot

SHARED = "PROMETHEUS_MULTIPROC_DIR"  # a folder through which workers share their counters

_SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5)


class Metrics:
    """Counters of one application."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "recloak_requests", "Answers by route and status.", ("route", "status"),
            registry=self.registry,
        )  # fmt: skip
        self.seconds = Histogram(
            "recloak_request_seconds", "Time to answer.", ("route",), buckets=_SECONDS,
            registry=self.registry,
        )  # fmt: skip
        self.release = self._gauge("recloak_release", "Number of the release in force, -1 if none.")
        self.published = self._gauge(
            "recloak_release_published_timestamp_seconds", "When the release was published."
        )
        self.items = self._gauge("recloak_release_items", "Items with a list.")
        self.filled = self._gauge("recloak_release_filled_ratio", "Share of slots with an item.")
        self.recall = self._gauge(
            "recloak_release_recall_ratio",
            "Share of the unprotected lists' entries that are shown; NaN if it is not known.",
        )
        self.attainable = self._gauge(
            "recloak_release_attainable_recall_ratio",
            "The largest recall that lists within the bound could have; NaN if not known.",
        )
        self.suppressed = self._gauge(
            "recloak_release_suppressed_entries", "Entries of the unprotected lists not shown."
        )
        self.permuted = self._gauge(
            "recloak_release_permuted_entries", "Entries shown in another slot of their list."
        )
        self.last_answer = self._gauge(
            "recloak_store_answered_timestamp_seconds", "When the store last answered."
        )
        self.takeovers = Counter(
            "recloak_takeovers", "How often a newer release was loaded.", registry=self.registry
        )
        self.failed_reloads = Counter(
            "recloak_failed_reloads",
            "How often the store could not be read.",
            registry=self.registry,
        )
        self.release.set(-1)
        self._known: dict[tuple[str, int], tuple[Counter, Histogram]] = {}

    def _gauge(self, name: str, meaning: str) -> Gauge:
        return Gauge(name, meaning, registry=self.registry, multiprocess_mode="mostrecent")

    def reloaded(self, snapshot: ServedSnapshot) -> None:
        """Record that a snapshot came into force."""
        if snapshot.record is None:
            return
        self.takeovers.inc()
        self.release.set(snapshot.record.number)
        when = datetime.fromisoformat(snapshot.record.published_at)
        self.published.set(when.timestamp())
        self.items.set(len(snapshot.answers))
        self.filled.set(snapshot.filled)
        worth = snapshot.record.worth
        for gauge, name in (
            (self.recall, "recall"),
            (self.attainable, "attainable_recall"),
            (self.suppressed, "suppressed"),
            (self.permuted, "permuted"),
        ):
            known = worth[name]
            gauge.set(nan if known is None else known)

    def answered(self, route: str, status: int, seconds: float) -> None:
        """Count one more answer."""
        known = self._known.get((route, status))
        if known is None:
            known = self.requests.labels(route, str(status)), self.seconds.labels(route)
            self._known[route, status] = known
        known[0].inc()
        known[1].observe(seconds)

    def text(self) -> bytes:
        """All of it as Prometheus reads it; of several workers summed, whoever is asked."""
        if SHARED not in os.environ:
            return generate_latest(self.registry)
        together = CollectorRegistry()
        MultiProcessCollector(together)  # type: ignore[no-untyped-call]
        return generate_latest(together)
