"""A worker reads external calendars, and the last good copy stays (specification 23.20, acceptance case 20)."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from inbox.domain.oncall.problems import ProblemKind
from inbox.domain.oncall.shifts import OriginKind, who
from inbox.flow.oncall import calendar_files, computed, problem_watch
from inbox.flow.oncall.calendar_files import MAX_BYTES
from inbox.flow.oncall.calendar_reading import EVERY, LONGEST_PAUSE, WHOLE, read_due
from inbox.flow.timers.run import run_due
from inbox.flow.upkeep.sweep import sweep
from inbox.models.oncall.calendars import OnCallCalendar
from inbox.models.oncall.log import OnCallLog
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.people.accounts import User
from inbox.runtime.queue import QueueName
from inbox.services.oncall import schedules
from tests.cast import NOW, Cast
from tests.intake.calendars.ics import event, ics
from tests.oncall import HOUR, make_schedule
from tests.stand_ins.receivers import Answer, Receiver, Request


def stamp(at: datetime) -> str:
    return f"{at:%Y%m%dT%H%M%SZ}"


def shift(name: str, hours: int, until: int, uid: str = "") -> tuple[str, ...]:
    """An event from so many hours after NOW until so many."""
    begins, ends = (stamp(NOW + each * HOUR) for each in (hours, until))
    return event(f"SUMMARY:{name}", f"DTSTART:{begins}", f"DTEND:{ends}", uid=uid or f"{name}-{hours}")


def served(*events: tuple[str, ...], etag: str = "") -> Callable[[Request], Answer]:
    """A calendar server. With an `etag` it says that the file is unchanged."""
    content = ics(*(line for each in events for line in each))

    def answer(request: Request) -> Answer:
        if etag and request.headers.get("if-none-match") == etag:
            return Answer(304)
        return Answer(200, content, {"ETag": etag} if etag else {})

    return answer


@pytest.fixture
def calendar(cast: Cast, receiver: Receiver) -> OnCallSchedule:
    """A schedule whose layer has Olga, and which begins to follow a calendar."""
    made = make_schedule(cast.workspace, cast.users["olga"], name="Backend", logged_until=NOW)
    receiver.answer = served(shift("Mia", -2, 2), shift(cast.users["adam"].email, 2, 4))
    return schedules.edit(made, {"calendar_url": receiver.url + "/secret.ics"}, expected_rev=None, now=NOW)


def read(at: datetime = NOW) -> OnCallCalendar:
    read_due(lambda: at)
    run_due(lambda: at)
    found: OnCallCalendar = OnCallCalendar.get()
    return found


def on_call(schedule: OnCallSchedule, at: datetime, now: datetime = NOW) -> list[UUID]:
    row = OnCallSchedule.get_by_id(schedule.id)
    return [each.user_id for each in who(computed.current([row], now, at + HOUR)[row.id], at)]


def problems(schedule: OnCallSchedule, now: datetime = NOW) -> set[ProblemKind]:
    row = OnCallSchedule.get_by_id(schedule.id)
    return {each.kind for each in problem_watch.of_schedules([row], now)[row.id]}


def test_layers_count_until_the_calendar_is_read(cast: Cast, calendar: OnCallSchedule) -> None:
    assert on_call(calendar, NOW) == [cast.users["olga"].id]

    read()

    assert on_call(calendar, NOW) == [cast.users["mia"].id]
    assert on_call(calendar, NOW + 3 * HOUR) == [cast.users["adam"].id]
    assert on_call(calendar, NOW + 4 * HOUR) == []
    row = OnCallSchedule.get_by_id(calendar.id)
    [person] = who(computed.current([row], NOW, NOW + HOUR)[row.id], NOW)
    assert person.origin == (OriginKind.CALENDAR, calendar.id)
    assert row.rev == calendar.rev + 1


def test_the_log_has_who_was_on_call_before_and_since(cast: Cast, calendar: OnCallSchedule) -> None:
    run_due(lambda: NOW)
    read(NOW + timedelta(minutes=1))

    rows = OnCallLog.select().order_by(OnCallLog.starts_at)
    assert [(each.user_id, each.starts_at, each.ends_at) for each in rows] == [
        (cast.users["olga"].id, NOW, NOW + timedelta(minutes=1)),
        (cast.users["mia"].id, NOW + timedelta(minutes=1), None),
    ]


def test_a_change_of_the_calendar_leaves_the_past(cast: Cast, calendar: OnCallSchedule, receiver: Receiver) -> None:
    read()
    receiver.answer = served(shift("Adam", -2, 4))
    later = NOW + HOUR
    read(later)

    row = OnCallSchedule.get_by_id(calendar.id)
    made = computed.with_past(row, NOW, NOW + 4 * HOUR, later)
    found = [[each.user_id for each in who(made, at)] for at in (NOW, later - timedelta(seconds=1), later)]
    assert found == [[cast.users["mia"].id], [cast.users["mia"].id], [cast.users["adam"].id]]


@pytest.mark.parametrize(
    ("answer", "failure"),
    [
        (Answer(404), "The server answered 404."),
        (Answer(200, b"<html>"), "It is no iCalendar file."),
        (Answer(200, ics(*shift("Mia", 0, 1)), cut=150), "The iCalendar file is not complete."),
        (Answer(reset=True), "The server did not send a valid response."),
        (
            Answer(200, gzip.compress(b"x" * 100), {"Content-Encoding": "gzip"}),
            "The server sent a compressed file, although it was asked for a plain one.",
        ),
        (Answer(302, b"", {"Location": "http://169.254.1.1/"}), "The policy for outgoing calls blocks this address."),
        (Answer(302, b"", {"Location": "/secret.ics"}), "The server redirects too often."),
        (Answer(200, b"BEGIN:VCALENDAR\r\n" + b" " * MAX_BYTES), "The file has more than 5 MiB."),
        (
            Answer(200, ics(*event("DTSTART:19700101T000000Z", "DURATION:PT1S", "RRULE:FREQ=SECONDLY"))),
            "A rule of an event repeats every minute or second.",
        ),
    ],
)
def test_the_last_good_copy_stays_when_a_calendar_fails(
    cast: Cast, calendar: OnCallSchedule, receiver: Receiver, answer: Answer, failure: str
) -> None:
    read()
    receiver.answer = lambda request: answer

    found = read(NOW + EVERY)

    assert found.failure in (failure, "The connection to the server failed." if answer.reset else failure)
    assert (found.failing_since, found.read_at, found.due_at) == (NOW + EVERY, NOW, NOW + 2 * EVERY)
    assert on_call(calendar, NOW + HOUR) == [cast.users["mia"].id]
    assert ProblemKind.CALENDAR_UNREADABLE in problems(calendar)


def test_a_failing_calendar_is_tried_less_often_and_recovers(calendar: OnCallSchedule, receiver: Receiver) -> None:
    good = receiver.answer
    receiver.answer = lambda request: Answer(500)
    pauses, at = [], NOW
    for _ in range(5):
        due = read(at).due_at
        pauses.append(due - at)
        at = due
    assert pauses == [EVERY, 2 * EVERY, 4 * EVERY, LONGEST_PAUSE, LONGEST_PAUSE]

    receiver.answer = good
    found = read(at)
    assert (found.failure, found.failures, found.due_at) == (None, 0, at + EVERY)
    assert ProblemKind.CALENDAR_UNREADABLE not in problems(calendar)


def test_an_unchanged_file_is_not_sent_again_for_a_day(calendar: OnCallSchedule, receiver: Receiver) -> None:
    receiver.answer = served(shift("Mia", -2, 2), etag='"one"')
    asked: list[str | None] = []
    for at in (NOW, NOW + EVERY, NOW + WHOLE + EVERY):
        read(at)
        asked.append(receiver.requests[-1].headers.get("if-none-match"))

    assert asked == [None, '"one"', None]
    assert OnCallCalendar.get().failure is None


def test_a_new_member_is_matched_with_the_next_reading(
    cast: Cast, calendar: OnCallSchedule, receiver: Receiver
) -> None:
    receiver.answer = served(shift("Zoe", -2, 2), etag='"one"')
    assert read().unmatched == ["Zoe"]
    assert ProblemKind.CALENDAR_UNMATCHED in problems(calendar)

    User.update(name="Zoe").where(User.id == cast.users["vic"].id).execute()
    assert read(NOW + EVERY).unmatched == []
    assert on_call(calendar, NOW + HOUR, NOW + EVERY) == [cast.users["vic"].id]


def test_the_address_is_sealed_for_its_schedule(calendar: OnCallSchedule, receiver: Receiver) -> None:
    found = OnCallCalendar.get()
    assert b"secret.ics" not in bytes(found.sealed)
    assert "secret" not in found.hint

    OnCallCalendar.update(schedule_id=moved(calendar).id).execute()
    assert read().failure == "Its address cannot be decrypted."


def moved(schedule: OnCallSchedule) -> OnCallSchedule:
    """Another schedule, to which somebody moves the sealed address."""
    fields: dict[str, Any] = {**schedule.__data__, "id": UUID(int=7), "name": "Other"}
    made: OnCallSchedule = OnCallSchedule.create(**fields)
    return made


def test_a_changed_address_ends_an_open_reading(calendar: OnCallSchedule, receiver: Receiver) -> None:
    edits: list[datetime] = []

    def clock() -> datetime:
        """The time. Once the file is fetched, an administrator changes the address before it is stored."""
        if len(receiver.requests) == 1 and not edits:
            edits.append(NOW)
            row = OnCallSchedule.get_by_id(calendar.id)
            schedules.edit(row, {"calendar_url": receiver.url + "/other.ics"}, expected_rev=None, now=NOW)
        return NOW

    read_due(clock)

    assert [each.path for each in receiver.requests] == ["/hook/secret.ics", "/hook/other.ics"]
    assert OnCallCalendar.get().read_at == NOW


def test_the_sweep_wakes_the_queue_for_a_due_calendar(calendar: OnCallSchedule) -> None:
    assert QueueName.ONCALL in sweep(NOW)
    read()
    assert QueueName.ONCALL not in sweep(NOW)
    assert QueueName.ONCALL in sweep(NOW + EVERY)
    schedules.remove(OnCallSchedule.get_by_id(calendar.id), expected_rev=None, now=NOW)
    assert QueueName.ONCALL not in sweep(NOW + EVERY)


def test_layers_count_again_when_the_schedule_stops_following(cast: Cast, calendar: OnCallSchedule) -> None:
    read()
    row = OnCallSchedule.get_by_id(calendar.id)
    later = NOW + HOUR

    schedules.edit(row, {"calendar_url": None}, expected_rev=None, now=later)
    run_due(lambda: later)

    assert on_call(calendar, later, later) == [cast.users["olga"].id]
    assert OnCallCalendar.select().count() == 0
    rows = OnCallLog.select().order_by(OnCallLog.starts_at)
    assert [(each.user_id, each.starts_at, each.ends_at) for each in rows] == [
        (cast.users["mia"].id, NOW, later),
        (cast.users["olga"].id, later, None),
    ]


@pytest.mark.slow
def test_a_file_that_computes_for_too_long_is_ended(calendar: OnCallSchedule, receiver: Receiver) -> None:
    never = "RRULE:FREQ=DAILY;BYMONTH=1;BYYEARDAY=366"
    bombs = [event("DTSTART:19700101T000000Z", "DURATION:PT1S", never, uid=str(number)) for number in range(50)]
    receiver.answer = served(*bombs)

    assert read().failure == "Reading the file takes too long."


def test_a_file_of_ten_thousand_events_is_read(cast: Cast) -> None:
    shifts = [shift("Mia", hours, hours + 1, uid=str(hours)) for hours in range(10_000)]

    found = calendar_files.read(ics(*(line for each in shifts for line in each)), "UTC", NOW)

    assert len(found) == 400 * 24
