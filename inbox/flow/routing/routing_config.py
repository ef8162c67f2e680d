"""The routing configuration of a workspace (rules, profiles, silences, settings), compiled once per revision."""

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
"""Silences that ended earlier do not affect events that are routed late."""

CACHED = 1_000
"""The maximum number of cached routing configurations per process."""

log = structlog.get_logger("inbox.rulebook")


@dataclass(frozen=True, slots=True)
class RoutingConfig:
    """The routing configuration of a workspace; `rev` is its `routing_rev`."""

    rev: int
    rules: RuleSet
    profiles: Mapping[UUID, Profile]
    silences: tuple[CompiledSilence, ...]
    settings: WorkspaceSettings
    route: DefaultRoute
    quiet: QuietHours
    timezone: str
    needs: frozenset[str]
    """The optional columns that rules and silences read: of `body`, `metadata`, `url`, `external_id`."""
    destination_ids: frozenset[UUID] | None = None
    """The destinations at this revision; naming another one makes a new revision. None: all named destinations."""
    verdicts: VerdictCache = field(default_factory=VerdictCache)
    """The cached results of rules."""
    cached: dict[Hashable, Any] = field(default_factory=dict, init=False)
    """The cache of `evaluate` with the lifetime of this configuration."""

    def existing(self, named: Iterable[UUID]) -> tuple[UUID, ...]:
        """Those of these destinations that are not deleted."""
        return tuple(id for id in named if self.destination_ids is None or id in self.destination_ids)


class RoutingConfigCache:
    """The routing configurations of a process. Threads may share it."""

    def __init__(self, size: int = CACHED) -> None:
        self._size = size
        self._configs: OrderedDict[UUID, RoutingConfig] = OrderedDict()
        self._verdicts = VerdictCache()
        self._lock = threading.Lock()

    def configs(self, revisions: Mapping[UUID, int], now: datetime) -> dict[UUID, RoutingConfig]:
        """The configuration of each workspace at its `routing_rev` as read in the caller's transaction.

        Missing revisions are loaded in that transaction, so the loaded configuration is never older than its revision.
        If it is newer, the next transaction reads a higher revision and loads again. A transaction that changes the
        configuration must not call it, because it could be rolled back. Silences that ended long before `now` are left
        out.
        """
        with self._lock:
            configs = {
                id: self._configs[id]
                for id, rev in revisions.items()
                if id in self._configs and self._configs[id].rev == rev
            }
        stale = {id: rev for id, rev in revisions.items() if id not in configs}
        loaded = _load(stale, now, self._verdicts) if stale else {}
        with self._lock:
            self._configs.update(configs | loaded)
            for id in revisions:
                self._configs.move_to_end(id)
            while len(self._configs) > self._size:
                self._configs.popitem(last=False)
        return configs | loaded

    def needs(self) -> dict[UUID, frozenset[str]]:
        """The `needs` of each configuration that has any."""
        with self._lock:
            return {id: config.needs for id, config in self._configs.items() if config.needs}


_cache = RoutingConfigCache()


def routing_configs(revisions: Mapping[UUID, int], now: datetime) -> Mapping[UUID, RoutingConfig]:
    """As `RoutingConfigCache.configs`, from the cache of this process; `revisions` maps workspace to `routing_rev`."""
    return _cache.configs(revisions, now)


def needs() -> Mapping[UUID, frozenset[str]]:
    """The columns that routing probably reads, by workspace. The cached configurations may be outdated."""
    return _cache.needs()


def _load(revisions: Mapping[UUID, int], now: datetime, verdicts: VerdictCache) -> dict[UUID, RoutingConfig]:
    workspaces, rules = stored.workspaces(revisions), stored.rules(revisions)
    profiles, silences = stored.profiles(revisions), stored.silences(revisions, now - LATE)
    destinations = stored.destination_ids(revisions)
    configs = {
        id: compiled(workspaces[id], rev, rules[id], profiles[id], silences[id]) for id, rev in revisions.items()
    }
    return {id: replace(config, destination_ids=destinations[id], verdicts=verdicts) for id, config in configs.items()}


def compiled(
    workspace: Workspace,
    rev: int,
    rules: Iterable[StoredRule],
    profiles: Iterable[RoutingProfile],
    silences: Iterable[Silence],
) -> RoutingConfig:
    """Compile these rows, which may be unsaved; rules are in their order."""
    ruled = RuleSet([Rule.of(row, workspace.timezone) for row in rules])
    compiled_silences = [(row, CompiledSilence.of(row)) for row in silences]
    invalid: list[Rule | CompiledSilence] = [
        *ruled.invalid,
        *(silence for _, silence in compiled_silences if silence.error),
    ]
    for each in invalid:
        _log_fault(workspace, each)
    settings = effective_settings(workspace.settings)
    quiet = QuietHours.of(settings.quiet_hours, workspace.timezone)
    if quiet.error:
        log.error(
            "rulebook.faulty_quiet_hours", workspace_id=ids.encode(Prefix.WORKSPACE, workspace.id), fault=quiet.error
        )
    return RoutingConfig(
        rev=rev,
        rules=ruled,
        profiles={row.id: profile_of(row) for row in profiles},
        silences=tuple(hush for _, hush in compiled_silences),
        settings=settings,
        route=effective_route(workspace.default_route),
        quiet=quiet,
        timezone=workspace.timezone,
        needs=ruled.needs.union(*(matchers.needs(row.match) for row, hush in compiled_silences if not hush.error)),
    )


def _log_fault(workspace: Workspace, invalid: Rule | CompiledSilence) -> None:
    """Rows are validated when stored, so an unreadable row is of another version. Routing continues without it."""
    prefix = Prefix.RULE if isinstance(invalid, Rule) else Prefix.SILENCE
    about = {"id": ids.encode(prefix, invalid.id), "workspace_id": ids.encode(Prefix.WORKSPACE, workspace.id)}
    log.error("rulebook.faulty", **about, fault=invalid.error)
