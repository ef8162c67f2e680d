"""Templates of destinations over HTTP: the setting, the preview, and the fallback of an attempt (specification 9.17)."""

from __future__ import annotations

from typing import Any

import pytest

from inbox.flow.delivery.deliver import deliver
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery
from inbox.models.incidents.tables import Incident
from tests.api.deliveries.destinations_steps import Browsers, path
from tests.cast import NOW, Cast, typeid
from tests.flow.notices.digest_steps import make_gotify
from tests.flow.routing_fixtures import incident, route_to, routed
from tests.stand_ins.outgoing_posts import attempts_of, fresh, make_destination
from tests.stand_ins.receivers import Receiver

TEMPLATE = {"title": "[{{ source }}] {{ title }}", "body": "{{ sentence }} See the runbook."}


@pytest.fixture
def chat(cast: Cast, receiver: Receiver) -> Destination:
    destination = make_gotify(cast.workspace, receiver)
    route_to(cast.workspace, [destination])
    return destination


def order(cast: Cast, existing: Incident, **template: str) -> dict[str, Any]:
    workspace, id = typeid("wsp", cast.workspace.id), typeid("inc", existing.id)
    return {"workspaceId": workspace, "incidentId": id, "template": template}


@pytest.mark.parametrize("template", [TEMPLATE, {"body": "x"}, {}, None])
def test_an_administrator_writes_the_text(
    browser: Browsers, chat: Destination, template: dict[str, str] | None
) -> None:
    answer = browser("adam").patch(path(chat), {"template": template})
    assert (answer.status_code, answer.get_json()["template"]) == (200, template)
    assert fresh(chat).template == template


@pytest.mark.parametrize(
    ("template", "pointer", "detail"),
    [
        ({"title": "{{ host }}"}, "/template/title", "line 1: there is no variable 'host'"),
        ({"body": "a\n{% for x in title %}"}, "/template/body", "line 2: "),
        ({"body": "x" * 2_001}, "/template/body", "2000"),
        ({"text": "x"}, "/template/text", ""),
    ],
)
def test_a_wrong_template_is_refused_by_its_pointer(
    browser: Browsers, chat: Destination, template: dict[str, str], pointer: str, detail: str
) -> None:
    answer = browser("adam").patch(path(chat), {"template": template})
    assert answer.status_code == 422
    (error,) = answer.get_json()["errors"]
    assert (error["pointer"], detail in error["detail"]) == (pointer, True)


def test_a_webhook_has_no_template(browser: Browsers, cast: Cast, receiver: Receiver) -> None:
    answer = browser("adam").patch(path(make_destination(cast.workspace, receiver)), {"template": TEMPLATE})
    assert [each["pointer"] for each in answer.get_json()["errors"]] == ["/template"]


def test_a_message_has_the_text_of_the_template(cast: Cast, chat: Destination, receiver: Receiver) -> None:
    Destination.update(template=TEMPLATE).execute()
    routed(cast.source)

    deliver(lambda: NOW)

    sent = receiver.requests[0].json
    assert sent["title"].endswith("ERROR · [Prometheus] Disk full")
    assert "See the runbook" in sent["message"]
    assert [attempt.note for attempt in attempts_of(Delivery.get())] == [None]


def test_a_template_that_fails_does_not_lose_the_notice(
    browser: Browsers, cast: Cast, chat: Destination, receiver: Receiver
) -> None:
    Destination.update(template={"title": "{{ gone }}"}).execute()
    routed(cast.source)

    deliver(lambda: NOW)

    delivery = Delivery.get()
    assert (delivery.status, receiver.requests[0].json["title"][2:]) == ("sent", "ERROR · Disk full")
    shown = browser("vic").get(f"/v1/deliveries/{typeid('dlv', delivery.id)}").get_json()
    note = shown["attempts"][0]["note"]
    assert note.startswith("The standard text was sent, because the template could not be used: line 1: ")


def test_templates_are_tried_on_an_incident_before_they_are_saved(
    browser: Browsers, cast: Cast, chat: Destination, receiver: Receiver
) -> None:
    existing = incident(routed(cast.source).id)

    answer = browser("adam").post("/v1/destinations/preview-text", order(cast, existing, **TEMPLATE))

    assert answer.status_code == 200
    shown = answer.get_json()
    variables = {each["name"]: each["value"] for each in shown.pop("variables")}
    assert shown == {"headline": "ERROR · [Prometheus] Disk full", "body": "Incident opened. See the runbook."}
    assert (variables["title"], variables["dedupKey"], variables["body"]) == ("Disk full", "disk", "")
    assert (fresh(chat).template, receiver.requests) == (None, [])


def test_a_preview_lists_the_variables_with_what_the_event_says(
    browser: Browsers, cast: Cast, chat: Destination
) -> None:
    metadata = {"labels": {"instance": "db-1", "app/name": "pg"}, "values": [1.5, {"x": None}]}
    existing = incident(routed(cast.source, body="3 % left", tags=["data", "prod"], metadata=metadata).id)
    template = {
        "title": "{{ labels.instance }} {{ labels['app/name'] }}",
        "body": "{{ body }} {{ metadata.values[0] }}",
    }

    shown = browser("adam").post("/v1/destinations/preview-text", order(cast, existing, **template)).get_json()

    assert (shown["headline"], shown["body"]) == ("ERROR · db-1 pg", "3 % left 1.5")
    variables = {each["name"]: each["value"] for each in shown["variables"]}
    assert [variables[name] for name in ("body", "tags", "labels.instance", 'labels["app/name"]')] == [
        "3 % left",
        "data, prod",
        "db-1",
        "pg",
    ]
    assert (variables["metadata.values[0]"], variables["metadata.values[1].x"]) == ("1.5", "")


@pytest.mark.parametrize(("name", "text"), [("title", "{{ title < 3 }}"), ("body", "x\n{{ nothing }}")])
def test_a_template_preview_reports_faults(
    browser: Browsers, cast: Cast, chat: Destination, name: str, text: str
) -> None:
    existing = incident(routed(cast.source).id)
    answer = browser("adam").post("/v1/destinations/preview-text", order(cast, existing, **{name: text}))
    assert answer.status_code == 422
    assert [each["pointer"] for each in answer.get_json()["errors"]] == [f"/template/{name}"]


def test_a_preview_is_for_administrators_of_the_workspace(browser: Browsers, cast: Cast, chat: Destination) -> None:
    existing = incident(routed(cast.source).id)
    preview = order(cast, existing, **TEMPLATE)
    assert browser("mia").post("/v1/destinations/preview-text", preview).status_code == 403
    stranger = browser("eve").post("/v1/destinations/preview-text", preview)
    assert [each["pointer"] for each in stranger.get_json()["errors"]] == ["/workspaceId"]
    foreign = {**preview, "workspaceId": typeid("wsp", cast.foreign.id)}
    answer = browser("eve").post("/v1/destinations/preview-text", foreign)
    assert [each["pointer"] for each in answer.get_json()["errors"]] == ["/incidentId"]
