"""Invariants I1 to I8 after a fault, as queries to the database and the receiver."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Any, Protocol

from inbox.domain.deliveries.event_details import EventDetails, added
from inbox.domain.values import ids
from tests.faults.service_processes import RunningService
from tests.stand_ins.receivers import Receiver


class Sent(Protocol):
    """What senders know: the ids of accepted events by the `externalId` that they gave."""

    @property
    def accepted(self) -> Mapping[str, str]: ...


def check_books(running_service: RunningService, senders: Sent, receiver: Receiver) -> None:
    """Nothing lost, nothing twice, nothing out of order; `AssertionError` names what is wrong."""
    _every_accepted_event_is_stored_and_routed_once(running_service, senders)
    _no_fingerprint_has_two_open_incidents(running_service)
    _each_event_was_counted_once(running_service)
    _notices_are_numbered_without_gaps(running_service)
    _every_due_webhook_arrived(running_service, receiver)


def _every_accepted_event_is_stored_and_routed_once(running_service: RunningService, senders: Sent) -> None:
    stored: dict[str, int] = defaultdict(int)
    for external_id, count in running_service.ask("SELECT external_id, count(*) FROM events GROUP BY external_id"):
        stored[external_id] = count
    assert [key for key in senders.accepted if stored[key] == 0] == [], "accepted but not stored"
    assert [key for key in senders.accepted if stored[key] > 1] == [], "stored more than once"
    assert running_service.ask("SELECT count(*) FROM events WHERE disposition = 'pending'") == [(0,)], "never routed"


def _no_fingerprint_has_two_open_incidents(running_service: RunningService) -> None:
    assert running_service.ask(
        "SELECT source_id, fingerprint FROM incidents WHERE state <> 'resolved' GROUP BY 1, 2 HAVING count(*) > 1"
    ) == []  # fmt: skip


def _each_event_was_counted_once(running_service: RunningService) -> None:
    assert running_service.ask(
        "SELECT i.id, i.event_count, count(e.id) FROM incidents i LEFT JOIN events e ON e.incident_id = i.id"
        " GROUP BY i.id HAVING i.event_count <> count(e.id)"
    ) == []  # fmt: skip


def _notices_are_numbered_without_gaps(running_service: RunningService) -> None:
    assert running_service.ask(
        "SELECT incident_id FROM notices WHERE incident_id IS NOT NULL GROUP BY 1"
        " HAVING count(*) <> max(seq) OR min(seq) <> 1"
    ) == []  # fmt: skip
    assert (
        running_service.ask("SELECT notice_id FROM deliveries GROUP BY notice_id, destination_id HAVING count(*) > 1")
        == []
    )


def _every_due_webhook_arrived(running_service: RunningService, receiver: Receiver) -> None:
    due = {
        delivery_id: _due_body(body, EventDetails(*details))
        for delivery_id, body, *details in running_service.ask(
            "SELECT d.id::text, n.body, e.body, e.tags, e.type, e.dedup_key, e.url, e.metadata"
            " FROM deliveries d JOIN notices n ON n.id = d.notice_id JOIN destinations x ON x.id = d.destination_id"
            " LEFT JOIN events e ON e.workspace_id = n.workspace_id AND e.id = n.newest_event_id"
            " WHERE x.config->>'url' = %s AND d.status <> 'skipped'",
            receiver.url,
        )
    }
    uuids = {_uuid_of(webhook_id): calls for webhook_id, calls in receiver.by_id().items()}
    assert set(due) - set(uuids) == set(), "owed and never sent"
    assert _kept(running_service, set(uuids) - set(due)) == {}, "sent and not owed"
    for delivery_id, calls in uuids.items():
        assert len({call.body for call in calls}) == 1, "a repeat with another body"
        assert calls[0].body == due[delivery_id], "another body than that of the notice and its newest event"
        assert any(calls[-1].was_signed(secret) for secret in receiver.secrets)
    _first_sightings_are_in_order(running_service, receiver)


def _kept(running_service: RunningService, delivery_ids: Collection[str]) -> dict[str, tuple[Any, ...] | None]:
    """What the database knows of these deliveries, and `None` for each that it does not know."""
    columns = "id::text, destination_id, status, cause, reason, attempt, created_at, settled_at"
    known = running_service.ask(
        f"SELECT {columns} FROM deliveries WHERE id::text = ANY(%s::text[])", list(delivery_ids)
    )
    return dict.fromkeys(delivery_ids) | {row[0]: row[1:] for row in known}


def _due_body(body: str, details: EventDetails) -> bytes:
    """The body of the notice with what its newest event says, if it has one."""
    return (body if details.tags is None else added(body, details)).encode()


def _first_sightings_are_in_order(running_service: RunningService, receiver: Receiver) -> None:
    places = {
        row[0]: (row[1], row[2])
        for row in running_service.ask("SELECT id::text, incident_id::text, seq FROM deliveries")
    }
    last: dict[str, int] = defaultdict(int)
    existing: set[str] = set()
    for request in receiver.requests:
        delivery_id = _uuid_of(request.id)
        if delivery_id in existing:
            continue
        existing.add(delivery_id)
        incident_id, seq = places[delivery_id]
        assert seq > last[incident_id], "a notice overtook an earlier one of its incident"
        last[incident_id] = seq


def _uuid_of(webhook_id: str) -> str:
    found = ids.decode("dlv", webhook_id)
    assert found is not None, webhook_id
    return str(found)
