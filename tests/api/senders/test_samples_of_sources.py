"""The last sample of a source over HTTP: its causes, readers and expiry (specification 19.14)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask

from inbox.flow.upkeep.purge import purge
from inbox.models.senders.source_samples import SourceSample
from tests.browser import Browser, sound
from tests.cast import Cast, make_signing_secret, present, typeid
from tests.intake.payloads import payload

Browsers = Callable[[str], Browser]
ALERT = payload("alertmanager", "alarm")


@pytest.fixture
def path(cast: Cast) -> str:
    return f"/v1/sources/{typeid('src', cast.source.id)}/sample"


def send(app: Flask, key: str, *, tool: str = "alertmanager", **sent: Any) -> int:
    answer = app.test_client().post(f"/v1/hooks/{tool}", headers={"Authorization": f"Bearer {key}"}, **sent)
    sound(answer)
    return answer.status_code


def made_older(by: timedelta) -> None:
    SourceSample.update(received_at=SourceSample.received_at - by).execute()


def test_a_refused_payload_is_shown_with_its_problem(app: Flask, browser: Browsers, cast: Cast, path: str) -> None:
    assert browser("adam").get(path).json == {"sample": None}

    assert send(app, cast.key, json={"hello": 1, "password": "hunter2"}) == 422

    sample = browser("adam").get(path).json["sample"]
    assert sample["tool"] == "alertmanager" and "Alertmanager" in sample["detail"]
    assert sample["body"] == '{\n  "hello": 1,\n  "password": "[REDACTED]"\n}'
    assert (sample["headers"]["authorization"], sample["headers"]["content-type"]) == ("[REDACTED]", "application/json")
    assert sample["faults"][0]["pointer"] == "" and sample["truncated"] is False
    assert cast.key not in str(sample)


def test_a_payload_read_in_part_is_shown_with_the_items_left_out(
    app: Flask, browser: Browsers, cast: Cast, path: str
) -> None:
    assert send(app, cast.key, json={**ALERT, "alerts": [{"status": "firing"}, *ALERT["alerts"]]}) == 202

    sample = browser("adam").get(path).json["sample"]
    assert [fault["pointer"] for fault in sample["faults"]] == ["/alerts/0/fingerprint"]


def test_a_body_that_is_no_json_is_shown(app: Flask, browser: Browsers, cast: Cast, path: str) -> None:
    assert send(app, cast.key, data=b'{"alerts": [\x00') == 400
    assert browser("adam").get(path).json["sample"]["body"] == '{"alerts": [\ufffd'


def test_a_good_payload_leaves_no_sample_and_keeps_the_last_one(
    app: Flask, browser: Browsers, cast: Cast, path: str
) -> None:
    assert send(app, cast.key, json=ALERT) == 202
    assert browser("adam").get(path).json == {"sample": None}
    assert send(app, cast.key, json=[]) == 422
    assert send(app, cast.key, json=ALERT) == 202
    assert browser("adam").get(path).json["sample"]["body"] == "[]"


def test_the_newest_sample_replaces_the_last_one_after_a_second(
    app: Flask, browser: Browsers, cast: Cast, path: str
) -> None:
    assert [send(app, cast.key, json=[number]) for number in (1, 2)] == [422, 422]
    first = browser("adam").get(path).json["sample"]["body"]
    made_older(timedelta(seconds=2))
    assert send(app, cast.key, json=[3], tool="grafana") == 422

    assert first == "[\n  1\n]"
    assert browser("adam").get(path).json["sample"]["tool"] == "grafana"


def test_a_request_without_a_valid_credential_leaves_no_sample(app: Flask, cast: Cast) -> None:
    make_signing_secret(cast.source, "github")
    address = f"/v1/hooks/github/{typeid('src', cast.source.id)}"

    assert app.test_client().post(address, json={}, headers={"X-Hub-Signature-256": "sha256=00"}).status_code == 401
    assert send(app, cast.key[:-1], json={}) == 401
    assert SourceSample.select().count() == 0


def test_a_signed_payload_leaves_a_sample_of_its_source_alone(
    app: Flask, browser: Browsers, cast: Cast, path: str
) -> None:
    token = make_signing_secret(cast.source)
    address = f"/v1/hooks/gitlab/{typeid('src', cast.source.id)}"
    assert app.test_client().post(address, json={"a": token}, headers={"X-Gitlab-Token": token}).status_code == 422
    foreign = f"/v1/sources/{typeid('src', cast.foreign_source.id)}/sample"

    sample = browser("adam").get(path).json["sample"]
    assert token not in str(sample) and sample["headers"]["x-gitlab-token"] == "[REDACTED]"
    assert browser("eve").get(foreign).json == {"sample": None}
    assert browser("eve").get(path).status_code == 404
    assert [browser(name).get(path).status_code for name in ("mia", "vic")] == [403, 403]


COMPATIBLE = {
    "pagerduty": ("pagerduty/v2/enqueue", {"event_action": "trigger", "payload": {}}, 400),
    "pagerduty change": ("pagerduty/v2/change/enqueue", {"payload": {}}, 400),
    "opsgenie": ("opsgenie/v2/alerts", {"alias": "x"}, 422),
    "prometheus": ("alertmanager/api/v2/alerts", {"labels": {}}, 400),
    "prometheus alert": ("alertmanager/api/v2/alerts", [{"labels": {"alertname": "A"}}, {"labels": 3}], 400),
    "cloudevents": ("cloudevents", [{"id": "1"}], 422),
}


@pytest.mark.parametrize("name", COMPATIBLE)
def test_a_payload_refused_by_a_compatible_format_is_sampled_without_its_key(
    app: Flask, browser: Browsers, cast: Cast, path: str, name: str
) -> None:
    address, document, status = COMPATIBLE[name]
    headers = {"Authorization": f"Bearer {cast.key}"}
    if isinstance(document, dict) and name.startswith("pagerduty"):
        document, headers = {**document, "routing_key": cast.key}, {}

    answer = app.test_client().post(f"/v1/compat/{address}", json=document, headers=headers)

    sample = browser("adam").get(path).json["sample"]
    assert (answer.status_code, sample["tool"]) == (status, name.split()[0])
    assert sample["detail"] and cast.key not in str(sample)


@pytest.mark.parametrize(
    ("address", "content_type"),
    [("opsgenie/v2/alerts", "application/json"), ("alertmanager/api/v2/alerts", "application/json"),
     ("cloudevents", "application/cloudevents+json"), ("cloudevents", "application/cloudevents-batch+json")],
)  # fmt: skip
def test_a_body_of_a_compatible_format_that_is_no_json_is_shown(
    app: Flask, browser: Browsers, cast: Cast, path: str, address: str, content_type: str
) -> None:
    headers = {"Authorization": f"Bearer {cast.key}", "Content-Type": content_type}

    assert (
        app.test_client().post(f"/v1/compat/{address}", data=b'{"token": "abc", ', headers=headers).status_code == 400
    )

    assert browser("adam").get(path).json["sample"]["body"] == '{"token": "[REDACTED]", '


def test_a_payload_accepted_by_a_compatible_format_leaves_no_sample(app: Flask, cast: Cast) -> None:
    sent = {
        "routing_key": cast.key,
        "event_action": "trigger",
        "payload": {"summary": "x", "source": "y", "severity": "error"},
    }

    assert app.test_client().post("/v1/compat/pagerduty/v2/enqueue", json=sent).status_code == 202
    assert (
        app.test_client().post("/v1/compat/pagerduty/v2/enqueue", json={**sent, "routing_key": "x"}).status_code == 401
    )
    assert SourceSample.select().count() == 0


def test_a_sample_ends_after_a_day_and_is_purged(app: Flask, browser: Browsers, cast: Cast, path: str) -> None:
    assert send(app, cast.key, json=[]) == 422
    made_older(timedelta(hours=23))
    purge(present())
    assert browser("adam").get(path).json["sample"] is not None

    made_older(timedelta(hours=1))
    assert browser("adam").get(path).json == {"sample": None}
    purge(present())
    assert SourceSample.select().count() == 0
