"""Metrics for Prometheus: requests counted by all processes of this server, and figures read from the database.

Without METRICS_TOKEN nothing here is used, and the library is not loaded. No label holds anything that people made or
typed: routes are the names of URL patterns. docs/operations.md says what each figure is for.
"""

import logging
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import cache
from http import HTTPStatus
from threading import Lock
from typing import TYPE_CHECKING

from django.apps import apps
from django.conf import settings
from django.db import DatabaseError
from django.db.models import Count
from django.http import HttpRequest, HttpResponseBase
from msgspec import Struct

from workspace.checks.pages import oldest_queued_at
from workspace.checks.queries import load_acts
from workspace.models import Job
from workspace.models.jobs import CANCELLED, DONE, FAILED, QUEUED, RUNNING

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry, Counter, Histogram
    from prometheus_client.metrics_core import Metric

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
REFUSALS = (401, 403, 409, 429, 503, 507)
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
# Seconds: saves are promised within 0.3 and 0.5 of them, pages mostly take less.
BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2.5, 5, 10)
logger = logging.getLogger("evalsite.checks")
_beginning = Lock()
Next = Callable[[HttpRequest], HttpResponseBase]


class RequestCounts(Struct, frozen=True):
    registry: "CollectorRegistry"
    requests: "Counter"
    seconds: "Histogram"
    refusals: "Counter"


class CountRequests:
    """Counts each request by route, method and status, and how long its answer took to make. Outermost middleware."""

    def __init__(self, get_response: Next) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        began = time.perf_counter()
        response = self.get_response(request)
        if response.status_code == HTTPStatus.CONTINUE:  # no answer yet: the body may be sent
            return response
        route = route_of(request)
        method = request.method if request.method in METHODS else "other"
        counts = get_counts()
        counts.requests.labels(route, method, response.status_code).inc()
        counts.seconds.labels(route, method).observe(time.perf_counter() - began)
        # The 503 of /readyz is an answer to machines, not a refused request.
        if response.status_code in REFUSALS and route != "readyz":
            counts.refusals.labels(response.status_code).inc()
        return response


def route_of(request: HttpRequest) -> str:
    """The name of the address that a request was for; "static" for a file, "none" for an unknown address."""
    if request.resolver_match is not None:
        return str(request.resolver_match.url_name or "none")
    return "static" if request.path_info.startswith(f"/{settings.STATIC_URL.lstrip('/')}") else "none"


def get_counts() -> RequestCounts:
    """The counts of this process, made at its first request: after the fork, since each process has its own files."""
    with _beginning:
        return _begin_counts()


@cache
def _begin_counts() -> RequestCounts:
    from prometheus_client import CollectorRegistry, Counter, Histogram

    registry = CollectorRegistry()
    counts = RequestCounts(
        registry,
        Counter("evalsite_requests", "Answered requests.", ["route", "method", "status"], registry=registry),
        Histogram(
            "evalsite_request_seconds",
            "Seconds from a whole request to its answer.",
            ["route", "method"],
            buckets=BUCKETS,
            registry=registry,
        ),
        Counter("evalsite_refusals", "Answers that refuse, by status.", ["status"], registry=registry),
    )
    for status in REFUSALS:
        counts.refusals.labels(status)
    return counts


def write_metrics(*, now: datetime) -> bytes:
    from prometheus_client import CollectorRegistry, generate_latest
    from prometheus_client.multiprocess import MultiProcessCollector

    try:
        counted = CollectorRegistry()
        MultiProcessCollector(counted)
    except ValueError:  # no server set a folder for its processes: this one counts alone
        counted = get_counts().registry
    stored = CollectorRegistry()
    stored.register(StoredFigures(now))
    return bytes(generate_latest(counted) + generate_latest(stored))


class StoredFigures:
    """Figures from the database, the same in every process. Without the database, only that it does not answer."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def collect(self) -> "Iterator[Metric]":
        from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily

        lag = GaugeMetricFamily(
            "evalsite_queue_lag_seconds", "Seconds that the oldest waiting job has waited."
        )
        jobs = GaugeMetricFamily("evalsite_jobs", "Jobs by state.", labels=["state"])
        saved = CounterMetricFamily(
            "evalsite_judgements_saved", "Judgements saved, each change once more.", labels=["of"]
        )
        acts = GaugeMetricFamily(
            "evalsite_sweep_seconds_since_success",
            "Seconds since an act of the sweep last succeeded.",
            labels=["act"],
        )
        try:
            lag.add_metric([], seconds_waited(self.now))
            for act in load_acts():
                acts.add_metric([act.name], act.count_seconds(self.now))
            for state, count in count_jobs().items():
                jobs.add_metric([state], count)
            for name, model in settings.SAVED_JUDGEMENTS.items():
                saved.add_metric([name], apps.get_model(model).objects.count())
            families = [lag, acts, jobs, saved]
        except DatabaseError as fault:
            logger.error("metrics without the database: %s", fault)
            families = []
        yield GaugeMetricFamily("evalsite_database_up", "1 when the database answered.", value=bool(families))
        yield from families


def seconds_waited(now: datetime) -> float:
    oldest = oldest_queued_at()
    return max(0.0, (now - oldest).total_seconds()) if oldest else 0.0


def count_jobs() -> dict[str, int]:
    counted = dict(Job.objects.values_list("state").annotate(Count("pk")))
    return {state: counted.get(state, 0) for state in (QUEUED, RUNNING, DONE, FAILED, CANCELLED)}
