"""The Alertmanager API v2 for Prometheus, which pushes its alerts itself (specification 19.10)."""

from __future__ import annotations

from datetime import UTC, datetime

from flask import Response, request

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.connections import borrowed
from inbox.api.http.policy import SOURCE_KEY, EndpointPolicy
from inbox.api.senders import compatible, sender_bodies, source_requests
from inbox.api.senders.ingest import CAP, read_body
from inbox.api.senders.schemas.compatible import PROMETHEUS_ALERTS
from inbox.api.senders.sender_samples import SentBody, keep_read_in_part, keeping_refused
from inbox.api.senders.shown_refusals import showing_too_large
from inbox.domain.values.refusals import BadRequest
from inbox.flow.ingest import alert_expiry
from inbox.intake import prometheus
from inbox.intake.prometheus import Alert
from inbox.models.events.sender_sources import SenderSource
from inbox.models.senders import pushed_alerts

LISTED_FAULTS = 10
"""The most faults that a refusal names."""

blp = Blueprint(
    "prometheus",
    __name__,
    url_prefix="/v1/compat/alertmanager",
    description="Alerts that Prometheus pushes itself.",
    section="19.10",
)

_BODY = {
    "required": True,
    "description": "Alerts as JSON under any content type, at most 2 MiB, uncompressed.",
    "content": {"application/json": {"schema": PROMETHEUS_ALERTS}},
}


@blp.route("/api/v2/alerts", methods=["POST"], endpoint="push")
@EndpointPolicy(SOURCE_KEY, workspace_from="none", database=False, own_key=True, own_body=True, body_cap=CAP)
@blp.doc(requestBody=_BODY)
@blp.response(200, description="The alerts are stored. The body is empty.")
@blp.refuses("bad_request", "request_timeout", "idempotency_in_progress", "idempotency_mismatch")
def push() -> Response:
    """Push alerts as Prometheus does

    The alerts are stored before the answer. A repeat of a firing alert is a duplicate, and an alert with `endsAt` in
    the past resolves its incident. An unreadable alert is 400; the others are stored.
    """
    return compatible.answered(_pushed)


def _pushed() -> Response:
    source = source_requests.source_of(source_requests.sent_key(request.environ))
    with showing_too_large(source, "prometheus", request.environ):
        sent = SentBody("prometheus", request.environ, read_body(request.environ))
    now = datetime.now(UTC)
    with keeping_refused(source, sent):
        sent.document = sender_bodies.large_json(sent.body, request.environ)
        if not isinstance(sent.document, list):
            raise BadRequest("The body must be a JSON array of alerts.")
        result = prometheus.read(sent.document, now)
    _store(source, result.alerts, now)
    if result.faults:
        keep_read_in_part(source, sent, result.faults, is_stored=bool(result.alerts))
        listed = "; ".join(f"{fault.pointer}: {fault.detail}" for fault in result.faults[:LISTED_FAULTS])
        raise BadRequest(f"{len(result.alerts)} alerts were stored, {len(result.faults)} were not: {listed}.")
    return Response(status=200)


def _store(source: SenderSource, alerts: list[Alert], now: datetime) -> None:
    """Stores the events, then the ends of the alerts.

    If that fails, the sender repeats all, and the events are duplicates.
    """
    with borrowed():
        expired = pushed_alerts.expired(source.source_id, [alert.key for alert in alerts])
    events = [alert.event_after(expired.get(alert.key)) for alert in alerts]
    source_requests.store(request.environ, source, events, time=prometheus.TIME)
    latest = now + alert_expiry.LONGEST
    firing = {each.key: each.ends_at for each in alerts if each.ends_at is not None and now < each.ends_at <= latest}
    ended = [each.key for each in alerts if each.has_ended]
    lasting = [each.key for each in alerts if not each.has_ended and each.key not in firing]
    with borrowed():
        alert_expiry.track(source.source_id, firing, ended, expired, lasting)
