"""A recovery resolves its incident whatever the rules: by fingerprint, grouping and dedup key.

Specification 6.8.
"""

from __future__ import annotations

from datetime import timedelta

import pytest

from inbox.models.incidents.tables import Incident
from inbox.models.routing import routing_config
from inbox.models.routing.rules import Rule
from tests.cast import NOW, Cast, make_source
from tests.flow.routing_fixtures import incident, listen, reasons, reported, routed
from tests.flow.rulemaking import ANY, clause, matched, rule

MINUTE = timedelta(minutes=1)
RECOVERIES = [{"action": "resolve"}, {"severity": "SUCCESS"}]


@pytest.mark.parametrize("recovery", RECOVERIES)
@pytest.mark.parametrize("disposition", ["log", "drop", "notify", "incident"])
def test_a_rule_cannot_suppress_a_recovery(cast: Cast, disposition: str, recovery: dict[str, str]) -> None:
    pager = listen(cast.workspace)
    first = routed(cast.source)
    made = rule(cast.workspace, ANY, disposition)

    end = routed(cast.source, NOW + MINUTE, **recovery)

    assert (end.disposition, end.incident_id) == ("resolved", first.incident_id)
    assert (incident(first.id).state, matched(made)) == ("resolved", 1)
    assert [reason for reason, _, _ in reported(pager)] == ["opened", "resolved"]


@pytest.mark.parametrize(
    ("disposition", "outcome"),
    [("log", "logged"), ("drop", "dropped"), ("notify", "notified"), ("incident", "unmatched")],
)
def test_a_recovery_without_an_incident_follows_the_rule(cast: Cast, disposition: str, outcome: str) -> None:
    rule(cast.workspace, ANY, disposition)
    end = routed(cast.source, action="resolve")

    assert (end.disposition, end.incident_id, Incident.select().count()) == (outcome, None, 0)


def test_a_recovery_resolves_an_incident_that_a_rule_grouped_otherwise(cast: Cast) -> None:
    rule(cast.workspace, clause("severity", "gte", "WARNING"), group_by=("resource",))
    first = routed(cast.source, key="cpu", resource="host:db1")

    end = routed(cast.source, NOW + MINUTE, key="cpu", severity="SUCCESS")

    assert (end.disposition, end.incident_id) == ("resolved", first.incident_id)


def test_a_recovery_resolves_the_incident_of_its_group_only_with_a_key_of_the_group(cast: Cast) -> None:
    rule(cast.workspace, group_by=("resource",))
    first = routed(cast.source, key="cpu", resource="host:db1")

    other = routed(cast.source, NOW + MINUTE, key="disk", resource="host:db1", action="resolve")
    end = routed(cast.source, NOW + MINUTE, key="cpu", resource="host:db1", action="resolve")

    assert (other.disposition, other.incident_id) == ("unmatched", None)
    assert (end.disposition, end.incident_id) == ("resolved", first.incident_id)


def test_a_recovery_resolves_all_incidents_with_its_dedup_key_and_is_counted_once(cast: Cast) -> None:
    plain = routed(cast.source, key="disk", resource="host:db1")
    made = rule(cast.workspace, group_by=("resource",))
    grouped = routed(cast.source, NOW + MINUTE, key="disk", resource="host:db1")
    Rule.update(enabled=False).where(Rule.id == made.id).execute()
    routing_config.bump_revision(cast.workspace.id)

    end = routed(cast.source, NOW + 2 * MINUTE, key="disk", action="resolve")

    assert {existing.state for existing in Incident.select()} == {"resolved"}
    assert end.incident_id == plain.incident_id
    assert (incident(plain.id).event_count, incident(grouped.id).event_count) == (2, 1)
    assert reasons(incident(plain.id).id) == reasons(incident(grouped.id).id) == ["opened", "resolved"]


def test_a_recovery_resolves_no_incident_of_another_source(cast: Cast) -> None:
    other, _ = make_source(cast.workspace, "Other")
    first = routed(other, key="disk")

    assert routed(cast.source, NOW + MINUTE, key="disk", action="resolve").disposition == "unmatched"
    assert incident(first.id).state == "open"


def test_a_recovery_without_a_dedup_key_resolves_by_fingerprint_where_the_source_says_so(cast: Cast) -> None:
    source, _ = make_source(cast.workspace, "Uptime", resolve_by="fingerprint")
    rule(cast.workspace, group_by=("resource",))
    first = routed(source, key=None, by="title", resource="host:db1")

    end = routed(source, NOW + MINUTE, key=None, by="another title", resource="host:db1", severity="SUCCESS")

    assert (end.disposition, end.incident_id) == ("resolved", first.incident_id)


@pytest.mark.parametrize(
    ("disposition", "outcome"), [("incident", "logged"), ("drop", "dropped"), ("notify", "notified")]
)
def test_a_recovery_without_a_dedup_key_never_opens_an_incident(cast: Cast, disposition: str, outcome: str) -> None:
    rule(cast.workspace, ANY, disposition)
    assert routed(cast.source, key=None, severity="SUCCESS").disposition == outcome
    assert Incident.select().count() == 0
