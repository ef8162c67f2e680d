"""The incident index: counting of events without a database."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace
from typing import Any
from uuid import UUID

from inbox.domain.routing.rules import Rule
from inbox.domain.routing.rules.verdict import merge
from inbox.flow.routing.incident_index import IncidentIndex
from inbox.models.routing.routing_results import MatchCount, MatchHour
from tests.cast import NOW

WORKSPACE = UUID(int=1)
HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)


def rule(number: int) -> Rule:
    about: dict[str, Any] = {"match": {"all": []}, "active_during": None, "open_after": None, "continue_matching": True}
    outcome: dict[str, Any] = {
        "disposition": None,
        "severity": None,
        "addTags": [],
        "groupBy": [],
        "resolveWhen": "all",
        "destinationIds": [],
    }
    outcome |= {"routingProfileId": None, "snoozeMinutes": None}
    row = {"id": UUID(int=number), "name": str(number), "source_ids": [], "actions": outcome, **about}
    return Rule.of(SimpleNamespace(**row), "UTC")


def test_a_rule_counts_each_event_of_an_hour_with_any_combination_of_rules() -> None:
    index_value, first, second = IncidentIndex(), rule(1), rule(2)
    both, one, other = (merge(rules, ()) for rules in ([first, second], [first], [second]))
    late = NOW + 59 * MINUTE

    index_value.match(WORKSPACE, both, late)
    index_value.match(WORKSPACE, one, NOW)
    index_value.match(WORKSPACE, other, NOW + HOUR)
    index_value.match(WORKSPACE, one, NOW + MINUTE)

    assert index_value.match_counts == {
        MatchHour(WORKSPACE, first.id, NOW): MatchCount(3, late),
        MatchHour(WORKSPACE, second.id, NOW): MatchCount(1, late),
        MatchHour(WORKSPACE, second.id, NOW + HOUR): MatchCount(1, NOW + HOUR),
    }
