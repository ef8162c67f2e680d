"""`GET /metrics`, with its check of access (decision 0002)."""

from __future__ import annotations

from flask import Response, request
from prometheus_client import CONTENT_TYPE_LATEST

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.policy import METRICS_TOKEN, NONE, EndpointPolicy
from inbox.config import settings
from inbox.domain.values.refusals import Unauthenticated
from inbox.runtime.metrics.access import may_read
from inbox.services.instance import scrape

blp = Blueprint(
    "metrics",
    __name__,
    url_prefix="/metrics",
    description="Metrics for monitoring the instance itself.",
    section="13.4",
)


@blp.route("/", methods=["GET"], endpoint="read")
@EndpointPolicy(NONE, workspace_from="none", database=False, optional_credential=METRICS_TOKEN, quiet=True)
@blp.response(200, {"type": "string"}, content_type="text/plain")
@blp.refuses("unauthenticated")
def read() -> Response:
    """Prometheus metrics

    In the text format of Prometheus. With `INBOX_METRICS_TOKEN` it requires that token as a bearer credential. Without
    the setting it answers on loopback only, not through a proxy, and only while the base URL is local. No metric names
    a workspace or a source. It answers without PostgreSQL or Redis, with the counters of the processes.
    """
    chosen = settings.current()
    if not may_read(
        request.headers.get, request.remote_addr or "", token=chosen.metrics_token, base_url=chosen.base_url
    ):
        raise Unauthenticated()
    return Response(scrape.exposition(), content_type=CONTENT_TYPE_LATEST)
