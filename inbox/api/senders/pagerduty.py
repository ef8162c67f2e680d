"""The format of the PagerDuty Events API v2, so that its senders change one address (specification 19.9)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar
from uuid import uuid4

import orjson
from flask import Response, request

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.policy import SOURCE_KEY, EndpointPolicy
from inbox.api.senders import compatible, sender_bodies, source_requests
from inbox.api.senders.schemas.compatible import (
    PAGERDUTY_ACCEPTED,
    PAGERDUTY_CHANGE,
    PAGERDUTY_CHANGED,
    PAGERDUTY_ERROR,
    PAGERDUTY_EVENT,
)
from inbox.api.senders.sender_samples import SentBody, keeping_refused
from inbox.domain.events.time_meaning import TimeMeaning
from inbox.domain.values.refusals import BadRequest, Refusal
from inbox.intake import pagerduty
from inbox.intake.pagerduty import InvalidEvent
from inbox.models.events.sender_sources import SenderSource

Sent = TypeVar("Sent")

CAP = 512 * 1024
"""Bytes of an event in this format."""

NO_KEY = "No source key was sent. Send it as `routing_key`."

BAD = 400
STATUSES: Mapping[int, str] = {BAD: "invalid event", 429: "throttle exceeded"}
"""The texts of `status` in the words of the format. Other statuses have the titles of problems."""


class InvalidRequest(BadRequest):
    """The body is no event of the format. `sentences` give the reasons."""

    def __init__(self, sentences: list[str]) -> None:
        super().__init__(f"Nothing was stored: {'; '.join(sentences)}.")
        self.sentences = sentences


blp = Blueprint(
    "pagerduty",
    __name__,
    url_prefix="/v1/compat/pagerduty",
    description="Events in the format of PagerDuty.",
    section="19.9",
    error_shape=PAGERDUTY_ERROR,
)

_REFUSALS = ("bad_request", "rate_limited", "request_timeout")


def _body(schema: dict[str, Any]) -> dict[str, Any]:
    return {
        "required": True,
        "description": "JSON under any content type, at most 512 KiB, uncompressed. Unknown fields are ignored.",
        "content": {"application/json": {"schema": schema}},
    }


@blp.route("/v2/enqueue", methods=["POST"], endpoint="enqueue")
@EndpointPolicy(SOURCE_KEY, workspace_from="none", database=False, own_key=True, own_body=True, body_cap=CAP)
@blp.doc(requestBody=_body(PAGERDUTY_EVENT))
@blp.response(202, PAGERDUTY_ACCEPTED)
@blp.refuses(*_REFUSALS)
def enqueue() -> Response:
    """Send an alert in the PagerDuty format

    `routing_key` is a source key. The event is stored before the answer. `trigger` opens or repeats the incident of `dedup_key`,
    `resolve` closes it, and `acknowledge` is logged.
    """
    return _answered(_alert)


@blp.route("/v2/change/enqueue", methods=["POST"], endpoint="enqueue_change")
@EndpointPolicy(SOURCE_KEY, workspace_from="none", database=False, own_key=True, own_body=True, body_cap=CAP)
@blp.doc(requestBody=_body(PAGERDUTY_CHANGE))
@blp.response(202, PAGERDUTY_CHANGED)
@blp.refuses(*_REFUSALS)
def enqueue_change() -> Response:
    """Send a change in the PagerDuty format

    A change becomes an event of severity `INFO`, which belongs to no incident.
    """
    return _answered(_change)


@blp.errorhandler(Refusal)
def _refused_early(fault: Refusal) -> Response:
    """Answers what is refused before a view, such as a query that is no text, in the shape of the format."""
    return compatible.refused(fault, partial(_error, fault))


def _answered(store: Callable[[], dict[str, str]]) -> Response:
    try:
        return Response(orjson.dumps(store()), 202, mimetype="application/json")
    except Exception as fault:  # noqa: BLE001 - every failure is an answer in the shape of the format
        return compatible.refused(fault, partial(_error, fault))


def _alert() -> dict[str, str]:
    source, sent = _received()
    with keeping_refused(source, sent):
        alert = _valid(lambda: pagerduty.alert(sent.document, uuid4().hex))
    source_requests.store(request.environ, source, [alert.event], time=pagerduty.TIME)
    return {"status": "success", "message": "Event processed", "dedup_key": alert.dedup_key}


def _change() -> dict[str, str]:
    source, sent = _received()
    with keeping_refused(source, sent):
        change = _valid(lambda: pagerduty.change(sent.document))
    source_requests.store(request.environ, source, [change], time=TimeMeaning.MOMENT)
    return {"status": "success", "message": "Change event processed"}


def _received() -> tuple[SenderSource, SentBody]:
    """Returns the source and the body. The key is in the body, or in a header where the body has none."""
    sent = SentBody("pagerduty", request.environ, compatible.read_body(request.environ, CAP))
    sent.document = sender_bodies.json(sent.body, request.environ)
    key = pagerduty.routing_key(sent.document) or source_requests.sent_key(request.environ)
    return source_requests.source_of(key, missing=NO_KEY), sent


def _valid(read: Callable[[], Sent]) -> Sent:
    try:
        return read()
    except InvalidEvent as invalid:
        raise InvalidRequest(invalid.errors) from None


def _error(fault: Exception, problem: Mapping[str, Any]) -> Mapping[str, Any]:
    errors = fault.sentences if isinstance(fault, InvalidRequest) else [problem["detail"]]
    message = "Event object is invalid" if problem["status"] == BAD else problem["title"]
    return {"status": STATUSES.get(problem["status"], problem["title"].lower()), "message": message, "errors": errors}
