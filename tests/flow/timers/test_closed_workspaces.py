"""Timers of a closed workspace wait: an operator can restore the workspace (specification 12.5)."""

from __future__ import annotations

from datetime import datetime, timedelta

from inbox.flow.timers.run import run_due
from inbox.models.incidents.tables import Incident, Timer
from inbox.models.incidents.timers import CLOSED_WORKSPACE_DELAY
from inbox.models.workspaces.tables import Workspace
from tests.cast import NOW, Cast
from tests.flow.plans import follow, step
from tests.flow.routing_fixtures import listen, reasons, routed
from tests.heartbeats import end_reports, make_monitor, ping, reread


def at(minutes: float) -> datetime:
    return NOW + timedelta(minutes=minutes)


def set_closed(cast: Cast, since: datetime | None) -> None:
    Workspace.update(deleted_at=since).where(Workspace.id == cast.workspace.id).execute()


def test_a_step_that_was_due_meanwhile_is_notified_after_the_restore(cast: Cast) -> None:
    pager = listen(cast.workspace, routed=False)
    follow(cast.workspace, step(0, pager), step(10, pager), renotify_max=0)
    existing = routed(cast.source).incident_id
    set_closed(cast, at(5))

    for minute in (10, 25, 40):
        run_due(lambda minute=minute: at(minute))  # type: ignore[misc]
    assert reasons(existing) == ["opened"]
    set_closed(cast, None)
    run_due(lambda: at(40) + CLOSED_WORKSPACE_DELAY)

    assert reasons(existing) == ["opened", "escalated"]
    assert Incident.get_by_id(existing).steps_taken == 2


def test_a_monitor_that_was_due_meanwhile_is_checked_after_the_restore(cast: Cast) -> None:
    monitor, token = make_monitor(cast.source, NOW)
    ping(token, NOW)
    set_closed(cast, at(5))
    end_reports()
    run_due(lambda: at(60))
    set_closed(cast, None)
    ping(token, at(61))
    end_reports()

    run_due(lambda: at(60) + CLOSED_WORKSPACE_DELAY)
    assert reread(monitor).status == "up"
    run_due(lambda: at(130))
    assert reread(monitor).status == "down"
    assert Timer.select().where(Timer.subject_id == monitor.id).count() == 0
