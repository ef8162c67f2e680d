"""Source keys: created and rotated with the secret shown once, listed by hint, revoked at once."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.callers import caller
from inbox.api.http.paging import paged
from inbox.api.http.parsing import ParsedBody
from inbox.api.http.policy import ADMIN, USER, EndpointPolicy, authorize, readable_workspaces
from inbox.api.http.request_examples import RequestExample
from inbox.api.incidents.records import people
from inbox.api.senders.schemas.sources import KeyCreated, KeyNew, KeysOnScreenPage, KeysPage, KeysQuery, SourceKeysQuery
from inbox.domain.senders.keys import SenderKeyKind
from inbox.domain.values.refusals import NotFound
from inbox.models.senders.sources import Source, SourceKey
from inbox.services.senders import keys, signing_secrets, sources
from inbox.services.senders.signing_secrets import SecretDraft

blp = Blueprint(
    "keys", __name__, url_prefix="/v1", description="Source keys, with which senders authenticate.", section="5.2"
)


@blp.route("/sources/<typeid(src):source_id>/keys", methods=["GET"], endpoint="of_source")
@EndpointPolicy(USER, ADMIN, workspace_from="record", section="5.4")
@blp.arguments(SourceKeysQuery, location="query")
@blp.response(200, KeysPage)
def of_source(args: dict[str, Any], source_id: UUID) -> dict[str, Any]:
    """List a source's keys

    Includes revoked and rotated keys.
    """
    source = authorize(sources.find(source_id))
    sorts = {"created": SourceKey.created_at}
    page = paged(keys.of_source(source), args, sorts=sorts, id=SourceKey.id, dump=lambda row: row)
    return page | {"items": _with_creators(page["items"])}


@blp.route("/sources/<typeid(src):source_id>/keys", methods=["POST"], endpoint="create")
@EndpointPolicy(USER, ADMIN, workspace_from="record")
@RequestExample(leave_out=("tool", "secret"))
@blp.arguments(KeyNew, cross_check=lambda fields, source_id: _check_fit(fields, source_id))
@blp.response(201, KeyCreated)
@blp.refuses("conflict")
def create(fields: dict[str, Any], source_id: UUID) -> SourceKey:
    """Create a key

    `secret` is answered once. The service stores the hash of a key, and seals a signing secret. 409 for more than ten
    signing secrets of a tool.
    """
    source = authorize(sources.find(source_id))
    kind, tool = SenderKeyKind(fields["kind"]), fields.get("tool")
    signing_secrets.check(kind, tool, fields.get("secret"))
    if tool is None:
        return _created(*keys.create(source, fields["name"], by=caller().user_id, now=datetime.now(UTC), kind=kind))
    draft, by = SecretDraft(tool, fields.get("secret")), caller().user_id
    return _created(*keys.create_signing_secret(source, fields["name"], draft, by=by, now=datetime.now(UTC)))


@blp.route("/sources/<typeid(src):source_id>/keys/<typeid(key):key_id>/rotate", methods=["POST"], endpoint="rotate")
@EndpointPolicy(USER, ADMIN, workspace_from="record")
@blp.response(201, KeyCreated)
@blp.refuses("conflict")
def rotate(source_id: UUID, key_id: UUID) -> SourceKey:
    """Rotate a key

    Answers a new key; the old one works for 24 more hours.
    """
    return _created(*keys.rotate(_key(source_id, key_id), by=caller().user_id, now=datetime.now(UTC)))


@blp.route("/sources/<typeid(src):source_id>/keys/<typeid(key):key_id>", methods=["DELETE"], endpoint="revoke")
@EndpointPolicy(USER, ADMIN, workspace_from="record")
@blp.response(204)
def revoke(source_id: UUID, key_id: UUID) -> None:
    """Revoke a key

    The key ends at once, also during its grace after a rotation.
    """
    keys.revoke(_key(source_id, key_id), now=datetime.now(UTC))


@blp.route("/keys", methods=["GET"], endpoint="list")
@EndpointPolicy(USER, ADMIN, section="5.4")
@blp.arguments(KeysQuery, location="query")
@blp.response(200, KeysOnScreenPage)
def list_keys(args: dict[str, Any]) -> dict[str, Any]:
    """List the keys of all sources

    The keys of the workspaces that the caller administers, sorted by source by default.
    """
    page = paged(
        keys.of_workspaces(readable_workspaces(args.get("workspace_id"))),
        args,
        sorts={"source": Source.name, "created": SourceKey.created_at},
        id=SourceKey.id,
        dump=lambda row: row,
    )
    return page | {"items": _with_creators(page["items"])}


def _check_fit(fields: ParsedBody, source_id: UUID) -> None:
    authorize(sources.find(source_id))
    if fields.judgeable("kind", "tool", "secret"):
        signing_secrets.check(SenderKeyKind(fields.get("kind", "source_key")), fields.get("tool"), fields.get("secret"))


def _key(source_id: UUID, key_id: UUID) -> SourceKey:
    key = keys.find(authorize(sources.find(source_id)), key_id)
    if key is None:
        raise NotFound
    return key


def _created(key: SourceKey, secret: str) -> SourceKey:
    key.secret = secret
    return _with_creators([key])[0]


def _with_creators(rows: list[SourceKey]) -> list[SourceKey]:
    found = people([row.created_by_id for row in rows])
    for row in rows:
        row.creator = found.get(row.created_by_id)
        network, agent = row.last_used_network, row.last_used_agent
        row.last_used_from = None if network is None else {"network": network, "user_agent": agent or ""}
    return rows
