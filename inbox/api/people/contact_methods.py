"""Contact methods of the caller: further addresses by which pages reach them (specification 23.11)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.callers import caller
from inbox.api.http.paging import paged
from inbox.api.http.policy import USER, EndpointPolicy, readable_workspaces
from inbox.api.http.request_examples import RequestExample
from inbox.api.people.schemas.contact_methods import (
    ContactCode,
    ContactMethodNew,
    ContactMethodRecord,
    ContactMethodsPage,
    ContactMethodsQuery,
    ContactProviders,
)
from inbox.models.people.contact_methods import ContactMethod
from inbox.services.people import contact_methods, contact_providers

blp = Blueprint(
    "contact_methods",
    __name__,
    url_prefix="/v1/me/contact-methods",
    description="The caller's contact methods.",
    section="23.11",
)


@blp.route("/", methods=["GET"], endpoint="list")
@EndpointPolicy(USER, workspace_from="none")
@blp.arguments(ContactMethodsQuery, location="query")
@blp.response(200, ContactMethodsPage)
def list_methods(args: dict[str, Any]) -> dict[str, Any]:
    """List your contact methods

    Paired devices and the address of the account are not listed: notification rules name them as `push` and `email`.
    """
    query = contact_methods.of_person(caller().user_id)
    sorts = {"created": ContactMethod.created_at}
    return paged(query, args, sorts=sorts, id=ContactMethod.id, dump=lambda row: row)


@blp.route("/providers", methods=["GET"], endpoint="providers")
@EndpointPolicy(USER, workspace_from="none", section="23.18")
@blp.response(200, ContactProviders)
def list_providers() -> dict[str, Any]:
    """List the providers of contact methods

    Destinations of your workspaces that administrators offer for contact methods, such as SMS. Their settings are not shown.
    """
    return {"items": contact_providers.records(readable_workspaces(None))}


@blp.route("/", methods=["POST"], endpoint="create")
@EndpointPolicy(USER, workspace_from="none")
@RequestExample(leave_out=("providerId",))
@blp.arguments(
    ContactMethodNew, cross_check=lambda fields: contact_methods.check_new(fields, readable_workspaces(None))
)
@blp.response(201, ContactMethodRecord)
@blp.refuses("conflict", "rate_limited")
def create(fields: dict[str, Any]) -> ContactMethod:
    """Add a contact method

    Sends a code to the address. The contact method is used once it is confirmed.
    """
    workspace_ids = readable_workspaces(None)
    return contact_methods.add(caller().user_id, fields, workspace_ids=workspace_ids, clock=lambda: datetime.now(UTC))


@blp.route("/<typeid(cme):contact_method_id>/send-code", methods=["POST"], endpoint="send_code")
@EndpointPolicy(USER, workspace_from="none")
@blp.response(204)
@blp.refuses("conflict", "rate_limited")
def send_code(contact_method_id: UUID) -> None:
    """Send a new code

    The code before it is invalid from then on.
    """
    contact_methods.send_code(caller().user_id, contact_method_id, lambda: datetime.now(UTC))


@blp.route("/<typeid(cme):contact_method_id>/confirm", methods=["POST"], endpoint="confirm")
@EndpointPolicy(USER, workspace_from="none")
@blp.arguments(ContactCode)
@blp.response(200, ContactMethodRecord)
def confirm(fields: dict[str, Any], contact_method_id: UUID) -> ContactMethod:
    """Confirm a contact method

    After five wrong codes a new one is needed.
    """
    return contact_methods.confirm(caller().user_id, contact_method_id, fields["code"], datetime.now(UTC))


@blp.route("/<typeid(cme):contact_method_id>", methods=["DELETE"], endpoint="remove")
@EndpointPolicy(USER, workspace_from="none")
@blp.response(204)
@blp.refuses("conflict")
def remove(contact_method_id: UUID) -> None:
    """Remove a contact method

    One that a notification rule uses is refused.
    """
    contact_methods.remove(caller().user_id, contact_method_id, datetime.now(UTC))
