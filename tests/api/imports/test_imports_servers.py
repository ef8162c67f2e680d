"""Imports from the APIs of other tools, which stand-ins serve here, and from files (specification 22)."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from inbox.domain.values import ids
from inbox.models.events.tables import Event
from inbox.models.heartbeats.tables import HeartbeatMonitor
from inbox.models.records.audit import AuditEntry
from inbox.models.routing.silences import Silence
from inbox.models.senders.sources import Source, SourceKey
from inbox.services.senders import import_reading
from tests.api.imports.imports_steps import IMPORT, PREVIEW, Browsers, adam, draft  # noqa: F401  a fixture
from tests.browser import Browser
from tests.cast import Cast, typeid
from tests.destinations.receivers import Receiver, Request, answer
from tests.intake.importers.test_servers import TOKEN, application, check, database
from tests.intake.importers.uptime_kuma.test_uptime_kuma_database import HOSTILE, file

SECRET = "s3cret-token-of-the-tool"


@pytest.fixture
def tool() -> Iterator[Receiver]:
    """A stand-in for the API of a tool: it answers what a test sets, and 404 elsewhere."""
    with Receiver(answer(404)) as server:
        yield server


def served(answers: dict[str, Any], header: str) -> Callable[[Any, Request], object]:
    """Answers JSON by path to requests with the token, and 401 to others."""

    def script(connection: Any, request: Request) -> object:
        sent = {name.lower(): value for name, value in request.headers.items()}
        if SECRET not in sent.get(header, ""):
            return answer(401)(connection, request)
        if request.path not in answers:
            return answer(404)(connection, request)
        return answer(200, json.dumps(answers[request.path]).encode())(connection, request)

    return script


def address(tool: Receiver) -> str:
    return f"http://127.0.0.1:{tool.port}"


def test_checks_are_read_with_the_token_which_is_stored_nowhere(adam: Browser, cast: Cast, tool: Receiver) -> None:
    tool.script = served(
        {"/api/v3/checks/": {"checks": [check(), check(uuid="b", name="Other", status="paused")]}}, "x-api-key"
    )
    body = draft(cast, "healthchecks", address=address(tool) + "/", token=SECRET)

    preview = adam.post(PREVIEW, body)
    created = adam.post(IMPORT, body)

    assert [each["name"] for each in created.json["items"]] == ["Healthchecks", "Nightly", "Other"]
    assert [row.paused_at is not None for row in HeartbeatMonitor.select().order_by(HeartbeatMonitor.name)] == [
        False,
        True,
    ]
    assert SECRET not in preview.text + created.text
    assert SECRET not in repr(list(AuditEntry.select().dicts()))
    assert [hit.method for hit in tool.hits] == ["GET", "GET"]


def test_an_answer_of_hundreds_of_kilobytes_is_read(adam: Browser, cast: Cast, tool: Receiver) -> None:
    checks = [check(uuid=f"u{n}", name=f"Check {n}", desc="x" * 2000) for n in range(300)]
    tool.script = served({"/api/v3/checks/": {"checks": checks}}, "x-api-key")

    plan = adam.post(PREVIEW, draft(cast, "healthchecks", address=address(tool), token=SECRET)).json

    assert len(plan["items"]) == 301


def test_an_application_of_gotify_sends_with_its_own_token(adam: Browser, cast: Cast, tool: Receiver) -> None:
    tool.script = served({"/application": [application()]}, "x-gotify-key")

    created = adam.post(IMPORT, draft(cast, "gotify", address=address(tool), token=SECRET))
    sent = adam.post("/message", {"message": "Disk 91 %"}, headers={"X-Gotify-Key": TOKEN})

    assert (created.json["items"][0]["name"], sent.status_code) == ("NAS", 200)
    assert TOKEN not in created.text
    assert SourceKey.get(SourceKey.kind == "alias_token").hint == TOKEN[-4:]


@pytest.mark.parametrize("query", [True, False])
def test_a_sender_of_gotify_changes_the_address_alone(adam: Browser, cast: Cast, query: bool) -> None:
    plan = adam.post(PREVIEW, draft(cast, "gotify", document=json.dumps([application()]))).json
    adam.post(IMPORT, draft(cast, "gotify", document=json.dumps([application()])))

    path, headers = (f"/message?token={TOKEN}", {}) if query else ("/message", {"X-Gotify-Key": TOKEN})

    assert adam.post(path, {"message": "Disk 91 %"}, headers=headers).status_code == 200
    assert any("query" in warning for warning in plan["warnings"])


def test_a_source_of_gotify_that_was_deleted_is_created_again(adam: Browser, cast: Cast) -> None:
    document = json.dumps([application(), application(id=9, name="UPS", token="A" + "u" * 14)])
    first = adam.post(IMPORT, draft(cast, "gotify", document=document)).json["items"]
    adam.delete(f"/v1/sources/{first[0]['id']}", headers={"If-Match": "*"})

    second = adam.post(IMPORT, draft(cast, "gotify", document=document))

    assert [each["created"] for each in second.json["items"]] == [True, False]
    assert adam.post("/message", {"message": "Disk 91 %"}, headers={"X-Gotify-Key": TOKEN}).status_code == 200
    [event] = Event.select()
    assert typeid("src", event.source_id) == second.json["items"][0]["id"]
    former = SourceKey.get(SourceKey.source == ids.decode("src", first[0]["id"]))
    assert former.revoked_at is not None and former.hint == TOKEN[-4:]
    assert "key.revoked" in [each.action for each in AuditEntry.select()]


def test_a_token_that_is_in_use_is_not_taken_over(adam: Browser, browser: Browsers, cast: Cast) -> None:
    document = json.dumps([application()])
    assert adam.post(IMPORT, draft(cast, "gotify", document=document)).status_code == 201
    foreign = {"workspaceId": typeid("wsp", cast.foreign.id), "kind": "gotify", "document": document}

    refused = browser("eve").post(IMPORT, foreign)

    assert (refused.status_code, refused.json["code"]) == (409, "conflict")
    assert Source.select().where(Source.workspace == cast.foreign.id).count() == 1


@pytest.mark.parametrize(
    ("kind", "answers", "header", "names"),
    [
        (
            "opsgenie",
            {
                "/v2/integrations": {"data": [{"id": "i", "name": "Nagios", "type": "API", "enabled": True}]},
                "/v2/heartbeats": {"data": {"heartbeats": []}},
            },
            "authorization",
            ["Nagios"],
        ),
        (
            "oncall",
            {
                "/api/v1/integrations/": {"results": [{"id": "C", "name": "Grafana", "type": "grafana"}]},
                "/api/v1/routes/": {"results": []},
            },
            "authorization",
            ["Grafana"],
        ),
        ("alertmanager_silences", {"/api/v2/silences": []}, "authorization", ["Alertmanager"]),
    ],
)
def test_an_import_reads_the_server_of_each_tool(
    kind: str, answers: dict[str, Any], header: str, names: list[str], adam: Browser, cast: Cast, tool: Receiver
) -> None:
    tool.script = served(answers, header)

    created = adam.post(IMPORT, draft(cast, kind, address=address(tool), token=SECRET)).json["items"]

    assert [each["name"] for each in created] == names


def test_a_database_of_uptime_kuma_is_uploaded(adam: Browser, cast: Cast) -> None:
    content = base64.b64encode(database()).decode()

    created = adam.post(IMPORT, draft(cast, "uptime_kuma", file=content)).json["items"]

    assert [each["name"] for each in created] == ["Uptime Kuma", "Backup", "Paused"]


def test_maintenance_of_a_database_silences_its_monitors(adam: Browser, cast: Cast) -> None:
    columns = "id INTEGER, title TEXT, strategy TEXT, active INTEGER, start_time TEXT, end_time TEXT, weekdays TEXT"
    content = database(
        f"CREATE TABLE maintenance ({columns})",
        "INSERT INTO maintenance VALUES (1, 'Nights', 'recurring-weekday', 1, '22:00', '02:00', '[0]')",
        "CREATE TABLE monitor_maintenance (id INTEGER, monitor_id INTEGER, maintenance_id INTEGER)",
        "INSERT INTO monitor_maintenance VALUES (1, 1, 1)",
    )

    adam.post(IMPORT, draft(cast, "uptime_kuma", file=base64.b64encode(content).decode()))

    stored = Silence.get()
    assert (stored.recurrence["rrule"], stored.recurrence["durationMinutes"]) == ("FREQ=WEEKLY;BYDAY=SU", 240)
    assert stored.match == {"any": [{"field": "metadata.monitor", "op": "in", "value": ["Backup"]}]}
    assert stored.source_ids == [Source.get(Source.name == "Uptime Kuma").id]


@pytest.mark.parametrize(("more", "status"), [(-1, 200), (0, 200), (1, 422)])
def test_a_file_has_at_most_three_mebibytes(adam: Browser, cast: Cast, more: int, status: int) -> None:
    content = database()
    padded = content + b"\0" * (import_reading.MAX_FILE + more - len(content))

    answered = adam.post(PREVIEW, draft(cast, "uptime_kuma", file=base64.b64encode(padded).decode()))

    assert answered.status_code == status, answered.text[:500]


@pytest.mark.parametrize(("more", "status"), [(-1, 200), (0, 422), (1, 422)])
def test_an_answer_is_shorter_than_two_mebibytes(
    more: int, status: int, adam: Browser, cast: Cast, tool: Receiver
) -> None:
    body = json.dumps({"checks": [check()]}).encode()
    tool.script = answer(200, body.ljust(import_reading.MAX_ANSWER + more))

    answered = adam.post(PREVIEW, draft(cast, "healthchecks", address=address(tool), token=SECRET))

    assert answered.status_code == status, answered.text[:500]
    assert status == 200 or "too large" in answered.json["errors"][0]["detail"]


@pytest.mark.parametrize(("more", "status"), [(0, 200), (1, 422)])
def test_a_document_has_at_most_a_mebibyte(more: int, status: int, adam: Browser, cast: Cast) -> None:
    document = "#" * (import_reading.MAX_TEXT + more)

    assert adam.post(PREVIEW, draft(cast, document=document)).status_code == status


@pytest.mark.parametrize(
    ("script", "pointer", "words"),
    [
        (answer(401), "/token", "answered 401"),
        (answer(403), "/token", "answered 403"),
        (answer(404), "/address", "answered 404"),
        (answer(302, Location="http://127.0.0.1:1/"), "/address", "answered 302"),
        (answer(200, b"<html>internal page</html>"), "/address", "is no JSON"),
        (answer(200, b"[]"), "/address", "no array `checks`"),
    ],
)
def test_a_server_that_does_not_answer_as_expected_is_refused_without_its_words(
    script: Any, pointer: str, words: str, adam: Browser, cast: Cast, tool: Receiver
) -> None:
    tool.script = script

    refused = adam.post(PREVIEW, draft(cast, "healthchecks", address=address(tool), token=SECRET))

    [error] = refused.json["errors"]
    assert (refused.status_code, error["pointer"]) == (422, pointer)
    assert words in error["detail"] and "internal page" not in refused.text and SECRET not in refused.text


@pytest.mark.parametrize(
    "address",
    ["http://169.254.169.254/", "ftp://example.org", "http://", "x", "http://0.0.0.0/", "http://u:p@127.0.0.1/"],
)
def test_an_address_that_the_policy_refuses_is_not_called(address: str, adam: Browser, cast: Cast) -> None:
    refused = adam.post(PREVIEW, draft(cast, "healthchecks", address=address, token=SECRET))

    assert (refused.status_code, refused.json["errors"][0]["pointer"]) == (422, "/address")


@pytest.mark.parametrize(
    "more",
    [
        {"document": "x", "address": "https://example.org"},
        {"file": base64.b64encode(b"x").decode()},
        {"address": "https://example.org"},
    ],
)
def test_a_set_up_is_given_in_one_form_of_its_kind(more: dict[str, Any], adam: Browser, cast: Cast) -> None:
    assert adam.post(PREVIEW, draft(cast, "crontab", **more)).status_code == 422


def test_a_document_or_a_file_that_cannot_be_read_is_refused_with_its_form(adam: Browser, cast: Cast) -> None:
    view = base64.b64encode(file(HOSTILE["a view of large texts"])).decode()

    of_yaml = adam.post(PREVIEW, draft(cast, "alertmanager", document="route: {a: !!timestamp foo}"))
    of_database = adam.post(PREVIEW, draft(cast, "uptime_kuma", file=view))

    assert (of_yaml.status_code, of_yaml.json["errors"][0]["pointer"]) == (422, "/document")
    assert (of_database.status_code, of_database.json["errors"][0]["pointer"]) == (422, "/file")
