"""Creates rules, profiles and silences for tests of routing in one line each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from inbox.database.base import new_id
from inbox.domain.routing.rule_action import RuleAction
from inbox.domain.routing.rules import RuleActions
from inbox.models.routing import routing_config
from inbox.models.routing.profiles import RoutingProfile
from inbox.models.routing.rules import OpenAfterCounter, Rule, RuleMatch
from inbox.models.routing.silences import Silence
from inbox.models.workspaces.tables import Workspace
from tests.cast import NOW, present, typeid

ANY: dict[str, Any] = {"all": []}


def clause(field: str, op: str, value: Any) -> dict[str, Any]:
    return {"field": field, "op": op, "value": value}


def rule(
    workspace: Workspace,
    match: Any = ANY,
    disposition: str | None = "incident",
    *,
    name: str = "Rule",
    continue_matching: bool = False,
    open_after: tuple[int, int] | None = None,
    source_ids: Sequence[UUID] = (),
    active_during: Mapping[str, Any] | None = None,
    **then: Any,
) -> Rule:
    """An enabled rule behind those there are. `then` are fields of `domain.routing.rules.RuleActions`, `open_after` count and minutes."""
    outcome = RuleActions(None if disposition is None else RuleAction(disposition), **then).record()
    made: Rule = Rule.create(
        id=new_id(),
        workspace_id=workspace.id,
        name=name,
        position=Rule.select().count(),
        source_ids=list(source_ids),
        match=match,
        active_during=active_during,
        open_after=None if open_after is None else {"count": open_after[0], "withinMinutes": open_after[1]},
        actions=outcome,
        continue_matching=continue_matching,
        created_at=present(),
    )
    routing_config.bump_revision(workspace.id)
    return made


def profile(workspace: Workspace, *destinations: Any, **fields: Any) -> RoutingProfile:
    """A profile whose one step notifies these destinations at once."""
    step = {"afterMinutes": 0, "minSeverity": None, "destinationIds": [typeid("dst", one.id) for one in destinations]}
    made: RoutingProfile = RoutingProfile.create(
        id=new_id(), workspace_id=workspace.id, name="Profile", created_at=present(), **{"steps": [step], **fields}
    )
    routing_config.bump_revision(workspace.id)
    return made


def silence(workspace: Workspace, match: Any = ANY, since: datetime = NOW, **fields: Any) -> Silence:
    """A silence of an hour."""
    made: Silence = Silence.create(
        id=new_id(),
        workspace_id=workspace.id,
        match=match,
        starts_at=since,
        created_at=present(),
        **{"ends_at": since + timedelta(hours=1), **fields},
    )
    routing_config.bump_revision(workspace.id)
    return made


def matched(rule: Rule) -> int:
    """How many events a rule is counted to have matched."""
    return sum(row.events for row in RuleMatch.select().where(RuleMatch.rule_id == rule.id))


def held_back() -> dict[UUID, int]:
    """How many events each rule holds back."""
    counted: dict[UUID, int] = {}
    for row in OpenAfterCounter.select():
        counted[row.rule_id] = counted.get(row.rule_id, 0) + len(row.seen_at)
    return counted
