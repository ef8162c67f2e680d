"""Edits and notes of incidents, and many people at once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest

from inbox.database.base import db
from inbox.domain.incidents.incident import Act
from inbox.domain.values import ids
from inbox.domain.values.refusals import Conflict, InvalidTransition, RevMismatch
from inbox.domain.values.severity import Severity
from inbox.flow.people import incidents
from inbox.flow.people.incidents import Edit
from inbox.flow.unit_of_work import retry_on_conflict, work
from inbox.live.feed import Change
from inbox.models.deliveries.tables import Notice
from inbox.models.incidents.tables import Incident, TimelineEntry
from tests.cast import NOW, Cast
from tests.flow.people.incidents_steps import (
    MIA,
    MINUTE,
    PERSON,
    do,
    existing,  # noqa: F401
)
from tests.flow.routing_fixtures import accept, bodies, incident, listen, reasons, reported, routed, timeline


def test_an_edit_is_notified_once_and_only_where_something_changed(existing: Incident) -> None:
    required = Edit(title="Disk of db1", severity=Severity.WARNING, tags=("db",), assigns=True, assignee_id=PERSON)

    edited(existing, required)
    edited(existing, required)

    after = Incident.get_by_id(existing.id)
    assert (after.title, after.severity, after.tags, after.assignee_id) == ("Disk of db1", "WARNING", ["db"], PERSON)
    assert (after.rev, after.state, reasons(existing.id)) == (2, "open", ["opened", "updated"])
    assert TimelineEntry.get(TimelineEntry.kind == "updated").details["changed"] == {
        "title": ["Disk full", "Disk of db1"],
        "tags": [[], ["db"]],
        "assigneeId": [None, ids.encode("usr", PERSON)],
        "severity": ["ERROR", "WARNING"],
    }
    assert bodies(existing.id)[-1]["data"]["title"] == "Disk of db1"


def test_edited_text_is_redacted_and_tags_are_deduplicated(existing: Incident) -> None:
    edited(
        existing,
        Edit(title="Key svc_src_0123 of https://me:pw@db1", tags=("a", "svc_src_0123", "b", "a", "svc_src_45")),
    )

    after = Incident.get_by_id(existing.id)
    assert after.title == "Key svc_[REDACTED] of https://[REDACTED]@db1"
    assert after.tags == ["a", "svc_[REDACTED]", "b"]
    assert bodies(existing.id)[-1]["data"]["title"] == after.title


@pytest.mark.parametrize(("letters", "retained"), [(236, 255), (237, 256), (238, 256), (244, 247)])
def test_a_title_that_redaction_makes_longer_is_cut(existing: Incident, letters: int, retained: int) -> None:
    edited(existing, Edit(title="x" * letters + "://a:b@cd://"))

    assert len(Incident.get_by_id(existing.id).title) == retained


def test_fields_left_out_of_an_incident_edit_stay(existing: Incident) -> None:
    edited(existing, Edit(assigns=True, assignee_id=PERSON, tags=("a",)))
    edited(existing, Edit(title="New"))
    after = Incident.get_by_id(existing.id)
    assert (after.assignee_id, after.tags, after.severity) == (PERSON, ["a"], "ERROR")

    edited(existing, Edit(assigns=True, assignee_id=None, tags=()))
    after = Incident.get_by_id(existing.id)
    assert (after.assignee_id, after.tags, after.title) == (None, [], "New")


def test_a_resolved_incident_takes_tags_and_an_assignee_and_nobody_is_notified(existing: Incident) -> None:
    do(existing, Act.RESOLVE)
    before = reasons(existing.id)

    edited(existing, Edit(assigns=True, assignee_id=PERSON, tags=("postmortem",)))

    after = Incident.get_by_id(existing.id)
    assert (after.state, after.assignee_id, after.tags) == ("resolved", PERSON, ["postmortem"])
    assert timeline(existing.id)[-1] == "updated"
    assert reasons(existing.id) == before


def test_an_edit_of_an_older_revision_or_of_the_title_or_severity_of_a_resolved_incident_is_refused(
    existing: Incident,
) -> None:
    with pytest.raises(RevMismatch):
        edited(existing, Edit(title="New"), expected_rev=7)
    do(existing, Act.RESOLVE)
    for required in (Edit(title="New"), Edit(severity=Severity.CRITICAL, tags=("late",))):
        with pytest.raises(InvalidTransition):
            edited(existing, required)
    assert Incident.get_by_id(existing.id).tags == []
    assert Incident.get_by_id(existing.id).title == "Disk full"


def edited(existing: Incident, required: Edit, expected_rev: int | None = None) -> None:
    with work() as done:
        incidents.edit(existing.id, required, NOW + MINUTE, done, by=MIA, expected_rev=expected_rev)


def test_a_note_is_notified_while_it_matters(existing: Incident) -> None:
    def note(text: str, now: datetime) -> None:
        with work() as done:
            incidents.note(existing.id, text, now, done, by=MIA)

    note("looking", NOW + MINUTE)
    do(existing, Act.RESOLVE, NOW + 2 * MINUTE)
    note("it was the cable", NOW + 3 * MINUTE)

    assert timeline(existing.id) == ["opened", "note", "resolved", "note"]
    assert reasons(existing.id) == ["opened", "updated", "resolved"]
    assert [
        e.details for e in TimelineEntry.select().where(TimelineEntry.kind == "note").order_by(TimelineEntry.id)
    ] == [
        {"text": "looking"},
        {"text": "it was the cable"},
    ]


def test_the_stream_is_notified_with_the_new_revision(existing: Incident) -> None:
    Change.delete().execute()
    do(existing, Act.ACKNOWLEDGE)

    reported_of = [(ref["type"], ref["op"], ref["rev"]) for change in Change.select() for ref in change.refs]
    assert ("incident", "changed", 2) in reported_of


def test_concurrent_acknowledgements_apply_once(existing: Incident) -> None:
    at_once(8, lambda _: do(existing, Act.ACKNOWLEDGE))

    assert (reasons(existing.id), timeline(existing.id)) == (["opened", "acknowledged"], ["opened", "acknowledged"])


def test_acts_and_events_at_once_leave_no_gap(cast: Cast, existing: Incident) -> None:
    from inbox.flow.routing.route import route

    acts = [Act.ACKNOWLEDGE, Act.UNACKNOWLEDGE, Act.RESOLVE, Act.REOPEN] * 10

    def act(number: int) -> None:
        if number % 2:
            accept(cast.source, NOW + MINUTE, severity="ERROR")
            route(lambda: NOW + MINUTE)
        else:
            try:
                retry_on_conflict(lambda: do(existing, acts[number // 2]))
            except (InvalidTransition, Conflict):
                return

    at_once(8, act, times=80)
    route(lambda: NOW + MINUTE)  # what came during the last look

    after = Incident.get_by_id(existing.id)
    assert Incident.select().count() == 1
    assert [notice.seq for notice in known_notices(existing)] == list(range(1, after.notice_count + 1))
    assert after.event_count == 41


def known_notices(existing: Incident) -> list[Notice]:
    from tests.flow.routing_fixtures import notices

    return list(notices(existing.id))


def at_once(workers: int, act: Callable[[int], object], times: int = 8) -> None:
    gate = threading.Barrier(workers)
    first = threading.local()

    def work_on(number: int) -> None:
        with db.connection_context():
            if not getattr(first, "passed", False):
                first.passed = True
                gate.wait(60)
            act(number)

    with ThreadPoolExecutor(workers) as pool:
        for future in [pool.submit(work_on, number) for number in range(times)]:
            future.result()


def test_acts_are_notified_to_earlier_recipients(cast: Cast, existing: Incident) -> None:
    late = listen(cast.workspace, "Late")
    do(existing, Act.ACKNOWLEDGE)
    do(existing, Act.UNACKNOWLEDGE)
    do(existing, Act.RESOLVE)

    assert [reason for reason, _, _ in reported(late)] == ["renotify", "resolved"]


@pytest.mark.parametrize("late", [timedelta(seconds=5), timedelta(0)])
def test_timeline_entries_are_ordered_by_when_their_lock_was_granted(cast: Cast, late: timedelta) -> None:
    existing = incident(routed(cast.source).id)
    for number in range(5):
        do(existing, Act.UNACKNOWLEDGE if number % 2 else Act.ACKNOWLEDGE, NOW - number * late)
    routed(cast.source, NOW - 6 * late, severity="CRITICAL")

    entries = TimelineEntry.select().where(TimelineEntry.incident_id == existing.id).order_by(TimelineEntry.id)
    turns = ["acknowledged", "unacknowledged"]
    assert [entry.kind for entry in entries] == ["opened", *turns, *turns, "acknowledged", "escalated"]


def test_times_never_run_backwards_however_clocks_differ(existing: Incident) -> None:
    do(existing, Act.ACKNOWLEDGE, NOW + MINUTE)
    do(existing, Act.UNACKNOWLEDGE, NOW + timedelta(seconds=30))
    do(existing, Act.RESOLVE, NOW + timedelta(seconds=45))

    entries = list(TimelineEntry.select().where(TimelineEntry.incident_id == existing.id).order_by(TimelineEntry.id))
    stated = [body["timestamp"] for body in bodies(existing.id)]
    assert [entry.kind for entry in entries] == ["opened", "acknowledged", "unacknowledged", "resolved"]
    assert [entry.at for entry in entries] == sorted(entry.at for entry in entries)
    assert entries[1].at == NOW + MINUTE < entries[2].at < entries[3].at < NOW + MINUTE + timedelta(seconds=1)
    assert len(stated) == 4 and stated == sorted(stated)
