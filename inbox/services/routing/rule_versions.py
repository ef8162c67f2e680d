"""Earlier versions of rules, and deleted rules, saved again (specification 6.11)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.domain.routing.rules import MAX_RULES
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.values.refusals import Conflict
from inbox.flow.unit_of_work import work
from inbox.models.routing import routing_config
from inbox.models.routing.profiles import RoutingProfile
from inbox.models.routing.rules import Rule
from inbox.models.senders.sources import Source
from inbox.services.records import reference_checks, versions
from inbox.services.routing import rules
from inbox.services.routing.rules import RULES


def rule_of(fields: Mapping[str, Any]) -> Rule:
    """Return an unsaved rule with the fields of a version."""
    return Rule(**{**fields, "source_ids": [UUID(each) for each in fields["source_ids"]]})


def revert(rule: Rule, rev: int, *, expected_rev: int | None, now: datetime) -> Rule:
    """Save an earlier version as the next revision, without references to records that have been deleted since.

    Raises `NotFound` for an unknown version, `RevMismatch`, and `ValidationFailed` when all rules cost too much.
    """
    earlier = rule_of(versions.find(rule.id, rev))
    with work() as done:
        routing_config.bump_revision(rule.workspace_id)
        rule = RULES.lock(rule, expected_rev)
        before = rules.audit_view(rule)
        for name in versions.RULE_FIELDS:
            setattr(rule, name, getattr(earlier, name))
        _drop_deleted_references(rule)
        rules.check_cost(rule)
        rules.changed(rule, before, done, now)
    return rule


def restore(rule: Rule, *, now: datetime) -> Rule:
    """Restore a deleted rule at its former position, without references to records that have been deleted since.

    Raises `Conflict` when the rule is not deleted or the workspace has `MAX_RULES` rules. Raises `ValidationFailed`
    when all rules cost too much.
    """
    with work() as done:
        routing_config.bump_rule_order(rule.workspace_id)
        rule = RULES.lock_deleted(rule)
        standing = rules.existing([rule.workspace_id]).count()
        if standing >= MAX_RULES:
            raise Conflict(f"A workspace has at most {MAX_RULES} rules.")
        _drop_deleted_references(rule)
        rules.check_cost(rule)
        position = min(rule.position, standing + 1)
        rules.shift(rule.workspace_id, position, 1)
        RULES.save(rule, deleted_at=None, position=position)
        versions.record(rule, versions.RULE_FIELDS, now)
        RULES.note("rule.restored", rule, now, {"position": rule.position, **rules.audit_view(rule)})
        RULES.publish(done, rule, "created")
    return rule


def _drop_deleted_references(rule: Rule) -> None:
    """Remove references as the deletion of their records would have done.

    A rule for deleted sources alone is disabled.
    """
    sources = versions.existing_ids(Source, rule.workspace_id, rule.source_ids)
    if rule.source_ids and not sources:
        rule.enabled = False
    rule.source_ids = [each for each in rule.source_ids if each in sources]
    named = rule.actions["routingProfileId"]
    profile = ids.decode(Prefix.PROFILE, named) if named else None
    exists = profile is not None and versions.existing_ids(RoutingProfile, rule.workspace_id, [profile])
    rule.actions = {
        **rule.actions,
        "destinationIds": versions.existing_destinations(rule.workspace_id, rule.actions["destinationIds"]),
        "people": [
            each.record()
            for each in reference_checks.existing_people(rule.workspace_id, rule.actions.get("people") or ())
        ],
        "routingProfileId": named if exists else None,
    }
