"""Mappings over HTTP: stored at the source, previewed, and used for payloads of any sender (specification 19.17)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson
import pytest
from flask import Flask
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from werkzeug.test import TestResponse

from inbox.models.events.tables import Event
from inbox.models.senders.source_samples import SourceSample
from inbox.models.senders.sources import Source
from tests.browser import Browser, sound
from tests.cast import Cast, typeid
from tests.intake.test_mapping import JSON, MAPPINGS

Browsers = Callable[[str], Browser]

MAPPING = {
    "items": "alerts[*]",
    "title": {"template": "{name} on {host}"},
    "severity": {"template": "{level}", "table": {"bad": "ERROR"}},
    "action": {"template": "{state}", "table": {"ok": "resolve"}},
    "dedupKey": {"template": "{host}:{name}"},
    "tags": ["{$.site}"],
    "metadata": {"host": "{host}"},
}
BODY = {
    "site": "berlin",
    "alerts": [{"name": "DiskFull", "host": "db2", "level": "bad", "state": "firing"},
               {"name": "Ping", "host": "db3", "level": "?", "state": "ok"}, {"other": 1}],
}  # fmt: skip


@pytest.fixture
def path(cast: Cast) -> str:
    return f"/v1/sources/{typeid('src', cast.source.id)}"


def send(app: Flask, key: str, **sent: Any) -> TestResponse:
    answer = app.test_client().post("/v1/hooks/custom", headers={"Authorization": f"Bearer {key}"}, **sent)
    sound(answer)
    return answer


def test_a_payload_becomes_the_events_of_the_mapping(app: Flask, browser: Browsers, cast: Cast, path: str) -> None:
    stored = browser("adam").patch(path, {"mapping": MAPPING})
    assert stored.status_code == 200 and stored.json["mapping"] == MAPPING

    answer = send(app, cast.key, json=BODY)

    assert answer.status_code == 202
    first, second = answer.json["events"]
    assert first["warnings"] == []
    assert [(each["code"], each["pointer"]) for each in second["warnings"]] == [("not_mapped", "/severity")]
    assert [each["pointer"] for each in answer.json["faults"]] == ["/alerts/2"]
    found = {event.title: event for event in Event.select()}
    disk, ping = found["DiskFull on db2"], found["Ping on db3"]
    assert (str(disk.severity), disk.dedup_key, disk.tags, disk.metadata) == (
        "ERROR",
        "db2:DiskFull",
        ["berlin"],
        {"host": "db2"},
    )
    assert str(ping.action) == "resolve"
    [sample] = SourceSample.select()
    assert sample.tool == "custom" and {each["pointer"] for each in sample.faults} == {"/alerts/2", "/severity"}


def test_a_mapping_is_answered_without_the_fields_that_it_does_not_have(browser: Browsers, path: str) -> None:
    mapping = {"dedupKey": {"template": "{id}"}}
    assert browser("adam").patch(path, {"mapping": mapping}).json["mapping"] == mapping
    assert browser("adam").get(path).json["mapping"] == mapping


def test_a_payload_for_a_source_without_a_mapping_is_kept_as_the_sample(app: Flask, cast: Cast) -> None:
    answer = send(app, cast.key, json=BODY)

    [sample] = SourceSample.select()
    assert (answer.status_code, answer.json["code"]) == (422, "validation_failed")
    assert "no mapping" in answer.json["errors"][0]["detail"]
    assert '"DiskFull"' in sample.body and Event.select().count() == 0


def test_a_payload_that_does_not_fit_is_refused_with_the_reason(
    app: Flask, browser: Browsers, cast: Cast, path: str
) -> None:
    browser("adam").patch(path, {"mapping": MAPPING})

    answer = send(app, cast.key, json={"alarms": []})

    assert answer.status_code == 422 and answer.json["errors"][0]["detail"] == "the path of the items leads to nothing"
    assert SourceSample.select().count() == 1


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [({"items": "a[*].b[*].c[*]"}, "/mapping/items"), ({"title": {"template": "{a"}}, "/mapping/title/template"),
     ({"title": {}}, "/mapping/title/template"), ({"severity": {"template": "{a}", "table": {"x": "LOUD"}}}, "/mapping/severity/table/x/value"),
     ({"action": {"template": "{a}", "table": {"x": "open"}}}, "/mapping/action/table/x/value"), ({"tags": ["{"]}, "/mapping/tags/0"),
     ({"metadata": {"x": "}"}}, "/mapping/metadata/x/value"), ({"tags": ["x"] * 21}, "/mapping/tags"), ({"owner": {}}, "/mapping/owner"), ({"title": {"template": "\x00"}}, "/mapping/title/template")],
)  # fmt: skip
def test_a_mapping_that_cannot_be_used_is_refused_at_its_place(
    browser: Browsers, path: str, changes: dict[str, Any], pointer: str
) -> None:
    answer = browser("adam").patch(path, {"mapping": MAPPING | changes})

    assert answer.status_code == 422
    assert any(pointer.startswith(each["pointer"]) and each["pointer"] != "" for each in answer.json["errors"]), (
        answer.json
    )


def test_a_mapping_is_removed_with_null(app: Flask, browser: Browsers, cast: Cast, path: str) -> None:
    adam = browser("adam")
    adam.patch(path, {"mapping": MAPPING})

    assert adam.patch(path, {"mapping": None}).json["mapping"] is None
    assert send(app, cast.key, json=BODY).status_code == 422


def test_a_mapping_preview_shows_the_resulting_event_and_stores_nothing(
    browser: Browsers, cast: Cast, path: str
) -> None:
    answer = browser("adam").post(f"{path}/mapping-preview", {"mapping": MAPPING, "sample": BODY})

    assert answer.status_code == 200
    shown = answer.json
    assert shown["total"] == 2 and [each["title"] for each in shown["events"]] == ["DiskFull on db2", "Ping on db3"]
    assert shown["events"][1]["warnings"][0]["code"] == "not_mapped"
    assert shown["faults"] == [{"pointer": "/alerts/2", "detail": "no path of the mapping leads to a value"}]
    assert Event.select().count() == SourceSample.select().count() == 0
    assert Source.get_by_id(cast.source.id).mapping is None


@pytest.mark.parametrize(("events", "shown"), [(19, 19), (20, 20), (21, 20)])
def test_a_preview_shows_a_bounded_number_of_events(browser: Browsers, path: str, events: int, shown: int) -> None:
    body = {"mapping": {"items": "[*]", "title": {"template": "{@}"}}, "sample": [f"event {n}" for n in range(events)]}

    answer = browser("adam").post(f"{path}/mapping-preview", body).json

    assert (answer["total"], len(answer["events"])) == (events, shown)


def test_a_preview_of_a_payload_that_does_not_fit_says_so(browser: Browsers, path: str) -> None:
    answer = browser("adam").post(f"{path}/mapping-preview", {"mapping": MAPPING, "sample": []})

    assert answer.status_code == 200 and answer.json["total"] == 0 and answer.json["faults"]


@pytest.mark.parametrize("sample", ["text", 7, None])
def test_a_sample_is_an_object_or_an_array(browser: Browsers, path: str, sample: Any) -> None:
    answer = browser("adam").post(f"{path}/mapping-preview", {"mapping": MAPPING, "sample": sample})

    assert answer.status_code == 422 and answer.json["errors"][0]["pointer"] == "/sample"


def test_a_mapping_preview_requires_an_administrator_of_the_workspace(browser: Browsers, path: str) -> None:
    body = {"mapping": MAPPING, "sample": BODY}

    assert browser("eve").post(f"{path}/mapping-preview", body).status_code == 404
    assert browser("mia").post(f"{path}/mapping-preview", body).status_code == 403


def test_any_payload_under_any_mapping_is_answered_and_loses_nothing_silently(app: Flask, cast: Cast) -> None:
    @hypothesis_settings(max_examples=60, suppress_health_check=list(HealthCheck))
    @given(MAPPINGS, JSON)
    def holds(stored: dict[str, Any], document: Any) -> None:
        SourceSample.delete().execute()
        stored = orjson.loads(orjson.dumps(stored).replace(rb"\u0000", b""))
        Source.update(mapping=stored).where(Source.id == cast.source.id).execute()
        answer = send(app, cast.key, json=document)
        assert answer.status_code in (202, 400, 422), answer.json
        if answer.status_code != 202:
            assert SourceSample.select().count() == 1

    holds()
