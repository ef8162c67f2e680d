"""Silences begin and end: what they take and let go, with many workers at once, killed or late (specification 8.3)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from inbox.domain.incident import Act, Actor
from inbox.flow.people import incidents
from inbox.flow.timers.run import run_due
from inbox.flow.unit_of_work import work
from inbox.flow.upkeep.purge import purge
from inbox.models.tables.events import ReceivedEvent
from inbox.models.tables.incidents import Incident, TimelineEntry
from inbox.models.tables.silences import IN_FLIGHT_GRACE, Silence
from tests.cast import NOW, Cast, make_source, typeid
from tests.flow.routing_fixtures import bodies, incident, listen, reasons, routed, settle, timeline, told
from tests.silences import HOUR, change, make_silence, next_turn, titled

MINUTE = timedelta(minutes=1)
MIA = Actor("user", "", "Mia")
SOON = NOW + 10 * MINUTE
LATER = NOW + 20 * MINUTE


@pytest.fixture(autouse=True)
def calm(cast: Cast) -> None:
    """Nothing but silences has a clock here."""
    settle(cast.workspace, renotifyMinutes={"CRITICAL": 0, "ERROR": 0})


def again(known: Incident) -> Incident:
    found: Incident = Incident.get_by_id(known.id)
    return found


def standing(known: Incident) -> tuple[str, str | None, Any]:
    """(state, the state before, the silence)"""
    now = again(known)
    return now.state, now.state_before_silence, now.silenced_by


def do(known: Incident, act: Act, *, until: Any = None, at: datetime = NOW + MINUTE) -> None:
    with work() as done:
        incidents.act(known.id, act, at, done, by=MIA, until=until)


def test_what_it_matches_is_silenced_when_it_begins_and_told_again_when_it_ends(cast: Cast) -> None:
    pager = listen(cast.workspace)
    known = incident(routed(cast.source, key="a", title="Disk full").id)
    other = incident(routed(cast.source, key="b", title="Network down").id)
    silence = make_silence(cast.workspace, start=SOON, match=titled("disk"))

    run_due(lambda: SOON - timedelta(seconds=1))
    assert again(known).state == "open"
    run_due(lambda: SOON)
    assert standing(known) == ("silenced", "open", silence.id)
    assert next_turn(silence) == SOON + HOUR
    run_due(lambda: SOON + HOUR - timedelta(seconds=1))
    assert again(known).state == "silenced"
    run_due(lambda: SOON + HOUR)

    assert standing(known) == ("open", None, None)
    assert standing(other) == ("open", None, None)
    assert timeline(known.id) == ["opened", "silenced", "silence_ended"]
    assert reasons(known.id) == ["opened", "silence_expired"]
    assert reasons(other.id) == ["opened"]
    assert [reason for reason, _, _ in told(pager)] == ["opened", "opened", "silence_expired"]
    assert next_turn(silence) is None
    entry = TimelineEntry.get(TimelineEntry.kind == "silence_ended")
    assert entry.details == {"from": "silenced", "to": "open"}
    assert entry.actor == {"type": "silence", "id": typeid("sil", silence.id), "name": "Upgrade"}
    assert bodies(known.id)[-1]["data"]["actor"] == entry.actor


def test_it_is_named_by_its_comment_without_secrets_and_where_it_is_gone_by_a_word(cast: Cast) -> None:
    listen(cast.workspace)
    known = incident(routed(cast.source).id)
    make_silence(cast.workspace, start=SOON, comment="Rotates svc_src_" + "a" * 49)
    run_due(lambda: SOON)
    run_due(lambda: SOON + HOUR)
    deleted = make_silence(cast.workspace, start=SOON + 2 * HOUR)
    run_due(lambda: SOON + 2 * HOUR)
    change(deleted, SOON + 2 * HOUR + MINUTE, deleted_at=NOW)
    run_due(lambda: SOON + 2 * HOUR + MINUTE)
    gone = make_silence(cast.workspace, start=SOON + 4 * HOUR)
    run_due(lambda: SOON + 4 * HOUR)
    Silence.delete().where(Silence.id == gone.id).execute()
    run_due(lambda: SOON + 5 * HOUR)

    names = [body["data"]["actor"]["name"] for body in bodies(known.id) if body["data"]["reason"] == "silence_expired"]
    assert names == ["Rotates svc_[REDACTED]", "Upgrade", "Silence"]


@pytest.mark.parametrize(("act", "state"), [(Act.ACKNOWLEDGE, "acknowledged"), (Act.SNOOZE, "snoozed")])
def test_what_somebody_has_taken_or_put_off_goes_back_there_untold(cast: Cast, act: Act, state: str) -> None:
    known = incident(routed(cast.source).id)
    do(known, act, until=NOW + 5 * HOUR if act is Act.SNOOZE else None)
    before = again(known)
    make_silence(cast.workspace, start=SOON)

    run_due(lambda: SOON)
    assert standing(known)[:2] == ("silenced", state)
    run_due(lambda: SOON + HOUR)

    after = again(known)
    assert after.state == state
    assert (after.snoozed_until, after.acknowledged_at) == (before.snoozed_until, before.acknowledged_at)
    assert "silence_expired" not in reasons(known.id)


def test_a_snooze_that_ran_out_under_the_silence_leaves_it_open_and_told(cast: Cast) -> None:
    known = incident(routed(cast.source).id)
    do(known, Act.SNOOZE, until=NOW + 30 * MINUTE)
    make_silence(cast.workspace, start=SOON)
    run_due(lambda: SOON)

    run_due(lambda: NOW + 31 * MINUTE)
    assert standing(known)[:2] == ("silenced", "snoozed")
    run_due(lambda: SOON + HOUR)

    assert (again(known).state, again(known).snoozed_until) == ("open", None)
    assert reasons(known.id)[-1] == "silence_expired"


def test_what_is_resolved_is_neither_taken_nor_let_go(cast: Cast) -> None:
    over = incident(routed(cast.source, key="a").id)
    do(over, Act.RESOLVE)
    covered = incident(routed(cast.source, key="b").id)
    make_silence(cast.workspace, start=SOON)

    run_due(lambda: SOON)
    assert again(over).state == "resolved"
    do(covered, Act.RESOLVE, at=SOON + MINUTE)
    run_due(lambda: SOON + HOUR)

    assert standing(covered) == ("resolved", None, None)
    assert timeline(covered.id) == ["opened", "silenced", "resolved"]


def test_it_takes_only_what_comes_from_its_sources_and_its_workspace(cast: Cast) -> None:
    here = incident(routed(cast.source).id)
    beside = incident(routed(make_source(cast.workspace, "Cron")[0]).id)
    elsewhere = incident(routed(cast.foreign_source).id)
    make_silence(cast.workspace, start=SOON, source_ids=[cast.source.id])

    run_due(lambda: SOON)

    assert [again(one).state for one in (here, beside, elsewhere)] == ["silenced", "open", "open"]


def test_an_incident_is_matched_by_its_newest_event(cast: Cast) -> None:
    known = incident(routed(cast.source, body="calm", metadata={"team": "db"}).id)
    routed(cast.source, NOW + MINUTE, body="loud", metadata={"team": "web"})
    was = make_silence(cast.workspace, start=SOON, match={"field": "body", "op": "contains", "value": "calm"})
    make_silence(cast.workspace, start=SOON + MINUTE, match={"field": "metadata.team", "op": "eq", "value": "web"})

    run_due(lambda: SOON)
    assert again(known).state == "open"
    run_due(lambda: SOON + MINUTE)

    assert again(known).state == "silenced"
    assert again(known).silenced_by != was.id


def test_what_rules_and_people_made_of_the_event_counts(cast: Cast) -> None:
    known = incident(routed(cast.source, severity="WARNING", tags=["web"]).id)
    Incident.update(last_severity="CRITICAL", tags=["db"]).execute()
    db_or_web = [{"field": "tags", "op": "eq", "value": value} for value in ("db", "web")]
    severe = {"field": "severity", "op": "eq", "value": "CRITICAL"}
    make_silence(cast.workspace, start=SOON, match={"all": [severe, *db_or_web]})

    run_due(lambda: SOON)

    assert again(known).state == "silenced"


def test_what_it_took_it_keeps_until_it_turns(cast: Cast) -> None:
    known = incident(routed(cast.source, body="calm").id)
    silence = make_silence(cast.workspace, start=SOON, match={"field": "body", "op": "eq", "value": "calm"})
    run_due(lambda: SOON)
    routed(cast.source, SOON + timedelta(seconds=1), body="loud")

    run_due(lambda: SOON + IN_FLIGHT_GRACE)
    assert again(known).state == "silenced"
    change(silence, LATER, comment="Longer than thought")
    run_due(lambda: LATER)

    assert again(known).state == "open"


def test_an_incident_whose_events_are_purged_is_matched_by_itself(cast: Cast) -> None:
    known = incident(routed(cast.source, title="Disk full").id)
    ReceivedEvent.delete().execute()
    make_silence(cast.workspace, start=SOON, match=titled("disk"))

    run_due(lambda: SOON)

    assert again(known).state == "silenced"


def test_what_another_silence_covers_too_goes_over_to_it(cast: Cast) -> None:
    known = incident(routed(cast.source).id)
    first = make_silence(cast.workspace, start=SOON)
    second = make_silence(cast.workspace, start=SOON + MINUTE)

    run_due(lambda: SOON + 2 * MINUTE)
    assert standing(known) == ("silenced", "open", first.id)
    run_due(lambda: SOON + HOUR)
    assert standing(known) == ("silenced", "open", second.id)
    assert reasons(known.id) == ["opened"]
    run_due(lambda: SOON + HOUR + MINUTE)

    assert standing(known) == ("open", None, None)
    assert timeline(known.id) == ["opened", "silenced", "silenced", "silence_ended"]
    assert reasons(known.id) == ["opened", "silence_expired"]


@pytest.mark.parametrize(
    "other",
    [{"match": titled("network")}, {"start": SOON + 2 * HOUR}, {"deleted_at": NOW}],
)
def test_a_silence_that_does_not_hold_it_keeps_nothing(cast: Cast, other: dict[str, Any]) -> None:
    known = incident(routed(cast.source).id)
    make_silence(cast.workspace, start=SOON)
    make_silence(cast.workspace, **{"start": SOON, **other})

    run_due(lambda: SOON)
    run_due(lambda: SOON + HOUR)

    assert again(known).state == "open"


def test_one_that_recurs_takes_and_lets_go_each_time(cast: Cast) -> None:
    known = incident(routed(cast.source).id)
    nightly = {"rrule": "FREQ=DAILY", "timezone": "Europe/Berlin", "durationMinutes": 60}
    silence = make_silence(cast.workspace, start=SOON, ends_at=SOON + timedelta(days=2), recurrence=nightly)
    seen = []

    for hours in (0, 1, 24, 25, 48):
        run_due(lambda at=SOON + hours * HOUR: at)
        seen.append((again(known).state, next_turn(silence)))

    day = timedelta(days=1)
    assert seen == [
        ("silenced", SOON + HOUR),
        ("open", SOON + day),
        ("silenced", SOON + day + HOUR),
        ("open", None),
        ("open", None),
    ]
    assert reasons(known.id) == ["opened", "silence_expired", "silence_expired"]


def test_a_change_lets_go_what_it_covers_no_longer_and_takes_what_it_covers_now(cast: Cast) -> None:
    disk = incident(routed(cast.source, key="a", title="Disk full").id)
    network = incident(routed(cast.source, key="b", title="Network down").id)
    silence = make_silence(cast.workspace, start=SOON, match=titled("disk"))
    run_due(lambda: SOON)

    change(silence, LATER, match=titled("network"))
    run_due(lambda: LATER)

    assert [again(disk).state, again(network).state] == ["open", "silenced"]
    assert next_turn(silence) == SOON + HOUR


def test_a_silence_that_is_deleted_or_purged_lets_everything_go(cast: Cast) -> None:
    known = [incident(routed(cast.source, key=key).id) for key in "ab"]
    first = make_silence(cast.workspace, start=SOON, match=titled("disk"))
    run_due(lambda: SOON)

    change(first, LATER, deleted_at=NOW)
    run_due(lambda: LATER)
    assert [again(one).state for one in known] == ["open", "open"]
    second = make_silence(cast.workspace, start=NOW + 21 * MINUTE)
    run_due(lambda: NOW + 21 * MINUTE)
    Silence.delete().where(Silence.id == second.id).execute()
    run_due(lambda: NOW + 2 * HOUR)

    assert [again(one).state for one in known] == ["open", "open"]


def test_a_whole_occurrence_that_an_outage_swallowed_moves_nothing(cast: Cast) -> None:
    known = incident(routed(cast.source).id)
    before = again(known).__data__
    silence = make_silence(cast.workspace, start=SOON)

    run_due(lambda: SOON + timedelta(days=1))

    assert again(known).__data__ == before
    assert next_turn(silence) is None


def test_a_stored_silence_that_cannot_be_understood_is_over(cast: Cast) -> None:
    known = incident(routed(cast.source).id)
    silence = make_silence(cast.workspace, start=SOON, match={"field": "nonsense"})

    run_due(lambda: SOON)

    assert again(known).state == "open"
    assert next_turn(silence) is None


def test_what_was_deleted_or_is_over_is_kept_for_its_time(cast: Cast) -> None:
    day = timedelta(days=1)
    kept = [
        make_silence(cast.workspace, start=NOW),
        make_silence(cast.workspace, start=NOW, deleted_at=NOW - 6.9 * day),
        make_silence(cast.workspace, start=NOW - 400 * day, ends_at=NOW - 364.9 * day),
    ]
    make_silence(cast.workspace, start=NOW, deleted_at=NOW - 7.1 * day)
    make_silence(cast.workspace, start=NOW - 400 * day, ends_at=NOW - 365.1 * day)

    purge(NOW)

    assert {silence.id for silence in Silence.select()} == {silence.id for silence in kept}
