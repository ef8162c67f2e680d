"""Recipients and texts of notices about a raised severity, an edit, a note and an undo."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from inbox.domain.incidents import undo as rules
from inbox.domain.incidents.incident import Act, Actor
from inbox.domain.values.severity import Severity
from inbox.flow.people import incidents, undo
from inbox.flow.people.incidents import Edit
from inbox.flow.unit_of_work import work
from inbox.models.incidents import lock as incident_lock
from inbox.models.incidents.tables import Incident, TimelineEntry
from tests.cast import NOW, Cast
from tests.flow.plans import follow, pass_to, step
from tests.flow.routing_fixtures import bodies, decisions, incident, listen, notices, reasons, reported, routed, settle
from tests.silences import make_silence

MINUTE = timedelta(minutes=1)
OLGA = Actor("user", "usr_1", "Olga")
LATER = NOW + MINUTE


def edit(existing: Incident, required: Edit) -> None:
    with work() as done:
        incidents.edit(existing.id, required, LATER, done, by=OLGA, expected_rev=None)


def do(existing: Incident, act: Act, **about: Any) -> None:
    with work() as done:
        incidents.act(existing.id, incidents.ActRequest(act, by=OLGA, **about), LATER, done)


def note(existing: Incident) -> None:
    with work() as done:
        incidents.note(existing.id, "It is the cable.", LATER, done, by=OLGA)


def undone(existing: Incident, act: Act) -> None:
    """Do it, and take it back."""
    before = incident_lock.read(existing.id)
    do(existing, act)
    after = incident_lock.read(existing.id)
    assert before is not None and after is not None
    with work() as done:
        undo.undo_act(existing.id, str(act), undo.change(before, after), LATER, done, by=OLGA)


def last(existing: Incident) -> Mapping[str, Any]:
    data: Mapping[str, Any] = bodies(existing.id)[-1]["data"]
    return data


STATES: Mapping[str, dict[str, Any]] = {
    "open": {"state": "open"},
    "acknowledged": {"state": "acknowledged", "acknowledged_at": NOW},
    "snoozed": {"state": "snoozed", "snoozed_until": NOW + 90 * MINUTE},
    "flapping": {"flapping": True, "state_change_times": [NOW]},
}


@pytest.mark.parametrize("state", [*STATES, "silenced"])
def test_a_raised_severity_is_escalated_in_any_state_which_stays(cast: Cast, state: str) -> None:
    pager = listen(cast.workspace)
    existing = incident(routed(cast.source, NOW, severity="WARNING").id)
    if state == "silenced":
        make_silence(cast.workspace, start=NOW)
        pass_to(0)
    else:
        Incident.update(STATES[state]).execute()
    before = Incident.get().state

    edit(existing, Edit(severity=Severity.CRITICAL))

    after = Incident.get()
    assert (after.severity, after.state) == ("CRITICAL", before)
    assert [reason for reason, _, _ in reported(pager)] == ["opened", "escalated"]
    assert last(existing)["escalation"] == {"kind": "severity", "from": "WARNING", "to": "CRITICAL"}
    assert last(existing)["actor"] == OLGA.record()
    assert last(existing)["changes"] == ["severity"]
    assert last(existing)["text"] == "Olga set the severity to CRITICAL."


def test_a_raised_severity_reaches_thresholds_steps_and_destinations_without_updates(cast: Cast) -> None:
    names = ("Pager", "Boss", "Night", "Later")
    pager, boss, night, later = (listen(cast.workspace, name, routed=False) for name in names)
    pager.send_updates, boss.min_severity = False, "CRITICAL"
    pager.save()
    boss.save()
    follow(cast.workspace, step(0, pager, boss), step(0, night, least="CRITICAL"), step(30, later))
    existing = incident(routed(cast.source, NOW, severity="WARNING").id)
    assert (reported(boss), reported(night)) == ([], [])

    edit(existing, Edit(severity=Severity.CRITICAL))

    assert [[reason for reason, _, _ in reported(each)] for each in (pager, boss, night, later)] == [
        ["opened", "escalated"],
        ["escalated"],
        ["escalated"],
        [],
    ]


@pytest.mark.parametrize("state", ["acknowledged", "snoozed"])
def test_a_raised_severity_is_escalated_though_nobody_was_notified_yet(cast: Cast, state: str) -> None:
    pager = listen(cast.workspace, routed=False)
    follow(cast.workspace, step(0, pager), delay_seconds=300)
    existing = incident(routed(cast.source, NOW, severity="WARNING").id)
    Incident.update(STATES[state]).execute()

    edit(existing, Edit(severity=Severity.CRITICAL))

    assert [reason for reason, _, _ in reported(pager)] == ["escalated"]


def test_an_escalation_during_the_delay_is_a_reminder_at_its_end(cast: Cast) -> None:
    pager = listen(cast.workspace, routed=False)
    follow(cast.workspace, step(0, pager), delay_seconds=300)
    existing = incident(routed(cast.source, NOW, severity="WARNING").id)
    do(existing, Act.ACKNOWLEDGE)
    edit(existing, Edit(severity=Severity.CRITICAL))
    do(existing, Act.UNACKNOWLEDGE)

    pass_to(5)

    assert reasons(existing.id) == ["acknowledged", "escalated", "renotify"]


def test_a_raised_severity_waits_with_all_else_for_the_end_of_the_hold(cast: Cast) -> None:
    pager = listen(cast.workspace, routed=False)
    follow(cast.workspace, step(0, pager), delay_seconds=300)
    existing = incident(routed(cast.source, NOW, severity="WARNING").id)

    edit(existing, Edit(severity=Severity.CRITICAL))
    pass_to(5)

    assert [(reason, body["data"]["severity"]) for reason, body in zip(reasons(existing.id), bodies(existing.id))] == [
        ("opened", "CRITICAL")
    ]


def test_the_timeline_names_the_person_who_raised_the_severity(cast: Cast) -> None:
    existing = incident(routed(cast.source, NOW, severity="WARNING").id)

    edit(existing, Edit(severity=Severity.CRITICAL, title="Disk of db1"))

    entry = TimelineEntry.select().order_by(TimelineEntry.id.desc()).first()
    assert (entry.kind, entry.actor) == ("escalated", OLGA.record())
    assert entry.details["changed"] == {"title": ["Disk full", "Disk of db1"], "severity": ["WARNING", "CRITICAL"]}
    assert entry.details["escalation"] == {"kind": "severity", "from": "WARNING", "to": "CRITICAL"}


def test_a_lowered_severity_stays_an_update(cast: Cast) -> None:
    listen(cast.workspace)
    existing = incident(routed(cast.source, NOW, severity="CRITICAL").id)

    edit(existing, Edit(severity=Severity.WARNING))

    assert reasons(existing.id) == ["opened", "updated"]
    assert (last(existing)["changes"], last(existing)["text"]) == (["severity"], "Olga set the severity to WARNING.")
    assert "escalation" not in last(existing)


def test_an_update_notice_names_the_changed_fields(cast: Cast) -> None:
    listen(cast.workspace)
    mia = cast.users["mia"]
    existing = incident(routed(cast.source, NOW, tags=["db", "old"]).id)

    edit(existing, Edit(title="Disk of db1", tags=("db", "prod"), assigns=True, assignee_id=mia.id))

    assert last(existing)["changes"] == ["title", "tags", "assigneeId"]
    assert last(existing)["text"] == (
        'Olga changed the title to "Disk of db1", added the tag "prod", removed the tag "old" and assigned it to Mia.'
    )
    edit(existing, Edit(assigns=True))
    assert last(existing)["text"] == "Olga unassigned Mia."


def test_the_end_of_a_snooze_names_the_changed_fields(cast: Cast) -> None:
    listen(cast.workspace)
    existing = incident(routed(cast.source, NOW).id)
    do(existing, Act.SNOOZE, until=NOW + 90 * MINUTE)

    do(existing, Act.UNSNOOZE)

    assert (last(existing)["changes"], last(existing)["text"]) == (["state", "snoozedUntil"], "Olga ended the snooze.")


def test_a_note_is_left_out_where_a_destination_is_set_so(cast: Cast) -> None:
    pager, chat = listen(cast.workspace), listen(cast.workspace, "Chat", send_notes=False)
    existing = incident(routed(cast.source, NOW).id)

    note(existing)
    edit(existing, Edit(title="Disk of db1"))

    assert [reason for reason, _, _ in reported(pager)] == ["opened", "updated", "updated"]
    assert [reason for reason, _, _ in reported(chat)] == ["opened", "updated"]
    stated = notices(existing.id)[1]
    assert decisions(stated) == {"Pager": "notify", "Chat": "notes_off"}
    data = bodies(existing.id)[1]["data"]
    assert (data["changes"], data["text"]) == (["note"], "Olga added a note.")
    assert "cable" not in stated.body


@pytest.mark.parametrize("state", [*STATES, "silenced"])
def test_an_undone_resolve_is_sent_as_reopened_to_earlier_recipients(cast: Cast, state: str) -> None:
    pager, quiet = listen(cast.workspace), listen(cast.workspace, "Quiet", send_updates=False)
    late = listen(cast.workspace, "Late", min_severity="CRITICAL")
    existing = incident(routed(cast.source, NOW).id)
    if state == "silenced":
        make_silence(cast.workspace, start=NOW)
        pass_to(0)
    elif state != "flapping":
        Incident.update(STATES[state]).execute()
    stood = Incident.get()

    undone(existing, Act.RESOLVE)

    after = Incident.get()
    assert (after.state, after.notified_at) == (stood.state, stood.notified_at)
    assert reasons(existing.id) == ["opened", "resolved", "reopened"]
    assert decisions(notices(existing.id)[-1]) == {"Pager": "notify", "Quiet": "updates_off", "Late": "never_notified"}
    assert (last(existing)["undone"], last(existing)["state"]) == (True, stood.state)
    assert last(existing)["text"] == "Olga undid the resolution."
    assert [len(reported(each)) for each in (pager, quiet, late)] == [3, 1, 0]


def test_an_undone_resolve_that_nobody_was_notified_of_calls_for_no_fallback(cast: Cast) -> None:
    listen(cast.workspace, min_severity="CRITICAL")
    last_one = listen(cast.workspace, "Last", routed=False)
    settle(cast.workspace, fallbackDestinationId=str(last_one.id))
    existing = incident(routed(cast.source, NOW).id)

    undone(existing, Act.RESOLVE)
    pass_to(2)

    assert reported(last_one) == []


def test_an_undone_act_other_than_resolve_is_sent_as_an_update(cast: Cast) -> None:
    listen(cast.workspace)
    existing = incident(routed(cast.source, NOW).id)

    undone(existing, Act.ACKNOWLEDGE)

    assert reasons(existing.id)[-1] == "updated"
    assert (last(existing)["undone"], last(existing)["changes"]) == (True, ["state"])
    assert last(existing)["text"] == "Olga undid the acknowledgement."


def test_the_fields_of_an_undo_have_the_names_of_the_record() -> None:
    assert rules.fields({"assignee_id": [None, "x"], "state": ["open", "x"], "flips": [[], []]}) == (
        "assigneeId",
        "state",
    )
