"""An act of a person may make a silence match, and the incident is silenced then (specification 8.2, decision 0015)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from inbox.domain.incidents.incident import Act, Actor
from inbox.domain.values.severity import Severity
from inbox.flow.people import incidents, undo
from inbox.flow.people.incidents import Edit
from inbox.flow.unit_of_work import work
from inbox.models.incidents import lock as incident_lock
from inbox.models.incidents.tables import Incident
from tests.cast import NOW, Cast, typeid
from tests.flow.routing_fixtures import decisions, incident, listen, notices, reasons, routed, timeline
from tests.flow.rulemaking import clause, silence

MINUTE = timedelta(minutes=1)
MIA = Actor("user", "", "Mia")


@pytest.fixture
def existing(cast: Cast) -> Incident:
    """An open incident of which Pager was notified, two minutes before silences begin."""
    listen(cast.workspace)
    return incident(routed(cast.source, NOW - 2 * MINUTE, metadata={"env": "staging"}).id)


def edited(existing: Incident, **required: Any) -> Incident:
    with work() as done:
        incidents.edit(existing.id, Edit(**required), NOW, done, by=MIA, expected_rev=None)
    return reloaded(existing)


def moved(existing: Incident, act: Act, at: datetime = NOW) -> Incident:
    with work() as done:
        incidents.act(existing.id, incidents.ActRequest(act, by=MIA), at, done)
    return reloaded(existing)


def reloaded(existing: Incident) -> Incident:
    found: Incident = Incident.get_by_id(existing.id)
    return found


@pytest.mark.parametrize(
    ("match", "required"),
    [
        (clause("title", "contains", "planned"), {"title": "Planned work"}),
        (clause("tags", "contains", "planned"), {"tags": ("planned",)}),
        (clause("severity", "eq", "CRITICAL"), {"severity": Severity.CRITICAL}),
        ({"all": [clause("tags", "contains", "a"), clause("metadata.env", "eq", "staging")]}, {"tags": ("a",)}),
    ],
)
def test_an_edit_that_makes_a_silence_match_is_covered_by_it(
    cast: Cast, existing: Incident, match: Any, required: dict[str, Any]
) -> None:
    made = silence(cast.workspace, match)

    after = edited(existing, **required)

    assert (after.state, after.state_before_silence, after.silenced_by) == ("silenced", "open", made.id)
    assert timeline(existing.id)[-1] == "silenced"


@pytest.mark.parametrize(
    ("match", "more"),
    [
        (clause("title", "contains", "other"), {}),
        (clause("tags", "contains", "planned"), {"since": NOW + timedelta(hours=1)}),
        (clause("metadata.env", "ne", "staging"), {}),
    ],
)
def test_an_edit_that_no_silence_matches_leaves_the_incident_open(
    cast: Cast, existing: Incident, match: Any, more: dict[str, Any]
) -> None:
    silence(cast.workspace, match, **more)

    assert edited(existing, tags=("planned",)).state == "open"


def test_an_incident_reopened_by_a_person_under_a_silence_is_silenced_without_a_notice(
    cast: Cast, existing: Incident
) -> None:
    moved(existing, Act.RESOLVE, NOW - MINUTE)
    made = silence(cast.workspace, clause("title", "contains", "disk"))

    after = moved(existing, Act.REOPEN)

    assert (after.state, after.state_before_silence, after.silenced_by) == ("silenced", "open", made.id)
    assert timeline(existing.id)[-2:] == ["reopened", "silenced"]
    assert reasons(existing.id)[-1] == "reopened"
    assert decisions(notices(existing.id)[-1]) == {"Pager": f"silenced:{typeid('sil', made.id)}"}


def test_a_resolve_undone_under_a_silence_leaves_the_incident_silenced(cast: Cast, existing: Incident) -> None:
    before = incident_lock.read(existing.id)
    moved(existing, Act.RESOLVE, NOW - MINUTE)
    after = incident_lock.read(existing.id)
    made = silence(cast.workspace)
    assert before is not None and after is not None

    with work() as done:
        undo.undo_act(existing.id, "resolve", undo.change(before, after), NOW, done, by=MIA)

    assert (reloaded(existing).state, reloaded(existing).silenced_by) == ("silenced", made.id)


def test_a_resolved_incident_is_not_silenced_by_an_edit(cast: Cast, existing: Incident) -> None:
    moved(existing, Act.RESOLVE, NOW - MINUTE)
    silence(cast.workspace)

    assert edited(existing, tags=("planned",)).state == "resolved"
