"""Lists of audit entries for administrators and for people, with every filter (specification 12.7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import peewee

from inbox.database.patterns import like_pattern
from inbox.database.read_query import ReadQuery
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.models.events import id_range as event_id_range
from inbox.models.lists.index_scan import IndexScan, Partitions
from inbox.models.lists.pagination import PagedList
from inbox.models.records.audit import AuditEntry


def search(workspace_id: UUID, args: Mapping[str, Any]) -> PagedList:
    """Returns the entries of a workspace that pass the filters in `args`."""
    return PagedList(scan_plan(workspace_id, args), lambda ids: _ROWS(id=ids))


def of_instance(args: Mapping[str, Any]) -> Any:
    """Selects the entries without a workspace that pass the filters. Administrators of the instance read them."""
    return AuditEntry.select().where(AuditEntry.workspace_id.is_null(), *_conditions(args), *_between(args))


def of_person(user_id: UUID, args: Mapping[str, Any]) -> Any:
    """Selects the entries without a workspace that concern the account of this person."""
    return of_instance(args).where(AuditEntry.user_id == user_id)


def _between(args: Mapping[str, Any]) -> list[Any]:
    """Returns conditions for the period.

    The id bounds follow from the times, because entries are in the order of their ids.
    """
    low, high = event_id_range.approximate(args.get("since"), args.get("until"))
    bounds = [AuditEntry.id >= low] if low is not None else []
    return [*bounds, *([AuditEntry.id < high] if high is not None else []), *_times(args)]


_ROWS = ReadQuery(AuditEntry.select)


def scan_plan(workspace_id: UUID, args: Mapping[str, Any]) -> IndexScan:
    """Returns the scan of the list. Entries are in the order of their ids, and no index supports the other filters."""
    low, high = event_id_range.approximate(args.get("since"), args.get("until"))
    branches = Partitions({"workspace_id": "uuid"}, [(workspace_id,)])
    return IndexScan(AuditEntry, [AuditEntry.id], branches, low, high, _times(args), _conditions(args))


def _conditions(args: Mapping[str, Any]) -> list[Any]:
    """Returns conditions for the filters but the period. The filter `action` may be the noun alone."""
    found = []
    if "action" in args:
        found.append(_has_action(args["action"]))
    if "actor_id" in args:
        found.append(_text(AuditEntry.actor, "id") == ids.encode(Prefix.USER, args["actor_id"]))
    if "target_type" in args:
        found.append(_text(AuditEntry.target, "type") == args["target_type"])
    if "target_id" in args:
        found.append(_text(AuditEntry.target, "id") == args["target_id"])
    if "request_id" in args:
        found.append(AuditEntry.request_id == args["request_id"])
    if "ip" in args:
        found.append(AuditEntry.ip == args["ip"])
    if "q" in args:
        found.append(_contains(args["q"]))
    return found


def _contains(text: str) -> Any:
    """Returns a condition: the actor's name, the target's name or the details contain the text, in any case."""
    pattern = like_pattern(text)
    details = AuditEntry.details.cast("text")
    return (
        (_text(AuditEntry.actor, "name") ** pattern)
        | (_text(AuditEntry.target, "name") ** pattern)
        | (details**pattern)
    )


def _text(column: peewee.Field, name: str) -> Any:
    """Returns a text of a JSON column."""
    return peewee.fn.jsonb_extract_path_text(column, name)


def _has_action(action: str) -> Any:
    """Returns a condition for one action or for all actions of a noun."""
    if "." not in action:
        return AuditEntry.action.startswith(f"{action}.")
    return AuditEntry.action == action


def _times(args: Mapping[str, Any]) -> list[Any]:
    found = [AuditEntry.at >= args["since"]] if "since" in args else []
    return [*found, AuditEntry.at < args["until"]] if "until" in args else found
