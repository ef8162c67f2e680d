"""Versions of rules and routing profiles, and how changes and deletions are reverted (specification 6.11)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.policy import ADMIN, USER, VIEWER, EndpointPolicy, authorize, authorize_deleted
from inbox.api.http.revisions import expected_rev, tagged
from inbox.api.routing.profiles import presented as presented_profiles
from inbox.api.routing.rules import presented as presented_rules
from inbox.api.routing.schemas.profiles import ProfileRecord
from inbox.api.routing.schemas.rules import RuleRecord
from inbox.api.routing.schemas.versions import ProfileVersions, RevertRequest, RuleVersions
from inbox.domain.routing import matchers
from inbox.models.routing import versions
from inbox.models.routing.profiles import RoutingProfile
from inbox.models.routing.rules import Rule
from inbox.models.routing.versions import ConfigurationVersion
from inbox.runtime import work_budget
from inbox.services.routing import configuration_texts, profile_versions, profiles, rule_versions, rules

blp = Blueprint(
    "versions", __name__, url_prefix="/v1", description="Versions of rules and routing profiles.", section="6.11"
)


@blp.route("/rules/<typeid(rul):rule_id>/versions", methods=["GET"], endpoint="list_of_rule")
@EndpointPolicy(USER, VIEWER, workspace_from="record")
@blp.response(200, RuleVersions)
def list_of_rule(rule_id: UUID) -> dict[str, Any]:
    """List the versions of a rule

    The newest first: each saved revision, and who saved it.
    """
    rows = versions.of_record(authorize(rules.find(rule_id)).id)
    found = [rule_versions.rule_of(row.fields) for row in rows]
    for rule in work_budget.spending(found):
        rule.match_text = matchers.to_text(rule.match)
    for rule, text in zip(found, configuration_texts.of_each_rule(found), strict=True):
        rule.text = text
    return {"items": [{**_version(row), "rule": rule} for row, rule in zip(rows, found, strict=True)]}


@blp.route("/rules/<typeid(rul):rule_id>/revert", methods=["POST"], endpoint="revert_rule")
@EndpointPolicy(USER, ADMIN, workspace_from="record")
@blp.arguments(RevertRequest)
@blp.response(200, RuleRecord)
def revert_rule(order: dict[str, Any], rule_id: UUID) -> Rule:
    """Revert a rule to an earlier version

    It becomes the next revision, at the same position. References to records that are deleted since are left out.
    """
    rule = authorize(rules.find(rule_id))
    now, rev = datetime.now(UTC), expected_rev()
    return tagged(presented_rules([rule_versions.revert(rule, order["rev"], expected_rev=rev, now=now)])[0])


@blp.route("/rules/<typeid(rul):deleted_rule_id>/restore", methods=["POST"], endpoint="restore_rule")
@EndpointPolicy(USER, ADMIN, workspace_from="record")
@blp.response(200, RuleRecord)
@blp.refuses("conflict", "validation_failed")
def restore_rule(deleted_rule_id: UUID) -> Rule:
    """Restore a deleted rule

    Within seven days of its deletion, at its former position. References to records that are deleted since are left out.
    409 when it is not deleted.
    """
    rule = authorize_deleted(rules.find_any(deleted_rule_id))
    return tagged(presented_rules([rule_versions.restore(rule, now=datetime.now(UTC))])[0])


@blp.route("/routing-profiles/<typeid(prf):profile_id>/versions", methods=["GET"], endpoint="list_of_profile")
@EndpointPolicy(USER, VIEWER, workspace_from="record")
@blp.response(200, ProfileVersions)
def list_of_profile(profile_id: UUID) -> dict[str, Any]:
    """List the versions of a routing profile

    The newest first: each saved revision, and who saved it.
    """
    rows = versions.of_record(authorize(profiles.find(profile_id)).id)
    found = [profile_versions.profile_of(row.fields) for row in rows]
    for profile, text in zip(found, configuration_texts.of_each_profile(found), strict=True):
        profile.text = text
    return {"items": [{**_version(row), "routing_profile": each} for row, each in zip(rows, found, strict=True)]}


@blp.route("/routing-profiles/<typeid(prf):profile_id>/revert", methods=["POST"], endpoint="revert_profile")
@EndpointPolicy(USER, ADMIN, workspace_from="record")
@blp.arguments(RevertRequest)
@blp.response(200, ProfileRecord)
@blp.refuses("conflict")
def revert_profile(order: dict[str, Any], profile_id: UUID) -> RoutingProfile:
    """Revert a routing profile to an earlier version

    It becomes the next revision. Destinations that are deleted since are left out; 409 where a step has no other one.
    """
    profile = authorize(profiles.find(profile_id))
    now, rev = datetime.now(UTC), expected_rev()
    return tagged(presented_profiles([profile_versions.revert(profile, order["rev"], expected_rev=rev, now=now)])[0])


@blp.route("/routing-profiles/<typeid(prf):deleted_profile_id>/restore", methods=["POST"], endpoint="restore_profile")
@EndpointPolicy(USER, ADMIN, workspace_from="record")
@blp.response(200, ProfileRecord)
@blp.refuses("conflict")
def restore_profile(deleted_profile_id: UUID) -> RoutingProfile:
    """Restore a deleted routing profile

    Within seven days of its deletion. Destinations that are deleted since are left out. 409 where a step has no other
    one, and when the profile is not deleted.
    """
    profile = authorize_deleted(profiles.find_any(deleted_profile_id))
    return tagged(presented_profiles([profile_versions.restore(profile, now=datetime.now(UTC))])[0])


def _version(row: ConfigurationVersion) -> dict[str, Any]:
    return {"rev": row.rev, "at": row.at, "actor": row.actor}
