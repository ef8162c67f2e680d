"""People are mailed of their shifts once, at the lead times that they chose (specification 23.16)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import orjson
import pytest

from inbox.config import settings as settings_module
from inbox.config.settings import Settings
from inbox.flow.oncall import record
from inbox.flow.timers.run import run_due
from inbox.flow.unit_of_work import work
from inbox.models.deliveries.mail_outbox import Mail
from inbox.models.incidents.tables import Timer
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.oncall.shift_notices import ShiftNotice
from inbox.models.people.accounts import User
from inbox.runtime import sealing
from inbox.services.people import preferences
from tests.cast import NOW, Cast, typeid
from tests.oncall import HOUR, make_override, make_schedule

MONDAY = datetime.fromisoformat("2026-11-23T09:00:00+00:00")
"""The next handoff after `NOW`, from Mia to Olga."""

DAY = timedelta(days=1)
MINUTE = timedelta(minutes=1)


@pytest.fixture(autouse=True)
def mail_server(ground: object, settings: Settings) -> None:
    settings_module.use(replace(settings, smtp_url="smtp://127.0.0.1:1", mail_from="Inbox <inbox@example.org>"))


@pytest.fixture
def schedule(cast: Cast) -> OnCallSchedule:
    """Olga and Mia take weekly turns. Mia is on call, and knows it."""
    made = make_schedule(cast.workspace, cast.users["olga"], cast.users["mia"], name="Backend", logged_until=NOW)
    run(made, NOW)
    Mail.delete().execute()
    return made


def run(schedule: OnCallSchedule, now: datetime) -> None:
    with work() as done:
        record.set_due(schedule.workspace_id, [schedule.id], now, done)
    run_due(lambda: now)


def mails() -> list[tuple[str, dict[str, Any]]]:
    """The address and values of the mails about shifts that were written since the last call."""
    found = []
    for mail in Mail.select().where(Mail.template == "shift").order_by(Mail.created_at, Mail.address):
        opened = sealing.current().open(
            bytes(mail.sealed), sealing.associated_data("mail_outbox", mail.id, mail.id, "sealed")
        )
        found.append((mail.address.partition("@")[0], orjson.loads(opened)))
    Mail.delete().execute()
    return found


def chosen(person: User, *minutes: int) -> None:
    preferences.edit(person.id, {"shiftNoticeMinutes": list(minutes)}, expected_rev=None)


def test_a_person_is_told_a_day_before_and_at_the_start(cast: Cast, schedule: OnCallSchedule) -> None:
    User.update(timezone="Europe/Berlin").where(User.id == cast.users["olga"].id).execute()

    run_due(lambda: MONDAY - DAY - MINUTE)
    assert mails() == []
    run_due(lambda: MONDAY - DAY)
    [(person, values)] = mails()
    assert (person, values["schedule"], values["starts"], values["ends"]) == (
        "olga", "Backend", "Monday, 23 November 2026, 10:00 (Europe/Berlin)",
        "Monday, 30 November 2026, 10:00 (Europe/Berlin)",
    )  # fmt: skip
    run_due(lambda: MONDAY - MINUTE)
    assert mails() == []
    run_due(lambda: MONDAY)
    assert [(person, values["starts"]) for person, values in mails()] == [("olga", "now")]
    run_due(lambda: MONDAY + DAY)
    assert mails() == []


def test_the_timer_is_due_at_the_next_lead_time(cast: Cast, schedule: OnCallSchedule) -> None:
    chosen(cast.users["olga"], 10_080, 90, 0)
    run(schedule, MONDAY - DAY)

    assert Timer.get(Timer.kind == record.CHANGE).due_at == MONDAY - 90 * MINUTE


@pytest.mark.parametrize(("minutes", "count"), [((), 0), ((0,), 1), ((60,), 1), ((10_080, 60, 0), 3)])
def test_a_person_chooses_the_lead_times(
    cast: Cast, schedule: OnCallSchedule, minutes: tuple[int, ...], count: int
) -> None:
    chosen(cast.users["olga"], *minutes)

    for at in (MONDAY - 3 * DAY, MONDAY - DAY, MONDAY - HOUR, MONDAY):
        run(schedule, at)

    assert [person for person, _ in mails()] == ["olga"] * count


def test_each_mail_is_written_once_however_often_the_timer_runs(cast: Cast, schedule: OnCallSchedule) -> None:
    for at in (MONDAY - DAY, MONDAY - DAY, MONDAY - HOUR, MONDAY, MONDAY, MONDAY + MINUTE):
        run(schedule, at)

    assert len(mails()) == 2


def test_a_cover_at_short_notice_is_told_at_once(cast: Cast, schedule: OnCallSchedule) -> None:
    chosen(cast.users["adam"], 10_080, 1_440, 60, 0)
    make_override(schedule, cast.users["adam"], starts_at=NOW + 2 * HOUR, ends_at=NOW + 5 * HOUR)

    run(schedule, NOW)

    assert [person for person, _ in mails() if person == "adam"] == ["adam"]


def test_a_person_who_stays_on_call_is_not_told(cast: Cast, schedule: OnCallSchedule) -> None:
    alone = make_schedule(cast.workspace, cast.users["vic"], name="Alone", logged_until=NOW)
    run(alone, NOW)
    assert [person for person, _ in mails()] == ["vic"]

    make_override(alone, cast.users["vic"], starts_at=NOW + DAY, ends_at=NOW + 2 * DAY)
    for day in range(1, 9):
        run(alone, NOW + day * DAY)
    assert [person for person, values in mails() if values["schedule"] == "Alone"] == []


def test_several_shifts_at_once_are_one_mail(cast: Cast) -> None:
    layer = {
        "id": typeid("lay", cast.workspace.id), "name": "Hours", "level": 1, "timezone": None, "start": "2026-01-05T00:00",
        "unit": "hour", "every": 8, "members": [[typeid("usr", cast.users[each].id)] for each in ("olga", "mia")],
        "windows": [], "from": None, "until": None, "counts": "all",
    }  # fmt: skip
    hourly = make_schedule(cast.workspace, cast.users["olga"], layers=[layer], logged_until=NOW)

    run(hourly, NOW)

    found = mails()
    assert sorted({person for person, _ in found}) == ["mia", "olga"]
    ahead = [values["further"] for _, values in found if values["starts"] != "now"]
    assert len(ahead) == 2 and set(ahead) <= {"", "1"}


def test_a_late_worker_tells_who_is_on_call_by_then(cast: Cast, schedule: OnCallSchedule) -> None:
    chosen(cast.users["olga"], 0)
    late = MONDAY + 2 * HOUR
    run_due(lambda: late)
    assert [(person, values["starts"]) for person, values in mails()] == [("olga", "now")]

    chosen(cast.users["mia"], 0)
    run_due(lambda: MONDAY + timedelta(days=14))
    assert mails() == []


def test_rows_of_shifts_that_have_begun_are_removed(cast: Cast, schedule: OnCallSchedule) -> None:
    run_due(lambda: MONDAY - DAY)
    assert [row.lead_minutes for row in ShiftNotice.select()] == [1_440]

    run_due(lambda: MONDAY)

    assert ShiftNotice.select().count() == 0
