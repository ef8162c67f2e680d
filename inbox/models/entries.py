"""The audit log of a workspace as administrators look through it: every filter of the list (decision 15)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import peewee

from inbox.domain import ids
from inbox.domain.ids import Prefix
from inbox.domain.paging import Position
from inbox.models import span, turning
from inbox.models.audit import AuditEntry
from inbox.models.pages import Slice
from inbox.models.walks import Branches, Walk


def turn(workspace_id: UUID, args: Mapping[str, Any], *, after: Position | None, descending: bool, limit: int) -> Slice:
    """The next page of the entries of a workspace that pass the filters in `args`.

    A page may be short, even empty, though more follow: it ends when it has taken long enough.
    """
    steps = turning.page(walk(workspace_id, args), after=after, descending=descending, limit=limit)
    return Slice(_rows(steps.ids), steps.following)


def leap(
    workspace_id: UUID, args: Mapping[str, Any], *, offset: int, descending: bool, limit: int
) -> Sequence[Any] | None:
    """`limit` of them behind `offset` others; None where they are not found in a few seconds."""
    found = turning.leap(walk(workspace_id, args), offset=offset, descending=descending, limit=limit)
    return None if found is None else _rows(found)


def all_of(workspace_id: UUID, args: Mapping[str, Any]) -> Any:
    """All of them, for counting."""
    return AuditEntry.select().where(AuditEntry.workspace_id == workspace_id, *_conditions(args), *_times(args))


def _rows(ids: Sequence[UUID]) -> Sequence[Any]:
    rows = AuditEntry.select().where(AuditEntry.id.in_(list(ids))) if ids else ()
    found = {row.id: row for row in rows}
    return [found[id] for id in ids if id in found]


def walk(workspace_id: UUID, args: Mapping[str, Any]) -> Walk:
    """How the list is walked: entries are in the order of their ids, and no index says more of them."""
    low, high = span.about(args.get("since"), args.get("until"))
    asked, branches = _conditions(args), Branches({"workspace_id": "uuid"}, [(workspace_id,)])
    return Walk(AuditEntry, [AuditEntry.id], branches, low, high, _times(args), asked, asked)


def _conditions(args: Mapping[str, Any]) -> list[Any]:
    """By action, of which the noun may stand alone, and by who did it."""
    found = []
    if "action" in args:
        noun = args["action"]
        found.append(AuditEntry.action == noun if "." in noun else AuditEntry.action.startswith(f"{noun}."))
    if "actor_id" in args:
        actor = peewee.fn.jsonb_extract_path_text(AuditEntry.actor, "id")
        found.append(actor == ids.encode(Prefix.USER, args["actor_id"]))
    return found


def _times(args: Mapping[str, Any]) -> list[Any]:
    found = [AuditEntry.at >= args["since"]] if "since" in args else []
    return [*found, AuditEntry.at < args["until"]] if "until" in args else found
