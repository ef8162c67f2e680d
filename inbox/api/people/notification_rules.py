"""Notification rules of the caller (specification 23.11). It completes the blueprint of `inbox.api.people.me`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from inbox.api.http.callers import caller
from inbox.api.http.policy import USER, EndpointPolicy
from inbox.api.http.request_examples import RequestExample
from inbox.api.http.revisions import expected_rev, tagged
from inbox.api.people.preferences import blp
from inbox.api.people.schemas.contact_methods import NotificationRulesFields, NotificationRulesRecord
from inbox.services.people import notification_rules

__all__ = ["blp"]


@blp.route("/notification-rules", methods=["GET"], endpoint="read_notification_rules")
@EndpointPolicy(USER, workspace_from="none", section="23.11")
@blp.response(200, NotificationRulesRecord)
def read() -> dict[str, Any]:
    """Get your notification rules"""
    return tagged(_shown(notification_rules.of_person(caller().user_id)))


@blp.route("/notification-rules", methods=["PUT"], endpoint="replace_notification_rules")
@EndpointPolicy(USER, workspace_from="none", section="23.11")
@RequestExample(values={"default": [{"afterMinutes": 0, "method": "push"}], "critical": []})
@blp.arguments(NotificationRulesFields, cross_check=lambda fields: notification_rules.check(caller().user_id, fields))
@blp.response(200, NotificationRulesRecord)
def replace(fields: dict[str, Any]) -> dict[str, Any]:
    """Replace your notification rules

    Both lists at once. An empty default list means push and mail to the account at once.
    """
    saved = notification_rules.replace(caller().user_id, fields, expected_rev=expected_rev(), now=datetime.now(UTC))
    return tagged(_shown(saved))


def _shown(found: dict[str, Any]) -> dict[str, Any]:
    """Returns the attributes of `NotificationRulesRecord`."""
    offered = None if found["offered"] is None else _lists(found["offered"])
    return {**_lists(found), "rev": found["rev"], "problems": found["problems"], "offered": offered}


def _lists(found: dict[str, Any]) -> dict[str, Any]:
    return {
        name: [{"after_minutes": rule["afterMinutes"], "method": rule["method"]} for rule in found[name]]
        for name in notification_rules.LISTS
    }
