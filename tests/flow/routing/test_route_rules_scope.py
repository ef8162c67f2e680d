"""Rules group, snooze and apply within their sources, hours and workspace."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from inbox.flow.routing.route import route
from inbox.flow.timers.run import run_due
from inbox.models.incidents.timers import Timer
from inbox.models.routing import routing_config
from inbox.models.routing.rules import Rule
from tests.cast import NOW, Cast, make_source, typeid
from tests.flow.routing.route_rules_steps import (
    MINUTE,
)
from tests.flow.routing_fixtures import (
    accept,
    event,
    incident,
    listen,
    reported,
    routed,
    timeline,
)
from tests.flow.rulemaking import ANY, clause, matched, rule


def test_a_rule_may_group_otherwise_while_events_keep_their_own_fingerprint(cast: Cast) -> None:
    rule(cast.workspace, group_by=("resource",))

    one = routed(cast.source, key="cpu", resource="host:db1")
    two = routed(cast.source, NOW + MINUTE, key="disk", resource="host:db1")
    other = routed(cast.source, NOW + 2 * MINUTE, key="disk", resource="host:db2")
    bare = routed(cast.source, NOW + 3 * MINUTE, key="cpu")

    assert (one.incident_id, two.disposition) == (two.incident_id, "updated")
    assert len({one.incident_id, other.incident_id, bare.incident_id}) == 3
    assert incident(one.id).fingerprint not in {one.fingerprint, two.fingerprint}
    assert incident(bare.id).fingerprint == bare.fingerprint


@pytest.mark.parametrize("field", ["url", "metadata.labels.team"])
def test_a_field_that_a_rule_groups_by_is_loaded(cast: Cast, field: str) -> None:
    rule(cast.workspace, group_by=(field,))
    about: dict[str, Any] = {"url": "https://x.example/1", "metadata": {"labels": {"team": "db"}}}

    first, second = routed(cast.source, key="a", **about), routed(cast.source, NOW + MINUTE, key="b", **about)

    assert first.incident_id == second.incident_id


@pytest.mark.parametrize(
    ("match", "about"),
    [
        (clause("body", "contains", "needle"), {"body": "hay\nneedle\nhay"}),
        (clause("metadata.labels.team", "eq", "db"), {"metadata": {"labels": {"team": "db"}}}),
        (clause("url", "startsWith", "https://x."), {"url": "https://x.example/1"}),
        (clause("externalId", "eq", "T-1"), {"external_id": "T-1"}),
        (clause("tags", "contains", "prod"), {"tags": ["prod"]}),
        (clause("source", "eq", "prometheus"), {}),
        (clause("severity", "gte", "error"), {}),
        (clause("resource.kind", "eq", "host"), {"resource": "host:db1"}),
        (clause("dedupKey", "eq", "disk"), {}),
    ],
)
def test_a_rule_sees_every_field_of_an_event(cast: Cast, match: Any, about: dict[str, Any]) -> None:
    rule(cast.workspace, match, "drop")

    assert routed(cast.source, **about).disposition == "dropped"
    assert routed(cast.foreign_source, **about).disposition == "opened"


def test_a_rule_with_a_snooze_opens_its_incident_snoozed_without_a_notice(cast: Cast) -> None:
    pager = listen(cast.workspace)
    rule(cast.workspace, snooze=timedelta(minutes=10))

    opened = routed(cast.source)

    existing = incident(opened.id)
    assert (opened.disposition, opened.routing["act"], opened.routing["reason"]) == ("opened", "trigger_snoozed", None)
    assert (existing.state, existing.snoozed_until) == ("snoozed", NOW + 10 * MINUTE)
    assert (reported(pager), timeline(existing.id)) == ([], ["opened"])
    timers = {timer.kind: timer.due_at for timer in Timer.select().where(Timer.subject_id == existing.id)}
    assert timers["incident.snooze_end"] == NOW + 10 * MINUTE


@pytest.mark.parametrize("is_over", [False, True])
def test_an_incident_snoozed_by_a_rule_is_notified_at_the_end_if_unresolved(cast: Cast, is_over: bool) -> None:
    pager = listen(cast.workspace)
    rule(cast.workspace, snooze=timedelta(minutes=10))
    opened = routed(cast.source)
    if is_over:
        routed(cast.source, NOW + MINUTE, action="resolve")

    run_due(lambda: NOW + 10 * MINUTE)

    assert incident(opened.id).state == ("resolved" if is_over else "open")
    assert reported(pager) == ([] if is_over else [("snooze_expired", "pending", None)])


def test_a_rule_holds_only_for_its_sources_and_in_its_hours(cast: Cast) -> None:
    other, _ = make_source(cast.workspace, "Other")
    saturdays = {"timezone": "UTC", "windows": [{"days": ["sat"], "start": "08:00", "end": "10:00"}]}
    rule(cast.workspace, ANY, "drop", source_ids=(cast.source.id,), active_during=saturdays)

    assert routed(cast.source).disposition == "dropped"
    assert routed(other).disposition == "opened"
    assert routed(cast.source, NOW + 60 * MINUTE).disposition == "opened"


def test_the_hours_of_a_rule_apply_to_the_time_of_receipt(cast: Cast) -> None:
    saturdays = {"timezone": "UTC", "windows": [{"days": ["sat"], "start": "08:00", "end": "10:00"}]}
    rule(cast.workspace, ANY, "drop", active_during=saturdays)
    late = accept(cast.source, NOW)

    route(lambda: NOW + timedelta(hours=5))

    assert event(late).disposition == "dropped"


def test_a_rule_that_changes_holds_from_the_next_batch_on(cast: Cast) -> None:
    made = rule(cast.workspace, ANY, "drop")
    assert routed(cast.source).disposition == "dropped"

    Rule.update(enabled=False).where(Rule.id == made.id).execute()
    routing_config.bump_revision(cast.workspace.id)

    assert routed(cast.source, NOW + MINUTE).disposition == "opened"


def test_a_stored_rule_that_is_broken_does_not_stop_routing_and_is_shown(cast: Cast) -> None:
    broken = rule(cast.workspace, {"field": "nonsense", "op": "eq", "value": 1}, "drop", name="Broken")
    rule(cast.workspace, ANY, "log", name="Sound")

    logged = routed(cast.source)

    assert logged.disposition == "logged"
    stated = {each["name"]: each for each in logged.routing["rules"]}
    assert stated["Broken"]["ruleId"] == typeid("rul", broken.id)
    assert "BadMatch" in stated["Broken"]["error"]
    assert stated["Sound"]["decided"]
    assert matched(broken) == 0
