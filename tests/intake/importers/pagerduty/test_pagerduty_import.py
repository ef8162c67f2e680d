"""Set-ups of PagerDuty become schedules with the same shifts, profiles, sources and rules (specification 22.13)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from inbox.intake.importers import pagerduty
from inbox.intake.importers import people as of_import
from inbox.intake.importers.on_call_schedules import NO_PERIOD
from inbox.intake.importers.pagerduty import paths
from inbox.intake.importers.pagerduty.schedules import NO_LAYERS
from inbox.intake.importers.plan import ItemKind, Plan, Unreadable
from tests.intake.importers.pagerduty.fixtures import PEOPLE, answers
from tests.intake.importers.rotas import AUTUMN, SPRING, Rota, Rotation, rotas

WEEKLY = Rota(0, "UTC", (Rotation(SPRING - timedelta(weeks=3), "week", 1, PEOPLE[:2]),))


def of_kind(made: Plan, kind: ItemKind) -> list[Any]:
    return [item for item in made.items if item.kind is kind]


@pytest.mark.parametrize("at", [SPRING, AUTUMN])
def test_the_shifts_of_a_hundred_schedules_are_those_that_pagerduty_computes(at: datetime) -> None:
    drawn = rotas(100, at, PEOPLE, levels=3, has_nobody=False)

    made = pagerduty.read(answers(drawn, at), at)

    found = of_kind(made, ItemKind.SCHEDULE)
    assert (len(found), made.left_out) == (100, [])
    assert {item.name: item.comparison["differences"] for item in found if item.comparison["total"]} == {}


def test_the_first_layer_is_the_highest_and_one_that_has_ended_is_left_out() -> None:
    two = Rota(0, "UTC", tuple(Rotation(SPRING, "day", 1, PEOPLE[:2], level) for level in (1, 2)))
    found = answers([two], SPRING)
    layers = found["/schedules/S0?since=x"]["schedule"]["schedule_layers"]
    layers.insert(0, {**layers[0], "name": "Ended", "end": (SPRING - timedelta(days=1)).isoformat()})

    [item] = of_kind(pagerduty.read(found, SPRING), ItemKind.SCHEDULE)

    assert [(each["name"], each["level"]) for each in item.fields["layers"]] == [("Layer 2", 2), ("Layer 1", 1)]


def test_layers_overrides_and_targets_that_are_not_imported_are_warnings() -> None:
    policy = {"id": "E1", "name": "Backend", "escalation_rules": [
        {"escalation_delay_in_minutes": 10_081, "targets": [{"id": "S0", "type": "schedule_reference"},
                                                         {"id": "gone", "type": "user_reference", "summary": "Zoe"}]},
        {"escalation_delay_in_minutes": 1, "targets": [{"id": "P01", "type": "user_reference"}]},
    ], "num_loops": 9}  # fmt: skip
    found = answers([WEEKLY], SPRING, policies=[policy])
    layers = found["/schedules/S0?since=x"]["schedule"]["schedule_layers"]
    layers.append({**layers[0], "name": "Ended", "end": (SPRING - timedelta(days=1)).isoformat()})
    person = {"id": "P01", "summary": "Person P01"}
    found["/schedules/S0/overrides?since=x"]["overrides"] += [
        {"start": "soon", "end": "later", "user": person},
        {"start": "2026-01-01T00:00:00Z", "end": "2026-01-02T00:00:00Z", "user": person},
    ]

    made = pagerduty.read(found, SPRING)

    [schedule], [profile] = of_kind(made, ItemKind.SCHEDULE), of_kind(made, ItemKind.PROFILE)
    assert schedule.warnings == (
        "Ended has ended. It is not imported.", NO_PERIOD, "Overrides that have ended are not imported.",
    )  # fmt: skip
    assert profile.warnings == (
        "A step names Zoe, who is not among the users.",
        "A step comes after 10,081 min, later than a week. It is not imported.",
        "It is repeated 9 times there, and at most 5 times here.",
    )
    assert profile.text == "1 step: at once. Repeated 5 times."


def test_delays_of_an_escalation_add_up_and_services_name_its_profile() -> None:
    policy = {
        "id": "E1", "name": "Backend", "num_loops": 2,
        "escalation_rules": [
            {"escalation_delay_in_minutes": 10, "targets": [{"id": "S0", "type": "schedule_reference"}]},
            {"escalation_delay_in_minutes": 20, "targets": [{"id": "P01", "type": "user_reference"}],
             "escalation_rule_assignment_strategy": {"type": "round_robin"}},
            {"escalation_delay_in_minutes": 30, "targets": [{"id": "P02", "type": "user_reference"}]},
        ],
    }  # fmt: skip
    service = {"id": "V1", "name": "Shop", "escalation_policy": {"id": "E1"},
               "integrations": [{"id": "I1", "name": "Nagios", "type": "nagios_inbound_integration"}]}  # fmt: skip

    made = pagerduty.read(answers([WEEKLY], SPRING, policies=[policy], services=[service]), SPRING)

    [profile], [source], [rule] = (of_kind(made, kind) for kind in (ItemKind.PROFILE, ItemKind.SOURCE, ItemKind.RULE))
    assert [step["afterMinutes"] for step in profile.fields["steps"]] == [0, 10, 30]
    assert profile.fields["steps"][0]["people"] == ["pagerduty:schedule:S0"]
    assert profile.warnings == ("A step that takes turns among its targets pages all of them here.",)
    assert (source.name, rule.fields["target"], rule.fields["sources"]) == (
        "Shop: Nagios", profile.reference, [source.reference],
    )  # fmt: skip


def test_contact_methods_have_international_numbers_and_high_urgency_is_for_critical_incidents() -> None:
    methods = [
        {"id": "M1", "type": "sms_contact_method", "country_code": 49, "address": "151 1234"},
        {"id": "M2", "type": "push_notification_contact_method", "address": "device"},
    ]
    rules = [
        {"start_delay_in_minutes": 5, "urgency": "high", "contact_method": {"id": "M1", "type": "sms_contact_method"}},
        {"start_delay_in_minutes": 0, "urgency": "low",
         "contact_method": {"id": "M2", "type": "push_notification_contact_method_reference"}},
    ]  # fmt: skip
    found = answers()
    next(iter(found.values()))["users"][0] |= {"contact_methods": methods, "notification_rules": rules}

    person = of_kind(pagerduty.read(found, SPRING), ItemKind.PERSON)[0]

    assert person.fields["contacts"] == [{"kind": "sms", "address": "+491511234"}]
    assert person.text == (
        "p00@acme.example. Offered to the person, who confirms each by a code: SMS. Offered notification rules: push at once. "
        "Offered notification rules for critical incidents: SMS after 5 min."
    )


def test_contact_methods_and_rules_without_a_counterpart_are_warnings_of_the_person() -> None:
    push, slack = "push_notification_contact_method", "slack_contact_method"
    too_late = "A rule waits for at most 1,440 minutes."
    rules = [
        {"start_delay_in_minutes": 3, "urgency": "high", "contact_method": {"id": "M1", "type": f"{slack}_reference"}},
        {"start_delay_in_minutes": 1, "urgency": "low", "contact_method": {"id": "gone", "type": push}},
        {"start_delay_in_minutes": 2, "urgency": "low", "contact_method": {"id": "M2", "type": push}},
        {"start_delay_in_minutes": 1441, "urgency": "high", "contact_method": {"id": "M2", "type": push}},
    ]
    found = answers()
    users = next(iter(found.values()))["users"]
    users[0] |= {
        "contact_methods": [{"id": "M1", "type": slack}, {"id": "M2", "type": push}],
        "notification_rules": rules,
    }
    users.append({"name": "Nobody"})

    made = pagerduty.read(found, SPRING)

    person = of_kind(made, ItemKind.PERSON)[0]
    assert person.fields["rules"] == {"default": [{"afterMinutes": 1, "method": "push"}], "critical": []}
    assert person.warnings == (
        "The contact method of the type slack_contact_method is not imported.",
        f"The notification rule for critical incidents by {slack} after 3 min is not imported. {of_import.NO_METHOD}",
        "The notification rule by push after 2 min is not imported. An earlier rule of the list names its contact method.",
        f"The notification rule for critical incidents by push after 1,441 min is not imported. {too_late}",
    )
    assert [(each.name, each.reason) for each in made.left_out] == [("Nobody", "The person has no id.")]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"schedule_layers": None}, NO_LAYERS),
        ({"time_zone": "Nowhere"}, "This machine does not know the time zone Nowhere."),
        ({"schedule_layers": [{"name": "Odd", "start": "2027-01-01T00:00:00Z", "rotation_turn_length_seconds": 5400}]},
         "The layer Odd has no start, or turns of no whole hours."),
        ({"schedule_layers": [{"name": "Odd", "start": "2027-01-01T00:00:00Z", "rotation_turn_length_seconds": 86400,
                               "restrictions": [{"type": "weekly_restriction", "start_time_of_day": "09:00:00",
                                                 "duration_seconds": 60, "start_day_of_week": 8}]}]},
         "A restriction of the layer Odd cannot be read."),
    ],
)  # fmt: skip
def test_a_schedule_that_is_not_imported_is_left_out_with_the_reason(change: dict[str, Any], reason: str) -> None:
    found = answers([WEEKLY])
    found["/schedules/S0?since=x"]["schedule"].update(change)

    made = pagerduty.read(found, SPRING)

    assert [each.reason for each in made.left_out] == [reason]


def test_all_pages_are_read_up_to_the_last_one_that_the_server_answers() -> None:
    more = {"users": [], "more": True, "offset": 0}

    first = list(paths.further(paths.first(SPRING)[0], more, SPRING))
    last = list(paths.further(first[0], {**more, "offset": paths.LAST_OFFSET}, SPRING))

    assert ([each.rpartition("&")[2] for each in first], last) == (["offset=100"], [])


def test_answers_of_another_api_are_refused() -> None:
    with pytest.raises(Unreadable, match="PagerDuty"):
        pagerduty.read({paths.first(SPRING)[0]: {"data": []}}, SPRING)
