"""Use cases of rules: create, edit, reorder, delete (specification 6.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.database.base import new_id
from inbox.domain.routing import matchers
from inbox.domain.routing.matchers import BadMatch
from inbox.domain.routing.people import PageTarget
from inbox.domain.routing.rules import MAX_RULES, OpenAfter, RuleActions, conflicts
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.values.refusals import Conflict, Fault, ValidationFailed, check_rev
from inbox.flow.unit_of_work import AfterCommit, work
from inbox.models.routing import routing_config
from inbox.models.routing.rules import Rule, set_positions
from inbox.runtime import work_budget
from inbox.services.records import audit, match_costs, reference_checks, versions
from inbox.services.records.resources import Resource

RULES = Resource(Rule, "rule")
existing, find = RULES.existing, RULES.find
deleted, find_any = RULES.deleted, RULES.find_any

TOO_MANY = "Send fewer or simpler rules."
ENABLED_RULES = "enabled rules"
COSTLY = frozenset({"match", "match_text", "enabled"})
"""The fields whose change can raise the cost of all rules."""


def create(workspace_id: UUID, fields: Mapping[str, Any], *, now: datetime) -> Rule:
    """Create a rule at `position` (from 1), else at the end. A position beyond the end means the end.

    Raises `ValidationFailed` with pointers, and `Conflict` when the workspace has `MAX_RULES` rules.
    """
    with work() as done:
        routing_config.bump_rule_order(workspace_id)
        standing = existing([workspace_id]).count()
        if standing >= MAX_RULES:
            raise Conflict(f"A workspace has at most {MAX_RULES} rules.")
        rule = build(workspace_id, fields, now=now)
        check_cost(rule)
        rule.position = min(fields.get("position", standing + 1), standing + 1)
        shift(workspace_id, rule.position, 1)
        rule.save(force_insert=True)
        versions.record(rule, versions.RULE_FIELDS, now)
        RULES.note("rule.created", rule, now, {"position": rule.position, **audit_view(rule)})
        RULES.publish(done, rule, "created")
    return rule


def build(
    workspace_id: UUID, fields: Mapping[str, Any], *, now: datetime, at: str = "", of: Rule | None = None
) -> Rule:
    """Build an unsaved rule without a position, or change the given fields in `of`.

    Raises `ValidationFailed` with pointers below `at`.
    """
    rule = of or Rule(id=new_id(now), workspace_id=workspace_id, created_at=now, actions=RuleActions().record())
    _fill(rule, fields, at)
    return rule


def edit(rule: Rule, fields: Mapping[str, Any], *, expected_rev: int | None, now: datetime) -> Rule:
    """Change the given fields, and the members of `then` one by one.

    Raises `RevMismatch`, `NotFound`, `ValidationFailed`.
    """
    with work() as done:
        routing_config.bump_revision(rule.workspace_id)
        rule = RULES.lock(rule, expected_rev)
        before = audit_view(rule)
        _fill(rule, fields)
        if not COSTLY.isdisjoint(fields):
            check_cost(rule)
        changed(rule, before, done, now)
    return rule


def changed(rule: Rule, before: Mapping[str, Any], done: AfterCommit, now: datetime) -> None:
    """Save a changed rule in the caller's unit of work. `before` is its earlier `audit_view`."""
    RULES.save(rule)
    versions.record(rule, versions.RULE_FIELDS, now)
    RULES.note("rule.changed", rule, now, audit.changes(before, audit_view(rule)))
    RULES.publish(done, rule)


def remove(rule: Rule, *, expected_rev: int | None, now: datetime) -> None:
    """Delete the rule. Later rules move up. Raises `RevMismatch` and `NotFound`."""
    with work() as done:
        routing_config.bump_rule_order(rule.workspace_id)
        rule = RULES.lock(rule, expected_rev)
        RULES.save(rule, deleted_at=now)
        shift(rule.workspace_id, rule.position, -1)
        RULES.note("rule.deleted", rule, now, audit.removed({**audit_view(rule), "position": rule.position}))
        RULES.publish(done, rule, "deleted")


def reorder(workspace_id: UUID, rule_ids: Sequence[UUID], *, expected_rev: int, now: datetime) -> int:
    """Set the order of the rules. Return the new revision of the order.

    Raises `RevMismatch` when the order changed meanwhile. Raises `ValidationFailed` for rules of other workspaces and
    for duplicates. Raises `Conflict` when rules of the workspace are missing.
    """
    with work() as done:
        before = routing_config.bump_rule_order(workspace_id)
        check_rev(before, expected_rev)
        check_order(workspace_id, rule_ids)
        rules = {rule.id: rule for rule in existing([workspace_id]).order_by(Rule.position)}
        if len(rule_ids) < len(rules):
            raise Conflict("Rules of the workspace are missing.")
        for rule_id in set_positions(rule_ids):
            done.publish_change("rule", rule_id, workspace_id, rev=rules[rule_id].rev)
        details = {"before": _typeids(rules), "after": _typeids(rule_ids)}
        audit.record("rule.reordered", target=audit.target("rule"), now=now, workspace_id=workspace_id, details=details)
    return before + 1


def check_order(workspace_id: UUID, rule_ids: Sequence[UUID]) -> None:
    """Raise `ValidationFailed` for rules of other workspaces, and for duplicates."""
    existing_ids = {rule.id for rule in existing([workspace_id])}
    foreign = [
        Fault(f"/ids/{n}", "No such rule in this workspace.") for n, id in enumerate(rule_ids) if id not in existing_ids
    ]
    if foreign:
        raise ValidationFailed(errors=foreign)
    if len(set(rule_ids)) < len(rule_ids):
        raise ValidationFailed(errors=[Fault("/ids", "Must name each rule once.")])


def read_match(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Read the match tree from `match` or `match_text`. Raises `ValidationFailed`, also for both and for neither."""
    tree, faults = _match(fields)
    if tree is None and not faults:
        faults = [Fault("/match", "Give match or matchText.")]
    if faults:
        raise ValidationFailed(errors=faults)
    return tree or {}


def audit_view(rule: Rule) -> dict[str, Any]:
    """Return the rule as the audit log shows it: with the field names of the API, the match as text."""
    return {
        "name": rule.name,
        "enabled": rule.enabled,
        "sourceIds": [ids.encode(Prefix.SOURCE, each) for each in rule.source_ids],
        "match": matchers.to_text(rule.match),
        "activeDuring": rule.active_during,
        "openAfter": rule.open_after,
        "then": rule.actions,
        "continue": rule.continue_matching,
    }


def _fill(rule: Rule, fields: Mapping[str, Any], at: str = "") -> None:
    """Set the given fields, if the resulting rule is valid."""
    tree, faults = _match(fields)
    then = replace(
        RuleActions.of(rule.actions), **{name: _action(name, value) for name, value in fields.get("then", {}).items()}
    )
    rule.name = fields.get("name", rule.name)
    rule.enabled = fields.get("enabled", rule.enabled)
    rule.source_ids = list(dict.fromkeys(fields.get("source_ids", rule.source_ids)))
    rule.match = tree if tree is not None else rule.match
    rule.active_during = fields.get("active_during", rule.active_during)
    if "open_after" in fields:
        rule.open_after = OpenAfter(**fields["open_after"]).record() if fields["open_after"] else None
    rule.actions = then.record()
    rule.continue_matching = fields.get("continue_matching", rule.continue_matching)
    faults += conflicts(then, has_open_after=rule.open_after is not None, continues=rule.continue_matching)
    faults += _foreign_references(rule.workspace_id, fields)
    if rule.match is None and not faults:
        faults = [Fault("/match", "Give match or matchText.")]
    if faults:
        raise ValidationFailed(errors=[Fault(at + fault.pointer, fault.detail) for fault in faults])


def check(workspace_id: UUID, fields: Mapping[str, Any], at: str = "") -> None:
    """Check that references lead to this workspace. Raises `ValidationFailed` with pointers below `at`."""
    faults = _foreign_references(workspace_id, fields)
    if faults:
        raise ValidationFailed(errors=[Fault(at + fault.pointer, fault.detail) for fault in faults])


def check_cost(rule: Rule) -> None:
    """Raise `ValidationFailed` when all rules together cost too much, because every event is evaluated by all.

    The caller has locked the order.
    """
    others = existing([rule.workspace_id]).where(Rule.id != rule.id, Rule.enabled)
    fault = match_costs.fault(rule.match, others, ENABLED_RULES) if rule.enabled else None
    if fault:
        raise ValidationFailed(errors=[Fault("/match", fault)])


def _match(fields: Mapping[str, Any]) -> tuple[dict[str, Any] | None, list[Fault]]:
    """Return the match tree, or None when it is absent or invalid."""
    work_budget.spend(TOO_MANY)
    if "match" in fields and "match_text" in fields:
        return None, [Fault("/matchText", "Cannot be combined with match.")]
    try:
        if "match_text" in fields:
            return matchers.from_text(fields["match_text"]), []
    except BadMatch as error:
        return None, [Fault("/matchText" + fault.pointer, fault.detail) for fault in error.faults]
    if "match" not in fields:
        return None, []
    faults = [Fault("/match" + fault.pointer, fault.detail) for fault in matchers.check(fields["match"])]
    return (None if faults else matchers.canonical(fields["match"])), faults


def _foreign_references(workspace_id: UUID, fields: Mapping[str, Any]) -> list[Fault]:
    then = fields.get("then", {})
    profile = then.get("routing_profile_id")
    return [
        *reference_checks.sources(workspace_id, fields.get("source_ids", ()), "/sourceIds"),
        *reference_checks.destinations(workspace_id, then.get("destination_ids", ()), "/then/destinationIds"),
        *reference_checks.people(workspace_id, [PageTarget(**each) for each in then.get("people", ())], "/then/people"),
        *(reference_checks.profile(workspace_id, profile, "/then/routingProfileId") if profile else ()),
    ]


def shift(workspace_id: UUID, first: int, by: int) -> None:
    """Move the rules from this position on, so that positions have no gaps."""
    own = (Rule.workspace_id == workspace_id) & Rule.deleted_at.is_null()
    Rule.update(position=Rule.position + by).where(own, Rule.position >= first).execute()


def _typeids(rule_ids: Iterable[UUID]) -> list[str]:
    return [ids.encode(Prefix.RULE, each) for each in rule_ids]


def _action(name: str, value: Any) -> Any:
    """Return the value of an action as `RuleActions` has it."""
    if name == "people":
        value = [PageTarget(**each) for each in value]
    return tuple(dict.fromkeys(value)) if isinstance(value, list) else value
