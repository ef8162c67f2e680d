"""Notices for display: sentences, decisions, and deliveries with their attempts (specification 7.7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import orjson

from inbox.destinations import sent_requests
from inbox.destinations.sent_requests import WebhookBody
from inbox.domain.deliveries import signing
from inbox.domain.deliveries.delivery import Status
from inbox.domain.deliveries.event_details import EventDetails, added
from inbox.domain.deliveries.notices import Cause
from inbox.domain.explaining import digest_text
from inbox.domain.explaining.notice_content import DIGEST, ON_CALL, TEST
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.values.redaction import redact
from inbox.models.deliveries import event_details
from inbox.models.deliveries.tables import Delivery, Notice
from inbox.models.insight import explanations
from inbox.runtime import work_budget
from inbox.services.deliveries.reports import DestinationName, destination_names, with_details
from inbox.services.explaining.explanations import FEWER, explained

MAX_DECISIONS = 2_500
"""The most decisions of a page of notices, each with its deliveries and their attempts."""

UNROUTED = frozenset({TEST, DIGEST, ON_CALL})
"""The reasons of notices that no route decided: a test, and a digest of notices that have their own decisions."""


def find(notice_id: UUID) -> Notice | None:
    """Return the notice, or None."""
    found: Notice | None = Notice.get_or_none(Notice.id == notice_id)
    return found


def detailed(workspace_id: UUID, notice_ids: Sequence[UUID], *, with_event: bool = False) -> list[dict[str, Any]]:
    """Return these notices of the workspace, in the order of `notice_ids`, with decisions and deliveries.

    `with_event` adds to the bodies what the newest events say. A page of notices would be too large with it.
    """
    rows = explanations.notices(workspace_id, notice_ids)
    bodies = _bodies(rows, event_details.of_notices(notice_ids) if with_event else {})
    event_ids = [row.event_id for row in rows.values() if row.event_id is not None]
    unrouted = {id for id, row in rows.items() if row.reason in UNROUTED}
    shown = explained(workspace_id, [*(rows.keys() - unrouted), *event_ids])
    reasons = {each["event_id"]: each["reasons"] for each in shown if each["kind"] == "event"}
    deliveries = _deliveries(rows, bodies)
    items = {each["notice_id"]: each for each in shown if each["kind"] == "notice"}
    items |= {id: _unrouted_item(rows[id], deliveries) for id in unrouted}
    named = {id for each in items.values() for one in each["decisions"] if (id := _destination_of(one)) is not None}
    destinations = destination_names(named)
    return [
        _notice(rows[id], items[id], reasons.get(rows[id].event_id, []), deliveries, destinations)
        | {"body": bodies[id].whole}
        for id in work_budget.spending(notice_ids, FEWER)
        if id in rows
    ]


def _notice(
    row: Notice,
    item: Mapping[str, Any],
    reasons: Sequence[str],
    deliveries: Mapping[tuple[UUID, UUID], list[Delivery]],
    destinations: Mapping[UUID, DestinationName],
) -> dict[str, Any]:
    decisions = []
    for each in item["decisions"]:
        id = _destination_of(each)
        own_deliveries = deliveries.get((row.id, id), []) if id is not None else []
        purged = None if id is None else DestinationName(id, each["name"], None, deleted=True)
        destination = destinations.get(id, purged) if id is not None else None
        decisions.append({**each, "destination": destination, "deliveries": own_deliveries})
    return {
        **item,
        "id": row.id,
        "workspace_id": row.workspace_id,
        "incident_id": row.incident_id,
        "reasons": reasons,
        "decisions": decisions,
    }


def _unrouted_item(row: Notice, deliveries: Mapping[tuple[UUID, UUID], list[Delivery]]) -> dict[str, Any]:
    """Return a test, a digest or the notice of a handoff. Its recipient is the destination of its delivery."""
    sent = [(id, own_deliveries[0]) for (notice_id, id), own_deliveries in deliveries.items() if notice_id == row.id]
    what, text = "A test", "A person tested the destination."
    if row.reason == DIGEST:
        body = orjson.loads(row.body)
        word = "summary" if "summary" in body["data"] else "digest"
        what, text = f"A {word}", f"{word.capitalize()} of {digest_text.time_of(body)}: {body['data']['title']}."
    if row.reason == ON_CALL:
        what, text = "The notice of a handoff", f"{orjson.loads(row.body)['data']['title']}."
    decisions = [_decision(ids.encode(Prefix.DESTINATION, id), delivery, what) for id, delivery in sent]
    item = {"at": row.created_at, "event_id": None, "seq": row.seq, "reason": row.reason}
    return {**item, "text": text, "decisions": decisions}


def _decision(destination_id: str, delivery: Delivery, what: str) -> dict[str, Any]:
    name = delivery.destination.name
    return {
        "destination_id": destination_id,
        "name": name,
        "decision": str(Cause.NOTIFY),
        "cause": Cause.NOTIFY,
        "silence_id": None,
        "delivery_id": delivery.id,
        "status": delivery.status,
        "text": _UNROUTED_TEXT.get(delivery.status, _FAILED_TEXT).format(what=what, name=name),
    }


_FAILED_TEXT = "{what} was not delivered to {name}."
_UNROUTED_TEXT = {
    **dict.fromkeys((Status.PENDING, Status.SENDING, Status.RETRYING, Status.HELD), "{what} is being sent to {name}."),
    Status.SENT: "{what} was sent to {name}.",
}


def _bodies(notices: Mapping[UUID, Notice], details: Mapping[UUID, EventDetails]) -> dict[UUID, WebhookBody]:
    """Return the redacted body of each notice, with these details."""
    found = {}
    for id, notice in work_budget.spending(notices.items(), FEWER):
        plain = redact(notice.body)
        found[id] = WebhookBody(redact(added(notice.body, details[id])) if id in details else plain, plain)
    return found


def _deliveries(
    notices: Mapping[UUID, Notice], bodies: Mapping[UUID, WebhookBody]
) -> dict[tuple[UUID, UUID], list[Delivery]]:
    """Return the deliveries of these notices by (notice, destination), the original first and then its replays."""
    found: dict[tuple[UUID, UUID], list[Delivery]] = {}
    rows = Delivery.select().where(Delivery.notice.in_(list(notices))).order_by(Delivery.id) if notices else ()
    for row in work_budget.spending(with_details(list(rows), with_requests=True), FEWER):
        row.request_headers = _headers(row)
        delivery_id, body = ids.encode(Prefix.DELIVERY, row.id), bodies[row.notice_id]
        for each in row.attempts_made:
            each.sent = sent_requests.from_text(each.requests, delivery_id=delivery_id, at=each.at, body=body)
        found.setdefault((row.notice_id, row.destination_id), []).append(row)
    return found


def _headers(delivery: Delivery) -> dict[str, str] | None:
    """Return the headers of the last attempt of a signed webhook; None for other kinds and without an attempt."""
    if delivery.destination.kind != "webhook" or not delivery.attempts_made:
        return None
    last = delivery.attempts_made[-1].at
    named = signing.masked_headers(ids.encode(Prefix.DELIVERY, delivery.id), last)
    return {"content-type": "application/json", **named}


def _destination_of(decision: Mapping[str, Any]) -> UUID | None:
    named = decision["destination_id"]
    return ids.decode(Prefix.DESTINATION, named) if named else None
