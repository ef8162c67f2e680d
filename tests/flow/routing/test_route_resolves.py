"""Recoveries resolve incidents, and later events reopen them or open new ones."""

from __future__ import annotations

import pytest

from inbox.domain.values import ids
from inbox.models.deliveries.tables import Notice
from inbox.models.incidents.tables import Incident
from tests.cast import NOW, Cast, make_source
from tests.flow.routing.route_steps import (
    MINUTE,
)
from tests.flow.routing_fixtures import (
    incident,
    listen,
    reasons,
    reported,
    routed,
    timeline,
)


@pytest.mark.parametrize(
    "recovery", [{"action": "resolve"}, {"severity": "SUCCESS"}, {"severity": "CRITICAL", "action": "resolve"}]
)
@pytest.mark.parametrize("state", ["open", "acknowledged", "snoozed", "silenced"])
def test_a_recovery_resolves_an_incident_in_every_unresolved_state(
    cast: Cast, state: str, recovery: dict[str, str]
) -> None:
    pager = listen(cast.workspace)
    first = routed(cast.source, severity="ERROR")
    Incident.update(state=state).execute()

    end = routed(cast.source, NOW + MINUTE, **recovery)

    over = incident(first.id)
    assert (end.disposition, end.incident_id, over.state) == ("resolved", over.id, "resolved")
    assert over.resolved_at == NOW + MINUTE
    assert over.resolved_by == {"type": "event", "id": ids.encode("evt", end.id), "name": "Prometheus"}
    assert (over.severity, over.event_count) == ("ERROR", 2)
    assert [reason for reason, _, _ in reported(pager)] == ["opened", "resolved"]
    assert timeline(over.id) == ["opened", "resolved"]


def test_a_recovery_without_an_incident_changes_nothing(cast: Cast) -> None:
    end = routed(cast.source, action="resolve")

    assert (end.disposition, end.incident_id, end.routing["act"]) == ("unmatched", None, "recover")
    assert Incident.select().count() == Notice.select().count() == 0


def test_a_second_recovery_is_unmatched(cast: Cast) -> None:
    first = routed(cast.source)
    routed(cast.source, NOW + MINUTE, action="resolve")
    before = incident(first.id)

    repeated = routed(cast.source, NOW + 2 * MINUTE, action="resolve")

    assert (repeated.disposition, repeated.incident_id) == ("unmatched", None)
    assert (incident(first.id).rev, incident(first.id).resolved_at) == (before.rev, before.resolved_at)


def test_a_success_without_a_dedup_key_is_logged(cast: Cast) -> None:
    routed(cast.source, key=None, by="title")
    success = routed(cast.source, NOW + MINUTE, key=None, by="title", severity="SUCCESS")

    assert success.disposition == "logged"
    assert Incident.get().state == "open"


def test_a_source_may_resolve_by_fingerprint(cast: Cast) -> None:
    source, _ = make_source(cast.workspace, "Uptime", resolve_by="fingerprint")
    routed(source, key=None, by="title")

    assert routed(source, NOW + MINUTE, key=None, by="title", severity="SUCCESS").disposition == "resolved"


def test_an_event_within_the_reopen_window_reopens_the_incident(cast: Cast) -> None:
    first = routed(cast.source, severity="CRITICAL")
    routed(cast.source, NOW + MINUTE, action="resolve")

    repeated = routed(cast.source, NOW + 61 * MINUTE, severity="WARNING")

    existing = incident(first.id)
    assert (repeated.disposition, repeated.incident_id) == ("opened", existing.id)
    assert (existing.state, existing.severity, existing.reopen_count, existing.resolved_at) == (
        "open",
        "WARNING",
        1,
        None,
    )
    assert (existing.first_seen_at, existing.opened_at) == (NOW, NOW + 61 * MINUTE)
    assert reasons(existing.id) == ["opened", "resolved", "reopened"]
    assert timeline(existing.id) == ["opened", "resolved", "reopened"]


def test_an_event_after_the_reopen_window_opens_a_new_incident(cast: Cast) -> None:
    first = routed(cast.source)
    routed(cast.source, NOW + MINUTE, action="resolve")

    later = routed(cast.source, NOW + 62 * MINUTE)

    old, new = incident(first.id), incident(later.id)
    assert (old.state, new.state, new.number) == ("resolved", "open", 2)
    assert new.related_incident_id == old.id
    assert reasons(new.id) == ["opened"]


def test_the_incident_resolved_last_is_the_one_reopened(cast: Cast) -> None:
    first = routed(cast.source)
    routed(cast.source, NOW + MINUTE, action="resolve")
    second = routed(cast.source, NOW + 120 * MINUTE)
    routed(cast.source, NOW + 121 * MINUTE, action="resolve")
    later = NOW + 130 * MINUTE
    Incident.update(resolved_at=later, last_seen_at=later).where(Incident.id == incident(first.id).id).execute()

    third = routed(cast.source, NOW + 140 * MINUTE)

    assert third.incident_id == incident(first.id).id != incident(second.id).id


def test_grouping_never_crosses_sources(cast: Cast) -> None:
    other, _ = make_source(cast.workspace, "Other")

    ours, foreign_one, foreign = (routed(source) for source in (cast.source, other, cast.foreign_source))

    assert len({ours.incident_id, foreign_one.incident_id, foreign.incident_id}) == 3
    assert incident(foreign.id).workspace_id == cast.foreign.id
    assert [incident(e.id).number for e in (ours, foreign_one, foreign)] == [1, 2, 1]
