"""Every sender operation accepts bodies up to its limit, and source keys in all documented places."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from inbox.api.http import body_limits
from inbox.api.http.policy import POLICY, Credential
from inbox.api.senders import ingest
from inbox.api.senders.hooks import LISTED_FAULTS
from inbox.domain.heartbeats import pings
from inbox.domain.values import jsonbody
from inbox.models.heartbeats.tables import HeartbeatPing
from tests.api.senders.test_hooks import basic, bearer
from tests.browser import sound
from tests.cast import Cast, make_key, make_signing_secret, typeid
from tests.heartbeats import make_monitor
from tests.intake.payloads import payload

OF_SENDERS = {
    Credential.SOURCE_KEY,
    Credential.ALIAS_TOKEN,
    Credential.HEARTBEAT_TOKEN,
    Credential.PING_KEY,
    Credential.SIGNATURE,
}
OF_PEOPLE = {
    Credential.NONE,
    Credential.SESSION,
    Credential.DEVICE,
    Credential.USER,
    Credential.METRICS_TOKEN,
}
BEARER_ONLY = {"events.create", "watchers.check_in"}
"""Operations of the service's own format, whose senders can send any header."""

RUN_ID = "0b9ff0f4-2f4c-4b8b-9c0a-6f3f3f1f2a10"
SMALL = body_limits.ANONYMOUS_CAP
GRAFANA = json.dumps(payload("grafana", "alarm")).encode()

Headers = Callable[[str], dict[str, str]]


def put(app: Flask, path: str, headers: dict[str, str], body: bytes = GRAFANA) -> TestResponse:
    answer = app.test_client().put(path, headers=headers, data=body)
    sound(answer)
    return answer


def post(app: Flask, path: str, headers: dict[str, str], body: bytes) -> TestResponse:
    answer = app.test_client().post(path, headers=headers, data=body)
    sound(answer)
    return answer


def test_each_credential_is_classified_as_a_sender_credential_or_not() -> None:
    assert set(Credential) == OF_SENDERS | OF_PEOPLE


def test_each_operation_of_a_sender_reads_its_own_body_or_has_a_stated_cap(app: Flask) -> None:
    taking_bodies = {
        rule.endpoint
        for rule in app.url_map.iter_rules()
        if POLICY[rule.endpoint].credential in OF_SENDERS and not (rule.methods or set()) <= {"GET", "HEAD"}
    }

    assert {name for name in taking_bodies if not POLICY[name].own_body and POLICY[name].body_cap is None} == set()
    assert {name for name, here in POLICY.items() if here.own_body} - taking_bodies == set()


@pytest.mark.parametrize("endpoint", sorted(name for name, here in POLICY.items() if here.own_body and here.body_cap))
def test_an_operation_that_reads_its_body_itself_respects_the_declared_cap(
    endpoint: str, app: Flask, cast: Cast
) -> None:
    keys = {
        Credential.SOURCE_KEY: bearer(cast.key),
        Credential.ALIAS_TOKEN: {"X-Gotify-Key": make_key(cast.source, kind="alias_token")},
        Credential.SIGNATURE: {},
    }
    [rule] = app.url_map.iter_rules(endpoint)
    values = {"tool": "grafana", "source_id": cast.source.id, "alert": "disk", "act": "close"}
    method = next(iter((rule.methods or set()) - {"HEAD"}))
    values |= {"act": "message"} if method == "PUT" else {}
    path = app.url_map.bind("localhost").build(endpoint, values, method=method)

    statuses = []
    for length in (POLICY[endpoint].body_cap, POLICY[endpoint].body_cap + 1):
        answer = app.test_client().open(
            path,
            method=method,
            headers=keys[POLICY[endpoint].credential],
            environ_overrides={"CONTENT_LENGTH": str(length)},
        )
        statuses.append(answer.status_code)

    assert statuses == [400, 413]


def test_only_operations_of_the_own_format_want_the_source_key_as_bearer() -> None:
    with_source_key = {name for name, here in POLICY.items() if here.credential is Credential.SOURCE_KEY}
    with_own_key = {name for name, here in POLICY.items() if here.own_key}

    assert with_source_key - with_own_key == BEARER_ONLY
    assert with_own_key - with_source_key == set()


@pytest.mark.parametrize("headers", [bearer, basic, lambda key: basic(key, ""), lambda key: {"X-Gitlab-Token": key}])
def test_a_webhook_by_put_takes_the_key_in_each_way(app: Flask, cast: Cast, headers: Headers) -> None:
    answer = put(app, "/v1/hooks/grafana", headers(cast.key))

    assert (answer.status_code, answer.get_json()["faults"]) == (202, [])
    assert [receipt["status"] for receipt in answer.get_json()["events"]] == ["accepted"]


@pytest.mark.parametrize(
    ("size", "status"),
    [(SMALL, 202), (SMALL + 1, 202), (ingest.CAP - 1, 202), (ingest.CAP, 202), (ingest.CAP + 1, 413)],
)
def test_a_signed_webhook_by_put_is_taken_up_to_the_limit_of_events(
    app: Flask, cast: Cast, size: int, status: int
) -> None:
    body = GRAFANA.ljust(size)
    secret = make_signing_secret(cast.source, "grafana")
    signature = {"X-Grafana-Alerting-Signature": hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()}

    with_key = put(app, "/v1/hooks/grafana", bearer(cast.key), body)
    signed = put(app, f"/v1/hooks/grafana/{typeid('src', cast.source.id)}", signature, body)

    assert (with_key.status_code, signed.status_code) == (202, status)


@pytest.mark.parametrize(
    ("more", "status"), [(-1, 202), (0, 202), (1, 400)], ids=["below the limit", "at the limit", "above the limit"]
)
@pytest.mark.parametrize("form", ["", "payload", "data"])
def test_a_webhook_takes_as_many_values_as_a_batch_of_events(
    app: Flask, cast: Cast, form: str, more: int, status: int
) -> None:
    filled = {**payload("grafana", "alarm"), "padding": []}
    missing = jsonbody.MAX_BATCH_NODES + more - values_of(filled)
    body = json.dumps({**filled, "padding": [0] * missing}).encode()

    answer = app.test_client().post(
        "/v1/hooks/grafana", headers=bearer(cast.key), data={form: body.decode()} if form else body
    )

    assert answer.status_code == status


def values_of(document: Any) -> int:
    """The values of a JSON body: the body, each member of an object and each item of an array."""
    inner = document.values() if isinstance(document, dict) else document if isinstance(document, list) else ()
    return 1 + sum(map(values_of, inner))


@pytest.mark.parametrize(
    ("more", "status"), [(-1, 200), (0, 200), (1, 400)], ids=["below the limit", "at the limit", "above the limit"]
)
def test_a_message_of_the_legacy_format_has_the_values_of_one_event(
    app: Flask, cast: Cast, more: int, status: int
) -> None:
    filled = {"message": "m", "extras": {"a": []}}
    missing = jsonbody.MAX_NODES + more - values_of(filled)
    key = make_key(cast.source, kind="alias_token")

    answer = post(
        app,
        "/message",
        {"X-Gotify-Key": key},
        json.dumps({**filled, "extras": {"a": [0] * missing}}).encode(),
    )

    assert answer.status_code == status


@pytest.mark.parametrize(
    ("odd", "listed"),
    [(LISTED_FAULTS - 1, LISTED_FAULTS - 1), (LISTED_FAULTS, LISTED_FAULTS), (LISTED_FAULTS + 1, LISTED_FAULTS)],
)
def test_an_answer_to_a_webhook_lists_a_bounded_number_of_faults(app: Flask, cast: Cast, odd: int, listed: int) -> None:
    document = payload("grafana", "alarm")
    body = json.dumps({**document, "alerts": [*document["alerts"], *[0] * odd]}).encode()

    answer = post(app, "/v1/hooks/grafana", bearer(cast.key), body)

    assert (answer.status_code, len(answer.get_json()["events"])) == (202, 1)
    assert len(answer.get_json()["faults"]) == listed


@pytest.mark.parametrize(
    "size", [pings.BODY_BYTES - 1, pings.BODY_BYTES, pings.BODY_BYTES + 1, SMALL, SMALL + 1, 47_000]
)
def test_a_ping_by_slug_with_a_run_id_takes_a_text_of_any_length(app: Flask, cast: Cast, size: int) -> None:
    make_monitor(cast.source, slug="backup")
    key = make_key(cast.source, kind="ping_key")

    answer = post(app, f"/v1/heartbeats/{key}/backup/0?rid={RUN_ID}", {}, b"x" * size)

    [stored] = HeartbeatPing.select()
    assert (answer.status_code, stored.body) == (200, "x" * min(size, pings.BODY_BYTES))


@pytest.mark.parametrize(
    ("length", "status"), [(pings.LARGEST - 1, 200), (pings.LARGEST, 200), (pings.LARGEST + 1, 413)]
)
def test_a_ping_by_slug_announces_any_length_that_exists(app: Flask, cast: Cast, length: int, status: int) -> None:
    make_monitor(cast.source, slug="backup")
    key = make_key(cast.source, kind="ping_key")

    announced = {"CONTENT_LENGTH": str(length)}
    answer = app.test_client().post(
        f"/v1/heartbeats/{key}/backup/0?rid={RUN_ID}", data=b"x" * SMALL, environ_overrides=announced
    )
    sound(answer)

    assert answer.status_code == status


@pytest.mark.parametrize("size", [0, SMALL, SMALL + 1, ingest.CAP + 1])
def test_the_body_of_a_ping_in_the_opsgenie_format_is_ignored(app: Flask, cast: Cast, size: int) -> None:
    make_monitor(cast.source, name="nightly")

    answer = post(app, "/v1/compat/opsgenie/v2/heartbeats/nightly/ping", bearer(cast.key), b"x" * size)

    assert (answer.status_code, HeartbeatPing.select().count()) == (202, 1)
