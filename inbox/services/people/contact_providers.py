"""Providers: destinations of a workspace that members name in contact methods (specification 23.18)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from inbox.destinations import KINDS
from inbox.models.deliveries.destinations import Destination
from inbox.models.people.contact_methods import ContactMethod
from inbox.models.people.members import Member
from inbox.models.workspaces.tables import Workspace

MOST = 200
"""The number of providers that a person can choose from."""


def usable(workspace_ids: Sequence[UUID]) -> list[Destination]:
    """Return the destinations of these workspaces that contact methods can name, by name."""
    own = Destination.workspace.in_(list(workspace_ids)) & Destination.deleted_at.is_null()
    query = Destination.select().where(own, Destination.for_contact_methods, Destination.enabled)
    return list(query.order_by(Destination.name, Destination.id).limit(MOST))


def find(provider_id: UUID, workspace_ids: Sequence[UUID]) -> Destination | None:
    """Return the provider, if it belongs to one of these workspaces and can be used."""
    return next((each for each in usable(workspace_ids) if each.id == provider_id), None)


def records(workspace_ids: Sequence[UUID]) -> list[dict[str, Any]]:
    """Return what a person chooses from: each provider with the field that the person enters."""
    found = usable(workspace_ids)
    names = {each.id: each.name for each in Workspace.select().where(Workspace.id.in_(list(workspace_ids)))}
    return [_record(each, names[each.workspace_id]) for each in found if KINDS[each.kind].description.personal]


def _record(provider: Destination, workspace_name: str) -> dict[str, Any]:
    description = KINDS[provider.kind].description
    personal = description.personal
    assert personal is not None
    (field,) = (each for each in description.fields if each.name == personal.field)
    return {
        "id": provider.id,
        "kind": provider.kind,
        "name": provider.name,
        "label": personal.label,
        "workspace_id": provider.workspace_id,
        "workspace_name": workspace_name,
        "field_label": field.label,
        "help": field.help,
        "example": "+491700000000" if personal.channel else field.example,
        "pattern": personal.pattern or field.pattern,
    }


def states_of(user_id: UUID) -> list[tuple[ContactMethod, bool]]:
    """Return the contact methods of a person that a provider reaches, and whether each works."""
    found = list(ContactMethod.select().where(ContactMethod.user == user_id, ContactMethod.provider_id.is_null(False)))
    condition = Destination.for_contact_methods & Destination.enabled & Destination.deleted_at.is_null()
    rows = Destination.select(Destination.id, Destination.workspace).where(
        Destination.id.in_([each.provider_id for each in found]), condition
    )
    own = {each.workspace_id for each in Member.select(Member.workspace).where(Member.user == user_id)}
    usable_ids = {each.id for each in rows if each.workspace_id in own}
    return [(each, each.disabled_at is None and each.provider_id in usable_ids) for each in found]
