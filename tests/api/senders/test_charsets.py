"""Bodies of senders in other character sets, on every way in (specification 2.2)."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest
from flask import Flask

from inbox.models.events.tables import Event
from inbox.models.heartbeats.tables import HeartbeatPing
from tests.browser import sound
from tests.cast import Cast, make_key
from tests.heartbeats import make_monitor

TITLE = "Überlauf auf Köln"
OWN = f'{{"title": "{TITLE}", "severity": "ERROR"}}'
JSON = f'{{"title": "{TITLE}", "message": "{TITLE}"}}'
PAGERDUTY = f'{{"event_action": "trigger", "routing_key": "KEY", "payload": {{"summary": "{TITLE}"}}}}'
HOME = f'{{"title": "{TITLE}", "entity": "a", "state": "on", "message": "{TITLE}"}}'
PROMETHEUS = f'[{{"labels": {{"alertname": "{TITLE}"}}}}]'
CLOUD = f'{{"specversion": "1.0", "id": "1", "source": "a", "type": "b", "data": {{"title": "{TITLE}"}}}}'
WAYS = {
    "/v1/events": OWN,
    "/message": JSON,
    "/v1/legacy/message": JSON,
    "/v1/hooks/home_assistant": HOME,
    "/v1/compat/pagerduty/v2/enqueue": PAGERDUTY,
    "/v1/compat/opsgenie/v2/alerts": JSON,
    "/v1/compat/alertmanager/api/v2/alerts": PROMETHEUS,
    "/v1/compat/cloudevents": CLOUD,
}
BOM = "\ufeff"
GUESSED = ["charset_guessed"]


def post(app: Flask, cast: Cast, path: str, body: bytes, content_type: str = "application/json", **more: Any) -> int:
    key = make_key(cast.source, kind="alias_token") if "/message" in path else cast.key
    headers = {"Authorization": f"Bearer {key}", "Content-Type": content_type}
    answer = app.test_client().post(path, headers=headers, data=body.replace(b"KEY", key.encode()), **more)
    sound(answer)
    return answer.status_code


def codes() -> list[str]:
    return [warning["code"] for warning in Event.get().warnings]


@pytest.mark.parametrize("path", WAYS)
@pytest.mark.parametrize(
    ("codec", "mark", "charset", "warned"),
    [
        ("utf-8", "", "", []),
        ("utf-8", "", "; charset=UTF-8", []),
        ("utf-8", BOM, "", []),
        ("utf-8", BOM, "; charset=iso-8859-1", []),
        ("cp1252", "", "", GUESSED),
        ("cp1252", "", "; charset=utf-8", GUESSED),
        ("cp1252", "", "; charset=unheard-of", GUESSED),
        ("cp1252", "", '; charset="ISO-8859-1"', []),
        ("cp1252", "", "; Charset=latin1", []),
        ("cp850", "", "; charset=ibm850", []),
        ("utf-16-le", BOM, "", []),
        ("utf-16-be", BOM, "", []),
        ("utf-16-le", "", "; charset=utf-16", []),
        ("utf-16-le", "", "", []),
    ],
)
def test_the_title_is_read_in_its_character_set(
    app: Flask, cast: Cast, path: str, codec: str, mark: str, charset: str, warned: list[str]
) -> None:
    body = (mark + WAYS[path]).encode(codec).replace("KEY".encode(codec), cast.key.encode(codec))

    status = post(app, cast, path, body, f"application/json{charset}")

    assert status in (200, 202)
    assert TITLE in (Event.get().title, *Event.get().title.split(": "))
    assert codes() == warned


@pytest.mark.parametrize("count", [1, 3])
def test_each_event_of_a_guessed_body_has_the_warning(app: Flask, cast: Cast, count: int) -> None:
    alerts = ", ".join(f'{{"labels": {{"alertname": "Ü{number}"}}}}' for number in range(count))
    assert post(app, cast, "/v1/compat/alertmanager/api/v2/alerts", f"[{alerts}]".encode("cp1252")) == 200
    events = ", ".join(f'{{"title": "Ä{number}"}}' for number in range(count))
    assert post(app, cast, "/v1/events", f'{{"events": [{events}]}}'.encode("cp1252")) == 202

    assert [[each["code"] for each in event.warnings] for event in Event.select()] == [GUESSED] * count * 2


@pytest.mark.parametrize("codec", ["utf-8", "cp1252"])
@pytest.mark.parametrize("form", ["escaped", "raw", "multipart"])
def test_a_form_is_read_in_its_character_set(app: Flask, cast: Cast, codec: str, form: str) -> None:
    boundary = b'--b\r\nContent-Disposition: form-data; name="message"\r\n\r\n%s\r\n--b--\r\n'
    body, content_type = {
        "escaped": (f"message={quote(TITLE, encoding=codec)}".encode(), "application/x-www-form-urlencoded"),
        "raw": (b"message=" + TITLE.encode(codec), "application/x-www-form-urlencoded"),
        "multipart": (boundary % TITLE.encode(codec), "multipart/form-data; boundary=b"),
    }[form]

    assert post(app, cast, "/message", body, content_type) == 200
    assert Event.get().title == TITLE
    assert codes() == ([] if codec == "utf-8" else GUESSED)


def test_the_query_of_a_message_is_read_in_its_character_set(app: Flask, cast: Cast) -> None:
    assert post(app, cast, f"/message?message={quote(TITLE, encoding='cp1252')}", b"", "text/plain") == 200
    assert Event.get().title == TITLE


def test_a_file_beside_a_text_does_not_change_how_the_text_is_read(app: Flask, cast: Cast) -> None:
    file = b'--b\r\nContent-Disposition: form-data; name="f"; filename="a.jpg"\r\n\r\n\xff\xd8\r\n--b--\r\n'
    text = '--b\r\nContent-Disposition: form-data; name="message"\r\n\r\nÜber\r\n'.encode()

    assert post(app, cast, "/message", text + file, "multipart/form-data; boundary=b") == 200
    assert Event.get().title == "Über"


@pytest.mark.parametrize(
    ("body", "charset", "text"),
    [("Köln".encode(), "", "Köln"), ("Köln".encode("cp1252"), "", "Köln"), ("Łódź".encode("cp1250"), "; charset=cp1250", "Łódź"),
     (b"\xef\xbb\xbfok", "", "ok"), ("Köln".encode("utf-16"), "", "Köln"), ("é".encode() * 5_100, "", "é" * 5_000),
     (b"ends with \xc4", "", "ends with Ä")],
)  # fmt: skip
def test_the_text_of_a_ping_is_read_in_its_character_set(
    app: Flask, cast: Cast, body: bytes, charset: str, text: str
) -> None:
    _, token = make_monitor(cast.source)
    for query in ("", "?rid=0b9ff0f4-2f4c-4b8b-9c0a-6f3f3f1f2a10"):
        app.test_client().post(f"/v1/heartbeats/{token}{query}", data=body, content_type=f"text/plain{charset}")

    assert [ping.body for ping in HeartbeatPing.select()] == [text] * 2
