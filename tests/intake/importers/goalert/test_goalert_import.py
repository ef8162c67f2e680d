"""Set-ups of GoAlert become schedules with the same shifts, profiles, sources and rules (specification 22.14)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from inbox.intake.importers import goalert
from inbox.intake.importers.goalert import queries
from inbox.intake.importers.goalert.schedules import TWO_ZONES
from inbox.intake.importers.on_call_schedules import NO_PERIOD
from inbox.intake.importers.plan import ItemKind, Plan, Unreadable
from tests.intake.importers.goalert.fixtures import PEOPLE, answers, draw
from tests.intake.importers.rotas import AUTUMN, SPRING, Rota, Rotation

WEEKLY = Rota(0, "Europe/Berlin", (Rotation(SPRING - timedelta(weeks=3), "week", 1, PEOPLE[:3]),))
SCHEDULES, ROTATIONS = queries.page(queries.SCHEDULES, ""), queries.page(queries.ROTATIONS, "")


def of_kind(made: Plan, kind: ItemKind) -> list[Any]:
    return [item for item in made.items if item.kind is kind]


def nodes(found: dict[str, Any], key: str) -> Any:
    [collection] = found[key]["data"].values()
    return collection["nodes"]


@pytest.mark.parametrize("at", [SPRING, AUTUMN])
def test_the_shifts_of_a_hundred_schedules_are_those_that_goalert_computes(at: datetime) -> None:
    made = goalert.read(answers(draw(100, at), at), at)

    found = of_kind(made, ItemKind.SCHEDULE)
    assert (len(found), made.left_out) == (100, [])
    assert {item.name: item.comparison["differences"][:2] for item in found if item.comparison["total"]} == {}


def test_the_active_user_is_on_call_before_the_start_of_the_rotation() -> None:
    found = answers([WEEKLY])
    nodes(found, ROTATIONS)[0] |= {"start": (SPRING + timedelta(days=9)).isoformat(), "activeUserIndex": 2}
    found[queries.shifts("s0", SPRING)] = {"data": {"schedule": {"shifts": []}}}

    [item] = of_kind(goalert.read(found, SPRING), ItemKind.SCHEDULE)

    first = item.comparison["differences"][0]
    assert (first["ours"], first["theirs"]) == (["Person 02"], [])


def test_overrides_add_replace_and_remove_people() -> None:
    period = {"start": "2027-03-05T00:00:00Z", "end": "2027-03-06T00:00:00Z", "target": {"id": "s0"}}
    changes = [
        {**period, "addUserID": PEOPLE[4], "removeUserID": ""},
        {**period, "addUserID": PEOPLE[5], "removeUserID": PEOPLE[0]},
        {**period, "addUserID": "", "removeUserID": PEOPLE[1]},
    ]

    [item] = of_kind(goalert.read(answers([WEEKLY], SPRING, overrides=changes), SPRING), ItemKind.SCHEDULE)

    found = [(each["kind"], each["insteadOf"] is not None) for each in item.fields["overrides"]]
    assert found == [("add", False), ("replace", True), ("remove", False)]


def test_overrides_without_times_or_people_are_warnings() -> None:
    period = {"start": "2027-03-05T00:00:00Z", "end": "2027-03-06T00:00:00Z", "target": {"id": "s0"}}
    changes = [{**period, "addUserID": "", "removeUserID": ""}]
    nobody = answers([WEEKLY], SPRING, overrides=changes)
    temporary = answers([WEEKLY], SPRING)
    nodes(temporary, SCHEDULES)[0]["temporarySchedules"] = [
        {**period, "shifts": [{"start": "soon", "userID": PEOPLE[0]}]}
    ]

    [one] = of_kind(goalert.read(nobody, SPRING), ItemKind.SCHEDULE)
    [other] = of_kind(goalert.read(temporary, SPRING), ItemKind.SCHEDULE)

    assert (one.warnings, one.fields["overrides"]) == ((NO_PERIOD,), [])
    assert (other.warnings, len(other.fields["overrides"])) == ((NO_PERIOD,), 1)


def test_a_rotation_in_another_zone_keeps_it_unless_it_has_hours() -> None:
    found = answers([WEEKLY], SPRING)
    nodes(found, ROTATIONS)[0]["timeZone"] = "Asia/Kolkata"

    [always] = of_kind(goalert.read(found, SPRING), ItemKind.SCHEDULE)
    rule = nodes(found, SCHEDULES)[0]["targets"][0]["rules"][0]
    rule |= {"start": "09:00", "end": "17:00"}
    [with_hours] = of_kind(goalert.read(found, SPRING), ItemKind.SCHEDULE)

    assert (always.fields["layers"][0]["timezone"], always.warnings) == ("Asia/Kolkata", ())
    assert (with_hours.fields["layers"][0]["timezone"], with_hours.warnings) == (None, (TWO_ZONES,))


def test_delays_of_a_policy_add_up_and_services_have_sources_monitors_and_a_rule() -> None:
    policy = {
        "id": "p1", "name": "Backend", "repeat": 3,
        "steps": [
            {"delayMinutes": 5, "targets": [{"id": "s0", "type": "schedule"}]},
            {"delayMinutes": 10, "targets": [{"id": PEOPLE[0], "type": "user"},
                                             {"id": "C1", "type": "slackChannel", "name": "#ops"}]},
        ],
    }  # fmt: skip
    service = {
        "id": "v1", "name": "Shop", "escalationPolicyID": "p1",
        "integrationKeys": [{"id": "k1", "name": "Grafana", "type": "grafana"}],
        "heartbeatMonitors": [{"id": "h1", "name": "Nightly", "timeoutMinutes": 60}],
    }  # fmt: skip

    made = goalert.read(answers([WEEKLY], SPRING, policies=[policy], services=[service]), SPRING)

    [profile], [rule] = of_kind(made, ItemKind.PROFILE), of_kind(made, ItemKind.RULE)
    [source], [monitor] = of_kind(made, ItemKind.SOURCE), of_kind(made, ItemKind.MONITOR)
    assert [step["afterMinutes"] for step in profile.fields["steps"]] == [0, 5]
    assert (profile.fields["repeat"], profile.warnings) == (
        3, ("#ops, a target of the type slackChannel, is not imported.",),
    )  # fmt: skip
    assert (monitor.source, monitor.fields["schedule"]["periodSeconds"]) == (source.reference, 3600)
    assert (rule.fields["sources"], rule.fields["target"]) == ([source.reference], profile.reference)


def test_contact_methods_and_rules_without_a_counterpart_are_warnings_of_the_person() -> None:
    found = answers()
    first = nodes(found, queries.page(queries.USERS, ""))
    first[0] |= {
        "contactMethods": [
            {"id": "m1", "type": "SLACK_DM", "value": "U1"},
            {"id": "m2", "type": "SMS", "value": "+491"},
        ],
        "notificationRules": [
            {"delayMinutes": 5, "contactMethodID": "m1"},
            {"delayMinutes": 0, "contactMethodID": "gone"},
            {"delayMinutes": None, "contactMethodID": "m2"},
            {"delayMinutes": 2, "contactMethodID": "m2"},
        ],
    }
    first.append({"id": "", "name": "Nobody", "email": "nobody@acme.example"})

    made = goalert.read(found, SPRING)

    person = of_kind(made, ItemKind.PERSON)[0]
    assert person.fields["rules"] == {"default": [{"afterMinutes": 2, "method": "0"}], "critical": []}
    assert person.warnings == (
        "The contact method of the type SLACK_DM is not imported.",
        "The notification rule by SLACK_DM after 5 min is not imported. Its contact method is not imported.",
        "The notification rule by unknown is not imported. Its contact method is not imported.",
        "The notification rule by SMS is not imported. Its delay cannot be read.",
    )
    assert [(each.name, each.reason) for each in made.left_out] == [("Nobody", "The person has no id.")]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"rules": []}, "A rotation of the schedule has no rule with a day."),
        ({"rules": [{"start": "25:00", "end": "00:00", "weekdayFilter": [True] * 7}]},
         "The hours of a rule cannot be read."),
        ({"target": {"id": "gone", "type": "rotation", "name": "Gone"}},
         "The rotation Gone was not answered, or has no type that is imported."),
    ],
)  # fmt: skip
def test_a_schedule_that_is_not_imported_is_left_out_with_the_reason(change: dict[str, Any], reason: str) -> None:
    found = answers([WEEKLY], SPRING)
    nodes(found, SCHEDULES)[0]["targets"][0].update(change)

    made = goalert.read(found, SPRING)

    assert [each.reason for each in made.left_out] == [reason]


def test_a_next_page_is_asked_with_the_cursor_as_text() -> None:
    hostile = 'x"}) { secrets } #'
    info = {"data": {"users": {"nodes": [], "pageInfo": {"hasNextPage": True, "endCursor": hostile}}}}

    [path] = queries.further(queries.page(queries.USERS, ""), info, SPRING)

    assert '\\\\\\"}) { secrets' in path


def test_refused_parts_are_warnings_and_another_api_is_refused() -> None:
    found = answers([WEEKLY], SPRING)
    found[queries.page(queries.POLICIES, "")] = {"errors": [{"message": "forbidden"}], "data": None}

    made = goalert.read(found, SPRING)

    assert "The server refused a part of escalationPolicies. Its entries are not imported." in made.warnings
    with pytest.raises(Unreadable, match="GoAlert"):
        goalert.read({queries.page(queries.USERS, ""): {"errors": []}}, SPRING)
