"""New problems of a schedule are mailed to its administrators once (specification 23.6)."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from inbox.config import settings as settings_module
from inbox.config.settings import Settings
from inbox.flow.oncall import record
from inbox.flow.timers.run import run_due
from inbox.flow.unit_of_work import work
from inbox.models.deliveries.mail_outbox import Mail
from inbox.models.incidents.tables import Timer
from inbox.models.instance import backlog_metrics
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.people.accounts import User
from inbox.runtime import sealing
from inbox.services.oncall import schedules
from tests.cast import NOW, Cast
from tests.oncall import make_override, make_schedule

DAY = timedelta(days=1)
OF_PROBLEMS = Mail.template == "schedule_problems"
DUE = NOW + record.PROBLEMS_DELAY


@pytest.fixture(autouse=True)
def mail_server(ground: object, settings: Settings) -> None:
    settings_module.use(replace(settings, smtp_url="smtp://127.0.0.1:1", mail_from="Inbox <inbox@example.org>"))


def changed(schedule: OnCallSchedule) -> None:
    with work() as done:
        record.set_due(schedule.workspace_id, [schedule.id], NOW, done)


def mails() -> list[str]:
    """The addresses of the mails, without those that were read before."""
    found = sorted(mail.address for mail in Mail.select().where(OF_PROBLEMS))
    Mail.delete().execute()
    return found


def text() -> str:
    mail = Mail.get(OF_PROBLEMS)
    return (
        sealing.current()
        .open(bytes(mail.sealed), sealing.associated_data("mail_outbox", mail.id, mail.id, "sealed"))
        .decode()
    )


def test_administrators_get_one_mail_of_a_new_problem(cast: Cast) -> None:
    schedule = make_schedule(cast.workspace, cast.users["mia"], name="Backend", logged_until=NOW)
    changed(schedule)

    run_due(lambda: DUE - timedelta(seconds=1))
    assert mails() == []

    run_due(lambda: DUE)
    assert "never relieved" in text() and "Backend" in text()
    assert mails() == ["adam@example.org", "olga@example.org"]

    for day in range(1, 4):
        run_due(lambda day=day: DUE + day * DAY)  # type: ignore[misc]
    changed(schedule)
    run_due(lambda: DUE + 5 * DAY)
    assert mails() == []


def test_a_disabled_administrator_gets_none(cast: Cast) -> None:
    User.update(disabled_at=NOW).where(User.id == cast.users["adam"].id).execute()
    changed(make_schedule(cast.workspace, cast.users["mia"], logged_until=NOW))

    run_due(lambda: DUE)

    assert mails() == ["olga@example.org"]


def test_another_problem_is_mailed_and_one_that_ended_and_came_back(cast: Cast) -> None:
    schedule = make_schedule(cast.workspace, cast.users["mia"], cast.users["olga"], logged_until=NOW)
    gap = make_override(schedule, cast.users["mia"], starts_at=NOW + DAY, ends_at=NOW + 2 * DAY, user_ids=[])
    changed(schedule)
    run_due(lambda: DUE)
    assert "Nobody is on call from 22 November 2026" in text()
    assert len(mails()) == 2

    gap.delete_instance()
    run_due(lambda: DUE + DAY)
    assert mails() == []

    start = NOW + 4 * DAY
    make_override(schedule, cast.users["mia"], starts_at=start, ends_at=start + DAY, user_ids=[])
    run_due(lambda: DUE + 2 * DAY)
    assert len(mails()) == 2


def test_further_gaps_are_not_mailed(cast: Cast) -> None:
    schedule = make_schedule(cast.workspace, cast.users["mia"], cast.users["olga"], logged_until=NOW)
    for day in (10, 34):
        start = NOW + day * DAY
        make_override(schedule, cast.users["mia"], starts_at=start, ends_at=start + DAY, user_ids=[])
    changed(schedule)
    run_due(lambda: DUE)
    assert len(mails()) == 2

    run_due(lambda: DUE + 5 * DAY)

    assert mails() == []


def test_a_deleted_schedule_is_not_looked_at_until_it_is_restored(cast: Cast) -> None:
    schedule = make_schedule(cast.workspace, cast.users["mia"], logged_until=NOW)
    schedules.remove(schedule, expected_rev=None, now=NOW)
    run_due(lambda: DUE)
    assert mails() == []
    assert not Timer.select().where(Timer.kind == record.PROBLEMS).exists()

    schedules.restore(schedule, now=NOW)
    run_due(lambda: DUE)
    assert len(mails()) == 2


def test_the_metric_counts_schedules_with_each_problem(cast: Cast) -> None:
    for _ in range(2):
        changed(make_schedule(cast.workspace, cast.users["mia"], logged_until=NOW))
    gone = make_schedule(cast.workspace, cast.users["mia"], logged_until=NOW)
    changed(gone)
    run_due(lambda: DUE)
    schedules.remove(gone, expected_rev=None, now=DUE)

    assert backlog_metrics.read().schedule_problems == {"single_member": 2, "unused": 2}
