"""A worker that dies after any statement of a handoff: the log, the mails and the channel have it once (specification 23.16)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from inbox.config import settings as settings_module
from inbox.config.settings import Settings
from inbox.flow.oncall import record
from inbox.flow.timers.run import run_due
from inbox.flow.unit_of_work import work
from inbox.models.deliveries.mail_outbox import Mail
from inbox.models.deliveries.tables import Delivery
from inbox.models.oncall.log import OnCallLog
from tests.cast import NOW, Cast
from tests.flow.crash_injection import EVERYWHERE, CrashInjector
from tests.oncall import make_schedule
from tests.stand_ins.outgoing_posts import make_destination

MONDAY = datetime.fromisoformat("2026-11-23T09:00:00+00:00")
DAY = timedelta(days=1)

pytestmark = pytest.mark.slow


def test_each_handoff_is_written_mailed_and_told_once(ground: object, cast: Cast, settings: Settings) -> None:
    settings_module.use(replace(settings, smtp_url="smtp://127.0.0.1:1", mail_from="Inbox <inbox@example.org>"))
    chat = make_destination(cast.workspace, "http://127.0.0.1:9/")
    people = cast.users["olga"], cast.users["mia"]
    schedule = make_schedule(cast.workspace, *people, logged_until=NOW, notice_destination_id=chat.id)
    with work() as done:
        record.set_due(cast.workspace.id, [schedule.id], NOW, done)

    with CrashInjector() as crash_injector:
        for at in (NOW, MONDAY - DAY, MONDAY, MONDAY + 6 * DAY, MONDAY + 7 * DAY):
            crash_injector.survive(lambda at=at: run_due(lambda: at), EVERYWHERE)  # type: ignore[misc]

    assert crash_injector.kills > 50
    assert OnCallLog.select().count() == 3
    assert Delivery.select().where(Delivery.reason == "on_call").count() == 3
    assert Mail.select().where(Mail.template == "shift").count() == 5
