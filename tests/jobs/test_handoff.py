"""A handoff in real time, with a running worker (specification 23.13)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from inbox.config.settings import Settings
from inbox.database.base import new_id
from inbox.destinations import Config
from inbox.flow.oncall import record
from inbox.flow.unit_of_work import work
from inbox.models.oncall.log import OnCallLog
from inbox.models.oncall.schedules import OnCallSchedule
from tests.cast import Cast, present, typeid
from tests.flow.notices.paging_steps import paging
from tests.flow.notices.paid_steps import number_of
from tests.flow.plans import follow
from tests.flow.routing_fixtures import accept
from tests.jobs.worker_process import worker_of
from tests.oncall import a_layer, make_schedule
from tests.ops.processes import until
from tests.stand_ins.outgoing_posts import store_destination
from tests.stand_ins.receivers import Receiver

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
MARGIN = timedelta(seconds=20)
"""The least time before the handoff in which the incident is opened."""


@pytest.fixture
def pager() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver


def next_minute() -> datetime:
    """The next whole minute, once enough of the present one is left."""
    while (left := MINUTE - timedelta(seconds=present().second)) < MARGIN:
        time.sleep(left.total_seconds())
    return present().replace(second=0, microsecond=0) + MINUTE


def handing_over(cast: Cast, at: datetime) -> OnCallSchedule:
    """A schedule with turns of an hour, in which Olga hands over to Mia at this minute."""
    layer = {
        **a_layer(cast.users["olga"], cast.users["mia"], unit="hour", start=f"{at - HOUR:%Y-%m-%dT%H:%M}"),
        "id": typeid("lay", new_id()), "level": 1, "timezone": None, "windows": [], "from": None, "until": None,
        "counts": "all",
    }  # fmt: skip
    schedule = make_schedule(cast.workspace, layers=[layer], logged_until=present())
    with work() as done:
        record.set_due(cast.workspace.id, [schedule.id], present(), done)
    return schedule


def topics(cast: Cast, pager: Receiver) -> None:
    """Olga and Mia are paged by a topic of their name."""
    config = Config({"server": pager.url.removesuffix("/hook"), "topic": "test"}, {})
    provider = store_destination(cast.workspace, "ntfy", config, for_contact_methods=True)
    for name in ("olga", "mia"):
        number_of(cast.users[name], name, provider)


@pytest.mark.slow
def test_a_step_after_a_handoff_pages_the_new_person_while_the_service_runs(
    cast: Cast, settings: Settings, tmp_path: Path, pager: Receiver
) -> None:
    topics(cast, pager)
    handoff = next_minute()
    schedule = handing_over(cast, handoff)
    follow(cast.workspace, paging(0, schedule), paging(1, schedule), repeat=0)
    accept(cast.source, present())

    with worker_of(settings, tmp_path / "worker", INBOX_ALLOW_PRIVATE_DESTINATIONS="on"):
        until(lambda: len(pager.requests) == 2, "both steps paged somebody", 180)

    names = {user.id: name for name, user in cast.users.items()}
    assert [each.json["topic"] for each in pager.requests] == ["olga", "mia"]
    rows = OnCallLog.select().where(OnCallLog.schedule_id == schedule.id).order_by(OnCallLog.starts_at)
    assert [(names[row.user_id], row.ends_at) for row in rows] == [("olga", handoff), ("mia", None)]
    assert rows[1].starts_at == handoff
