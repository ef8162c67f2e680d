"""People are told of their shifts on their phones, beside the mails (specification 23.16)."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from inbox.domain.deliveries.push import PhoneAlerts
from inbox.flow.delivery.deliver import deliver
from inbox.flow.timers.run import run_due
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.services.people import preferences
from tests.cast import NOW, Cast, typeid
from tests.flow.notices.test_phones import phone_of
from tests.flow.oncall.test_channel_notices import run
from tests.oncall import make_schedule
from tests.stand_ins.push_service import (
    Subscription,
    service,  # noqa: F401
)
from tests.stand_ins.receivers import Receiver

MONDAY = datetime.fromisoformat("2026-11-23T09:00:00+00:00")
"""The next handoff after `NOW`, from Mia to Olga."""

DAY = timedelta(days=1)


@pytest.fixture
def schedule(cast: Cast) -> OnCallSchedule:
    """Olga and Mia take weekly turns. Mia is on call, and knows it."""
    made = make_schedule(cast.workspace, cast.users["olga"], cast.users["mia"], name="Backend", logged_until=NOW)
    run(made, NOW)
    return made


def told(subscription: Subscription, at: datetime) -> list[tuple[str, str]]:
    """The notifications since the last call."""
    before = len(subscription.notifications)
    run_due(lambda: at)
    deliver(lambda: at)
    return [(each["title"], each["body"]) for each in subscription.notifications[before:]]


def test_each_phone_of_a_person_is_told_at_the_lead_times(
    cast: Cast, schedule: OnCallSchedule, service: Receiver
) -> None:
    olgas = Subscription(service)
    olga = phone_of(cast.users["olga"], cast, olgas, alerts=PhoneAlerts.ON_CALL)
    phone_of(cast.users["mia"], cast, Subscription(service))

    before = told(olgas, MONDAY - DAY)
    at_start = told(olgas, MONDAY)

    assert [title for title, _ in before] == ["ON CALL · On call for Backend soon"]
    assert before[0][1].startswith("From Mon 23 November 09:00 (UTC) until Mon 30 November 09:00 (UTC).")
    assert [title for title, _ in at_start] == ["ON CALL · You are on call for Backend"]
    assert {row.destination_id for row in Delivery.select()} == {olga.id}
    assert told(olgas, MONDAY + timedelta(hours=1)) == []


def test_a_push_opens_the_schedule(cast: Cast, schedule: OnCallSchedule, service: Receiver) -> None:
    olgas = Subscription(service)
    phone_of(cast.users["olga"], cast, olgas)

    told(olgas, MONDAY)

    [shown] = olgas.notifications
    assert shown["navigate"].endswith(f"/on-call/{typeid('sch', schedule.id)}")


def test_hidden_content_names_no_schedule(cast: Cast, schedule: OnCallSchedule, service: Receiver) -> None:
    olgas = Subscription(service)
    phone = phone_of(cast.users["olga"], cast, olgas)
    Destination.update(config={**phone.config, "hideContent": True}).where(Destination.id == phone.id).execute()

    assert told(olgas, MONDAY) == [("On-call shift", f"{cast.workspace.name}.")]


def test_a_person_without_lead_times_is_not_told(cast: Cast, schedule: OnCallSchedule, service: Receiver) -> None:
    olgas = Subscription(service)
    phone_of(cast.users["olga"], cast, olgas)
    preferences.edit(cast.users["olga"].id, {"shiftNoticeMinutes": []}, expected_rev=None)

    assert told(olgas, MONDAY - DAY) == told(olgas, MONDAY) == []
    assert Delivery.select().count() == 0
