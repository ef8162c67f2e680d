"""The Alertmanager API over HTTP: alerts that Prometheus pushes, repeats and ends (specification 19.10)."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from inbox.config.settings import Settings
from inbox.domain.values import times
from inbox.flow.ingest import alert_expiry
from inbox.flow.routing.route import route
from inbox.models.events.tables import Event
from inbox.models.incidents.tables import Incident
from inbox.models.senders.pushed_alerts import PushedAlert
from tests.browser import sound
from tests.cast import Cast, make_key, present

PATH = "/v1/compat/alertmanager/api/v2/alerts"


def at(minutes: float) -> str:
    return times.rfc3339(present() + timedelta(minutes=minutes))


def alert(name: str = "DiskFull", **more: Any) -> dict[str, Any]:
    return {"labels": {"alertname": name, "severity": "critical"}, "startsAt": at(-5), "endsAt": at(4), **more}


def push(app: Flask, key: str, alerts: Any, **more: Any) -> TestResponse:
    headers = {"Authorization": f"Bearer {key}"} | more.pop("headers", {})
    answer = app.test_client().post(PATH, headers=headers, **(more or {"json": alerts}))
    sound(answer)
    return answer


def test_alerts_are_answered_200_without_a_body(app: Flask, cast: Cast) -> None:
    answer = push(app, cast.key, [alert(), alert("Other")])

    assert (answer.status_code, answer.data) == (200, b"")
    assert Event.select().count() == 2


def test_a_repeat_is_no_event_and_an_end_closes_the_incident(app: Flask, cast: Cast) -> None:
    firing = alert()
    for minutes in (4, 5, 6):
        assert push(app, cast.key, [{**firing, "endsAt": at(minutes)}]).status_code == 200
    route(present)
    opened = Incident.get().state, Event.select().count()
    ended = {**firing, "endsAt": at(-1)}
    for _ in range(3):
        assert push(app, cast.key, [ended]).status_code == 200
    route(present)

    assert opened == ("open", 1)
    assert (Incident.get().state, Event.select().count()) == ("resolved", 2)


def test_the_largest_batch_of_prometheus_is_stored(app: Flask, cast: Cast) -> None:
    labels = {f"label{number}": "x" * 20 for number in range(40)}
    alerts = [alert(labels={**labels, "alertname": f"Alert{number}"}) for number in range(256)]

    assert push(app, cast.key, alerts).status_code == 200
    assert Event.select().count() == 256


def test_a_bad_alert_is_400_and_the_others_are_stored(app: Flask, cast: Cast) -> None:
    answer = push(app, cast.key, [alert(), {"labels": {}}, 7])

    assert answer.status_code == 400
    assert "1 alerts were stored, 2 were not: /1/labels" in answer.get_json(force=True)["detail"]
    assert Event.select().count() == 1


def test_a_refusal_names_ten_alerts_at_most(app: Flask, cast: Cast) -> None:
    detail = push(app, cast.key, [{}] * 11).get_json(force=True)["detail"]
    assert "11 were not" in detail and "/9/labels" in detail and "/10/labels" not in detail


@pytest.mark.parametrize("body", [b"", b"{}", b"null", b"[", b"text"])
def test_a_body_that_is_no_array_is_refused(app: Flask, cast: Cast, body: bytes) -> None:
    assert push(app, cast.key, None, data=body).status_code == 400


def test_an_empty_array_is_accepted(app: Flask, cast: Cast) -> None:
    assert push(app, cast.key, []).status_code == 200


def test_the_key_may_be_a_basic_password_and_a_wrong_one_is_401(app: Flask, cast: Cast) -> None:
    basic = "Basic " + base64.b64encode(f"prometheus:{cast.key}".encode()).decode()
    alias = make_key(cast.source, kind="alias_token")

    assert push(app, "", [alert()], headers={"Authorization": basic}).status_code == 200
    assert {push(app, key, [alert()]).status_code for key in ("", alias, cast.key[:-1])} == {401}


def test_the_rate_limit_is_answered_as_unavailable(
    app: Flask, cast: Cast, in_settings: Callable[..., Settings]
) -> None:
    in_settings(rate_limits=True, events_per_minute_source=1)

    answers = [push(app, cast.key, [alert(f"{number}")] * 3) for number in range(3)]

    assert answers[-1].status_code == 503
    assert int(answers[-1].headers["Retry-After"]) > 0


def test_the_key_stands_in_no_event_log_or_answer(
    app: Flask, cast: Cast, lines: Callable[[], list[dict[str, Any]]]
) -> None:
    leaking = alert(annotations={"summary": f"key {cast.key}"}, labels={"a": cast.key})
    answers = [push(app, cast.key, sent) for sent in ([leaking], [{"labels": {cast.key: 1}}])]

    assert cast.key not in "".join(answer.text for answer in answers)
    assert cast.key not in "".join(str(event.__data__) for event in Event.select())
    assert cast.key not in json.dumps(lines())


def test_an_alert_that_is_not_repeated_resolves_and_opens_again_when_it_is(app: Flask, cast: Cast) -> None:
    firing, states = alert(), []
    for sent, expired_at in ((firing, None), (firing, 5), ({**firing, "endsAt": at(9)}, None), (firing, None)):
        assert push(app, cast.key, [sent]).status_code == 200
        if expired_at is not None:
            assert alert_expiry.expire(present() + timedelta(minutes=expired_at)) == 1
        route(present)
        states.append((Incident.get().state, Event.select().count()))

    assert states == [("open", 1), ("resolved", 2), ("open", 3), ("open", 3)]


@pytest.mark.parametrize(
    ("minutes", "is_tracked"), [(4, True), (24 * 60 - 1, True), (24 * 60 + 1, False), (None, False), (-1, False)]
)
def test_an_end_within_a_day_expires(app: Flask, cast: Cast, minutes: float | None, is_tracked: bool) -> None:
    push(app, cast.key, [alert(endsAt=None if minutes is None else at(minutes))])
    assert PushedAlert.select().count() == int(is_tracked)


@pytest.mark.parametrize("minutes", [None, 24 * 60 + 1])
def test_an_alert_that_is_pushed_again_without_an_end_does_not_expire(
    app: Flask, cast: Cast, minutes: float | None
) -> None:
    firing = alert()
    push(app, cast.key, [firing, alert("Other")])
    push(app, cast.key, [{**firing, "endsAt": None if minutes is None else at(minutes)}])

    expired = alert_expiry.expire(present() + timedelta(minutes=5))

    route(present)
    states = {incident.title: str(incident.state) for incident in Incident.select()}
    assert (expired, states) == (1, {"DiskFull": "open", "Other": "resolved"})


def test_an_alert_that_expired_and_is_pushed_without_an_end_opens_again(app: Flask, cast: Cast) -> None:
    firing = alert()
    push(app, cast.key, [firing])
    alert_expiry.expire(present() + timedelta(minutes=5))
    for _ in range(2):
        push(app, cast.key, [{**firing, "endsAt": None}])
    route(present)

    assert (Incident.get().state, Event.select().count(), PushedAlert.select().count()) == ("open", 3, 0)
