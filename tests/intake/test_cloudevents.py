"""CloudEvents: attributes, data and headers as events (specification 19.12)."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inbox.domain.events import validation
from inbox.domain.values.severity import Severity
from inbox.intake import cloudevents
from inbox.intake.base import OddItem
from tests.cast import NOW
from tests.intake.test_tools import JSON, places, replaced

EVENT: dict[str, Any] = {
    "specversion": "1.0",
    "id": "A-7",
    "source": "/backup/nas1",
    "type": "org.example.job.failed",
    "time": "2026-11-22T10:15:30Z",
    "subject": "nightly",
    "comexampleextension1": "value",
    "data": {"exit": 2},
}
DATA = {
    "title": "The nightly backup failed",
    "severity": "critical",
    "dedupKey": "backup",
    "description": "exit 2",
    "url": "https://nas.example.org/",
}


def stored(document: dict[str, Any], default: Severity = Severity.INFO) -> validation.NewEvent:
    """The event as ingest stores it."""
    result = cloudevents.read(cloudevents.documents(document, batched=False))
    assert result.faults == []
    [found] = validation.accept(result.events[0], received_at=NOW, default_severity=default)
    return found


def faults(document: Any) -> list[str]:
    return [fault.pointer for fault in cloudevents.read(cloudevents.documents(document, batched=False)).faults]


def test_attributes_alone_make_an_event() -> None:
    found = stored(EVENT, Severity.ERROR)

    assert (found.title, found.severity) == ("org.example.job.failed: nightly", Severity.ERROR)
    assert (found.type, found.resource) == ("org.example.job.failed", "source:/backup/nas1")
    assert (found.dedup_key, found.external_id) == ("ce:/backup/nas1:nightly", "A-7")
    assert (found.idempotency_key, found.occurred_at_sent) == ("/backup/nas1 A-7", "2026-11-22T10:15:30.000000")
    assert found.metadata == {"subject": "nightly", "comexampleextension1": "value", "data": {"exit": 2}}


def test_data_names_title_severity_key_body_and_link() -> None:
    found = stored({**EVENT, "data": DATA})

    assert (found.title, found.severity, found.dedup_key) == (DATA["title"], Severity.CRITICAL, "backup")
    assert (found.body, found.url) == ("exit 2", "https://nas.example.org/")


def test_extensions_win_over_data() -> None:
    found = stored({**EVENT, "data": DATA, "severity": "warning", "dedupkey": "mine"})
    assert (found.severity, found.dedup_key) == (Severity.WARNING, "mine")


@pytest.mark.parametrize("where", [{"action": "resolve"}, {"data": {"action": "resolve"}}, {"severity": "ok"}])
def test_a_resolve_has_the_key_of_the_alarm(where: dict[str, Any]) -> None:
    alarm, end = stored(EVENT), stored({**EVENT, **where})
    assert (alarm.recovers, end.recovers, end.dedup_key) == (False, True, alarm.dedup_key)


@pytest.mark.parametrize("where", [{"type": "job.resolved"}, {"data": {"action": "created"}}])
def test_unknown_words_resolve_nothing(where: dict[str, Any]) -> None:
    assert not stored({**EVENT, **where}).recovers


@pytest.mark.parametrize("name", ["id", "source", "specversion", "type"])
def test_a_required_attribute_is_named(name: str) -> None:
    assert faults({**EVENT, name: None}) == [f"/{name}"]
    assert faults({**EVENT, name: ""}) == [f"/{name}"]


@pytest.mark.parametrize(
    ("more", "pointer"),
    [({"specversion": "0.3"}, "/specversion"), ({"time": "yesterday"}, "/time"), ({"data_base64": "!"}, "/data_base64"),
     ({"data_base64": 7}, "/data_base64")],
)  # fmt: skip
def test_a_wrong_attribute_is_named(more: dict[str, Any], pointer: str) -> None:
    assert faults({**EVENT, **more}) == [pointer]


@pytest.mark.parametrize("document", [[], "x", None, 7])
def test_a_document_that_is_not_an_object_is_refused(document: Any) -> None:
    assert faults(document) == [""]


def test_a_text_is_the_body_and_bytes_are_metadata() -> None:
    encoded = base64.b64encode(b"\x00\xff").decode()

    assert stored({**EVENT, "data": '{"a": 1}'}).body == '{"a": 1}'
    assert (stored({**EVENT, "data": None, "data_base64": encoded}).metadata or {})["dataBase64"] == encoded


def test_an_odd_event_of_a_batch_drops_no_good_one() -> None:
    result = cloudevents.read(cloudevents.documents([EVENT, 7, {**EVENT, "id": ""}, EVENT], batched=True))
    assert (len(result.events), [fault.pointer for fault in result.faults]) == (2, ["/1", "/2/id"])


def test_a_batch_is_an_array() -> None:
    with pytest.raises(OddItem):
        cloudevents.documents(EVENT, batched=True)
    assert cloudevents.read(cloudevents.documents([], batched=True)).events == []


def test_headers_are_attributes() -> None:
    headers = {f"ce-{name}": value for name, value in EVENT.items() if name != "data"}
    headers |= {"content-type": "application/json", "accept": "*/*"}

    found = cloudevents.read([cloudevents.of_headers(headers, {"exit": 2})])

    expected = cloudevents.read(cloudevents.documents({**EVENT, "datacontenttype": "application/json"}, batched=False))
    assert found == expected


@pytest.mark.parametrize(
    ("header", "value"),
    [("Euro%20%E2%82%AC%20%F0%9F%98%80", "Euro € 😀"), ('"quoted \\"text\\""', 'quoted "text"'), ("100%25", "100%"),
     ("%2525", "%25"), ("plain", "plain"), ('"', '"')],
)  # fmt: skip
def test_a_header_is_decoded_once(header: str, value: str) -> None:
    assert cloudevents.of_headers({"ce-subject": header}, None).text("subject") == value


def test_a_header_that_is_not_utf_8_is_refused() -> None:
    with pytest.raises(OddItem):
        cloudevents.of_headers({"ce-subject": "%ff"}, None)


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_no_document_raises_and_every_event_is_valid(data: st.DataObject) -> None:
    document: Any = {**EVENT, "data": DATA}
    for _ in range(data.draw(st.integers(1, 3))):
        document = replaced(document, data.draw(st.sampled_from(places(document))), data.draw(JSON))
    for found in cloudevents.read(cloudevents.documents(document, batched=False)).events:
        assert validation.accept(found, received_at=NOW)
