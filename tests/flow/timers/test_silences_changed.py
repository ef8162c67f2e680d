"""Silences that overlap, recur, change, or are deleted (specification 8.3)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from inbox.flow.timers.run import run_due
from inbox.flow.upkeep.purge import purge
from inbox.models.incidents.tables import Incident
from inbox.models.routing.silences import IN_FLIGHT_GRACE, Silence
from inbox.services.routing import silences
from tests.cast import NOW, Cast
from tests.flow.plans import fire_first
from tests.flow.routing_fixtures import incident, reasons, routed, timeline
from tests.flow.timers.silences_steps import (
    LATER,
    MINUTE,
    SOON,
    calm,  # noqa: F401
    reloaded,
    standing,
)
from tests.silences import HOUR, change, make_silence, next_turn, titled


def test_an_incident_under_two_silences_passes_to_the_other_when_one_ends(cast: Cast) -> None:
    existing = incident(routed(cast.source).id)
    first = make_silence(cast.workspace, start=SOON)
    second = make_silence(cast.workspace, start=SOON + MINUTE)

    run_due(lambda: SOON + 2 * MINUTE)
    assert standing(existing) == ("silenced", "open", first.id)
    run_due(lambda: SOON + HOUR)
    assert standing(existing) == ("silenced", "open", second.id)
    assert reasons(existing.id) == ["opened"]
    run_due(lambda: SOON + HOUR + MINUTE)

    assert standing(existing) == ("open", None, None)
    assert timeline(existing.id) == ["opened", "silenced", "silenced", "silence_ended"]
    assert reasons(existing.id) == ["opened"]


@pytest.mark.parametrize(
    "other",
    [{"match": titled("network")}, {"start": SOON + 2 * HOUR}, {"deleted_at": NOW}],
)
def test_a_second_silence_that_does_not_match_keeps_no_incident(cast: Cast, other: dict[str, Any]) -> None:
    existing = incident(routed(cast.source).id)
    make_silence(cast.workspace, start=SOON)
    make_silence(cast.workspace, **{"start": SOON, **other})

    run_due(lambda: SOON)
    run_due(lambda: SOON + HOUR)

    assert reloaded(existing).state == "open"


def test_a_recurring_silence_covers_and_releases_incidents_each_time(cast: Cast) -> None:
    existing = incident(routed(cast.source).id)
    nightly = {"rrule": "FREQ=DAILY", "timezone": "Europe/Berlin", "durationMinutes": 60}
    silence = make_silence(cast.workspace, start=SOON, ends_at=SOON + timedelta(days=2), recurrence=nightly)
    seen = []

    for hours in (0, 1, 24, 25, 48):
        run_due(lambda at=SOON + hours * HOUR: at)
        seen.append((reloaded(existing).state, next_turn(silence)))

    day = timedelta(days=1)
    assert seen == [
        ("silenced", SOON + HOUR),
        ("open", SOON + day),
        ("silenced", SOON + day + HOUR),
        ("open", None),
        ("open", None),
    ]
    assert reasons(existing.id) == ["opened"]


def test_a_changed_silence_releases_former_matches_and_covers_new_ones(cast: Cast) -> None:
    disk = incident(routed(cast.source, key="a", title="Disk full").id)
    network = incident(routed(cast.source, key="b", title="Network down").id)
    silence = make_silence(cast.workspace, start=SOON, match=titled("disk"))
    run_due(lambda: SOON)

    change(silence, LATER, match=titled("network"))
    run_due(lambda: LATER)

    assert [reloaded(disk).state, reloaded(network).state] == ["open", "silenced"]
    assert next_turn(silence) == SOON + HOUR


def test_an_incident_silenced_by_the_former_match_during_an_edit_is_released_later(cast: Cast) -> None:
    """A worker that began before the edit covers an incident by the former match, and commits after the change was applied."""
    existing = incident(routed(cast.source, title="Network down").id)
    silence = make_silence(cast.workspace, start=SOON, match=titled("disk"))
    run_due(lambda: SOON)
    silences.edit(silence, {"comment": "Narrower"}, expected_rev=None, now=LATER)
    run_due(lambda: LATER)
    covered = {"state": "silenced", "state_before_silence": "open", "silenced_by": silence.id}
    Incident.update(covered).where(Incident.id == existing.id).execute()

    run_due(lambda: LATER + IN_FLIGHT_GRACE)

    assert standing(existing) == ("open", None, None)


def test_deleting_or_purging_a_silence_releases_its_incidents(cast: Cast) -> None:
    existing = [incident(routed(cast.source, key=key).id) for key in "ab"]
    first = make_silence(cast.workspace, start=SOON, match=titled("disk"))
    run_due(lambda: SOON)

    change(first, LATER, deleted_at=NOW)
    run_due(lambda: LATER)
    assert [reloaded(one).state for one in existing] == ["open", "open"]
    second = make_silence(cast.workspace, start=NOW + 21 * MINUTE)
    run_due(lambda: NOW + 21 * MINUTE)
    Silence.delete().where(Silence.id == second.id).execute()
    run_due(lambda: NOW + 2 * HOUR)

    assert [reloaded(one).state for one in existing] == ["open", "open"]


def test_a_whole_occurrence_that_an_outage_swallowed_moves_nothing(cast: Cast) -> None:
    existing = incident(routed(cast.source).id)
    before = reloaded(existing).__data__
    silence = make_silence(cast.workspace, start=SOON)

    run_due(lambda: SOON + timedelta(days=1))

    assert reloaded(existing).__data__ == before
    assert next_turn(silence) is None


def test_a_stored_silence_that_cannot_be_understood_is_over(cast: Cast) -> None:
    existing = incident(routed(cast.source).id)
    silence = make_silence(cast.workspace, start=SOON, match={"field": "nonsense"})

    run_due(lambda: SOON)

    assert reloaded(existing).state == "open"
    assert next_turn(silence) is None


def test_deleted_and_expired_silences_are_kept_for_their_retention(cast: Cast) -> None:
    day = timedelta(days=1)
    retained = [
        make_silence(cast.workspace, start=NOW),
        make_silence(cast.workspace, start=NOW, deleted_at=NOW - 6.9 * day),
        make_silence(cast.workspace, start=NOW - 400 * day, ends_at=NOW - 364.9 * day),
    ]
    make_silence(cast.workspace, start=NOW, deleted_at=NOW - 7.1 * day)
    make_silence(cast.workspace, start=NOW - 400 * day, ends_at=NOW - 365.1 * day)

    purge(NOW)

    assert {silence.id for silence in Silence.select()} == {silence.id for silence in retained}


def test_a_check_that_is_later_than_the_end_of_its_silence_leaves_the_end_to_the_transition(cast: Cast) -> None:
    """The end comes in its turn among the timers of the incident, such as the end of flapping before it."""
    existing = incident(routed(cast.source).id)
    made = make_silence(cast.workspace, start=SOON)
    run_due(lambda: SOON)
    late = made.ends_at + MINUTE

    found = []
    for _ in range(2):
        fire_first(late)
        found.append(reloaded(existing).state)

    assert found == ["silenced", "open"]
