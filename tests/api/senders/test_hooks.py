"""Webhooks of tools over HTTP: keys, bodies, answers, and incidents that the end of an alarm closes (specification 19.5)."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from inbox.api.senders.hooks import HOOK_CAP
from inbox.config.settings import Settings
from inbox.flow.routing.route import route
from inbox.intake.registry import TOOLS
from inbox.models.events.tables import Event
from inbox.models.incidents.tables import Incident
from inbox.models.senders.source_samples import SourceSample
from inbox.models.senders.sources import Source, SourceKey
from tests.api.events.senders import only_event
from tests.browser import sound
from tests.cast import Cast, make_key, present
from tests.intake.payloads import payload

ALERT = payload("alertmanager", "alarm")


def basic(key: str, user: str = "inbox") -> dict[str, str]:
    return {"Authorization": "Basic " + base64.b64encode(f"{user}:{key}".encode()).decode()}


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def hook(app: Flask, headers: dict[str, str], tool: str = "alertmanager", **sent: Any) -> TestResponse:
    answer = app.test_client().post(f"/v1/hooks/{tool}", headers=headers, **(sent or {"json": ALERT}))
    sound(answer)
    return answer


def alerts(count: int) -> dict[str, Any]:
    return {**ALERT, "alerts": [{**ALERT["alerts"][0], "fingerprint": f"{number:016x}"} for number in range(count)]}


def test_a_request_without_a_key_gets_a_basic_challenge(app: Flask, cast: Cast) -> None:
    answer = hook(app, {}, "sns")

    assert answer.status_code == 401
    assert answer.headers.getlist("WWW-Authenticate") == ['Basic realm="Incident Inbox", charset="UTF-8"', "Bearer"]


@pytest.mark.parametrize("headers", [bearer, basic, lambda key: basic(key, ""), lambda key: {"X-Gitlab-Token": key}])
def test_the_key_is_taken_as_bearer_as_basic_password_and_as_secret_token(
    app: Flask, cast: Cast, headers: Callable[[str], dict[str, str]]
) -> None:
    answer = hook(app, headers(cast.key))

    event = only_event()
    assert (answer.status_code, answer.get_json()["faults"]) == (202, [])
    assert [receipt["status"] for receipt in answer.get_json()["events"]] == ["accepted"]
    assert (event.source_id, event.title) == (cast.source.id, "db2 has 3 % free")


@pytest.mark.parametrize("tool", ["alertmanager", "nothing"])
def test_hooks_refuse_other_credentials_before_anything_else(app: Flask, cast: Cast, tool: str) -> None:
    alias = make_key(cast.source, kind="alias_token")
    shown = [
        {}, bearer(alias), bearer(cast.key[:-1]), basic(cast.cookie("olga")), {"X-Gitlab-Token": alias},
        {"Authorization": "Basic %%%"}, {"Authorization": f"Digest {cast.key}"}, {"X-Api-Key": cast.key},
    ]  # fmt: skip

    assert {hook(app, headers, tool, data=b"no JSON").status_code for headers in shown} == {401}
    Source.update(enabled=False).where(Source.id == cast.source.id).execute()
    assert hook(app, bearer(cast.key), tool).status_code == 401
    assert Event.select().count() == 0


@pytest.mark.parametrize(
    ("tool", "sent"),
    [("alertmanager", {"json": ALERT}), ("alertmanager", {"json": alerts(100)}),
     ("alertmanager", {"json": {**ALERT, "truncatedAlerts": 3}}), ("alertmanager", {"json": {"alerts": [{}]}}),
     ("alertmanager", {"data": b"no JSON"}), ("alertmanager", {"data": b"{" * 20_000}), ("github", {"json": {"zen": "x"}}),
     ("custom", {"json": ALERT})],
)  # fmt: skip
def test_a_revoked_key_is_refused_before_the_body_is_read(
    app: Flask, cast: Cast, tool: str, sent: dict[str, Any]
) -> None:
    SourceKey.update(revoked_at=present()).execute()

    headers = {**bearer(cast.key), "X-GitHub-Event": "ping"}

    assert hook(app, headers, tool, **sent).status_code == 401
    assert (Event.select().count(), SourceSample.select().count()) == (0, 0)


def test_an_unknown_tool_is_answered_with_the_existing_ones(app: Flask, cast: Cast) -> None:
    answer = hook(app, bearer(cast.key), "alertmanagr")

    assert answer.status_code == 404
    assert all(name in answer.get_json(force=True)["detail"] for name in TOOLS)


def test_a_hyphen_and_a_synonym_are_as_good(app: Flask, cast: Cast) -> None:
    kuma, nagios = payload("uptime_kuma", "alarm"), payload("icinga", "alarm")

    assert hook(app, bearer(cast.key), "uptime-kuma", json=kuma).status_code == 202
    assert hook(app, bearer(cast.key), "nagios", json=nagios).status_code == 202


@pytest.mark.parametrize("tool", sorted(TOOLS))
def test_the_end_of_an_alarm_closes_its_incident(app: Flask, cast: Cast, tool: str) -> None:
    states = []
    for moment in ("alarm", "end"):
        assert hook(app, bearer(cast.key), tool, json=payload(tool, moment)).status_code == 202
        assert route(present) == 1
        states.append([incident.state for incident in Incident.select()])

    assert states == [["open"], ["resolved"]]


def test_a_repeated_alert_is_a_duplicate(app: Flask, cast: Cast) -> None:
    answers = [hook(app, bearer(cast.key)).get_json()["events"][0] for _ in range(2)]

    assert [receipt["status"] for receipt in answers] == ["accepted", "duplicate"]
    assert answers[0]["id"] == answers[1]["id"]


@pytest.mark.parametrize(
    ("tool", "sent"),
    [("librenms", {"data": json.dumps(payload("librenms", "alarm")), "content_type": "text/plain"}),
     ("github", {"data": {"payload": json.dumps(payload("github", "alarm"))}}),
     ("uptime_kuma",
      {"data": {"data": json.dumps(payload("uptime_kuma", "alarm"))}, "content_type": "multipart/form-data"}),
     ("prtg", {"data": payload("prtg", "alarm")}),
     ("sns", {"data": json.dumps(payload("sns", "alarm")), "content_type": "text/plain; charset=UTF-8"}),
     ("checkmk", {"json": [payload("checkmk", "alarm"), payload("checkmk", "end")]})],
)  # fmt: skip
def test_a_payload_is_read_from_every_kind_of_body(app: Flask, cast: Cast, tool: str, sent: dict[str, Any]) -> None:
    answer = hook(app, bearer(cast.key), tool, **sent)

    assert answer.status_code == 202
    assert Event.select().count() == len(answer.get_json()["events"]) > 0


def test_a_subscription_to_confirm_opens_an_incident_with_its_link(app: Flask, cast: Cast) -> None:
    link = (
        "https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=arn:aws:sns:e:1:ops&Token=2336412f"
    )
    message = {"Type": "SubscriptionConfirmation", "MessageId": "165545c9", "TopicArn": "arn:aws:sns:e:1:ops"}
    body = json.dumps({**message, "Message": "You have chosen to subscribe.", "SubscribeURL": link})

    answer = hook(app, basic(cast.key), "sns", data=body, content_type="text/plain; charset=UTF-8")

    assert answer.status_code == 202
    assert (only_event().url, str(only_event().severity)) == (link, "WARNING")
    assert route(present) == 1
    assert [incident.state for incident in Incident.select()] == ["open"]


def test_an_odd_item_is_reported_and_drops_no_good_one(app: Flask, cast: Cast) -> None:
    document = {**ALERT, "alerts": [{"status": "firing"}, *ALERT["alerts"]]}

    answer = hook(app, bearer(cast.key), json=document)

    assert answer.status_code == 202
    assert [fault["pointer"] for fault in answer.get_json()["faults"]] == ["/alerts/0/fingerprint"]
    assert only_event().title == "db2 has 3 % free"


@pytest.mark.parametrize("sent", [{"json": {"hello": 1}}, {"json": {"alerts": [1]}}, {"json": []}])
def test_a_wrong_payload_is_a_clear_problem(app: Flask, cast: Cast, sent: dict[str, Any]) -> None:
    problem = hook(app, bearer(cast.key), **sent).get_json(force=True)

    assert (problem["status"], problem["code"]) == (422, "validation_failed")
    assert "Alertmanager" in problem["detail"] and problem["errors"]
    assert Event.select().count() == 0


@pytest.mark.parametrize("body", [b"", b"hello", b'{"alerts": [', b"[" * 40, b'{"a": "\xff'])
def test_a_body_that_cannot_be_read_is_a_bad_request(app: Flask, cast: Cast, body: bytes) -> None:
    assert hook(app, bearer(cast.key), data=body).get_json(force=True)["code"] == "bad_request"


def test_a_group_of_more_than_a_batch_is_stored_whole(app: Flask, cast: Cast) -> None:
    receipts = hook(app, bearer(cast.key), json=alerts(250)).get_json()["events"]

    assert [receipt["index"] for receipt in receipts] == list(range(250))
    assert Event.select().count() == len({receipt["id"] for receipt in receipts}) == 250


@pytest.mark.parametrize("tool", ["alertmanager", "grafana"])
def test_the_alerts_of_a_mass_outage_are_stored_whole(app: Flask, cast: Cast, tool: str) -> None:
    labels = {f"label{number}": "value" for number in range(12)}
    document = alerts(1_500)
    for each in document["alerts"]:
        each["labels"] = {**each["labels"], **labels}

    answer = hook(app, bearer(cast.key), tool, json=document)

    assert (answer.status_code, len(answer.get_json()["events"])) == (202, 1_500)
    assert Event.select().count() == 1_500


@pytest.mark.parametrize("tool", ["alertmanager", "grafana"])
def test_a_payload_sent_by_put_is_stored_as_one_by_post(app: Flask, cast: Cast, tool: str) -> None:
    sent = [
        app.test_client().open(
            f"/v1/hooks/{tool}", method=method, headers=bearer(cast.key), json=payload(tool, "alarm")
        )
        for method in ("PUT", "POST")
    ]

    [[first], [second]] = [answer.get_json()["events"] for answer in sent]
    assert ([answer.status_code for answer in sent], second) == ([202, 202], {**first, "status": "duplicate"})


@pytest.mark.parametrize("path", ["alertmanager", "github/src_01kay000000000000000000000"])
@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
def test_an_unsupported_method_is_answered_with_the_allowed_methods(
    app: Flask, cast: Cast, method: str, path: str
) -> None:
    answer = app.test_client().open(f"/v1/hooks/{path}", method=method, headers=bearer(cast.key))

    assert (answer.status_code, answer.get_json(force=True)["code"]) == (405, "method_not_allowed")
    assert {each.strip() for each in answer.headers["Allow"].split(",")} == {"POST", "PUT"}


@pytest.mark.parametrize("tool", ["alertmanager", "grafana"])
@pytest.mark.parametrize("number", [1, "7", 2**63 - 1])
def test_alerts_that_the_sender_left_out_are_a_warning(app: Flask, cast: Cast, tool: str, number: Any) -> None:
    document = {**payload(tool, "alarm"), "truncatedAlerts": number}
    document["alerts"] = [*document["alerts"], {**document["alerts"][0], "fingerprint": "ffff"}]

    answer = hook(app, bearer(cast.key), tool, json=document)

    first, second = answer.get_json()["events"]
    assert [each["code"] for each in first["warnings"]] == ["alerts_truncated"]
    assert second["warnings"] == []
    sample = SourceSample.get()
    assert (sample.tool, sample.faults[0]["pointer"]) == (tool, "/truncatedAlerts")
    assert "left out" in sample.detail


@pytest.mark.parametrize("number", [0, -1, None, "x", [], 0.5, True])
def test_a_group_without_a_number_of_missing_alerts_has_no_warning(app: Flask, cast: Cast, number: Any) -> None:
    answer = hook(app, bearer(cast.key), json={**payload("alertmanager", "alarm"), "truncatedAlerts": number})

    assert [each["warnings"] for each in answer.get_json()["events"]] == [[]]
    assert SourceSample.select().count() == 0


def test_a_notice_of_no_interest_is_accepted(app: Flask, cast: Cast) -> None:
    answer = hook(app, {**bearer(cast.key), "X-GitHub-Event": "ping"}, "github", json={"zen": "Design for failure."})
    assert (answer.status_code, answer.get_json()) == (202, {"events": [], "faults": []})


def test_a_delivery_that_is_repeated_is_a_duplicate(app: Flask, cast: Cast) -> None:
    headers = {**bearer(cast.key), "X-GitHub-Delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958"}
    sent = [hook(app, headers, "github", json=payload("github", "alarm")).get_json() for _ in range(2)]
    assert [answer["events"][0]["status"] for answer in sent] == ["accepted", "duplicate"]


def test_the_rate_limit_is_answered_as_unavailable(
    app: Flask, cast: Cast, in_settings: Callable[..., Settings]
) -> None:
    in_settings(rate_limits=True, events_per_minute_source=1)

    answers = [hook(app, bearer(cast.key), json=alerts(count)) for count in (2, 3, 4)]

    assert answers[-1].status_code == 503
    assert answers[-1].get_json(force=True)["code"] == "unavailable"
    assert int(answers[-1].headers["Retry-After"]) > 0


def test_a_large_or_compressed_body_is_refused(app: Flask, cast: Cast) -> None:
    compressed = {**bearer(cast.key), "Content-Encoding": "gzip"}

    assert hook(app, bearer(cast.key), data=b" " * (HOOK_CAP + 1)).status_code == 413
    assert hook(app, compressed).status_code == 415


def test_keys_and_secrets_of_a_payload_appear_nowhere(
    app: Flask, cast: Cast, lines: Callable[[], list[dict[str, Any]]]
) -> None:
    alert = {**ALERT["alerts"][0], "annotations": {"summary": f"key {cast.key}"}, "labels": {"token": cast.key}}

    answers = [hook(app, basic(cast.key), json={"alerts": [alert]}), hook(app, basic(cast.key), json={cast.key: 1})]

    assert [answer.status_code for answer in answers] == [202, 422]
    assert cast.key not in "".join(answer.text for answer in answers)
    assert cast.key not in str(only_event().__data__)
    assert cast.key not in json.dumps(lines())
    assert "/v1/hooks/<tool>" in {line.get("route") for line in lines()}
