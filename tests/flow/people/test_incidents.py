"""Acts of people on an incident: each applies once, is refused where it is impossible, and notifies the recipients."""

from __future__ import annotations

from uuid import uuid4

import pytest

from inbox.domain.incidents.incident import Act
from inbox.domain.values.refusals import Conflict, InvalidTransition, NotFound
from inbox.flow.people import incidents
from inbox.flow.unit_of_work import work
from inbox.live.feed import ACT, Change
from inbox.models.incidents.tables import Incident, TimelineEntry, Timer
from tests.cast import NOW, Cast
from tests.flow.people.incidents_steps import (
    MIA,
    MINUTE,
    PERSON,
    do,
    existing,  # noqa: F401
)
from tests.flow.routing_fixtures import bodies, incident, reasons, routed, timeline


def bring(existing: Incident, state: str) -> None:
    """Bring it there by the acts that lead there."""
    if state == "silenced":
        Incident.update(state="silenced", state_before_silence="open", silenced_by=uuid4()).execute()
    acts = {"acknowledged": Act.ACKNOWLEDGE, "snoozed": Act.SNOOZE, "resolved": Act.RESOLVE}
    if state in acts:
        do(existing, acts[state], NOW, until=NOW + 60 * MINUTE if state == "snoozed" else None)


@pytest.mark.parametrize(
    ("state", "act", "to", "reason", "kind"),
    [
        ("open", Act.ACKNOWLEDGE, "acknowledged", "acknowledged", "acknowledged"),
        ("snoozed", Act.ACKNOWLEDGE, "acknowledged", "acknowledged", "acknowledged"),
        ("acknowledged", Act.UNACKNOWLEDGE, "open", "renotify", "unacknowledged"),
        ("open", Act.SNOOZE, "snoozed", "snoozed", "snoozed"),
        ("acknowledged", Act.SNOOZE, "snoozed", "snoozed", "snoozed"),
        ("snoozed", Act.SNOOZE, "snoozed", "snoozed", "snoozed"),
        ("snoozed", Act.UNSNOOZE, "open", "updated", "unsnoozed"),
        ("open", Act.RESOLVE, "resolved", "resolved", "resolved"),
        ("acknowledged", Act.RESOLVE, "resolved", "resolved", "resolved"),
        ("snoozed", Act.RESOLVE, "resolved", "resolved", "resolved"),
        ("silenced", Act.RESOLVE, "resolved", "resolved", "resolved"),
        ("resolved", Act.REOPEN, "open", "reopened", "reopened"),
    ],
)
def test_an_act_changes_the_state_of_an_incident_and_is_notified(
    existing: Incident, state: str, act: Act, to: str, reason: str, kind: str
) -> None:
    bring(existing, state)
    before = Incident.get_by_id(existing.id)

    after = do(existing, act, until=NOW + 90 * MINUTE if act is Act.SNOOZE else None)

    assert (after.state, after.rev) == (to, before.rev + 1)
    assert reasons(existing.id)[-1] == reason
    entry = TimelineEntry.select().order_by(TimelineEntry.id.desc()).get()
    assert (entry.kind, entry.actor, entry.at) == (kind, MIA.record(), NOW + MINUTE)
    assert (entry.details["from"], entry.details["to"]) == (state, to)


@pytest.mark.parametrize(
    ("state", "act"),
    [
        ("acknowledged", Act.ACKNOWLEDGE),
        ("open", Act.UNACKNOWLEDGE),
        ("open", Act.UNSNOOZE),
        ("resolved", Act.RESOLVE),
        ("open", Act.REOPEN),
    ],
)
def test_an_act_whose_state_is_reached_changes_nothing(existing: Incident, state: str, act: Act) -> None:
    bring(existing, state)
    before, stated = Incident.get_by_id(existing.id), reasons(existing.id)

    after = do(existing, act)

    assert after.__data__ == before.__data__
    assert (reasons(existing.id), len(timeline(existing.id))) == (stated, len(stated))


@pytest.mark.parametrize(
    ("state", "act"),
    [
        ("resolved", Act.ACKNOWLEDGE),
        ("resolved", Act.UNACKNOWLEDGE),
        ("resolved", Act.SNOOZE),
        ("resolved", Act.UNSNOOZE),
        ("snoozed", Act.UNACKNOWLEDGE),
        ("acknowledged", Act.UNSNOOZE),
        ("acknowledged", Act.REOPEN),
        ("silenced", Act.ACKNOWLEDGE),
        ("silenced", Act.SNOOZE),
    ],
)
def test_an_act_that_its_state_does_not_allow_is_refused(existing: Incident, state: str, act: Act) -> None:
    bring(existing, state)
    before, timers = Incident.get_by_id(existing.id), Timer.select().tuples()[:]

    with pytest.raises(InvalidTransition):
        do(existing, act, until=NOW + 60 * MINUTE if act is Act.SNOOZE else None)

    assert Incident.get_by_id(existing.id).__data__ == before.__data__
    assert Timer.select().tuples()[:] == timers


def test_an_acknowledgement_stores_its_author_and_time(existing: Incident) -> None:
    after = do(existing, Act.ACKNOWLEDGE)

    assert (after.acknowledged_at, after.acknowledged_by) == (NOW + MINUTE, PERSON)
    assert bodies(existing.id)[-1]["data"]["actor"] == MIA.record()


def test_a_resolution_notice_names_its_author(existing: Incident) -> None:
    after = do(existing, Act.RESOLVE)

    assert (after.resolved_at, after.resolved_by) == (NOW + MINUTE, MIA.record())
    assert bodies(existing.id)[-1]["data"]["resolvedBy"] == MIA.record()


def test_a_snooze_sets_its_timer_and_a_new_end_moves_the_timer(existing: Incident) -> None:
    after = do(existing, Act.SNOOZE, until=NOW + 60 * MINUTE)
    assert after.snoozed_until == Timer.get().due_at == NOW + 60 * MINUTE
    assert bodies(existing.id)[-1]["data"]["snoozedUntil"] == "2026-11-21T10:00:00.000Z"

    do(existing, Act.SNOOZE, until=NOW + 30 * MINUTE)
    assert [(timer.kind, timer.subject_id, timer.due_at) for timer in Timer.select()] == [
        ("incident.snooze_end", existing.id, NOW + 30 * MINUTE)
    ]
    do(existing, Act.SNOOZE, until=NOW + 30 * MINUTE)
    assert reasons(existing.id) == ["opened", "snoozed", "snoozed"]


def test_reopening_is_refused_while_a_newer_one_is_unresolved(cast: Cast, existing: Incident) -> None:
    do(existing, Act.RESOLVE)
    newer = incident(routed(cast.source, NOW + 120 * MINUTE).id)
    assert newer.related_incident_id == existing.id

    with pytest.raises(Conflict):
        do(existing, Act.REOPEN, NOW + 121 * MINUTE)

    do(newer, Act.RESOLVE, NOW + 122 * MINUTE)
    assert do(existing, Act.REOPEN, NOW + 123 * MINUTE).state == "open"


def test_an_unknown_incident_is_not_found(cast: Cast) -> None:
    for act, until in ((Act.RESOLVE, None), (Act.SNOOZE, NOW + MINUTE)):
        with pytest.raises(NotFound), work() as done:
            incidents.act(uuid4(), incidents.ActRequest(act, by=MIA, until=until), NOW, done)
    assert Timer.select().count() == 0


def test_what_a_person_does_is_published_as_an_act_and_an_event_is_not(existing: Incident) -> None:
    def published() -> list[bool]:
        changes = [each for change in Change.select().order_by(Change.seq) for each in change.refs]
        return [each.get(ACT, False) for each in changes if each["type"] == "incident"]

    of_event = published()
    assert of_event and not any(of_event)
    do(existing, Act.ACKNOWLEDGE, NOW)
    with work() as done:
        incidents.note(existing.id, "Seen.", NOW, done, by=MIA)
    assert published() == [*of_event, True, True]
