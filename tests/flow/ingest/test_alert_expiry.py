"""Pushed alerts expire when they are not repeated, and open again when they keep firing (specification 19.10)."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest

from inbox.flow.heartbeats import availability
from inbox.flow.ingest import alert_expiry
from inbox.flow.routing.route import route
from inbox.flow.upkeep.purge import purge
from inbox.flow.upkeep.sweep import sweep
from inbox.models.events.tables import Event
from inbox.models.heartbeats import availability as reports
from inbox.models.incidents.tables import Incident, TimelineEntry
from inbox.models.senders import pushed_alerts
from inbox.models.senders.pushed_alerts import PushedAlert
from inbox.models.senders.sources import Source
from inbox.models.workspaces.tables import Workspace
from tests.cast import NOW, Cast
from tests.database.stored import store
from tests.heartbeats import end_reports

MINUTE = timedelta(minutes=1)
KEY = "alertmanager:db73c85864f826bb"


def fire(source_id: UUID, minutes: float, *keys: str) -> None:
    ends = dict.fromkeys(keys or (KEY,), NOW + minutes * MINUTE)
    alert_expiry.track(source_id, ends, [], pushed_alerts.expired(source_id, list(ends)))


def ended() -> list[str]:
    return [event.dedup_key for event in Event.select().where(Event.type == "alert.expired").order_by(Event.id)]


@pytest.mark.parametrize(("minutes", "expires"), [(3.9, False), (4, True), (5, True)])
def test_an_alert_ends_at_its_end_and_once(cast: Cast, minutes: float, expires: bool) -> None:
    fire(cast.source.id, 4)

    sweep(NOW + minutes * MINUTE)
    sweep(NOW + minutes * MINUTE)

    assert ended() == ([KEY] if expires else [])
    if expires:
        [event] = Event.select()
        assert (event.source_id, event.workspace_id) == (cast.source.id, cast.workspace.id)
        assert (event.action, event.severity) == ("resolve", "SUCCESS")


@pytest.mark.parametrize(("stays", "state"), [(False, "resolved"), (True, "open")])
def test_the_timeline_says_that_an_alert_is_no_longer_reported(cast: Cast, stays: bool, state: str) -> None:
    Source.update(keep_open_on_missing_data=stays).where(Source.id == cast.source.id).execute()
    where = {"workspace_id": cast.workspace.id, "source_id": cast.source.id}
    store(**where, received_at=NOW, occurred_at=NOW, dedup_key=KEY)
    route(lambda: NOW)
    fire(cast.source.id, 4)

    sweep(NOW + 4 * MINUTE)
    route(lambda: NOW + 4 * MINUTE)

    notes = [each.details["text"] for each in TimelineEntry.select() if each.kind == "note"]
    assert notes == [alert_expiry.NO_LONGER]
    assert [each.state for each in Incident.select()] == [state]


def test_a_repeat_moves_the_end_and_an_earlier_one_does_not(cast: Cast) -> None:
    fire(cast.source.id, 4)
    fire(cast.source.id, 8)
    fire(cast.source.id, 5)

    assert alert_expiry.expire(NOW + 7 * MINUTE) == 0
    assert alert_expiry.expire(NOW + 8 * MINUTE) == 1


def test_an_alert_that_its_sender_ended_does_not_expire(cast: Cast) -> None:
    fire(cast.source.id, 4, KEY, "other")
    alert_expiry.track(cast.source.id, {}, [KEY], {})

    alert_expiry.expire(NOW + 9 * MINUTE)

    assert ended() == ["other"]


def test_an_alert_that_fires_again_expires_again(cast: Cast) -> None:
    fire(cast.source.id, 4)
    alert_expiry.expire(NOW + 4 * MINUTE)
    fire(cast.source.id, 9)

    assert pushed_alerts.expired(cast.source.id, [KEY]) == {}
    assert alert_expiry.expire(NOW + 8 * MINUTE) == 0
    assert alert_expiry.expire(NOW + 9 * MINUTE) == 1


def test_a_repeat_clears_no_expiry_that_it_has_not_read(cast: Cast) -> None:
    fire(cast.source.id, 4)
    read_before = pushed_alerts.expired(cast.source.id, [KEY])
    alert_expiry.expire(NOW + 4 * MINUTE)

    alert_expiry.track(cast.source.id, {KEY: NOW + 9 * MINUTE}, [], read_before)

    assert pushed_alerts.expired(cast.source.id, [KEY]) == {KEY: NOW + 4 * MINUTE}


def test_a_repeat_without_an_end_removes_no_expiry_that_it_has_not_read(cast: Cast) -> None:
    fire(cast.source.id, 4)
    read_before = pushed_alerts.expired(cast.source.id, [KEY])
    alert_expiry.expire(NOW + 4 * MINUTE)

    alert_expiry.track(cast.source.id, {}, [], read_before, [KEY])
    stays = pushed_alerts.expired(cast.source.id, [KEY])
    alert_expiry.track(cast.source.id, {}, [], stays, [KEY])

    assert stays == {KEY: NOW + 4 * MINUTE}
    assert PushedAlert.select().count() == 0


def test_expired_alerts_of_several_sources_end_in_batches(cast: Cast) -> None:
    fire(cast.source.id, 4, *(f"a{number}" for number in range(150)))
    fire(cast.foreign_source.id, 4, *(f"b{number}" for number in range(60)))

    assert alert_expiry.expire(NOW + 5 * MINUTE) == 210
    assert len(set(ended())) == 210
    assert {event.workspace_id for event in Event.select()} == {cast.workspace.id, cast.foreign.id}


def test_alerts_of_a_disabled_source_and_of_a_closed_workspace_wait(cast: Cast) -> None:
    for source in (cast.source, cast.foreign_source):
        fire(source.id, 4)
    Source.update(enabled=False).where(Source.id == cast.source.id).execute()
    Workspace.update(deleted_at=NOW).where(Workspace.id == cast.foreign.id).execute()

    assert alert_expiry.expire(NOW + 5 * MINUTE) == 0


def test_no_alert_ends_in_an_outage_or_in_the_five_minutes_after_it(cast: Cast) -> None:
    fire(cast.source.id, 4, "soon")
    fire(cast.source.id, 60, "late")
    reports.report(NOW)
    end_reports()
    after = NOW + 20 * MINUTE

    in_outage = alert_expiry.expire(after)
    availability.report(after)
    at_once = alert_expiry.expire(after)
    availability.report(after + 14 * timedelta(seconds=1))
    reports.report(after + 5 * MINUTE)
    later = alert_expiry.expire(after + 5 * MINUTE)

    assert (in_outage, at_once, later) == (0, 0, 1)
    assert ended() == ["soon"]
    assert PushedAlert.get(PushedAlert.dedup_key == "late").ends_at == NOW + 60 * MINUTE


def test_stored_job_ends_are_removed_after_three_days(cast: Cast) -> None:
    fire(cast.source.id, 4)

    purge(NOW + timedelta(days=3) + 3 * MINUTE)
    stored = PushedAlert.select().count()
    purge(NOW + timedelta(days=3) + 5 * MINUTE)

    assert (stored, PushedAlert.select().count()) == (1, 0)
