"""What holds in a workspace, compiled once in a process for each of its revisions: rules, profiles, silences, settings."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import structlog

from inbox.domain import ids, matchers
from inbox.domain.ids import Prefix
from inbox.domain.profiles import Profile, profile_of
from inbox.domain.rules import Rule, RuleSet, VerdictCache
from inbox.domain.silences import CompiledSilence
from inbox.domain.windows import QuietHours
from inbox.domain.workspace import DefaultRoute, WorkspaceSettings, effective_route, effective_settings
from inbox.models import routing_config as stored
from inbox.models.tables.profiles import RoutingProfile
from inbox.models.tables.rules import Rule as StoredRule
from inbox.models.tables.silences import Silence
from inbox.models.tables.workspaces import Workspace

LATE = timedelta(days=7)
"""Silences that ended longer ago do not matter to events that are routed late."""

KEPT = 1_000
"""Rulebooks that a process keeps."""

log = structlog.get_logger("inbox.rulebook")


@dataclass(frozen=True, slots=True)
class Rulebook:
    """By what the events of a workspace are routed; `rev` is its `routing_rev`."""

    rev: int
    rules: RuleSet
    profiles: Mapping[UUID, Profile]
    hushes: tuple[CompiledSilence, ...]
    settings: WorkspaceSettings
    route: DefaultRoute
    quiet: QuietHours
    timezone: str
    needs: frozenset[str]
    """What rules and silences look at besides what is always there: of `body`, `metadata`, `url`, `external_id`."""
    destination_ids: frozenset[UUID] | None = None
    """The destinations that there were at this revision: who names another makes a new one. None: all that are named."""
    memory: VerdictCache = field(default_factory=VerdictCache)
    """What the rules said before."""
    kept: dict[Hashable, Any] = field(default_factory=dict, init=False)
    """What `hearing` keeps as long as this holds."""

    def still_there(self, named: Iterable[UUID]) -> tuple[UUID, ...]:
        """Those of these destinations that are not deleted."""
        return tuple(id for id in named if self.destination_ids is None or id in self.destination_ids)


class Shelf:
    """The rulebooks of a process. Threads may share it."""

    def __init__(self, kept: int = KEPT) -> None:
        self._kept = kept
        self._books: OrderedDict[UUID, Rulebook] = OrderedDict()
        self._memory = VerdictCache()
        self._lock = threading.Lock()

    def rulebooks(self, wanted: Mapping[UUID, int], now: datetime) -> dict[UUID, Rulebook]:
        """The rulebook of each workspace at its `routing_rev` as read in the caller's transaction.

        What is not at hand at that revision is loaded in that transaction, so it is never older than the revision says;
        where it is newer, the next transaction sees a higher revision and loads it again. Not for a transaction that
        changes any of it itself: it could be rolled back. Silences that ended long before `now` are left out.
        """
        with self._lock:
            found = {
                id: self._books[id] for id, rev in wanted.items() if id in self._books and self._books[id].rev == rev
            }
        missing = {id: rev for id, rev in wanted.items() if id not in found}
        loaded = _load(missing, now, self._memory) if missing else {}
        with self._lock:
            self._books.update(found | loaded)
            for id in wanted:
                self._books.move_to_end(id)
            while len(self._books) > self._kept:
                self._books.popitem(last=False)
        return found | loaded

    def needs(self) -> dict[UUID, frozenset[str]]:
        """The `needs` of each book that has any."""
        with self._lock:
            return {id: book.needs for id, book in self._books.items() if book.needs}


_shelf = Shelf()


def rulebooks(wanted: Mapping[UUID, int], now: datetime) -> Mapping[UUID, Rulebook]:
    """As `Shelf.rulebooks`, from the shelf of this process; `wanted` is workspace → `routing_rev`."""
    return _shelf.rulebooks(wanted, now)


def needs() -> Mapping[UUID, frozenset[str]]:
    """What is likely to be looked at of a workspace's events, by the books of this process, which may be old."""
    return _shelf.needs()


def _load(wanted: Mapping[UUID, int], now: datetime, memory: VerdictCache) -> dict[UUID, Rulebook]:
    workspaces, rules = stored.workspaces(wanted), stored.rules(wanted)
    profiles, silences = stored.profiles(wanted), stored.silences(wanted, now - LATE)
    there = stored.destination_ids(wanted)
    books = {id: compiled(workspaces[id], rev, rules[id], profiles[id], silences[id]) for id, rev in wanted.items()}
    return {id: replace(book, destination_ids=there[id], memory=memory) for id, book in books.items()}


def compiled(
    workspace: Workspace,
    rev: int,
    rules: Iterable[StoredRule],
    profiles: Iterable[RoutingProfile],
    silences: Iterable[Silence],
) -> Rulebook:
    """The rulebook that these rows make, which need not all be stored; rules in their order."""
    ruled = RuleSet([Rule.of(row, workspace.timezone) for row in rules])
    heard = [(row, CompiledSilence.of(row)) for row in silences]
    faulty: list[Rule | CompiledSilence] = [*ruled.invalid, *(hush for _, hush in heard if hush.error)]
    for each in faulty:
        _log_fault(workspace, each)
    settings = effective_settings(workspace.settings)
    quiet = QuietHours.of(settings.quiet_hours, workspace.timezone)
    if quiet.error:
        log.error(
            "rulebook.faulty_quiet_hours", workspace_id=ids.encode(Prefix.WORKSPACE, workspace.id), fault=quiet.error
        )
    return Rulebook(
        rev=rev,
        rules=ruled,
        profiles={row.id: profile_of(row) for row in profiles},
        hushes=tuple(hush for _, hush in heard),
        settings=settings,
        route=effective_route(workspace.default_route),
        quiet=quiet,
        timezone=workspace.timezone,
        needs=ruled.needs.union(*(matchers.needs(row.match) for row, hush in heard if not hush.error)),
    )


def _log_fault(workspace: Workspace, faulty: Rule | CompiledSilence) -> None:
    """Checked when it was stored, so it is this version that cannot read it; all else goes on without it."""
    prefix = Prefix.RULE if isinstance(faulty, Rule) else Prefix.SILENCE
    about = {"id": ids.encode(prefix, faulty.id), "workspace_id": ids.encode(Prefix.WORKSPACE, workspace.id)}
    log.error("rulebook.faulty", **about, fault=faulty.error)
