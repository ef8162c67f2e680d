"""What a phone gets besides pages: all alerts, or those while its person is on call (specification 9.13)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from inbox.domain.deliveries.push import PhoneAlerts
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery
from inbox.models.oncall import log
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.people.preferences import UserPreferences
from tests.cast import NOW, Cast
from tests.flow.notices.paging_steps import mailing, paging, schedule  # noqa: F401
from tests.flow.notices.test_phones import phone_of
from tests.flow.plans import MINUTE, MORNING, be_quiet, follow, pass_to, step
from tests.flow.routing_fixtures import listen, reported, routed
from tests.stand_ins.push_service import Subscription, service  # noqa: F401
from tests.stand_ins.receivers import Receiver

pytestmark = pytest.mark.usefixtures("mailing")


@pytest.fixture
def phone(cast: Cast, service: Receiver) -> Callable[[PhoneAlerts | None], Destination]:
    """A phone of Mia with this choice."""

    def made(alerts: PhoneAlerts | None) -> Destination:
        return phone_of(cast.users["mia"], cast, Subscription(service), alerts=alerts)

    return made


def test_a_phone_for_shifts_gets_alerts_while_its_person_is_on_call(
    cast: Cast, schedule: OnCallSchedule, phone: Any
) -> None:
    mias = phone(PhoneAlerts.ON_CALL)
    routed(cast.source)
    assert reported(mias) == []

    log.begin(cast.workspace.id, schedule.id, [cast.users["mia"].id], NOW)
    routed(cast.source, key="second")
    assert [each[0] for each in reported(mias)] == ["opened"]

    log.end(schedule.id, [cast.users["mia"].id], NOW)
    routed(cast.source, key="third")
    assert [each[0] for each in reported(mias)] == ["opened"]


def test_a_phone_for_shifts_is_paged_off_duty_as_well(cast: Cast, phone: Any) -> None:
    mias = phone(PhoneAlerts.ON_CALL)
    follow(cast.workspace, step(0, listen(cast.workspace, routed=False)), paging(5, cast.users["mia"]))
    routed(cast.source)

    pass_to(5)

    assert [each[0] for each in reported(mias)] == ["escalated"]


def test_another_person_on_call_does_not_count(cast: Cast, schedule: OnCallSchedule, phone: Any) -> None:
    mias = phone(PhoneAlerts.ON_CALL)
    log.begin(cast.workspace.id, schedule.id, [cast.users["adam"].id], NOW)

    routed(cast.source)

    assert reported(mias) == []


@pytest.mark.parametrize("has_schedule", [False, True])
def test_a_new_phone_is_for_shifts_where_a_schedule_exists(
    cast: Cast, phone: Any, request: pytest.FixtureRequest, *, has_schedule: bool
) -> None:
    if has_schedule:
        request.getfixturevalue("schedule")

    assert phone(None).alerts == ("on_call" if has_schedule else "all")


def sleeps(cast: Cast, *, enabled: bool = True) -> None:
    """Quiet hours of Mia that hold for two hours from `NOW` on."""
    windows = [{"days": ["sat"], "start": f"{NOW:%H:%M}", "end": f"{NOW + 120 * MINUTE:%H:%M}"}]
    quiet = {"phoneQuietHours": {"enabled": enabled, "timezone": "UTC", "windows": windows}}
    UserPreferences.create(user=cast.users["mia"], preferences=quiet)


def test_own_quiet_hours_hold_an_alert_until_their_end(cast: Cast, phone: Any) -> None:
    mias = phone(PhoneAlerts.ALL)
    sleeps(cast)

    routed(cast.source)

    assert reported(mias) == [("opened", "held", "quiet_hours")]
    assert Delivery.get(Delivery.destination_id == mias.id).due_at == NOW + 120 * MINUTE


def test_own_quiet_hours_do_not_hold_critical_alerts_and_pages(cast: Cast, phone: Any) -> None:
    mias = phone(PhoneAlerts.ALL)
    sleeps(cast)
    routed(cast.source, severity="CRITICAL")
    follow(cast.workspace, paging(0, cast.users["mia"]))
    routed(cast.source, key="second")

    assert reported(mias) == [("opened", "pending", None), ("opened", "pending", None)]


def test_own_quiet_hours_that_are_off_hold_nothing(cast: Cast, phone: Any) -> None:
    mias = phone(PhoneAlerts.ALL)
    sleeps(cast, enabled=False)

    routed(cast.source)

    assert reported(mias) == [("opened", "pending", None)]


def test_the_later_end_of_both_quiet_hours_counts(cast: Cast, phone: Any) -> None:
    mias = phone(PhoneAlerts.ALL)
    sleeps(cast)
    be_quiet(cast.workspace)

    routed(cast.source)

    assert Delivery.get(Delivery.destination_id == mias.id).due_at == max(MORNING, NOW + 120 * MINUTE)
