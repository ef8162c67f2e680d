"""The channel of a schedule gets one notice of each handoff, and none of anything else (specification 23.16)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import orjson
import pytest

from inbox.flow.delivery.deliver import deliver
from inbox.flow.oncall import record
from inbox.flow.timers.run import run_due
from inbox.flow.unit_of_work import work
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery, Notice
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.services.deliveries import destinations
from tests.cast import NOW, Cast
from tests.flow.notices.digest_steps import make_gotify, messages
from tests.oncall import HOUR, make_override, make_schedule
from tests.stand_ins.receivers import Answer, Receiver

MONDAY = datetime.fromisoformat("2026-11-23T09:00:00+00:00")
"""The next handoff after `NOW`, from Mia to Olga."""


@pytest.fixture
def chat(cast: Cast, receiver: Receiver) -> Destination:
    return make_gotify(cast.workspace, receiver)


@pytest.fixture
def schedule(cast: Cast, chat: Destination) -> OnCallSchedule:
    """Olga and Mia take weekly turns. Mia is on call, and the channel has been told."""
    made = make_schedule(
        cast.workspace, cast.users["olga"], cast.users["mia"], name="Backend", logged_until=NOW,
        notice_destination_id=chat.id,
    )  # fmt: skip
    run(made, NOW)
    Delivery.delete().execute()
    return made


def run(schedule: OnCallSchedule, now: datetime) -> None:
    with work() as done:
        record.set_due(schedule.workspace_id, [schedule.id], now, done)
    run_due(lambda: now)


def told() -> list[dict[str, Any]]:
    """What the deliveries say, oldest first."""
    rows = Delivery.select(Notice.body).join(Notice, on=(Notice.id == Delivery.notice_id)).order_by(Delivery.id)
    return [orjson.loads(body)["data"]["onCall"] for (body,) in rows.tuples()]


def test_a_handoff_is_told_with_who_is_next(schedule: OnCallSchedule, receiver: Receiver) -> None:
    run_due(lambda: MONDAY - timedelta(seconds=1))
    assert told() == []

    run_due(lambda: MONDAY)
    deliver(lambda: MONDAY)

    assert told() == [
        {
            "schedule": "Backend", "since": "2026-11-23T09:00:00.000Z", "before": ["Mia"], "people": ["Olga"],
            "until": "2026-11-30T09:00:00.000Z", "nextPeople": ["Mia"],
        }
    ]  # fmt: skip
    assert messages(receiver) == ["ON CALL · On call for Backend: Olga"]
    assert [row.status for row in Delivery.select()] == ["sent"]


def test_a_handoff_is_told_once_however_often_the_timer_runs(schedule: OnCallSchedule) -> None:
    for at in (MONDAY, MONDAY, MONDAY + HOUR, MONDAY + 48 * HOUR):
        run(schedule, at)

    assert len(told()) == 1


def test_a_person_who_stays_for_another_reason_is_not_told(cast: Cast, schedule: OnCallSchedule) -> None:
    make_override(schedule, cast.users["mia"], starts_at=NOW + HOUR, ends_at=NOW + 2 * HOUR)

    for hours in (0, 1, 2):
        run(schedule, NOW + hours * HOUR)

    assert told() == []


def test_a_cover_is_told_at_both_ends(cast: Cast, schedule: OnCallSchedule) -> None:
    make_override(schedule, cast.users["adam"], starts_at=NOW + HOUR, ends_at=NOW + 2 * HOUR)

    for hours in (0, 1, 2):
        run(schedule, NOW + hours * HOUR)

    assert [(each["before"], each["people"]) for each in told()] == [(["Mia"], ["Adam"]), (["Adam"], ["Mia"])]


def test_a_late_worker_tells_the_last_handoff_with_its_time(schedule: OnCallSchedule, receiver: Receiver) -> None:
    late = MONDAY + timedelta(days=7, hours=2)
    run_due(lambda: late)
    assert told() == []  # Mia is on call again

    run_due(lambda: MONDAY + timedelta(days=14, hours=2))
    deliver(lambda: MONDAY + timedelta(days=14, hours=2))

    assert [(each["since"], each["people"]) for each in told()] == [("2026-12-07T09:00:00.000Z", ["Olga"])]
    assert "since Mon 07 December 09:00" in receiver.requests[0].json["message"]


def test_a_destination_that_fails_is_called_again(schedule: OnCallSchedule, receiver: Receiver) -> None:
    receiver.answer = lambda request: Answer(500)
    run_due(lambda: MONDAY)
    deliver(lambda: MONDAY)
    assert [row.status for row in Delivery.select()] == ["retrying"]

    receiver.answer = lambda request: Answer(200)
    deliver(lambda: MONDAY + HOUR)
    assert [row.status for row in Delivery.select()] == ["sent"]


def test_a_disabled_destination_is_skipped(schedule: OnCallSchedule, chat: Destination) -> None:
    Destination.update(enabled=False).where(Destination.id == chat.id).execute()

    run_due(lambda: MONDAY)

    assert [(row.status, row.cause) for row in Delivery.select()] == [("skipped", "disabled")]


def test_a_deleted_destination_is_no_channel(schedule: OnCallSchedule, chat: Destination) -> None:
    destinations.remove(chat, expected_rev=None, now=NOW)

    changed = OnCallSchedule.get_by_id(schedule.id)
    assert (changed.notice_destination_id, changed.rev) == (None, schedule.rev + 1)
    run_due(lambda: MONDAY)
    assert told() == []
