"""The routing configuration of workspaces: its revision, and the queries that load it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.database.base import db
from inbox.models.deliveries import deferred as deferred_deliveries
from inbox.models.routing.profiles import RoutingProfile
from inbox.models.routing.rules import Rule
from inbox.models.routing.silences import Silence
from inbox.models.workspaces.tables import Workspace

CHUNK = 50
"""The number of rows with matches that are read at once. A match has up to 64 KB."""

Revision = tuple[UUID, int]
"""The id of a record and its revision."""


def bump_revision(workspace_id: UUID) -> None:
    """Increases the revision of the routing configuration: the next batch in any process uses the change.

    The statement locks the workspace's row until the transaction ends. Call it before other rows are locked: then two
    changes of one workspace cannot deadlock. Deliveries that quiet hours hold are rechecked.
    """
    db.execute_sql("UPDATE workspaces SET config_rev = config_rev + 1 WHERE id = %s", (workspace_id,))
    deferred_deliveries.schedule_recheck(workspace_id)


def bump_rule_order(workspace_id: UUID) -> int:
    """Increases the revision like `bump_revision`, also for a change of the rules' order.

    Returns the order's previous revision.
    """
    found = db.execute_sql(
        "UPDATE workspaces SET config_rev = config_rev + 1, rule_order_rev = rule_order_rev + 1 WHERE id = %s RETURNING rule_order_rev",
        (workspace_id,),
    ).fetchone()
    return int(found[0]) - 1


def order_rev(workspace_id: UUID) -> int:
    """Returns the revision of the rules' order in the workspace."""
    found = db.execute_sql("SELECT rule_order_rev FROM workspaces WHERE id = %s", (workspace_id,)).fetchone()
    return int(found[0])


def revisions(workspace_ids: Iterable[UUID]) -> dict[UUID, int]:
    """Returns the `config_rev` of each of these workspaces."""
    found = db.execute_sql("SELECT id, config_rev FROM workspaces WHERE id = ANY(%s)", (list(workspace_ids),))
    return dict(found.fetchall())


def workspaces(workspace_ids: Iterable[UUID]) -> dict[UUID, Workspace]:
    """Returns these workspaces, including deleted ones."""
    return {row.id: row for row in Workspace.select().where(Workspace.id.in_(list(workspace_ids)))}


def rules(workspace_ids: Iterable[UUID]) -> dict[UUID, list[Rule]]:
    """Returns the enabled rules of each of these workspaces, in their order."""
    found: dict[UUID, list[Rule]] = {workspace_id: [] for workspace_id in workspace_ids}
    for row in Rule.select().where(_enabled(found)).order_by(Rule.position, Rule.id):
        found[row.workspace_id].append(row)
    return found


def rule_revisions(workspace_ids: Iterable[UUID]) -> dict[UUID, list[Revision]]:
    """Does the same as `rules`, without the rows."""
    found: dict[UUID, list[Revision]] = {workspace_id: [] for workspace_id in workspace_ids}
    chosen = Rule.select(Rule.workspace_id, Rule.id, Rule.rev).where(_enabled(found))
    for workspace_id, id, rev in chosen.order_by(Rule.position, Rule.id).tuples():
        found[workspace_id].append((id, rev))
    return found


def load(table: Any, ids: Sequence[UUID]) -> Iterator[Any]:
    """Yields these rules or silences in no order, converted one by one."""
    for first in range(0, len(ids), CHUNK):
        yield from table.select().where(table.id.in_(ids[first : first + CHUNK]))


def profiles(workspace_ids: Iterable[UUID]) -> dict[UUID, list[RoutingProfile]]:
    """Returns the routing profiles of these workspaces."""
    found: dict[UUID, list[RoutingProfile]] = {workspace_id: [] for workspace_id in workspace_ids}
    rows = RoutingProfile.select().where(
        RoutingProfile.workspace_id.in_(list(found)), RoutingProfile.deleted_at.is_null()
    )
    for row in rows:
        found[row.workspace_id].append(row)
    return found


def destination_ids(workspace_ids: Iterable[UUID]) -> dict[UUID, frozenset[UUID]]:
    """Returns the destinations of these workspaces that are not deleted and that routes can name, without phones."""
    rows = db.execute_sql(
        "SELECT w.id, array_agg(d.id) FILTER (WHERE d.id IS NOT NULL) FROM unnest(%s::uuid[]) AS w (id)"
        " LEFT JOIN destinations d ON d.workspace_id = w.id AND d.deleted_at IS NULL"
        " AND d.device_id IS NULL AND d.owner_id IS NULL GROUP BY w.id",
        (list(workspace_ids),),
    )
    return {workspace_id: frozenset(found or ()) for workspace_id, found in rows.fetchall()}


def phone_counts(workspace_ids: Iterable[UUID]) -> dict[UUID, int]:
    """Returns the number of phones among each workspace's destinations. Workspaces without phones are missing."""
    found = db.execute_sql(
        "SELECT workspace_id, count(*) FROM destinations"
        " WHERE workspace_id = ANY(%s::uuid[]) AND device_id IS NOT NULL AND deleted_at IS NULL GROUP BY workspace_id",
        (list(workspace_ids),),
    )
    return dict(found.fetchall())


def silences(workspace_ids: Iterable[UUID], after: datetime) -> dict[UUID, list[Silence]]:
    """Returns the silences of these workspaces that end after this moment, oldest first."""
    found: dict[UUID, list[Silence]] = {workspace_id: [] for workspace_id in workspace_ids}
    for row in Silence.select().where(_ending(found, after)).order_by(Silence.id):
        found[row.workspace_id].append(row)
    return found


def silence_revisions(workspace_ids: Iterable[UUID], after: datetime) -> dict[UUID, list[Revision]]:
    """Does the same as `silences`, without the rows."""
    found: dict[UUID, list[Revision]] = {workspace_id: [] for workspace_id in workspace_ids}
    chosen = Silence.select(Silence.workspace_id, Silence.id, Silence.rev).where(_ending(found, after))
    for workspace_id, id, rev in chosen.order_by(Silence.id).tuples():
        found[workspace_id].append((id, rev))
    return found


def _enabled(workspace_ids: Iterable[UUID]) -> Any:
    return Rule.workspace_id.in_(list(workspace_ids)) & Rule.deleted_at.is_null() & Rule.enabled


def _ending(workspace_ids: Iterable[UUID], after: datetime) -> Any:
    own = Silence.workspace_id.in_(list(workspace_ids)) & Silence.deleted_at.is_null()
    return own & (Silence.ends_at > after)
