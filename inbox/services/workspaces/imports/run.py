"""Imports an export: the configuration in one transaction, then the history in batches (specification 12.12).

The workspace stays closed until the last batch is stored, so nobody sees it and no timer of it runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from uuid import UUID

from inbox.database.base import db
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.flow.oncall import record as shift_log
from inbox.flow.timers.silences import TRANSITION
from inbox.flow.unit_of_work import work
from inbox.models.incidents import timers
from inbox.models.incidents.timers import TimerSpec
from inbox.models.people.accounts import User
from inbox.models.routing import routing_config
from inbox.models.routing.silences import Silence
from inbox.models.workspaces.imports import WorkspaceImport
from inbox.models.workspaces.tables import Workspace
from inbox.runtime.queue import QueueName
from inbox.services.records import audit
from inbox.services.workspaces.imports import survey as surveys
from inbox.services.workspaces.imports.adjustments import NO_PARENT, Context
from inbox.services.workspaces.imports.beginning import Check, begin, context_of, converted
from inbox.services.workspaces.imports.export_file import ExportFile, ImportRefused, Position, Record
from inbox.services.workspaces.imports.id_map import IdMap
from inbox.services.workspaces.imports.rows import LeftOut, Row
from inbox.services.workspaces.imports.survey import Survey
from inbox.services.workspaces.imports.targets import HISTORY, TARGETS, missing_parents, store

BATCH = 500
"""The maximum number of records of a batch."""

BATCH_BYTES = 4 * 1024**2

RUNNING = "Another import of this file is running, or the import has ended or is discarded."
IMPORTED = (
    "This workspace was imported before, as {}. Delete that workspace and wait for its removal to import it again."
)


class _Undone(Exception):
    """Rolls the trial of a plan back."""


def earlier(file: ExportFile) -> WorkspaceImport | None:
    """Returns the import of this very file, ended or not; None without one.

    Raises `ImportRefused` when another export of the same workspace was imported.
    """
    digest, origin = file.digest(), ids.decode(Prefix.WORKSPACE, str(file.head().workspace.get("id")))
    run: WorkspaceImport | None = WorkspaceImport.get_or_none(WorkspaceImport.digest == digest)
    other = WorkspaceImport.get_or_none(WorkspaceImport.origin_id == origin) if run is None else None
    if other is not None:
        raise ImportRefused(IMPORTED.format(other.workspace.slug))
    return run


def plan(survey: Survey, owner: User | None, check: Check, now: datetime) -> dict[str, Counter[str]]:
    """Returns the numbers of configuration that an import would store. Nothing is stored. Raises `ImportRefused`."""
    counts: dict[str, Counter[str]] = {}
    try:
        with db.atomic():
            counts = {name: Counter(each) for name, each in begin(survey, owner, check, now).counts.items()}
            raise _Undone
    except _Undone:
        return counts


def start(survey: Survey, owner: User | None, check: Check, now: datetime) -> WorkspaceImport:
    """Stores the configuration, and returns the import to continue. Raises `ImportRefused`."""
    with work():
        return begin(survey, owner, check, now)


def proceed(run: WorkspaceImport, file: ExportFile) -> WorkspaceImport:
    """Stores the rest of the history, and opens the workspace. Raises `ImportRefused`; a later call goes on.

    1. The workspace stays closed for as long as the import needs, so the purge does not remove it.
    2. A batch and the position after it are stored in one transaction.
    3. After the last batch the workspace opens, and timers of its silences and schedules are set.
    """
    Workspace.update(deleted_at=datetime.now(UTC)).where(Workspace.id == run.workspace_id).execute()
    context = _context(run, file)
    start = Position(run.position, run.section, run.record) if run.position else None
    for section, batch in _batches(file.records(start)):
        _store_batch(run, section, batch, context)
    _finish(run)
    return run


def _context(run: WorkspaceImport, file: ExportFile) -> Context:
    data = bytes(run.new_ids)
    new = {UUID(bytes=data[at : at + 16]) for at in range(0, len(data), 16)}
    people = surveys.people_of(file, surveys.members(file))
    id_map = IdMap((run.origin_id, run.workspace_id), people, new, copies_events=run.copies_events)
    return context_of(Workspace.get_by_id(run.workspace_id), id_map, run.started_at)


def _batches(records: Iterator[Record]) -> Iterator[tuple[str, list[Record]]]:
    """Yields the records of the history in batches of one section, bounded by their number and their bytes."""
    batch: list[Record] = []
    size = 0
    for record in records:
        if record.section not in HISTORY:
            continue
        if batch and (record.section != batch[0].section or len(batch) >= BATCH or size >= BATCH_BYTES):
            yield batch[0].section, batch
            batch, size = [], 0
        batch.append(record)
        size += record.size
    if batch:
        yield batch[0].section, batch


def _store_batch(run: WorkspaceImport, section: str, batch: list[Record], context: Context) -> None:
    counts = Counter(run.counts.get(section, {}))
    rows: list[tuple[int, Row]] = []
    for record in batch:
        try:
            rows.append((record.number, converted(record, context)))
        except LeftOut as left:
            counts[str(left)] += 1
    with work():
        missing = missing_parents(section, run.workspace_id, [row for _, row in rows])
        kept = [each for place, each in enumerate(rows) if place not in missing]
        counts.update({NO_PARENT: len(missing), "stored": len(kept)})
        run.counts = {**run.counts, section: {name: count for name, count in counts.items() if count}}
        if not run.advance(batch[-1].after, section, batch[-1].number):
            raise ImportRefused(RUNNING)
        store(TARGETS[section], kept)


def _finish(run: WorkspaceImport) -> None:
    """Opens the workspace. Its silences and schedules begin to work."""
    now, workspace_id = datetime.now(UTC), run.workspace_id
    with work() as done:
        if not run.finish(now):
            raise ImportRefused(RUNNING)
        Workspace.update(deleted_at=None).where(Workspace.id == workspace_id).execute()
        routing_config.bump_revision(workspace_id)
        waiting = Silence.select(Silence.id).where(
            Silence.workspace_id == workspace_id, Silence.deleted_at.is_null(), Silence.ends_at > now
        )
        timers.set_many([TimerSpec(TRANSITION, each.id, workspace_id, now) for each in waiting])
        shift_log.set_all_due(workspace_id, now, done)
        done.wake(QueueName.TIMERS)
        done.publish_change("workspace", workspace_id, workspace_id, op="created", rev=1)
        name = Workspace.get_by_id(workspace_id).name
        stored = {section: found.get("stored", 0) for section, found in run.counts.items()}
        details = {"origin": ids.encode(Prefix.WORKSPACE, run.origin_id), "stored": stored}
        about = audit.target("workspace", workspace_id, name)
        audit.record("workspace.imported", target=about, now=now, workspace_id=workspace_id, details=details)
    run.finished_at = now
