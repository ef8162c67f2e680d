"""Converts routes of Grafana OnCall: templates that compare labels become matches (specification 22.10)."""

from __future__ import annotations

import re

from inbox.domain.routing import matchers
from inbox.intake.base import Node
from inbox.intake.importers import plan, service_routes
from inbox.intake.importers.alertmanager_matchers import BadMatchers, LabelClause, clause_of
from inbox.intake.importers.plan import Item, ItemKind, Plan

OVER_PAYLOAD = "A pattern over the raw payload has no counterpart here."
NOT_OF_LABELS = "Only templates that compare labels of the alert with texts have a counterpart here."
NO_CHAIN = "Its escalation chain is not imported. Choose destinations or a routing profile."
LONGEST = 2_000
"""The maximum number of characters of a template that is read."""

_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_TEMPLATE = re.compile(r"\s*\{\{-?(?P<expression>[^{}]*?)-?\}\}\s*")
_TERM = re.compile(
    rf"""\s*payload\.(?:labels|commonLabels|groupLabels|alerts(?:\[0\]|\.0)\.labels)
    (?:\.(?P<name>{_NAME})|\[(?P<quote>["'])(?P<key>{_NAME})(?P=quote)\])
    \s*(?P<op>==|!=)\s*(?P<mark>["'])(?P<value>[^"'\\]*)(?P=mark)\s*""",
    re.ASCII | re.VERBOSE,
)
_BETWEEN = re.compile(r"\b(and|or)\b")


class NoRule(Exception):
    """The route becomes no rule, for this reason."""


def add(made: Plan, route: Node, integration: str, source: str, target: str | None = None) -> None:
    """Adds the rule of a route to the plan, or the reason why it becomes none. `target` is the profile of its chain."""
    name, mark = f"Route of {integration}", route.text("id")
    if mark and route.text("is_the_last_route") == "true" and target is not None:
        service_routes.add_rule(made, f"oncall:route:{mark}", f"{integration}: all others", [source], target)
        return
    try:
        if not mark or route.text("routing_type") != "jinja2":
            raise NoRule(OVER_PAYLOAD)
        joint, clauses = _read(route.text("routing_regex"))
        match = {joint: [each.clause for each in clauses]}
        if matchers.check(match):
            raise NoRule(NOT_OF_LABELS)
    except NoRule as reason:
        made.leave_out(name, str(reason))
        return
    label = plan.line((" and " if joint == "all" else " or ").join(each.text for each in clauses), 200)
    unique = made.unique(f"{integration}: {label}")
    made.add(
        Item(
            ItemKind.RULE,
            plan.line(f"oncall:route:{mark}", plan.REFERENCE_LIMIT),
            unique,
            f"Alerts with {label} open incidents.",
            {
                "name": unique,
                "match": match,
                "then": {"disposition": "incident"},
                "continue_matching": False,
                "sources": [source],
                "target": target,
            },
            source=source,
            needs=(target,) if target else (),
            warnings=() if target else (NO_CHAIN,),
        )
    )


def _read(template: str) -> tuple[str, list[LabelClause]]:
    """Returns the clauses of a template and their operator, `all` or `any`. Raises `NoRule`."""
    found = _TEMPLATE.fullmatch(template) if len(template) <= LONGEST else None
    if found is None:
        raise NoRule(NOT_OF_LABELS)
    terms = _BETWEEN.split(_without_texts(found["expression"]))
    words = set(terms[1::2])
    if len(words) > 1:
        raise NoRule(NOT_OF_LABELS)
    joint = "any" if words == {"or"} else "all"
    return joint, [_clause(each) for each in _parts(found["expression"], terms)]


def _without_texts(expression: str) -> str:
    """Returns the expression with its texts blanked, so that a word in a text joins nothing."""
    return re.sub(r""""[^"]*"|'[^']*'""", lambda text: "x" * len(text[0]), expression)


def _parts(expression: str, terms: list[str]) -> list[str]:
    """Returns the comparisons of the expression, at the places of `terms` without the words between them."""
    parts, at = [], 0
    for number, each in enumerate(terms):
        if number % 2 == 0:
            parts.append(expression[at : at + len(each)])
        at += len(each)
    return parts


def _clause(term: str) -> LabelClause:
    found = _TERM.fullmatch(term)
    if found is None:
        raise NoRule(NOT_OF_LABELS)
    try:
        return clause_of(found["name"] or found["key"], "=" if found["op"] == "==" else "!=", found["value"])
    except BadMatchers as fault:
        raise NoRule(str(fault)) from None
