"""What is kept with a rulebook is what would be found anew; without a database."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from inbox.domain.routing import decide
from inbox.domain.rule_action import RuleAction
from inbox.domain.rules import Rule, RuleActions, RuleSet, Verdict
from inbox.domain.severity import Severity
from inbox.flow.routing import evaluate
from inbox.flow.routing.evaluate import Event, SourceRouting
from inbox.flow.routing.routing_config import RoutingConfig, compiled
from inbox.models.events.queue import SourceContext
from inbox.models.tables.workspaces import Workspace
from tests.cast import NOW
from tests.domain.matchers.matching import Seen

SOURCE, PROFILE = UUID(int=1), UUID(int=2)
ORIGIN = SourceContext(SOURCE, "Prometheus", "dedupKey", None, UUID(int=3), "Here", "here", {}, {}, False, 1)


def book() -> RoutingConfig:
    here: Any = SimpleNamespace(id=UUID(int=3), timezone="UTC", settings={}, default_route={})
    return compiled(cast(Workspace, here), 1, [], [], [])


def verdicts() -> list[Verdict]:
    rows = [
        SimpleNamespace(
            id=UUID(int=number), name=str(number), source_ids=[], match={"field": "title", "op": "eq", "value": str(number)},
            active_during=None, open_after=None, actions=then.record(), continue_matching=then.disposition is None,
        )
        for number, then in enumerate([RuleActions(None, Severity.CRITICAL), RuleActions(RuleAction.DROP), RuleActions(RuleAction.INCIDENT)])
    ]  # fmt: skip
    rules = RuleSet([Rule.of(row, "UTC") for row in rows])
    return [rules.verdict(Seen(title=title), SOURCE, NOW) for title in "012x"]


EVENTS = st.builds(
    lambda severity, action, key: cast(Event, SimpleNamespace(severity=severity, action=action, dedup_key=key)),
    st.sampled_from(list(Severity)),
    st.sampled_from(["trigger", "resolve"]),
    st.sampled_from([None, "", "a", "b"]),
)
SAID = verdicts()


@given(st.lists(st.tuples(EVENTS, st.sampled_from(SAID)), max_size=20), st.sampled_from(["dedupKey", "fingerprint"]))
def test_a_decision_that_is_kept_is_the_one_that_would_be_made(
    come: list[tuple[Event, Verdict]], resolve_by: str
) -> None:
    court = SourceRouting.of(book(), replace(ORIGIN, resolve_by=resolve_by))

    for event, verdict in come:
        assert court.decision(event, verdict) == decide(event, court.terms, verdict)


def test_a_source_that_stays_as_it_is_has_one_court_in_a_rulebook() -> None:
    here = book()
    court = SourceRouting.of(here, ORIGIN)

    others = [replace(ORIGIN, **changed) for changed in (
        {"source_name": "Grafana"}, {"resolve_by": "fingerprint"}, {"routing_profile_id": PROFILE},
        {"source_id": PROFILE},
    )]  # fmt: skip

    assert SourceRouting.of(here, replace(ORIGIN, workspace_slug="there")) is court
    assert [SourceRouting.of(here, other).source_name for other in others] == ["Grafana"] + ["Prometheus"] * 3
    assert (
        len(
            {
                id(each)
                for each in (court, SourceRouting.of(book(), ORIGIN), *(SourceRouting.of(here, one) for one in others))
            }
        )
        == 6
    )


def test_a_rulebook_made_of_another_keeps_nothing_of_it() -> None:
    here = book()
    SourceRouting.of(here, ORIGIN)

    assert replace(here, destination_ids=frozenset()).cached == {}


def test_no_more_courts_are_kept_than_there_is_room_for() -> None:
    here = book()

    for number in range(2 * evaluate.CACHED):
        SourceRouting.of(here, replace(ORIGIN, source_id=UUID(int=number)))
        assert len(here.cached) <= evaluate.CACHED + 1


def test_sources_with_the_same_terms_share_what_is_decided() -> None:
    here, event = book(), cast(Event, SimpleNamespace(severity=Severity.ERROR, action="trigger", dedup_key=None))
    origins = [ORIGIN, replace(ORIGIN, source_id=PROFILE), replace(ORIGIN, resolve_by="fingerprint")]

    one, alike, other = (SourceRouting.of(here, origin).decision(event, SAID[0]) for origin in origins)

    assert one is alike and one is not other
