"""A change of one rule or silence compiles nothing else again."""

from __future__ import annotations

from datetime import timedelta

import pytest

from inbox.flow.routing.routing_config import RoutingConfigCache
from inbox.models.routing import routing_config
from inbox.models.routing.rules import Rule
from inbox.models.routing.silences import Silence
from inbox.models.workspaces.tables import Workspace
from tests.cast import NOW, Cast
from tests.flow.routing.test_routing_config import look_up, put_rule, put_silence

OTHER = {"field": "title", "op": "exists", "value": True}


def change(row: Rule | Silence, **fields: object) -> None:
    """Save the row as its next revision."""
    table = type(row)
    table.update(rev=table.rev + 1, **fields).where(table.id == row.id).execute()
    routing_config.bump_revision(row.workspace_id)


def test_the_other_rules_and_silences_are_kept_when_one_rule_changes(cast: Cast) -> None:
    cache = RoutingConfigCache()
    first, _, _ = (put_rule(cast.workspace, position) for position in (1, 2, 3))
    put_silence(cast.workspace)
    before = look_up(cache, cast.workspace.id)

    change(first, match=OTHER)
    after = look_up(cache, cast.workspace.id)

    assert after.rules.rules[0].match == OTHER
    assert [rule.id for rule in after.rules.rules] == [rule.id for rule in before.rules.rules]
    assert after.rules.rules[1:] == before.rules.rules[1:]
    assert after.silences == before.silences


def test_the_rule_set_is_kept_when_only_a_silence_changes(cast: Cast) -> None:
    cache = RoutingConfigCache()
    put_rule(cast.workspace)
    changed, _ = put_silence(cast.workspace), put_silence(cast.workspace)
    before = look_up(cache, cast.workspace.id)

    change(changed, match={"field": "body", "op": "exists", "value": True})
    after = look_up(cache, cast.workspace.id)

    assert after.rules is before.rules
    assert [silence.id for silence in after.silences] == [silence.id for silence in before.silences]
    assert (before.needs, after.needs) == (frozenset(), {"body"})
    kept = {silence.id: silence for silence in before.silences}
    assert {silence.id for silence in after.silences if silence is not kept[silence.id]} == {changed.id}


def test_rules_are_compiled_again_for_another_time_zone(cast: Cast) -> None:
    cache = RoutingConfigCache()
    hours = {"timezone": None, "windows": [{"days": ["mon"], "start": "09:00", "end": "17:00"}]}
    put_rule(cast.workspace, active_during=hours)
    before = look_up(cache, cast.workspace.id)

    Workspace.update(timezone="Asia/Tokyo").where(Workspace.id == cast.workspace.id).execute()
    routing_config.bump_revision(cast.workspace.id)
    after = look_up(cache, cast.workspace.id)

    assert after.rules.rules[0] is not before.rules.rules[0]


def test_rules_keep_the_order_of_each_revision(cast: Cast) -> None:
    cache = RoutingConfigCache()
    first, second = put_rule(cast.workspace, 1), put_rule(cast.workspace, 2)
    before = look_up(cache, cast.workspace.id)

    Rule.update(position=3).where(Rule.id == first.id).execute()
    routing_config.bump_revision(cast.workspace.id)
    after = look_up(cache, cast.workspace.id)

    assert [rule.id for rule in after.rules.rules] == [second.id, first.id]
    assert after.rules.rules == before.rules.rules[::-1]


@pytest.mark.parametrize("fields", [{"enabled": False}, {"deleted_at": NOW}])
def test_a_rule_that_no_longer_applies_is_left_out(cast: Cast, fields: dict[str, object]) -> None:
    cache = RoutingConfigCache()
    gone, other = put_rule(cast.workspace, 1), put_rule(cast.workspace, 2)
    look_up(cache, cast.workspace.id)

    change(gone, **fields)
    after = look_up(cache, cast.workspace.id)

    assert [rule.id for rule in after.rules.rules] == [other.id]


def test_a_silence_that_ended_long_ago_is_left_out(cast: Cast) -> None:
    cache = RoutingConfigCache()
    ended, other = put_silence(cast.workspace), put_silence(cast.workspace)
    look_up(cache, cast.workspace.id)

    change(ended, ends_at=NOW - timedelta(days=8))
    after = look_up(cache, cast.workspace.id)

    assert [silence.id for silence in after.silences] == [other.id]


def test_each_workspace_keeps_its_own_rules(cast: Cast) -> None:
    cache = RoutingConfigCache()
    here, there = put_rule(cast.workspace), put_rule(cast.foreign)
    look_up(cache, cast.workspace.id)
    look_up(cache, cast.foreign.id)

    change(here, match=OTHER)
    revisions = routing_config.revisions([cast.workspace.id, cast.foreign.id])
    after = cache.configs(revisions, NOW)

    assert [rule.id for rule in after[cast.workspace.id].rules.rules] == [here.id]
    assert [rule.id for rule in after[cast.foreign.id].rules.rules] == [there.id]
