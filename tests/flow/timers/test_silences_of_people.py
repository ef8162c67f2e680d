"""What a person does to an incident may be what a silence waits for: it is silenced then.

Specification 8.2, decision 0036.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from inbox.domain.incident import Act, Actor
from inbox.domain.severity import Severity
from inbox.flow.people import incidents, undo
from inbox.flow.people.incidents import Edit
from inbox.flow.unit_of_work import work
from inbox.models.incidents import lock as incident_lock
from inbox.models.tables.incidents import Incident
from tests.cast import NOW, Cast, typeid
from tests.flow.routing_fixtures import decisions, incident, listen, notices, reasons, routed, timeline
from tests.flow.rulemaking import clause, silence

MINUTE = timedelta(minutes=1)
MIA = Actor("user", "", "Mia")


@pytest.fixture
def known(cast: Cast) -> Incident:
    """An open incident of which Pager heard, two minutes before silences begin to hold."""
    listen(cast.workspace)
    return incident(routed(cast.source, NOW - 2 * MINUTE, metadata={"env": "staging"}).id)


def edited(known: Incident, **wanted: Any) -> Incident:
    with work() as done:
        incidents.edit(known.id, Edit(**wanted), NOW, done, by=MIA, expected_rev=None)
    return again(known)


def moved(known: Incident, act: Act, at: datetime = NOW) -> Incident:
    with work() as done:
        incidents.act(known.id, incidents.ActRequest(act, by=MIA), at, done)
    return again(known)


def again(known: Incident) -> Incident:
    found: Incident = Incident.get_by_id(known.id)
    return found


@pytest.mark.parametrize(
    ("match", "wanted"),
    [
        (clause("title", "contains", "planned"), {"title": "Planned work"}),
        (clause("tags", "contains", "planned"), {"tags": ("planned",)}),
        (clause("severity", "eq", "CRITICAL"), {"severity": Severity.CRITICAL}),
        ({"all": [clause("tags", "contains", "a"), clause("metadata.env", "eq", "staging")]}, {"tags": ("a",)}),
    ],
)
def test_an_edit_that_makes_a_silence_match_is_covered_by_it(
    cast: Cast, known: Incident, match: Any, wanted: dict[str, Any]
) -> None:
    made = silence(cast.workspace, match)

    after = edited(known, **wanted)

    assert (after.state, after.state_before_silence, after.silenced_by) == ("silenced", "open", made.id)
    assert timeline(known.id)[-1] == "silenced"


@pytest.mark.parametrize(
    ("match", "more"),
    [
        (clause("title", "contains", "other"), {}),
        (clause("tags", "contains", "planned"), {"since": NOW + timedelta(hours=1)}),
        (clause("metadata.env", "ne", "staging"), {}),
    ],
)
def test_an_edit_that_no_silence_waits_for_leaves_it_open(
    cast: Cast, known: Incident, match: Any, more: dict[str, Any]
) -> None:
    silence(cast.workspace, match, **more)

    assert edited(known, tags=("planned",)).state == "open"


def test_what_a_person_reopens_under_a_silence_is_silenced_and_told_to_nobody(cast: Cast, known: Incident) -> None:
    moved(known, Act.RESOLVE, NOW - MINUTE)
    made = silence(cast.workspace, clause("title", "contains", "disk"))

    after = moved(known, Act.REOPEN)

    assert (after.state, after.state_before_silence, after.silenced_by) == ("silenced", "open", made.id)
    assert timeline(known.id)[-2:] == ["reopened", "silenced"]
    assert reasons(known.id)[-1] == "reopened"
    assert decisions(notices(known.id)[-1]) == {"Pager": f"silenced:{typeid('sil', made.id)}"}


def test_a_resolve_that_is_taken_back_under_a_silence_is_silenced(cast: Cast, known: Incident) -> None:
    before = incident_lock.read(known.id)
    moved(known, Act.RESOLVE, NOW - MINUTE)
    after = incident_lock.read(known.id)
    made = silence(cast.workspace)
    assert before is not None and after is not None

    with work() as done:
        undo.undo_act(known.id, "resolve", undo.change(before, after), NOW, done, by=MIA)

    assert (again(known).state, again(known).silenced_by) == ("silenced", made.id)


def test_what_is_resolved_is_taken_by_no_silence(cast: Cast, known: Incident) -> None:
    moved(known, Act.RESOLVE, NOW - MINUTE)
    silence(cast.workspace)

    assert edited(known, tags=("planned",)).state == "resolved"
