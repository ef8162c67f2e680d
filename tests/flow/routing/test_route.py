"""An event opens, updates or escalates the incident of its fingerprint."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest

from inbox.domain.values import ids
from inbox.flow.routing.route import route
from inbox.models.deliveries.tables import Notice
from inbox.models.incidents.tables import Incident, TimelineEntry
from inbox.models.workspaces.tables import Workspace
from tests.cast import NOW, Cast
from tests.flow.routing.route_steps import (
    MINUTE,
)
from tests.flow.routing_fixtures import (
    accept,
    decisions,
    incident,
    listen,
    notices,
    reasons,
    reported,
    routed,
    settle,
    timeline,
    waiting,
)


@pytest.mark.parametrize("severity", ["WARNING", "ERROR", "CRITICAL"])
def test_an_event_that_breaks_opens_an_incident(cast: Cast, severity: str) -> None:
    pager = listen(cast.workspace)

    opening = routed(cast.source, severity=severity, type="disk", resource="host:db1", tags=["a", 'q"\\,{}'])

    opened = incident(opening.id)
    assert (opening.disposition, opened.state, opened.number, opened.event_count) == ("opened", "open", 1, 1)
    assert (opened.severity, opened.last_severity, opened.title) == (severity, severity, "Disk full")
    assert (opened.type, opened.resource, opened.tags, opened.dedup_key) == (
        "disk",
        "host:db1",
        ["a", 'q"\\,{}'],
        "disk",
    )
    assert opened.first_seen_at == opened.last_seen_at == opened.opened_at == NOW
    assert opened.workspace_id == cast.workspace.id
    assert reported(pager) == [("opened", "pending", None)]
    assert timeline(opened.id) == ["opened"]
    assert waiting() == 0


@pytest.mark.parametrize("severity", ["DEBUG", "INFO"])
def test_an_event_below_warning_is_only_logged(cast: Cast, severity: str) -> None:
    quiet = routed(cast.source, severity=severity)

    assert (quiet.disposition, quiet.incident_id) == ("logged", None)
    assert quiet.routing["trace"] == [f"default route: {severity} is logged only"]
    assert Incident.select().count() == Notice.select().count() == 0


def test_a_workspace_may_override_the_route_of_a_severity(cast: Cast) -> None:
    Workspace.update(default_route={"dispositions": {"INFO": "incident", "CRITICAL": "log"}}).execute()

    assert routed(cast.source, severity="INFO").disposition == "opened"
    assert routed(cast.source, severity="CRITICAL", key="other").disposition == "logged"


def test_a_repeat_is_counted_and_not_notified(cast: Cast) -> None:
    first = routed(cast.source, severity="ERROR")
    repeated = routed(cast.source, NOW + MINUTE, severity="WARNING", title="Disk still full")

    existing = incident(first.id)
    assert (repeated.disposition, repeated.incident_id) == ("updated", existing.id)
    assert (existing.event_count, existing.severity, existing.last_severity) == (2, "ERROR", "WARNING")
    assert (existing.last_seen_at, existing.rev, existing.title) == (NOW + MINUTE, 2, "Disk full")
    assert reasons(existing.id) == ["opened"]
    assert timeline(existing.id) == ["opened"]


def test_a_repeat_after_a_quiet_while_is_notified(cast: Cast) -> None:
    first = routed(cast.source)
    routed(cast.source, NOW + 14 * MINUTE)
    last = routed(cast.source, NOW + 29 * MINUTE)

    existing = incident(first.id)
    assert reasons(existing.id) == ["opened", "reoccurred"]
    assert (last.routing["act"], last.routing["reason"]) == ("trigger", "reoccurred")
    assert timeline(existing.id) == ["opened", "reoccurred"]


@pytest.mark.parametrize(("opens_late", "stated"), [(True, ["opened"]), (False, ["opened", "reoccurred"])])
def test_repeats_that_waited_a_day_to_be_routed_are_notified_once_together(
    cast: Cast, opens_late: bool, stated: list[str]
) -> None:
    late = NOW + 25 * 60 * MINUTE
    first = accept(cast.source)
    if not opens_late:
        route(lambda: NOW)
    for hours in range(1, 25):
        accept(cast.source, NOW + hours * 60 * MINUTE)

    route(lambda: late)

    existing = incident(first)
    assert (existing.event_count, reasons(existing.id)) == (25, stated)
    routed(cast.source, late + MINUTE)
    assert reasons(existing.id) == [*stated, "reoccurred"]


def test_the_quiet_period_of_a_repeat_is_a_setting_of_the_workspace(cast: Cast) -> None:
    settle(cast.workspace, reoccurQuietMinutes=2)
    first = routed(cast.source)
    routed(cast.source, NOW + 2 * MINUTE)

    assert reasons(incident(first.id).id) == ["opened", "reoccurred"]


@pytest.mark.parametrize("together", [False, True])
def test_each_repeat_is_notified_with_a_quiet_time_of_zero(cast: Cast, *, together: bool) -> None:
    settle(cast.workspace, reoccurQuietMinutes=0)
    first = routed(cast.source)
    for second in range(1, 5):
        accept(cast.source, NOW + timedelta(seconds=second))
        if not together:
            route(lambda at=NOW + timedelta(seconds=second): at)  # type: ignore[misc]
    route(lambda: NOW + timedelta(seconds=4))

    assert reasons(incident(first.id).id) == ["opened", *["reoccurred"] * 4]


def test_a_higher_severity_escalates_and_a_lower_one_does_not_lower_it(cast: Cast) -> None:
    first = routed(cast.source, severity="WARNING")
    worse = routed(cast.source, NOW + MINUTE, severity="CRITICAL")
    routed(cast.source, NOW + 2 * MINUTE, severity="ERROR")

    existing = incident(first.id)
    assert (existing.severity, existing.last_severity) == ("CRITICAL", "ERROR")
    assert reasons(existing.id) == ["opened", "escalated"]
    assert worse.routing["act"] == "trigger_higher"
    assert TimelineEntry.get(TimelineEntry.kind == "escalated").details["escalation"] == {
        "kind": "severity",
        "from": "WARNING",
        "to": "CRITICAL",
    }


@pytest.mark.parametrize("state", ["acknowledged", "snoozed"])
def test_an_acknowledged_or_snoozed_incident_stays_so_until_its_severity_rises(cast: Cast, state: str) -> None:
    first = routed(cast.source, severity="ERROR")
    Incident.update(state=state, snoozed_until=NOW + 60 * MINUTE if state == "snoozed" else None).execute()

    routed(cast.source, NOW + 20 * MINUTE, severity="ERROR")
    assert incident(first.id).state == state
    assert reasons(incident(first.id).id) == ["opened"]

    routed(cast.source, NOW + 21 * MINUTE, severity="CRITICAL")
    worse = incident(first.id)
    assert (worse.state, worse.snoozed_until) == ("open", None)
    assert reasons(worse.id) == ["opened", "escalated"]


def test_events_of_a_silenced_incident_are_counted_without_a_notice(cast: Cast) -> None:
    pager = listen(cast.workspace)
    first = routed(cast.source)
    Incident.update(state="silenced", state_before_silence="open", silenced_by=uuid4()).execute()

    routed(cast.source, NOW + 20 * MINUTE)
    routed(cast.source, NOW + 21 * MINUTE, severity="CRITICAL")

    silent = incident(first.id)
    assert (silent.state, silent.severity, silent.event_count) == ("silenced", "CRITICAL", 3)
    assert reasons(silent.id) == ["opened", "escalated"]
    assert reported(pager) == [("opened", "pending", None)]
    assert decisions(notices(silent.id)[1]) == {"Pager": f"silenced:{ids.encode('sil', silent.silenced_by)}"}
