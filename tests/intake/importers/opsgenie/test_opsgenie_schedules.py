"""Schedules of Opsgenie become schedules with the same shifts (specification 22.12)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from inbox.intake.importers import opsgenie
from inbox.intake.importers.on_call_schedules import NO_PERIOD
from inbox.intake.importers.plan import Item, ItemKind
from tests.intake.importers.opsgenie.fixtures import PEOPLE, answers
from tests.intake.importers.rotas import AUTUMN, SPRING, Override, Rota, Rotation, rotas


def schedules_of(*drawn: Rota, at: datetime = SPRING) -> list[Item]:
    made = opsgenie.read(answers(drawn, at), at)
    assert made.left_out == []
    return [item for item in made.items if item.kind is ItemKind.SCHEDULE]


def comparison(item: Item) -> Any:
    assert item.comparison is not None
    return item.comparison


@pytest.mark.parametrize("at", [SPRING, AUTUMN])
def test_the_shifts_of_a_hundred_schedules_are_those_that_opsgenie_computes(at: datetime) -> None:
    drawn = rotas(100, at, PEOPLE, levels=1, has_nobody=True)

    found = schedules_of(*drawn, at=at)

    assert len(found) == 100
    assert {item.name: comparison(item)["differences"] for item in found if comparison(item)["total"]} == {}
    assert len({item.name for item in found if comparison(item)["endsAt"] > comparison(item)["startsAt"]}) == 100


def test_each_period_with_other_people_is_a_difference_with_both_names() -> None:
    weekly = Rotation(SPRING - timedelta(weeks=10), "week", 1, PEOPLE[:2])
    rota, other = Rota(0, "UTC", (weekly,)), Rota(0, "UTC", (Rotation(weekly.start, "week", 1, (PEOPLE[0],)),))
    found = answers([rota], SPRING) | {
        key: value for key, value in answers([other], SPRING).items() if "timeline" in key
    }

    [item] = [each for each in opsgenie.read(found, SPRING).items if each.kind is ItemKind.SCHEDULE]

    assert comparison(item)["total"] == 4
    assert comparison(item)["differences"][0] == {
        "startsAt": "2027-03-10T10:15:00.000Z", "endsAt": "2027-03-17T10:15:00.000Z", "theirs": ["User0"], "ours": ["User1"],
    }  # fmt: skip


def test_an_override_of_one_rotation_leaves_the_other_untouched() -> None:
    two = tuple(Rotation(SPRING - timedelta(weeks=10), "week", 1, (each,)) for each in PEOPLE[:2])
    midnight = SPRING.replace(hour=0, minute=0)
    drawn = Override(midnight + timedelta(days=1), midnight + timedelta(days=2), PEOPLE[2])
    found = answers([Rota(0, "UTC", two, (drawn,))], SPRING)
    found["/v2/schedules/s0/overrides"]["data"][0]["rotations"] = [{"id": "r1"}]

    [item] = [each for each in opsgenie.read(found, SPRING).items if each.kind is ItemKind.SCHEDULE]

    assert item.fields["overrides"][0]["layers"] == [1]
    [difference] = comparison(item)["differences"]
    assert (difference["theirs"], difference["ours"]) == (["User2"], ["User0", "User2"])


def test_a_schedule_without_computed_shifts_is_imported_with_a_warning() -> None:
    rota = Rota(0, "UTC", (Rotation(SPRING, "day", 1, PEOPLE[:3]),))

    [item] = [each for each in opsgenie.read(answers([rota]), SPRING).items if each.kind is ItemKind.SCHEDULE]

    assert item.comparison is None
    assert item.warnings == ("The shifts of the other tool were not read, so they are not compared.",)


def test_rotations_overrides_and_recipients_that_are_not_imported_are_warnings() -> None:
    rotation = Rotation(SPRING, "day", 1, PEOPLE[:3])
    period = {"startDate": "2027-03-05T00:00:00Z", "endDate": "2027-03-06T00:00:00Z"}
    rules = [
        {"delay": {"timeAmount": 0}, "recipient": {"type": "schedule", "id": "s0"}},
        {"delay": {"timeAmount": 5}, "recipient": {"type": "user", "id": "gone", "username": "zoe@acme.example"}},
        {"delay": {"timeAmount": "soon"}, "recipient": {"type": "user", "username": PEOPLE[0]}},
    ]
    found = answers(
        [Rota(0, "UTC", (rotation, rotation))], SPRING, escalations=[{"id": "e", "name": "E", "rules": rules}]
    )
    found["/v2/schedules?expand=rotation"]["data"][0]["rotations"][1] |= {
        "name": "Old",
        "endDate": "2027-01-01T00:00:00Z",
    }
    found["/v2/schedules/s0/overrides"] = {"data": [{**period, "rotations": [{"id": "r1"}]}, {"startDate": "soon"}]}

    items = opsgenie.read(found, SPRING).items

    [schedule], [profile] = (
        [each for each in items if each.kind is kind] for kind in (ItemKind.SCHEDULE, ItemKind.PROFILE)
    )
    assert schedule.warnings == ("Old has ended. It is not imported.", NO_PERIOD)
    assert profile.warnings == (
        "A step names zoe@acme.example, who is not among the users.",
        "A step has a delay that cannot be read. It is not imported.",
    )


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"timezone": "Mars/Base"}, "This machine does not know the time zone Mars/Base."),
        ({"enabled": False}, "The schedule has no id, or is disabled."),
        ({"rotations": []}, "The schedule has no rotation that is imported."),
        ({"rotations": [{"type": "yearly"}]}, "The rotation Rotation has no start, or no type that is imported."),
        ({"rotations": [{"type": "daily", "startDate": "2027-01-01T00:00:00Z", "length": 367}]},
         "Rotation: A turn lasts from 1 to 366 units."),
        ({"rotations": [{"type": "daily", "startDate": "2027-01-01T00:00:00Z",
                         "participants": [{"type": "user", "username": f"u{n}@x.example"} for n in range(51)]}]},
         "Rotation: A layer has from 1 to 50 turns."),
        ({"rotations": [{"type": "daily", "startDate": "2027-01-01T00:00:00Z"}] * 21},
         "A schedule has at most 20 layers."),
    ],
)  # fmt: skip
def test_a_schedule_that_is_not_imported_is_left_out_with_the_reason(change: dict[str, Any], reason: str) -> None:
    found = answers([Rota(0, "UTC", (Rotation(SPRING, "day", 1, PEOPLE[:3]),))])
    found["/v2/schedules?expand=rotation"]["data"][0].update(change)

    made = opsgenie.read(found, SPRING)

    assert [each.reason for each in made.left_out] == [reason]
    assert [item for item in made.items if item.kind is ItemKind.SCHEDULE] == []
