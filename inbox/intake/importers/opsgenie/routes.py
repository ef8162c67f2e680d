"""Routing rules of the teams of Opsgenie: rules for the sources of the team, with the profile of the escalation."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from inbox.domain.routing import matchers
from inbox.domain.values.windows import DAYS
from inbox.intake.base import Node
from inbox.intake.importers import plan, week_spans
from inbox.intake.importers.answers import Answers, entries
from inbox.intake.importers.on_call_schedules import NoLayer
from inbox.intake.importers.opsgenie import paths
from inbox.intake.importers.opsgenie.escalations import profile_reference
from inbox.intake.importers.opsgenie.schedules import reference, restriction_spans
from inbox.intake.importers.plan import Item, ItemKind, Plan

_FIELDS = {"message": "title", "description": "body", "alias": "metadata.alias", "tags": "tags"}
_FIELDS |= {"source": "metadata.source", "entity": "resource", "priority": "severity"}
_OPS = {"equals": "eq", "contains": "contains", "starts-with": "startsWith", "ends-with": "endsWith"}
_OPS |= {"matches": "matches", "equals-ignore-whitespace": "eq"}
_SEVERITIES = {"P1": "CRITICAL", "P2": "ERROR", "P3": "WARNING", "P4": "INFO", "P5": "INFO"}
_DETAILS = frozenset({"extra-properties", "details"})


class NoRule(Exception):
    """The routing rule becomes no rule, for this reason."""


def add(made: Plan, answers: Answers, sources: Mapping[str, Sequence[str]], known: Collection[str]) -> None:
    """Adds the routing rules in the order of each team. `sources` are the references of the sources by team."""
    for team in entries(answers, paths.TEAMS, "data"):
        mark, name = team.text("id"), plan.line(team.text("name"))
        found = Node(answers.get(paths.routing_rules(quote(mark, safe="")))).items("data")
        for rule in made.reading(sorted(found, key=_position)):
            label = f"{name}: {plan.line(rule.text('name')) or 'routing rule'}"
            try:
                made.add(_item(made, rule, label, sources.get(mark, ()), known))
            except NoRule as reason:
                made.leave_out(label, str(reason))


def _position(rule: Node) -> tuple[bool, float]:
    order = rule.at("order").value
    return rule.text("isDefault") == "true", order if isinstance(order, int | float) else 0


def _item(made: Plan, rule: Node, label: str, sources: Sequence[str], known: Collection[str]) -> Item:
    if not sources:
        raise NoRule("No integration belongs to the team, so no source would use the rule.")
    target = _target(rule, known)
    match = _match(rule.at("criteria"))
    if matchers.check(match):
        raise NoRule("Its criteria have no counterpart here.")
    name = made.unique(label)
    return Item(
        ItemKind.RULE,
        plan.line(f"opsgenie:route:{rule.text('id')}", plan.REFERENCE_LIMIT),
        name,
        f"Alerts of {len(sources)} {'source' if len(sources) == 1 else 'sources'} that match open incidents.",
        {
            "name": name,
            "match": match,
            "active_during": _hours(rule),
            "then": {"disposition": "log" if target is None else "incident"},
            "continue_matching": False,
            "target": target,
            "sources": list(sources),
        },
        needs=(*sources, *([target] if target else [])),
    )


def _target(rule: Node, known: Collection[str]) -> str | None:
    """Returns the reference of the profile or schedule; None when the rule notifies nobody. Raises `NoRule`."""
    mark = rule.text("notify", "id")
    match rule.text("notify", "type"):
        case "none":
            return None
        case "escalation":
            found = profile_reference(mark)
        case "schedule":
            found = reference(mark)
        case other:
            raise NoRule(f"A recipient of type {plan.line(other) or 'unknown'} is not imported.")
    if found not in known:
        raise NoRule(f"{plan.line(rule.text('notify', 'name')) or 'Its recipient'} is not imported.")
    return found


def _match(criteria: Node) -> dict[str, Any]:
    kind, conditions = criteria.text("type"), criteria.items("conditions")
    if kind in ("", "match-all") or not conditions:
        return {"all": []}
    joint = "any" if kind == "match-any-condition" else "all"
    return {joint: [_clause(each) for each in conditions[:51]]}


def _clause(condition: Node) -> dict[str, Any]:
    """Returns the clause of a condition. Raises `NoRule`."""
    name, key, op = condition.text("field"), condition.text("key"), condition.text("operation")
    field, value = _FIELDS.get(name), condition.text("expectedValue")
    if name in _DETAILS and key:
        field = f"metadata.details.{json.dumps(key, ensure_ascii=False)}"
    if field == "severity":
        value = _SEVERITIES.get(value.upper(), value)
    if op in ("is-empty", "contains-key"):
        clause: dict[str, Any] = {"field": field, "op": "exists", "value": op == "contains-key"}
    else:
        clause = {"field": field, "op": _OPS.get(op), "value": value}
    if field is None or clause["op"] is None:
        raise NoRule(f"A condition “{plan.line(op)}” over {plan.line(name) or 'no field'} has no counterpart here.")
    return {"not": clause} if condition.text("not") == "true" else clause


def _hours(rule: Node) -> dict[str, Any] | None:
    """Returns the hours of the rule as the API writes them. Raises `NoRule`."""
    try:
        spans = restriction_spans(rule.at("timeRestriction"))
    except NoLayer as reason:
        raise NoRule(str(reason)) from None
    if not spans or week_spans.covers_week(spans):
        return None
    timezone = rule.text("timezone")
    if not plan.is_zone(timezone):
        raise NoRule("Its hours have no time zone that this machine knows.")
    windows = [
        {"days": [DAYS[day] for day in sorted(each.days)], "start": f"{each.start:%H:%M}", "end": f"{each.end:%H:%M}"}
        for each in week_spans.windows_of(spans)
    ]
    return {"timezone": timezone, "windows": windows}
