"""Preferences of the caller for the dashboard (specification 11.9). It completes the blueprint of `inbox.api.people.me`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inbox.api.http.callers import caller
from inbox.api.http.parsing import INVALID
from inbox.api.http.policy import USER, EndpointPolicy
from inbox.api.http.revisions import expected_rev, tagged
from inbox.api.http.schemas.base import camel
from inbox.api.people.me import blp
from inbox.api.people.schemas.preferences import PreferencesEdit, PreferencesRecord, stored
from inbox.domain.values import ids
from inbox.domain.values.refusals import Fault, ValidationFailed
from inbox.services.people import preferences

__all__ = ["blp"]

_NAMES = {camel(name): name for name in PreferencesRecord().fields}


@blp.route("/preferences", methods=["GET"], endpoint="read_preferences")
@EndpointPolicy(USER, workspace_from="none")
@blp.response(200, PreferencesRecord)
def read() -> dict[str, Any]:
    """Get your preferences"""
    return tagged(of_caller())


@blp.route("/preferences", methods=["PATCH"], endpoint="edit_preferences")
@EndpointPolicy(USER, workspace_from="none")
@blp.arguments(PreferencesEdit, cross_check=lambda changes: _check(changes))
@blp.response(200, PreferencesRecord)
def edit(changes: dict[str, Any]) -> dict[str, Any]:
    """Change your preferences

    All together have at most 16 KiB. Other browsers and devices of the person get the change by the stream (`me`).
    """
    _check(changes)
    return tagged(_attributes(preferences.edit(caller().user_id, stored(changes), expected_rev=expected_rev())))


def _check(changes: Mapping[str, Any]) -> None:
    """Checks that all workspaces are the caller's. Raises `ValidationFailed`."""
    named = {"/lastWorkspaceId": changes.get("last_workspace_id")}
    entries = changes.get("per_workspace", {})
    named |= {f"/perWorkspace/{id}": ids.decode("wsp", id) for id, entry in entries.items() if entry is not None}
    own_workspaces = caller().workspace_ids
    if wrong := [
        Fault(at, "Not one of your workspaces.")
        for at, id in named.items()
        if id is not None and id not in own_workspaces
    ]:
        raise ValidationFailed(INVALID, errors=wrong)


def of_caller() -> dict[str, Any]:
    """Returns the attributes of `PreferencesRecord` for the caller."""
    return _attributes(preferences.of_person(caller().user_id))


def _attributes(found: Mapping[str, Any]) -> dict[str, Any]:
    return {_NAMES[name]: value for name, value in found.items() if name in _NAMES}
