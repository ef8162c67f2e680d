"""Imports of whole on-call set-ups into a workspace (specification 22.12)."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest

from inbox.domain.values import ids
from inbox.intake.importers import answers as of_api
from inbox.intake.importers.opsgenie.people import OTHER_RULES
from inbox.models.oncall.schedules import OnCallOverride, OnCallSchedule
from inbox.models.records.audit import AuditEntry
from inbox.models.routing.profiles import RoutingProfile
from inbox.models.routing.rules import Rule
from inbox.models.senders.sources import Source
from inbox.services.senders.import_on_call import NO_PROFILE, NO_PROVIDER
from tests.api.imports import setups
from tests.api.imports.imports_steps import IMPORT, PREVIEW, adam, draft  # noqa: F401  a fixture
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.destinations.receivers import Receiver, Request, answer
from tests.intake.importers.goalert import fixtures as goalert
from tests.intake.importers.rotas import SPRING

SECRET = "s3cret-key-of-opsgenie"

TABLES = (OnCallSchedule, OnCallOverride, RoutingProfile, Rule, Source)


@pytest.fixture
def tool() -> Iterator[Receiver]:
    """A stand-in for the API of a tool."""
    with Receiver(answer(404)) as server:
        yield server


def served(found: dict[str, Any]) -> Callable[[Any, Request], object]:
    """Answers by path. The computed shifts are asked with a date, and found without it."""

    def script(connection: Any, request: Request) -> object:
        path = request.path if "/timeline" not in request.path else request.path.partition("&")[0]
        if path.endswith("?interval=3") is False and path not in found:
            return answer(404)(connection, request)
        return answer(200, json.dumps(found.get(path)).encode())(connection, request)

    return script


def of_file(cast: Cast, found: dict[str, Any], **more: Any) -> dict[str, Any]:
    content = of_api.written("opsgenie", {path: json.dumps(each).encode() for path, each in found.items()}, present())
    return {**draft(cast, "opsgenie", file=base64.b64encode(content).decode()), **more}


def counts() -> list[int]:
    return [table.select().count() for table in TABLES]


def by_type(items: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [each for each in items if each["type"] == kind]


def test_all_pages_and_parts_are_read_with_the_key_which_is_stored_nowhere(
    adam: Browser, cast: Cast, tool: Receiver
) -> None:
    tool.script = served(setups.opsgenie())
    body = draft(cast, "opsgenie", address=f"http://127.0.0.1:{tool.port}", token=SECRET)

    plan = adam.post(PREVIEW, body)
    created = adam.post(IMPORT, body)

    items = plan.json["items"]
    assert [(each["name"], each["status"]) for each in by_type(items, "person")] == [
        ("Mia", "new"), ("Adam", "new"), ("Zoe", "unmatched"),
    ]  # fmt: skip
    [schedule] = by_type(items, "schedule")
    assert schedule["comparison"]["total"] == 0
    assert by_type(items, "person")[0]["warnings"] == [f"{OTHER_RULES} They are: closed-alert.", NO_PROVIDER]
    assert "Offered notification rules: push at once, mail after 5 min." in by_type(items, "person")[0]["text"]
    assert schedule["warnings"] == [
        "Overrides that have ended are not imported.", "No members, so their turns stay empty: Zoe.",
    ]  # fmt: skip
    assert created.status_code == 201, created.text
    assert counts() == [1, 1, 1, 2, 3]
    assert SECRET not in plan.text + created.text + repr(list(AuditEntry.select().dicts()))
    sent = [{name.lower(): value for name, value in hit.headers.items()} for hit in tool.hits]
    assert {headers["authorization"] for headers in sent} == {f"GenieKey {SECRET}"}


def test_turns_of_people_who_are_no_members_stay_empty_and_name_them(adam: Browser, cast: Cast) -> None:
    adam.post(IMPORT, of_file(cast, setups.opsgenie()))

    schedule = OnCallSchedule.get()
    mia, adam_id = (ids.encode("usr", cast.users[name].id) for name in ("mia", "adam"))
    assert schedule.layers[0]["members"] == [[mia], [adam_id], []]
    assert "turn 3: Zoe" in schedule.description
    assert [row.user_ids for row in OnCallOverride.select()] == [[cast.users["adam"].id]]


def test_an_escalation_becomes_a_profile_and_routing_rules_name_it(adam: Browser, cast: Cast) -> None:
    adam.post(IMPORT, of_file(cast, setups.opsgenie()))

    schedule, profile = OnCallSchedule.get(), RoutingProfile.get()
    on_call, mia = {"scheduleId": ids.encode("sch", schedule.id)}, {"userId": ids.encode("usr", cast.users["mia"].id)}
    assert [(step["afterMinutes"], step["people"]) for step in profile.steps] == [(0, [on_call]), (30, [mia])]
    assert profile.repeat == 2
    first, second = Rule.select().order_by(Rule.position)
    nagios = Source.get(Source.name == "Nagios")
    assert (first.source_ids, second.source_ids) == ([nagios.id], [nagios.id])
    assert first.match == {"all": [
        {"field": "title", "op": "contains", "value": "database"},
        {"not": {"field": 'metadata.details."my host"', "op": "eq", "value": "db1"}},
    ]}  # fmt: skip
    assert first.actions["routingProfileId"] == ids.encode("prf", profile.id)
    assert (second.match, second.actions["people"]) == ({"all": []}, [on_call])


def test_a_second_import_creates_nothing(adam: Browser, cast: Cast) -> None:
    adam.post(IMPORT, of_file(cast, setups.opsgenie()))
    before = counts()

    plan = adam.post(PREVIEW, of_file(cast, setups.opsgenie())).json["items"]
    again = adam.post(IMPORT, of_file(cast, setups.opsgenie())).json["items"]

    assert {each["status"] for each in plan} == {"imported", "unmatched"}
    assert {each["created"] for each in again} == {False}
    assert counts() == before


def test_each_record_has_its_audit_entry(adam: Browser, cast: Cast) -> None:
    adam.post(IMPORT, of_file(cast, setups.opsgenie()))

    actions = [row.action for row in AuditEntry.select().order_by(AuditEntry.id)]

    assert {"schedule.created", "schedule.override_created", "routing_profile.created", "rule.created"} <= {*actions}


def test_a_profile_brings_the_schedules_that_it_names(adam: Browser, cast: Cast) -> None:
    body = of_file(cast, setups.opsgenie(), references=["opsgenie:escalation:e1"])

    created = adam.post(IMPORT, body).json["items"]

    assert [each["type"] for each in created] == ["schedule", "profile"]


def test_a_schedule_with_a_name_in_use_gets_a_number(adam: Browser, cast: Cast) -> None:
    zone = {"name": "Rota 0", "timezone": "UTC", "workspaceId": typeid("wsp", cast.workspace.id)}
    layer = {"name": "x", "start": "2026-01-01T00:00", "unit": "day", "every": 1, "members": [[]]}
    assert adam.post("/v1/schedules", {**zone, "layers": [layer]}).status_code == 201

    adam.post(IMPORT, of_file(cast, setups.opsgenie()))

    assert sorted(row.name for row in OnCallSchedule.select()) == ["Rota 0", "Rota 0 (2)"]


def test_nobody_of_another_workspace_is_matched(adam: Browser, cast: Cast) -> None:
    found = setups.opsgenie()
    found["/v2/users?limit=100&offset=1"]["data"] = [{"id": "e", "username": "eve@example.org", "fullName": "Eve"}]

    plan = adam.post(PREVIEW, of_file(cast, found)).json["items"]

    assert [each["status"] for each in by_type(plan, "person") if each["name"] == "Eve"] == ["unmatched"]


@pytest.mark.parametrize("content", [b"", b"{}", b"\x1f\x8b\x08broken", b'{"kind": "opsgenie", "readAt": 7}', b"[]"])
def test_a_file_that_has_no_saved_answers_is_refused(content: bytes, adam: Browser, cast: Cast) -> None:
    refused = adam.post(PREVIEW, draft(cast, "opsgenie", file=base64.b64encode(content).decode()))

    assert (refused.status_code, refused.json["errors"][0]["pointer"]) == (422, "/file")
    assert OnCallSchedule.select().count() == 0


def test_a_refused_part_is_a_warning_and_a_refused_key_is_a_fault(adam: Browser, cast: Cast, tool: Receiver) -> None:
    found = setups.opsgenie()
    del found["/v2/escalations"]
    tool.script = served(found)
    body = draft(cast, "opsgenie", address=f"http://127.0.0.1:{tool.port}", token=SECRET)

    plan = adam.post(PREVIEW, body).json
    tool.script = answer(401)
    refused = adam.post(PREVIEW, body)

    assert "The server refused /v2/escalations. Its entries are not imported." in plan["warnings"]
    assert (refused.status_code, refused.json["errors"][0]["pointer"]) == (422, "/token")


def test_too_many_requests_are_repeated_after_a_pause(adam: Browser, cast: Cast, tool: Receiver) -> None:
    found, refusals = served(setups.opsgenie()), iter([True])

    def script(connection: Any, request: Request) -> object:
        if next(refusals, False):
            return answer(429, headers={"Retry-After": "1"})(connection, request)
        return found(connection, request)

    tool.script = script

    plan = adam.post(PREVIEW, draft(cast, "opsgenie", address=f"http://127.0.0.1:{tool.port}", token=SECRET))

    assert plan.status_code == 200
    assert [hit.path for hit in tool.hits[:2]] == ["/v2/integrations"] * 2


def test_an_override_that_has_ended_is_not_imported(adam: Browser, cast: Cast) -> None:
    adam.post(IMPORT, of_file(cast, setups.opsgenie()))

    assert [row.ends_at > present() - timedelta(minutes=1) for row in OnCallOverride.select()] == [True]


def test_the_queries_of_goalert_are_posted_with_their_token(adam: Browser, cast: Cast, tool: Receiver) -> None:
    found = goalert.answers(goalert.draw(1, SPRING))
    asked = {path.partition("\n")[2]: answered for path, answered in found.items()}

    def script(connection: Any, request: Request) -> object:
        return answer(200, json.dumps(asked.get(request.body.decode(), {"errors": [{}]})).encode())(connection, request)

    tool.script = script

    plan = adam.post(PREVIEW, draft(cast, "goalert", address=f"http://127.0.0.1:{tool.port}", token=SECRET)).json

    assert len(by_type(plan["items"], "person")) == 12
    assert {hit.method for hit in tool.hits} == {"POST"}
    assert [each["name"] for each in by_type(plan["items"], "schedule")] == ["Rota 0"]


def test_a_profile_that_would_page_nobody_is_left_out_and_its_rule_goes_to_the_default_route(
    adam: Browser, cast: Cast
) -> None:
    found = setups.opsgenie()
    found["/v2/escalations"]["data"][0]["rules"] = found["/v2/escalations"]["data"][0]["rules"][1:2]

    plan = adam.post(PREVIEW, of_file(cast, found)).json["items"]
    adam.post(IMPORT, of_file(cast, found))

    assert [each["status"] for each in by_type(plan, "profile")] == ["unmatched"]
    assert by_type(plan, "rule")[0]["warnings"] == [NO_PROFILE]
    assert RoutingProfile.select().count() == 0
    assert Rule.select().order_by(Rule.position).first().actions["routingProfileId"] is None
