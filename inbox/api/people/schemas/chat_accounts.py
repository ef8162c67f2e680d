"""Shapes of linked chat accounts (specification 9.18)."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.http.paging import page_of, page_query
from inbox.api.http.schemas.base import Schema, Timestamp, TypeId
from inbox.api.incidents.schemas.incidents import ActorRecord


class ChatAccountRecord(Schema):
    """A member's account at a chat service, which can act in messages."""

    id = TypeId("cac", required=True)
    workspace_id = TypeId("wsp", required=True)
    service = ma.fields.String(required=True, metadata={"example": "slack", "description": "A kind of destination."})
    account_id = ma.fields.String(required=True, metadata={"example": "T0001/U0002"})
    name = ma.fields.String(required=True, metadata={"example": "mia", "description": "As the service gives it."})
    user = ma.fields.Nested(ActorRecord, required=True, attribute="person")
    created_at = Timestamp(required=True)
    last_used_at = Timestamp(required=True, allow_none=True)


ChatAccountsQuery = page_query("ChatAccounts", ("created", "name"), workspace_id=TypeId("wsp"))
ChatAccountsPage = page_of(ChatAccountRecord, "ChatAccount")
