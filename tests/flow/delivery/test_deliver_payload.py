"""From an accepted event to the bytes at the receiver: the exact body of specification 10.2."""

from __future__ import annotations

from datetime import timedelta

from inbox.domain.values import times
from inbox.flow.delivery.deliver import deliver
from tests.cast import Cast, present, typeid
from tests.flow.routing_fixtures import incident, route_to, routed
from tests.stand_ins.outgoing_posts import make_destination
from tests.stand_ins.receivers import Receiver


def test_a_webhook_payload_has_exactly_the_specified_fields(cast: Cast) -> None:
    with Receiver() as receiver:
        route_to(cast.workspace, [make_destination(cast.workspace, receiver)])
        at = present()
        event = routed(cast.source, at, title="Disk füll 98 %", severity="CRITICAL", resource="host:db-1")
        receiver.script(500)
        deliver(present)
        deliver(lambda: present() + timedelta(seconds=10))

        first, second = receiver.requests
        opened = incident(event.id)
        body = first.verified()
        stamp = times.rfc3339(at)
        assert body == {
            "type": "incident.opened",
            "timestamp": stamp,
            "data": {
                "v": 1,
                "title": "Disk füll 98 %",
                "severity": "CRITICAL",
                "state": "open",
                "sourceName": cast.source.name,
                "resource": "host:db-1",
                "workspaceName": cast.workspace.name,
                "incidentId": typeid("inc", opened.id),
                "firstSeenAt": stamp,
                "url": f"http://127.0.0.1:8080/w/{cast.workspace.slug}/incidents/{typeid('inc', opened.id)}",
                "reason": "opened",
                "alerts": {"total": 1, "firing": 1},
                "dedupKey": "disk",
            },
        }
        assert (second.id, second.body) == (first.id, first.body)
        assert int(second.headers["webhook-timestamp"]) > int(first.headers["webhook-timestamp"])


def test_the_resolution_is_a_separate_request_after_the_opening(cast: Cast) -> None:
    with Receiver() as receiver:
        route_to(cast.workspace, [make_destination(cast.workspace, receiver)])
        routed(cast.source, present())
        routed(cast.source, present(), action="resolve")

        deliver(present)

        assert [request.json["type"] for request in receiver.requests] == ["incident.opened", "incident.resolved"]
        assert len(receiver.by_id()) == 2
