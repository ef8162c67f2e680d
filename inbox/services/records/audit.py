"""The audit log: actor, action and target, written in the transaction of the act (specification 12.7)."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.database.base import db
from inbox.domain.incidents.incident import Actor
from inbox.domain.values import ids, times
from inbox.domain.values.ids import Prefix
from inbox.domain.values.redaction import cut, redact, redact_tree
from inbox.domain.values.refusals import PairingInvalid, ReauthRequired, Unauthenticated
from inbox.domain.workspaces.audit_actions import AuditAction
from inbox.flow.unit_of_work import work
from inbox.limits import rates
from inbox.models.people.accounts import User
from inbox.models.records.audit import AuditEntry

SYSTEM = Actor("system")
NO_ACTOR = Actor("anonymous")
REPEAT_SECONDS = 300
"""The seconds in which throttled attempts count as one burst, with one entry."""
MAX_TEXT = 5_000
"""The maximum number of characters of a text in the details of an entry."""

_BREAK = re.compile(r"_([a-z0-9])")

PREFIXES: Mapping[str, Prefix] = {
    "user": Prefix.USER,
    "member": Prefix.USER,  # the id of a member is the id of the person
    "session": Prefix.SESSION,
    "device": Prefix.DEVICE,
    "trustedBrowser": Prefix.TRUSTED_BROWSER,
    "contactMethod": Prefix.CONTACT_METHOD,
    "workspace": Prefix.WORKSPACE,
    "invite": Prefix.INVITE,
    "source": Prefix.SOURCE,
    "key": Prefix.KEY,
    "destination": Prefix.DESTINATION,
    "delivery": Prefix.DELIVERY,
    "chatAccount": Prefix.CHAT_ACCOUNT,
    "event": Prefix.EVENT,
    "rule": Prefix.RULE,
    "routingProfile": Prefix.PROFILE,
    "silence": Prefix.SILENCE,
    "schedule": Prefix.SCHEDULE,
    "monitor": Prefix.MONITOR,
    "watcher": Prefix.WATCHER,
}
"""The types of targets, with the prefix of their ids."""


@dataclass(frozen=True, slots=True)
class Target:
    """The target of an act.

    `id` is a TypeID, or empty for a target without one. `user_id` is the account that the target belongs to.
    """

    type: str
    id: str = ""
    name: str = ""
    user_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of an act: the request id, the client's address and the actor. In jobs the texts are empty."""

    request_id: str = ""
    address: str = ""
    actor: Actor = SYSTEM


_origin: ContextVar[Origin] = ContextVar("inbox.audit.origin", default=Origin())  # noqa: B039 - it is frozen


_insert: ContextVar[int] = ContextVar("inbox.audit.written", default=0)
"""The number of entries that this request or job has written."""


def begin_request(request_id: str, address: str) -> None:
    """Set the origin of the next acts to this request, without an actor. The API calls this for each request."""
    _origin.set(Origin(request_id, address, NO_ACTOR))
    _insert.set(0)


def set_actor(actor: Actor) -> None:
    """Set the actor of this request. Called after the authentication."""
    _origin.set(replace(_origin.get(), actor=actor))


def end_request() -> None:
    """Reset the origin at the end of the request."""
    _origin.set(Origin())


def target(target_type: str, id: UUID | None = None, name: str = "", *, user_id: UUID | None = None) -> Target:
    """Build a target. `target_type` is one of `PREFIXES`. A session or a device names the account that it belongs to."""
    account_id = id if target_type == "user" else user_id
    return Target(target_type, ids.encode(PREFIXES[target_type], id) if id is not None else "", name, account_id)


def current_actor() -> Actor:
    """Return the actor of this request or job."""
    return _origin.get().actor


def person(user: User) -> Actor:
    """Build the actor for a person, for requests in which nobody is signed in yet."""
    return Actor("user", ids.encode(Prefix.USER, user.id), user.name)


def caller_or(user: User) -> Actor:
    """Return the caller, or this person when nobody is signed in yet, for example at a sign-in."""
    actor = _origin.get().actor
    return actor if actor != NO_ACTOR else person(user)


def record(
    action: AuditAction,
    *,
    target: Target,
    now: datetime,
    workspace_id: UUID | None = None,
    actor: Actor | None = None,
    details: Mapping[str, Any] | None = None,
) -> None:
    """Write an entry within the `work()` of the act. Raises `RuntimeError` outside of a transaction.

    `action` is a noun and a past tense: `member.removed`. The default of `actor` is the caller, and in jobs the system.
    `details` is JSON without secrets: every administrator can read it. Keys of the service in names are redacted.
    """
    if not db.in_transaction():
        raise RuntimeError(f"{action} is recorded outside of the transaction that does it")
    origin = _origin.get()
    AuditEntry.insert(
        id=_next_id(now),
        at=now,
        workspace_id=workspace_id,
        user_id=target.user_id if workspace_id is None else None,
        actor=(actor or origin.actor).record(),
        action=action,
        target={"type": target.type, "id": target.id, "name": redact(target.name)},
        ip=origin.address,
        request_id=origin.request_id,
        details=_cut_texts(redact_tree(dict(details or {}))[0]),
    ).execute()


def log_exported(workspace: Target, filters: Mapping[str, Any], *, workspace_id: UUID, now: datetime) -> None:
    """Record an export of the audit log of this workspace, with its filters in the shape of the API."""
    with work():
        record("audit_log.exported", target=workspace, now=now, workspace_id=workspace_id, details={"filters": filters})


@contextmanager
def refusals(user: User | None, now: datetime, *, by: str) -> Iterator[None]:
    """Write an entry when the authentication within the block is refused.

    The work is the same whether the account exists or not. The entered values are not stored. Use this around the
    refused unit of work, not within it.
    """
    try:
        yield
    except (PairingInvalid, ReauthRequired, Unauthenticated):
        about = target("user", user.id, user.name) if user is not None else target("user")
        with work():
            record("session.refused", target=about, now=now, details={"by": by})
        raise


def throttled(bucket: str, now: datetime, *, about: User | None) -> None:
    """Record that attempts were throttled.

    Only the first of a burst writes an entry, so that the log cannot be flooded.

    `bucket` is the rate limit's bucket, as in `throttled`: the endpoint, the counted kind, and its value. Do not call
    this within a transaction.
    """
    if rates.take(f"told:{bucket}", 1, 1 / REPEAT_SECONDS, now):
        return
    limit, counted, _ = bucket.split(":", 2)
    tried = target("user", about.id, about.name) if about is not None else target("user")
    with work():
        record("session.throttled", target=tried, now=now, details={"door": limit, "counted": counted})


def changes(
    before: Mapping[str, Any], after: Mapping[str, Any], *, hidden: Iterable[str] = ()
) -> dict[str, list[dict[str, Any]]]:
    """Build details with the changed fields and, except for `hidden` ones, with their values before and after.

    Only the fields of `after` are compared. Values that are not JSON become text.
    """
    closed = frozenset(hidden)
    changed = {name: new for name, new in after.items() if name in closed or before.get(name) != new}
    return {
        "changes": [
            {"field": _camel(name)}
            | ({} if name in closed else {"before": _json_value(before.get(name)), "after": _json_value(new)})
            for name, new in changed.items()
        ]
    }


def removed(record: Mapping[str, Any]) -> dict[str, Any]:
    """Build details with the removed record, with the field names of the API. Include no secret."""
    return {"record": {_camel(name): _json_value(value) for name, value in record.items()}}


def columns(row: object, *names: str) -> dict[str, Any]:
    """Return these columns of a row, for `removed`. Each is named, so that a new column is never written unnoticed."""
    return {name: getattr(row, name) for name in names}


def _next_id(now: datetime) -> UUID:
    """Create an id that sorts entries by time, and within one moment in the order of writing."""
    written = _insert.get()
    _insert.set(written + 1)
    noise = (now.microsecond % 1_000) << 64 | (written & 0xFFF) << 50 | secrets.randbits(50)
    return ids.uuid7(int(now.timestamp() * 1000), noise.to_bytes(10))


def _cut_texts(value: Any) -> Any:
    """Return the details with long texts cut.

    They are redacted first, because half a secret would not be recognized.
    """
    if isinstance(value, str):
        return cut(value, MAX_TEXT)
    if isinstance(value, Mapping):
        return {name: _cut_texts(inner) for name, inner in value.items()}
    return [_cut_texts(inner) for inner in value] if isinstance(value, list) else value


def _camel(name: str) -> str:
    return _BREAK.sub(lambda match: match.group(1).upper(), name)


def _json_value(value: object) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {str(name): _json_value(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_json_value(inner) for inner in value]
    return times.rfc3339(value) if isinstance(value, datetime) else str(value)
