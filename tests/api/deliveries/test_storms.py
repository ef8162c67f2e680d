"""Summaries of storms over HTTP: what explanations and the list of deliveries say (specification 9.22)."""

from __future__ import annotations

from inbox.models.deliveries.tables import Delivery
from inbox.models.incidents.tables import Incident
from tests.api.deliveries.destinations_steps import Browsers
from tests.cast import Cast, typeid
from tests.flow.notices.storm_steps import make_telegram, run, send
from tests.flow.routing_fixtures import route_to
from tests.stand_ins.receivers import Receiver


def test_explanations_and_the_list_of_deliveries_name_the_summary(
    browser: Browsers, cast: Cast, receiver: Receiver
) -> None:
    route_to(cast.workspace, [make_telegram(cast.workspace, receiver)])
    send(cast.source, range(21))
    run(0, 0)
    existing, viewer = Incident.select().get(), browser("vic")

    (notice,) = viewer.get(f"/v1/incidents/{typeid('inc', existing.id)}/notices").get_json()["items"]
    listed = viewer.get(f"/v1/deliveries?incidentId={typeid('inc', existing.id)}").get_json()["items"][0]
    digest = Delivery.get(Delivery.reason == "digest")
    summary = viewer.get(f"/v1/notices/{typeid('ntc', digest.notice_id)}").get_json()

    assert (
        notice["decisions"][0]["text"]
        == "Included in the summary of 2026-11-21T09:00:00Z. Chat was notified at 2026-11-21T09:00:00Z."
    )
    assert (listed["status"], listed["cause"], listed["digest"]["status"]) == ("gathered", "summary", "sent")
    assert listed["digest"]["deliveryId"] == typeid("dlv", digest.id)
    assert summary["text"] == "Summary of 2026-11-21T09:00:00Z: 21 notices about 21 incidents."
    assert [each["text"] for each in summary["decisions"]] == ["A summary was sent to Chat."]
