"""The inputs of a preview: the configurations with the rules before and after, and the destinations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from inbox.domain.routing.rules import Rule, RuleSet
from inbox.flow.preview.request import Question, rule_to_json
from inbox.flow.routing.routing_config import RoutingConfig, compiled
from inbox.models.deliveries import recipients as notice_recipients
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.recipients import Recipient
from inbox.models.routing import routing_config
from inbox.models.routing.rules import Rule as StoredRule
from inbox.runtime import work_budget


def configs_of(question: Question) -> tuple[RoutingConfig, RoutingConfig]:
    """Returns the routing configurations before and after. They differ only in their rules.

    Silences are today's, including ended ones. A rule that is equal in both configurations is one object.
    """
    id = question.period.workspace_id
    workspace, profiles = routing_config.workspaces([id])[id], routing_config.profiles([id])[id]
    silences = routing_config.silences([id], question.period.since)[id]
    config = compiled(workspace, 0, question.before, profiles, silences)
    before = replace(config, destination_ids=routing_config.destination_ids([id])[id])
    stored_rules = [(rule_to_json(row), rule) for row, rule in zip(question.before, config.rules.rules, strict=True)]
    after = work_budget.spending(question.after, "Preview fewer or simpler rules.")
    rules = RuleSet([_from_cache(row, stored_rules) or Rule.of(row, workspace.timezone) for row in after])
    return before, replace(before, rules=rules, needs=before.needs | rules.needs)


def _from_cache(row: StoredRule, stored_rules: Sequence[tuple[Mapping[str, Any], Rule]]) -> Rule | None:
    target = rule_to_json(row)
    return next((rule for row_json, rule in stored_rules if row_json == target), None)


def recipients_of(workspace_id: UUID) -> dict[UUID, Recipient]:
    """Returns all destinations of a workspace, by id."""
    own = (Destination.workspace_id == workspace_id) & Destination.deleted_at.is_null()
    return notice_recipients.recipients([row.id for row in Destination.select(Destination.id).where(own)])
