"""Rules, which decide about events before the default route does (specification 6.2)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from flask import url_for

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.paging import containing, paged
from inbox.api.http.parsing import ParsedBody
from inbox.api.http.policy import ADMIN, USER, VIEWER, EndpointPolicy, authorize, authorize_in, readable_workspaces
from inbox.api.http.request_examples import RequestExample
from inbox.api.http.revisions import expected_rev, tagged
from inbox.api.routing import costs
from inbox.api.routing.schemas.rules import (
    MatchForms,
    MatchText,
    RuleEdit,
    RuleNew,
    RuleOrderRecord,
    RuleOrderRequest,
    RuleRecord,
    RulesPage,
    RulesQuery,
)
from inbox.domain.routing import matchers
from inbox.domain.values.refusals import RevMismatch
from inbox.models.lists.pages import FEWER
from inbox.models.routing import routing_config
from inbox.models.routing.rules import Rule, match_stats
from inbox.runtime import work_budget
from inbox.services.records.match_costs import match_size
from inbox.services.routing import configuration_texts, rules

blp = Blueprint(
    "rules", __name__, url_prefix="/v1/rules", description="Routing rules: what happens to which events.", section="6.2"
)


@blp.route("/", methods=["GET"], endpoint="list")
@EndpointPolicy(USER, VIEWER)
@blp.arguments(RulesQuery, location="query")
@blp.response(200, RulesPage)
def list_rules(args: dict[str, Any]) -> dict[str, Any]:
    """List rules

    In the order of their evaluation. Of one workspace, `rulesRev` is the revision of that order. `deleted=true` lists
    the deleted ones of the last seven days.
    """
    workspace_id = args.get("workspace_id")
    reach = readable_workspaces(workspace_id)
    rev = routing_config.order_rev(workspace_id) if workspace_id in reach else None
    sorts = {"position": Rule.position, "name": Rule.name, "created": Rule.created_at}
    chosen = rules.deleted(reach) if args.get("deleted") else rules.existing(reach)
    page = paged(
        containing(chosen, args, Rule.name), args, sorts=sorts, id=Rule.id, dump=lambda row: row, size=match_size
    )
    if rev is not None:
        tagged({"rev": rev})
    return {**page, "items": presented(page["items"]), "rulesRev": rev}


@blp.route("/", methods=["POST"], endpoint="create")
@EndpointPolicy(USER, ADMIN, workspace_from="body")
@RequestExample(leave_out=("matchText",))
@blp.arguments(RuleNew, cross_check=lambda fields: _check(fields["workspace_id"], fields))
@blp.response(201, RuleRecord)
@blp.refuses("conflict")
def create(fields: dict[str, Any]) -> tuple[Rule, int, dict[str, str]]:
    """Create a rule

    It is evaluated last unless `position` says otherwise, from the next event on.
    """
    workspace_id = authorize_in(fields.pop("workspace_id"))
    rule = rules.create(workspace_id, fields, now=datetime.now(UTC))
    return _one(rule), 201, {"Location": url_for("rules.read", rule_id=rule.id)}


@blp.route("/<typeid(rul):rule_id>", methods=["GET"], endpoint="read")
@EndpointPolicy(USER, VIEWER, workspace_from="record")
@blp.response(200, RuleRecord)
def read(rule_id: UUID) -> Rule:
    """Read a rule"""
    return _one(authorize(rules.find(rule_id)))


@blp.route("/<typeid(rul):rule_id>", methods=["PATCH"], endpoint="edit")
@EndpointPolicy(USER, ADMIN, workspace_from="record")
@RequestExample(leave_out=("matchText",))
@blp.arguments(RuleEdit, cross_check=lambda fields, rule_id: _check_edit(authorize(rules.find(rule_id)), fields))
@blp.response(200, RuleRecord)
def edit(fields: dict[str, Any], rule_id: UUID) -> Rule:
    """Change a rule

    It applies to the next event. Members of `then` that are left out stay. `PUT /v1/rules/order` changes its position.
    """
    rule = authorize(rules.find(rule_id))
    return _one(rules.edit(rule, fields, expected_rev=expected_rev(), now=datetime.now(UTC)))


@blp.route("/<typeid(rul):rule_id>", methods=["DELETE"], endpoint="remove")
@EndpointPolicy(USER, ADMIN, workspace_from="record")
@blp.response(204)
def remove(rule_id: UUID) -> None:
    """Delete a rule

    Incidents that it opened stay as they are.
    """
    rules.remove(authorize(rules.find(rule_id)), expected_rev=expected_rev(), now=datetime.now(UTC))


@blp.route("/order", methods=["PUT"], endpoint="reorder")
@EndpointPolicy(USER, ADMIN, workspace_from="body")
@blp.arguments(
    RuleOrderRequest, cross_check=lambda fields: rules.check_order(fields["workspace_id"], fields.get("ids", ()))
)
@blp.response(200, RuleOrderRecord)
@blp.refuses("conflict", "rev_mismatch")
def reorder(fields: dict[str, Any]) -> dict[str, Any]:
    """Reorder rules

    `ids` are all rules of the workspace in the order of their evaluation. `rev` is the revision of the replaced order.
    412 when the order has changed meanwhile, and 409 when `ids` are not exactly the workspace's rules.
    """
    workspace_id = authorize_in(fields["workspace_id"])
    rev = rules.reorder(workspace_id, fields["ids"], expected_rev=_order_seen(fields), now=datetime.now(UTC))
    return tagged({**fields, "rev": rev})


@blp.route("/parse", methods=["POST"], endpoint="parse")
@EndpointPolicy(USER, workspace_from="none", section="6.4")
@RequestExample(leave_out=("matchText",))
@blp.arguments(MatchText)
@blp.response(200, MatchForms)
def parse(fields: dict[str, Any]) -> dict[str, Any]:
    """Parse a match expression

    Converts either form to both; 422 says where it is wrong. Nothing is stored.
    """
    tree = rules.read_match(fields)
    return {"match": tree, "match_text": matchers.to_text(tree)}


def _check(workspace_id: UUID, fields: ParsedBody, of: Rule | None = None) -> None:
    """Checks a rule beyond its schema. Raises `ValidationFailed` with all faults."""
    if fields.judgeable("match", "match_text", "open_after", "then", "continue_matching"):
        rules.build(workspace_id, {"name": "", **fields}, now=datetime.now(UTC), of=of)
    else:
        rules.check(workspace_id, fields)


def _check_edit(rule: Rule, fields: ParsedBody) -> None:
    _check(rule.workspace_id, fields, rule)


def _order_seen(fields: dict[str, Any]) -> int:
    if expected_rev() not in (None, fields["rev"]):
        raise RevMismatch("`rev` and `If-Match` name different revisions.")
    return int(fields["rev"])


def _one(rule: Rule) -> Rule:
    return tagged(presented([rule])[0])


def presented(rows: list[Rule]) -> list[Rule]:
    """Returns the rules with their match statistics and texts, as the API shows them."""
    now, rule_ids = datetime.now(UTC), [row.id for row in rows]
    lately, costly = match_stats(rule_ids, now), costs.of_matches(rule_ids, now)
    for row in work_budget.spending(rows, FEWER):
        row.match_text = matchers.to_text(row.match)
    for row, text in zip(rows, configuration_texts.of_each_rule(rows), strict=True):
        row.text = text
        row.matched_last_24h, row.last_matched_at = lately[row.id]
        row.too_costly = costly.get(row.id)
    return rows
