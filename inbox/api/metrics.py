"""Figures for Prometheus: the work that waits, the same from whichever process is asked (decision 1)."""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Iterator, Mapping
from typing import Any

from flask import Response, request
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric

from inbox import __version__, settings
from inbox.api.blueprint import Blueprint
from inbox.domain.refusals import Unauthenticated
from inbox.models.figures import Figures, figures

blp = Blueprint("metrics", __name__, url_prefix="/metrics", description="Figures for monitoring the instance itself.")


@blp.route("/", methods=["GET"], endpoint="read")
@blp.response(200, {"type": "string"}, content_type="text/plain")
@blp.refuses("unauthenticated")
def read() -> Response:
    """Read the figures that an operator watches

    In the text format of Prometheus. With `INBOX_METRICS_TOKEN` it takes that token as a bearer credential; without, it
    answers on loopback only, and not through a proxy. No figure is told by workspace or source.
    """
    if not _may_read():
        raise Unauthenticated()
    registry = CollectorRegistry()
    registry.register(_Now(figures()))
    return Response(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


def _may_read() -> bool:
    token = settings.current().metrics_token
    if token:
        scheme, _, sent = request.headers.get("Authorization", "").partition(" ")
        return scheme.lower() == "bearer" and hmac.compare_digest(sent.strip().encode(), token.encode())
    if "X-Forwarded-For" in request.headers or "Forwarded" in request.headers:
        return False
    try:
        return ipaddress.ip_address(request.remote_addr or "").is_loopback
    except ValueError:
        return False


class _Now:
    """One look at the figures, as Prometheus wants them."""

    def __init__(self, found: Figures) -> None:
        self.found = found

    def collect(self) -> Iterator[Metric]:
        """The metrics."""
        found = self.found
        yield _gauge("inbox_build", "The running version.", {(__version__,): 1}, "version")
        yield _gauge("inbox_events_waiting", "Accepted events that are not routed yet.", {(): found.events_waiting})
        yield _gauge(
            "inbox_events_oldest_waiting_seconds", "The age of the oldest of them.", {(): found.events_oldest_seconds}
        )
        yield _gauge("inbox_events_quarantined", "Events that could not be routed.", {(): found.events_quarantined})
        yield _gauge("inbox_incidents", "Unresolved incidents.", found.incidents, "state", "severity")
        by_status = {(status,): count for status, count in found.deliveries.items()}
        yield _gauge("inbox_deliveries_waiting", "Deliveries that are not settled.", by_status, "status")
        yield _gauge(
            "inbox_deliveries_oldest_due_seconds",
            "How long the delivery that is overdue most has been due.",
            {(): found.deliveries_oldest_due_seconds},
        )
        yield _gauge("inbox_timers_overdue", "Timers that are due and not yet run.", {(): found.timers_overdue})


def _gauge(name: str, about: str, values: Mapping[Any, float], *labels: str) -> Metric:
    family = GaugeMetricFamily(name, about, labels=labels)
    for label_values, value in values.items():
        family.add_metric(list(label_values), value)
    return family
