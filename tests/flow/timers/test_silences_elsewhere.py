"""A silence covers only incidents of its workspace, whatever sources it names."""

from __future__ import annotations

from datetime import timedelta

import pytest

from inbox.flow.timers.run import run_due
from inbox.models.incidents.tables import Incident
from inbox.models.routing.silences import IN_FLIGHT_GRACE, Silence
from tests.cast import NOW, Cast
from tests.flow.routing_fixtures import incident, routed, settle, timeline
from tests.silences import HOUR, change, make_silence

MINUTE = timedelta(minutes=1)
SOON = NOW + 10 * MINUTE


@pytest.fixture(autouse=True)
def calm(cast: Cast) -> None:
    """Nothing but silences has a clock here."""
    for workspace in (cast.workspace, cast.foreign):
        settle(workspace, renotifyMinutes={"CRITICAL": 0, "ERROR": 0})


def state(existing: Incident) -> str:
    return str(Incident.get_by_id(existing.id).state)


def test_a_silence_of_all_sources_takes_no_incident_of_another_workspace(cast: Cast) -> None:
    here, elsewhere = incident(routed(cast.source).id), incident(routed(cast.foreign_source).id)
    make_silence(cast.workspace, start=SOON)

    run_due(lambda: SOON)

    assert (state(here), state(elsewhere)) == ("silenced", "open")
    assert timeline(elsewhere.id) == ["opened"]


def test_the_second_look_of_a_silence_takes_no_incident_of_another_workspace(cast: Cast) -> None:
    make_silence(cast.workspace, start=SOON)
    run_due(lambda: SOON)
    elsewhere = incident(routed(cast.foreign_source).id)

    run_due(lambda: SOON + IN_FLIGHT_GRACE)

    assert state(elsewhere) == "open"
    assert timeline(elsewhere.id) == ["opened"]


def test_a_change_of_a_silence_takes_no_incident_of_another_workspace(cast: Cast) -> None:
    elsewhere = incident(routed(cast.foreign_source).id)
    silence = make_silence(cast.workspace, start=SOON, match={"field": "title", "op": "eq", "value": "nothing"})
    run_due(lambda: SOON)

    change(silence, SOON + MINUTE, match={"all": []})
    run_due(lambda: SOON + MINUTE)

    assert state(elsewhere) == "open"


def test_a_silence_of_another_workspace_keeps_no_incident_quiet_when_its_own_silence_ends(cast: Cast) -> None:
    existing = incident(routed(cast.source).id)
    make_silence(cast.workspace, start=SOON)
    make_silence(cast.foreign, start=SOON, ends_at=SOON + 10 * HOUR)

    run_due(lambda: SOON)
    assert state(existing) == "silenced"
    run_due(lambda: SOON + HOUR)

    assert state(existing) == "open"
    assert timeline(existing.id) == ["opened", "silenced", "silence_ended"]


def test_an_event_is_silenced_by_no_silence_of_another_workspace(cast: Cast) -> None:
    make_silence(cast.foreign, start=NOW - MINUTE)

    existing = incident(routed(cast.source).id)

    assert state(existing) == "open"


def test_hits_of_a_silence_add_up_over_batches(cast: Cast) -> None:
    silence = make_silence(cast.workspace, start=NOW - MINUTE)

    for number in range(3):
        routed(cast.source, NOW + number * MINUTE)

    assert Silence.get_by_id(silence.id).hits == 3
