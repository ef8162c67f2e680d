"""Applies files to a workspace in one transaction. A plan is an application that is rolled back (specification 24.2).

So a plan has the checks, the limits and the messages of the use cases, and no rules of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

import peewee

from inbox.api.configuration import kept_entries, rule_order, rule_previews, use_cases, workspace_shape
from inbox.api.configuration.adoption import Standing, standing_of
from inbox.api.configuration.files import Entry, Files, FilesRefused, LineFault
from inbox.api.configuration.kept_entries import Entries
from inbox.api.configuration.loading import Loader, apply_workspace
from inbox.api.configuration.plan import Act, Change, Plan, differences, series
from inbox.api.configuration.sections import SECTIONS, Section
from inbox.database.base import db
from inbox.domain.values.refusals import Fault, Refusal
from inbox.flow.unit_of_work import AfterCommit, joined_work
from inbox.models.routing.rules import Rule
from inbox.models.workspaces.tables import Workspace
from inbox.services.records import kept_records, record_limits
from inbox.services.routing import rules

LONGEST_SECONDS = 60
"""The maximum time in which records are created and changed. People cannot change the workspace meanwhile."""

TOO_LONG = f"The application takes longer than {LONGEST_SECONDS} seconds. Apply fewer records at a time."


@dataclass(frozen=True, slots=True)
class Options:
    """How files are applied. `prune` also deletes records that people made; `previews` adds the preview of rules."""

    environment: Mapping[str, str] = field(repr=False)
    prune: bool = False
    previews: bool = False
    clock: Callable[[], float] = time.monotonic


class _Undone(Exception):
    """Rolls a plan back."""


def plan(workspace_id: UUID, files: Files, options: Options, now: datetime) -> Plan:
    """Returns what an application would change. Nothing is stored. Raises `FilesRefused`."""
    found: list[Plan] = []
    try:
        with joined_work() as done:
            found.append(_applied(workspace_id, files, options, now, done))
            raise _Undone
    except _Undone:
        return found[0]


def apply(workspace_id: UUID, files: Files, options: Options, now: datetime) -> Plan:
    """Applies the files in one transaction, and returns what changed. Raises `FilesRefused`; then nothing is stored."""
    with joined_work() as done:
        found = _applied(workspace_id, files, options, now, done)
        kept_entries.record_application(workspace_id, files.name, found, now)
        return found


def _applied(workspace_id: UUID, files: Files, options: Options, now: datetime, done: AfterCommit) -> Plan:
    """Applies the files within the transaction of the caller.

    1. Lock the workspace, and find the record of each entry.
    2. Create and change records, each section after those that it refers to.
    3. Put the rules in the order of the files, and change the workspace.
    4. Delete the records that no file names, in the opposite order.
    """
    record_limits.lock_workspace(workspace_id)
    before = list(rules.existing([workspace_id]).where(Rule.enabled).order_by(Rule.position))
    standing = standing_of(workspace_id, files)
    entries, until = Entries(standing, now), options.clock() + LONGEST_SECONDS
    run = _Application(standing, files, options, now, done, entries, until)
    for section in SECTIONS:
        run.apply_section(section)
    if not run.faults:
        run.reorder()
    run.apply_workspace()
    for section in reversed(SECTIONS):
        run.remove_absent(section)
    if run.faults:
        raise FilesRefused(sorted(run.faults, key=lambda fault: (fault.file, fault.line)))
    kept_records.keep(run.entries.rows)
    if run.plan.changes or run.entries.rows:
        done.publish_change("workspace", workspace_id, workspace_id, rev=Workspace.get_by_id(workspace_id).rev)
    if options.previews:
        run.plan.preview = rule_previews.sentence(workspace_id, before, now)
    return run.plan


@dataclass(slots=True)
class _Application:
    standing: Standing
    files: Files
    options: Options
    now: datetime
    done: AfterCommit
    entries: Entries
    until: float
    plan: Plan = field(default_factory=Plan)
    faults: list[LineFault] = field(default_factory=list)
    failed: set[tuple[str, str]] = field(default_factory=set)
    is_broken: bool = False

    def apply_section(self, section: Section) -> None:
        """Creates and changes the records of a section. Faults are collected with those of the other sections."""
        created: dict[UUID, Entry] = {}
        for entry in self.files.of(section):
            loader = Loader(entry, self.standing, self.options.environment, self.failed)
            row = self.standing.row_of(entry)
            faults = loader.faults(row) or self._attempted(partial(self._write, loader, row, created))
            if faults:
                self.failed.add((section.prefix, entry.key))
                self.faults += [entry.fault(each) for each in faults if each.detail]
            if self.is_broken:
                raise FilesRefused(self.faults)
            if self.options.clock() > self.until:
                raise FilesRefused([*self.faults, entry.fault(Fault("", TOO_LONG))])
        for row in section.table.select().where(section.table.id.in_([*created])) if created else ():
            self.entries.keep(created[row.id], row.id, self.standing.document(created[row.id], row))

    def _write(self, loader: Loader, row: Any, created: dict[UUID, Entry]) -> None:
        if row is None:
            self._create(loader, created)
        else:
            self._change(loader, row)

    def _create(self, loader: Loader, created: dict[UUID, Entry]) -> None:
        entry, section = loader.entry, loader.entry.section
        notes = self.standing.notes_of(entry)
        id = use_cases.create(section, self.standing.workspace_id, loader.fields(None), self.now)
        self.standing.add(entry, id)
        created[id] = entry
        title = section.title(entry.document)
        self.plan.changes.append(Change(Act.CREATE, section.name, entry.key, title, notes=notes))

    def _change(self, loader: Loader, row: Any) -> None:
        """Changes a record. An edit without effect is undone, so that nothing tells of it."""
        entry, section = loader.entry, loader.entry.section
        before = self.standing.document(entry, row)
        notes, drift = self.standing.notes_of(entry), self.standing.drift_of(entry, before)
        secrets = loader.changed_secrets(row)
        after = before
        if secrets or not loader.equals(before):
            references = len(self.done.references)
            with db.atomic() as savepoint:
                use_cases.edit(section, row, loader.fields(row), self.now)
                after = self.standing.document(entry, section.table.get_by_id(row.id))
                if after == before and not secrets:
                    savepoint.rollback()
                    del self.done.references[references:]
        changes = differences(before, after)
        notes += [f"Secret changes: {name}." for name in secrets]
        notes += [f"Changed by hand: {series(drift)}."] if drift else []
        self.entries.keep(entry, row.id, after)
        if changes or secrets or self.standing.is_adopted(entry):
            act = Act.CHANGE if changes or secrets else Act.ADOPT
            self.plan.changes.append(Change(act, section.name, entry.key, section.title(after), changes, notes))

    def reorder(self) -> None:
        """Puts the rules of the files in their order. The places of other rules stay."""
        entries = [each for each in self.files.entries if each.section.name == "rules"]
        ordered = [id for each in entries if (id := self.standing.id_of(each)) is not None]
        moved = rule_order.reorder(self.standing.workspace_id, ordered, self.now)
        if moved:
            note = f"New order: {', '.join(each.key for each in entries)}."
            self.plan.changes.append(Change(Act.REORDER, "rules", "", "", notes=[note]))

    def apply_workspace(self) -> None:
        """Changes the workspace, where a file has it."""
        if self.files.workspace is None:
            kept_entries.release_workspace(self.standing, self.files.name)
            return
        document, file = self.files.workspace
        workspace_id, keys = self.standing.workspace_id, self.standing.keys
        before = workspace_shape.document(workspace_id, keys)
        faults = self._attempted(lambda: apply_workspace(document, self.standing.exchange(self.failed), self.now))
        self.faults += [file.fault(f"/workspace{each.pointer}", each.detail) for each in faults if each.detail]
        after = workspace_shape.document(workspace_id, keys)
        drift = self.entries.keep_workspace(file.name, before, after)
        changes = differences(before, after)
        if changes:
            notes = [f"Changed by hand: {series(drift)}."] if drift else []
            self.plan.changes.append(Change(Act.CHANGE, "workspace", "", "", changes, notes))

    def remove_absent(self, section: Section) -> None:
        """Deletes the records of a section that the files no longer name, and with `prune` those that people made."""
        for row, key, note in self.standing.absent(section, self.files, prune=self.options.prune):
            notes = [*([note] if note else []), *use_cases.consequences(section, row)]
            title = section.title(section.document(row))

            def remove(row: Any = row) -> None:
                use_cases.remove(section, row, self.now)

            for fault in self._attempted(remove):
                detail = f"The {section.label} {key} cannot be deleted: {fault.detail}"
                self.faults.append(LineFault(self.files.name, 1, detail))
            kept_entries.release(self.standing, section, key)
            self.plan.changes.append(Change(Act.DELETE, section.name, key, title, notes=notes))
        kept_entries.release_gone(self.standing, section, self.files)

    def _attempted(self, act: Callable[[], None]) -> list[Fault]:
        """Runs a use case, and returns the faults of a refusal. What it has written is rolled back with everything.

        After an error of the database the application ends, because no further statement can succeed.
        """
        try:
            act()
        except Refusal as refused:
            self.is_broken = self.is_broken or isinstance(refused.__context__, peewee.DatabaseError)
            return [*refused.errors] or [Fault("", refused.detail or refused.code)]
        return []
