"""Instance administration (specification 13.3)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from inbox import __version__
from inbox.api.http.blueprint import Blueprint
from inbox.api.http.paging import paged
from inbox.api.http.policy import RECENT, USER, EndpointPolicy
from inbox.api.http.revisions import expected_rev, tagged
from inbox.api.instance.schemas.admin import (
    PeoplePage,
    PeopleQuery,
    PersonEdit,
    PersonRecord,
    PurgeStarted,
    SystemRecord,
    TenantsPage,
    TenantsQuery,
)
from inbox.flow.unit_of_work import work
from inbox.models.people.accounts import User
from inbox.models.workspaces.tables import Workspace
from inbox.runtime.queue import QueueName, job_queues
from inbox.services.instance import administration, system_status
from inbox.services.records import audit

blp = Blueprint(
    "admin", __name__, url_prefix="/v1/admin", description="The instance, for its administrators.", section="13.3"
)


@blp.route("/users", methods=["GET"], endpoint="users")
@EndpointPolicy(USER, workspace_from="none", instance_admin=True)
@blp.arguments(PeopleQuery, location="query")
@blp.response(200, PeoplePage)
def users(args: dict[str, Any]) -> dict[str, Any]:
    """List all accounts

    `q` filters by name and address.
    """
    found = administration.people()
    if "q" in args:
        found = found.where(administration.containing(args["q"], User.email, User.name))
    if "disabled" in args:
        found = found.where(User.disabled_at.is_null(not args["disabled"]))
    sorts = {"created": User.created_at, "email": User.email_key, "name": User.name}
    return paged(found, args, sorts=sorts, id=User.id, dump=lambda row: row)


@blp.route("/users/<typeid(usr):user_id>", methods=["PATCH"], endpoint="edit_user")
@EndpointPolicy(USER, step_up=RECENT, workspace_from="none", instance_admin=True)
@blp.arguments(PersonEdit)
@blp.response(200, PersonRecord)
@blp.refuses("last_instance_admin", "conflict")
def edit_user(fields: dict[str, Any], user_id: UUID) -> User:
    """Update a user (enable, disable, promote)

    Disabling an account ends its sessions, its devices and its open streams. 409 with `usedBy` while on-call schedules name
    the person, unless `leaveGaps` is true.
    """
    administration.edit(user_id, **fields, expected_rev=expected_rev(), now=datetime.now(UTC))
    return tagged(administration.people().where(User.id == user_id).get())


@blp.route("/workspaces", methods=["GET"], endpoint="workspaces")
@EndpointPolicy(USER, workspace_from="none", instance_admin=True)
@blp.arguments(TenantsQuery, location="query")
@blp.response(200, TenantsPage)
def workspaces(args: dict[str, Any]) -> dict[str, Any]:
    """List all workspaces

    Includes deleted workspaces until the purge removes them. Their contents are visible to members only.
    """
    found = administration.list_workspaces()
    if "q" in args:
        found = found.where(administration.containing(args["q"], Workspace.name, Workspace.slug))
    sorts = {"created": Workspace.created_at, "name": Workspace.name}
    return paged(found, args, sorts=sorts, id=Workspace.id, dump=lambda row: row)


@blp.route("/system", methods=["GET"], endpoint="system")
@EndpointPolicy(USER, workspace_from="none", instance_admin=True)
@blp.response(200, SystemRecord)
def system() -> dict[str, Any]:
    """Get system status

    Each component with its state and the value that decides it.
    """
    return {**system_status.parts(), "version": __version__, "quarantined_events": system_status.quarantined()}


@blp.route("/purge", methods=["POST"], endpoint="purge")
@EndpointPolicy(USER, step_up=RECENT, workspace_from="none", instance_admin=True)
@blp.response(202, PurgeStarted)
def purge() -> dict[str, bool]:
    """Run the purge now

    Starts the purge, which otherwise runs every hour. It removes records that were deleted more than 7 days ago, and
    data older than the retention of its workspace.
    """
    with work():
        audit.record("instance.purged", target=audit.Target("instance"), now=datetime.now(UTC))
    return {"started": job_queues().wake(QueueName.PURGE)}
