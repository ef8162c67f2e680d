"""Start and end of silences, with concurrent, killed and late workers (specification 8.3)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import orjson
import pytest

from inbox.domain.explaining import notice_content
from inbox.domain.incidents.incident import Act, Actor, Transitioned, apply_act
from inbox.flow.people import incidents
from inbox.flow.timers.run import run_due
from inbox.flow.unit_of_work import work
from inbox.models.deliveries.tables import Delivery
from inbox.models.events.tables import ReceivedEvent
from inbox.models.incidents import lock
from inbox.models.incidents.tables import Incident, TimelineEntry
from inbox.models.routing.silences import IN_FLIGHT_GRACE, Silence
from tests.cast import NOW, Cast, make_source, typeid
from tests.flow.routing_fixtures import bodies, incident, listen, reasons, reported, routed, timeline
from tests.flow.timers.silences_steps import (
    LATER,
    MINUTE,
    SOON,
    calm,  # noqa: F401
    reloaded,
    standing,
)
from tests.silences import HOUR, change, make_silence, next_turn, titled

MIA = Actor("user", "", "Mia")


def do(existing: Incident, act: Act, *, until: Any = None, at: datetime = NOW + MINUTE) -> None:
    with work() as done:
        incidents.act(existing.id, incidents.ActRequest(act, by=MIA, until=until), at, done)


def test_an_incident_that_rose_under_a_silence_is_notified_again_when_it_ends(cast: Cast) -> None:
    pager = listen(cast.workspace)
    existing = incident(routed(cast.source, key="a", title="Disk full", severity="WARNING").id)
    other = incident(routed(cast.source, key="b", title="Network down").id)
    silence = make_silence(cast.workspace, start=SOON, match=titled("disk"))

    run_due(lambda: SOON - timedelta(seconds=1))
    assert reloaded(existing).state == "open"
    run_due(lambda: SOON)
    assert standing(existing) == ("silenced", "open", silence.id)
    assert next_turn(silence) == SOON + HOUR
    run_due(lambda: SOON + HOUR - timedelta(seconds=1))
    assert reloaded(existing).state == "silenced"
    routed(cast.source, SOON + MINUTE, key="a", title="Disk full", severity="CRITICAL")
    run_due(lambda: SOON + HOUR)

    assert standing(existing) == ("open", None, None)
    assert standing(other) == ("open", None, None)
    assert timeline(existing.id) == ["opened", "silenced", "escalated", "silence_ended"]
    assert reasons(existing.id) == ["opened", "escalated", "silence_expired"]
    assert reasons(other.id) == ["opened"]
    assert [reason for reason, _, _ in reported(pager)] == ["opened", "opened", "silence_expired"]
    assert next_turn(silence) is None
    entry = TimelineEntry.get(TimelineEntry.kind == "silence_ended")
    assert entry.details == {"from": "silenced", "to": "open"}
    assert entry.actor == {"type": "silence", "id": typeid("sil", silence.id), "name": "Upgrade"}
    assert bodies(existing.id)[-1]["data"]["actor"] == entry.actor


def test_an_expired_silence_is_named_by_its_redacted_comment_or_by_the_word_silence(cast: Cast) -> None:
    listen(cast.workspace)
    routed(cast.source)
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

    ended = TimelineEntry.select().where(TimelineEntry.kind == "silence_ended").order_by(TimelineEntry.id)
    names = [entry.actor["name"] for entry in ended]
    assert names == ["Rotates svc_[REDACTED]", "Upgrade", "Silence"]


@pytest.mark.parametrize(("act", "state"), [(Act.ACKNOWLEDGE, "acknowledged"), (Act.SNOOZE, "snoozed")])
def test_an_acknowledged_or_snoozed_incident_returns_to_its_state_after_a_silence(
    cast: Cast, act: Act, state: str
) -> None:
    existing = incident(routed(cast.source).id)
    do(existing, act, until=NOW + 5 * HOUR if act is Act.SNOOZE else None)
    before = reloaded(existing)
    make_silence(cast.workspace, start=SOON)

    run_due(lambda: SOON)
    assert standing(existing)[:2] == ("silenced", state)
    run_due(lambda: SOON + HOUR)

    after = reloaded(existing)
    assert after.state == state
    assert (after.snoozed_until, after.acknowledged_at) == (before.snoozed_until, before.acknowledged_at)
    assert "silence_expired" not in reasons(existing.id)


def test_an_incident_whose_snooze_ended_under_a_silence_opens_and_is_notified(cast: Cast) -> None:
    existing = incident(routed(cast.source).id)
    do(existing, Act.SNOOZE, until=NOW + 30 * MINUTE)
    make_silence(cast.workspace, start=SOON)
    run_due(lambda: SOON)

    run_due(lambda: NOW + 31 * MINUTE)
    assert standing(existing)[:2] == ("silenced", "snoozed")
    run_due(lambda: SOON + HOUR)

    assert (reloaded(existing).state, reloaded(existing).snoozed_until) == ("open", None)
    assert reasons(existing.id)[-1] == "silence_expired"


def test_an_incident_that_was_known_before_a_silence_notifies_nobody_at_its_end(cast: Cast) -> None:
    existing = incident(routed(cast.source).id)
    make_silence(cast.workspace, start=SOON)
    run_due(lambda: SOON)
    routed(cast.source, SOON + 20 * MINUTE)

    run_due(lambda: SOON + HOUR)

    assert (reloaded(existing).state, reasons(existing.id)) == ("open", ["opened"])


@pytest.mark.parametrize("former", [True, False])
def test_an_incident_that_opened_or_reopened_under_a_silence_notifies_at_its_end(cast: Cast, former: bool) -> None:
    if former:
        routed(cast.source)
        routed(cast.source, NOW + MINUTE, action="resolve")
    make_silence(cast.workspace, start=SOON, comment="Nightly reboot")
    run_due(lambda: SOON)
    existing = incident(routed(cast.source, SOON + MINUTE).id)

    run_due(lambda: SOON + HOUR)

    assert reasons(existing.id)[-2:] == ["reopened" if former else "opened", "silence_expired"]
    assert notice_content.of_body(orjson.dumps(bodies(existing.id)[-1])).sentence == (
        'Silence "Nightly reboot" no longer covered the incident.'
    )


def test_an_incident_that_nobody_holds_any_more_notifies_at_the_end_of_its_silence(cast: Cast) -> None:
    existing = incident(routed(cast.source).id)
    do(existing, Act.ACKNOWLEDGE)
    make_silence(cast.workspace, start=SOON)
    run_due(lambda: SOON)
    values = lock.read(existing.id).state_values  # type: ignore[union-attr]
    left = apply_act(values, Act.MEMBER_LEFT, SOON)
    assert isinstance(left, Transitioned)

    ended = apply_act(left.incident, Act.SILENCE_ENDS, SOON + HOUR)

    assert isinstance(ended, Transitioned) and ended.reason == "silence_expired"


@pytest.mark.parametrize(("is_skipped", "ends"), [(True, ["silence_expired"]), (False, [])])
def test_a_held_alert_that_a_silence_skipped_is_made_up_for_at_its_end(
    cast: Cast, is_skipped: bool, ends: list[str]
) -> None:
    listen(cast.workspace)
    existing = incident(routed(cast.source).id)
    make_silence(cast.workspace, start=SOON)
    run_due(lambda: SOON)
    if is_skipped:
        Delivery.update(status="skipped", cause="silenced", due_at=None).execute()

    run_due(lambda: SOON + HOUR)

    assert reasons(existing.id) == ["opened", *ends]


def test_a_resolved_incident_is_neither_silenced_nor_released(cast: Cast) -> None:
    over = incident(routed(cast.source, key="a").id)
    do(over, Act.RESOLVE)
    covered = incident(routed(cast.source, key="b").id)
    make_silence(cast.workspace, start=SOON)

    run_due(lambda: SOON)
    assert reloaded(over).state == "resolved"
    do(covered, Act.RESOLVE, at=SOON + MINUTE)
    run_due(lambda: SOON + HOUR)

    assert standing(covered) == ("resolved", None, None)
    assert timeline(covered.id) == ["opened", "silenced", "resolved"]


def test_a_silence_covers_only_incidents_of_its_sources_and_workspace(cast: Cast) -> None:
    here = incident(routed(cast.source).id)
    beside = incident(routed(make_source(cast.workspace, "Cron")[0]).id)
    elsewhere = incident(routed(cast.foreign_source).id)
    make_silence(cast.workspace, start=SOON, source_ids=[cast.source.id])

    run_due(lambda: SOON)

    assert [reloaded(one).state for one in (here, beside, elsewhere)] == ["silenced", "open", "open"]


def test_an_incident_is_matched_by_its_newest_event(cast: Cast) -> None:
    existing = incident(routed(cast.source, body="calm", metadata={"team": "db"}).id)
    routed(cast.source, NOW + MINUTE, body="loud", metadata={"team": "web"})
    was = make_silence(cast.workspace, start=SOON, match={"field": "body", "op": "contains", "value": "calm"})
    make_silence(cast.workspace, start=SOON + MINUTE, match={"field": "metadata.team", "op": "eq", "value": "web"})

    run_due(lambda: SOON)
    assert reloaded(existing).state == "open"
    run_due(lambda: SOON + MINUTE)

    assert reloaded(existing).state == "silenced"
    assert reloaded(existing).silenced_by != was.id


def test_a_silence_matches_the_severity_and_tags_that_rules_and_people_set(cast: Cast) -> None:
    existing = incident(routed(cast.source, severity="WARNING", tags=["web"]).id)
    Incident.update(last_severity="CRITICAL", tags=["db"]).execute()
    db_or_web = [{"field": "tags", "op": "eq", "value": value} for value in ("db", "web")]
    severe = {"field": "severity", "op": "eq", "value": "CRITICAL"}
    make_silence(cast.workspace, start=SOON, match={"all": [severe, *db_or_web]})

    run_due(lambda: SOON)

    assert reloaded(existing).state == "silenced"


def test_a_silence_keeps_its_incidents_until_it_changes_or_ends(cast: Cast) -> None:
    existing = incident(routed(cast.source, body="calm").id)
    silence = make_silence(cast.workspace, start=SOON, match={"field": "body", "op": "eq", "value": "calm"})
    run_due(lambda: SOON)
    routed(cast.source, SOON + timedelta(seconds=1), body="loud")

    run_due(lambda: SOON + IN_FLIGHT_GRACE)
    assert reloaded(existing).state == "silenced"
    change(silence, LATER, comment="Longer than thought")
    run_due(lambda: LATER)

    assert reloaded(existing).state == "open"


def test_an_incident_whose_events_are_purged_is_matched_by_itself(cast: Cast) -> None:
    existing = incident(routed(cast.source, title="Disk full").id)
    ReceivedEvent.delete().execute()
    make_silence(cast.workspace, start=SOON, match=titled("disk"))

    run_due(lambda: SOON)

    assert reloaded(existing).state == "silenced"
