"""Set-ups of Grafana OnCall become schedules with the same shifts, profiles and rules (specification 22.10)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from inbox.intake.importers import oncall
from inbox.intake.importers.on_call_schedules import NO_PERIOD
from inbox.intake.importers.oncall import paths
from inbox.intake.importers.oncall.people import NOT_SHOWN
from inbox.intake.importers.oncall.schedules import FOLLOWS, IN_UTC
from inbox.intake.importers.plan import ItemKind, Plan
from tests.intake.importers.oncall.fixtures import PEOPLE, Schedule, Shift, answers, draw
from tests.intake.importers.rotas import AUTUMN, SPRING

WEEK = timedelta(weeks=1)
WEEKLY = Shift(datetime(2027, 1, 4, 9), "weekly", 1, WEEK, ((PEOPLE[0],), (PEOPLE[1],)))


def of_kind(made: Plan, kind: ItemKind) -> list[Any]:
    return [item for item in made.items if item.kind is kind]


@pytest.mark.parametrize("at", [SPRING, AUTUMN])
def test_the_shifts_of_a_hundred_schedules_are_those_that_oncall_computes(at: datetime) -> None:
    made = oncall.read(answers(draw(100, at), at), at)

    found = of_kind(made, ItemKind.SCHEDULE)
    assert (len(found), made.left_out) == (100, [])
    assert {item.name: item.comparison["differences"][:2] for item in found if item.comparison["total"]} == {}


def test_a_web_schedule_keeps_its_present_local_times_and_names_the_difference_after_the_change() -> None:
    shift = Shift(datetime(2027, 1, 4, 8), "daily", 1, timedelta(hours=8), ((PEOPLE[0],),), days=(0, 1, 2, 3, 4))
    in_utc = Schedule(0, "UTC", (shift,))
    found = answers([in_utc], SPRING)
    found[paths.SCHEDULES]["results"][0] |= {"type": "web", "time_zone": "Europe/Berlin"}

    [item] = of_kind(oncall.read(found, SPRING), ItemKind.SCHEDULE)

    window = {"days": ["mon", "tue", "wed", "thu", "fri"], "start": "09:00", "end": "17:00"}
    assert item.fields["layers"][0]["windows"] == [window]
    assert item.warnings == (IN_UTC,)
    first = item.comparison["differences"][0]
    assert (first["startsAt"], first["endsAt"]) == ("2027-03-29T07:00:00.000Z", "2027-03-29T08:00:00.000Z")


def test_a_schedule_that_follows_a_calendar_and_unknown_recurrences_are_left_out() -> None:
    found = answers([Schedule(number, "UTC", (WEEKLY,)) for number in range(3)], SPRING)
    found[paths.SCHEDULES]["results"][0]["type"] = "ical"
    for page in (paths.SHIFTS, f"{paths.SHIFTS}?page=2"):
        for shift in found[page]["results"]:
            if shift["id"] == "O1-0":
                shift["frequency"] = "monthly"

    made = oncall.read(found, SPRING)

    assert [each.reason for each in made.left_out] == [FOLLOWS, "Shifts that recur monthly are not imported."]
    assert [item.name for item in of_kind(made, ItemKind.SCHEDULE)] == ["Rota 2"]


def test_a_shift_has_its_own_zone_and_a_single_event_is_a_layer_of_its_time() -> None:
    found = answers([Schedule(0, "UTC", (WEEKLY, WEEKLY))], SPRING)
    found[paths.SHIFTS]["results"][0]["time_zone"] = "Asia/Kolkata"
    found[f"{paths.SHIFTS}?page=2"]["results"][0] |= {
        "type": "single_event", "start": "2027-04-01T08:00:00", "duration": 3600, "users": [PEOPLE[2]], "level": 3,
    }  # fmt: skip

    [item] = of_kind(oncall.read(found, SPRING), ItemKind.SCHEDULE)

    zoned, single = item.fields["layers"]
    assert (zoned["timezone"], single["level"]) == ("Asia/Kolkata", 4)
    assert (single["from"], single["until"]) == ("2027-04-01T08:00:00.000Z", "2027-04-01T09:00:00.000Z")


def test_waits_of_a_chain_add_up_and_routes_name_its_profile() -> None:
    policies = [
        {"escalation_chain_id": "C1", "position": 2, "type": "notify_persons", "persons_to_notify": [PEOPLE[1]]},
        {"escalation_chain_id": "C1", "position": 0, "type": "notify_on_call_from_schedule",
         "notify_on_call_from_schedule": "S0"},
        {"escalation_chain_id": "C1", "position": 1, "type": "wait", "duration": 330},
        {"escalation_chain_id": "C1", "position": 3, "type": "notify_if_time_from_to"},
        {"escalation_chain_id": "C1", "position": 4, "type": "repeat_escalation"},
    ]  # fmt: skip
    more: dict[str, Any] = {
        "integrations": [{"id": "I1", "name": "Grafana", "type": "grafana"}],
        "chains": [{"id": "C1", "name": "Backend"}],
        "policies": policies,
        "routes": [{"id": "R1", "integration_id": "I1", "is_the_last_route": True, "escalation_chain_id": "C1"}],
    }

    made = oncall.read(answers([Schedule(0, "UTC", (WEEKLY,))], SPRING, **more), SPRING)

    [profile], [rule] = of_kind(made, ItemKind.PROFILE), of_kind(made, ItemKind.RULE)
    assert [(step["afterMinutes"], step["people"]) for step in profile.fields["steps"]] == [
        (0, ["oncall:schedule:S0"]), (6, [f"oncall:person:{PEOPLE[1]}"]),
    ]  # fmt: skip
    assert profile.fields["repeat"] == 5
    assert profile.warnings == ("A step of the type notify_if_time_from_to is not imported.",)
    assert (rule.fields["target"], rule.fields["sources"]) == (profile.reference, ["oncall:I1"])


def test_shifts_overrides_and_routes_that_are_not_imported_are_named() -> None:
    more: dict[str, Any] = {
        "integrations": [{"id": "I1", "name": "Grafana", "type": "grafana"}],
        "chains": [{"id": "C1", "name": "Backend"}],
        "policies": [{"escalation_chain_id": "C1", "type": "notify_persons", "persons_to_notify": ["gone"]}],
        "routes": [{"id": "R1", "integration_id": "I1", "is_the_last_route": True, "escalation_chain_id": "C1"}],
    }
    found = answers([Schedule(0, "UTC", (WEEKLY, WEEKLY, WEEKLY))], SPRING, **more)
    shifts = {each["id"]: each for key in found if key.startswith(paths.SHIFTS) for each in found[key]["results"]}
    shifts["O0-1"] |= {"name": "Old", "until": "2027-01-05T00:00:00"}
    shifts["O0-2"] |= {"type": "override", "start": "soon"}

    made = oncall.read(found, SPRING)

    [item] = of_kind(made, ItemKind.SCHEDULE)
    assert item.warnings == ("Old has ended. It is not imported.", NO_PERIOD)
    assert [(each.name, each.reason) for each in made.left_out] == [
        ("Backend", "No step of the escalation names people or schedules that are imported."),
        ("Default route of Grafana", "Its escalation chain is not imported."),
    ]


def test_waits_of_personal_rules_add_up_in_both_lists() -> None:
    rules = [
        {"user_id": PEOPLE[0], "position": 0, "type": "notify_by_mobile_app", "important": False},
        {"user_id": PEOPLE[0], "position": 1, "type": "wait", "duration": 300, "important": False},
        {"user_id": PEOPLE[0], "position": 2, "type": "notify_by_email", "important": False},
        {"user_id": PEOPLE[0], "position": 0, "type": "notify_by_phone_call", "important": True},
    ]

    person = of_kind(oncall.read(answers([], SPRING, rules=rules), SPRING), ItemKind.PERSON)[0]

    assert person.text == "u00@acme.example. Offered notification rules: push at once, mail after 5 min."
    assert person.warnings == (
        f"The notification rule for critical incidents by notify_by_phone_call is not imported. {NOT_SHOWN}",
    )


def test_rules_by_chats_and_rules_of_unknown_users_are_named() -> None:
    rules = [
        {"user_id": PEOPLE[0], "position": 0, "type": "wait", "duration": 60, "important": False},
        {"user_id": PEOPLE[0], "position": 1, "type": "notify_by_slack", "important": False},
        {"user_id": "gone", "position": 0, "type": "notify_by_email", "important": False},
    ]

    made = oncall.read(answers([], SPRING, rules=rules), SPRING)

    person = of_kind(made, ItemKind.PERSON)[0]
    assert person.warnings == (f"The notification rule by notify_by_slack after 1 min is not imported. {NOT_SHOWN}",)
    assert [(each.name, each.reason) for each in made.left_out] == [
        ("Notification rules of the user gone", "The user was not answered."),
    ]  # fmt: skip
