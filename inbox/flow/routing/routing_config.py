"""The routing configuration of a workspace (rules, profiles, silences, settings), compiled once per revision."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import lru_cache
from uuid import UUID

import structlog
from cachetools import LRUCache

from inbox.domain.events.subject import Subject
from inbox.domain.incidents.event_transition import ReopenPolicy
from inbox.domain.routing.decision import NotifyTarget, RoutingDecision, RoutingDefaults, decide, targets_of
from inbox.domain.routing.profiles import Profile, profile_of
from inbox.domain.routing.rules import RepeatCounter, Rule, RuleSet, Verdict, VerdictCache
from inbox.domain.routing.silences import CompiledSilence
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.values.severity import Severity
from inbox.domain.values.windows import QuietHours
from inbox.domain.workspaces.settings import DefaultRoute, WorkspaceSettings, effective_route, effective_settings
from inbox.flow.routing import compiled_rows
from inbox.flow.routing.compiled_rows import CompiledRows
from inbox.models.events.queue import SourceContext
from inbox.models.routing import routing_config as stored
from inbox.models.routing.profiles import RoutingProfile
from inbox.models.routing.rules import Rule as StoredRule
from inbox.models.routing.silences import Silence
from inbox.models.workspaces.tables import Workspace

SILENCE_GRACE = timedelta(days=1)
"""Silences that ended earlier are not loaded. The clock of another process may be slow, and events match by the time of
routing.
"""

CACHED = 1_000
"""The maximum number of cached routing configurations per process."""

MAX_DECISIONS = 2_000
"""The maximum number of cached decisions of one routing configuration."""

NO_RULES = Verdict()
"""The verdict for events in a workspace without rules or silences."""

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
    rows: CompiledRows | None = None
    """The rules and silences. The next revision reuses the unchanged ones."""
    destination_ids: frozenset[UUID] | None = None
    """The destinations at this revision. Naming another one creates a new revision. None: all named destinations."""
    phones: int = 0
    """The phones of members at this revision, or more. A new phone creates a new revision."""
    verdicts: VerdictCache = field(default_factory=VerdictCache)
    """The cached results of rules."""
    decide: Callable[[str, UUID | None, Verdict, Severity, str, bool], RoutingDecision] = field(init=False)
    """The decision for an event by its source and its verdict.

    Of the source it uses `resolve_by` and profile. Of the event it uses severity, action, and whether it has a dedup
    key. Events with equal values share one object.
    """
    policies: Mapping[UUID | None, ReopenPolicy] = field(init=False)
    """The reopen policy of each profile; the key None has the settings' policy."""
    runbooks: Mapping[UUID, str] = field(init=False)
    """The runbook link of each rule that has one."""
    sources: dict[UUID, SourceRouting] = field(default_factory=dict, init=False)
    """The routing of each source with an event since this revision."""

    def __post_init__(self) -> None:
        """Compiles the fields that follow from the others."""
        object.__setattr__(self, "decide", lru_cache(MAX_DECISIONS)(_decider(self)))
        object.__setattr__(self, "policies", _policies(self.settings, self.profiles))
        links = {rule.id: rule.actions.runbook_url for rule in self.rules.rules if rule.actions.runbook_url}
        object.__setattr__(self, "runbooks", links)

    def source(self, origin: SourceContext) -> SourceRouting:
        """Returns the routing of a source; the same object as long as the configuration and the source are unchanged."""
        cached = self.sources.get(origin.source_id)
        if cached is None or not cached.is_of(origin):
            cached = self.sources[origin.source_id] = SourceRouting(self, origin)
        return cached

    def existing(self, named: Iterable[UUID]) -> tuple[UUID, ...]:
        """Returns the destinations among these that are not deleted."""
        return tuple(id for id in named if self.destination_ids is None or id in self.destination_ids)


def _decider(config: RoutingConfig) -> Callable[[str, UUID | None, Verdict, Severity, str, bool], RoutingDecision]:
    route, profile_ids = config.route, config.profiles.keys()
    targets = targets_of(route.dispositions)
    default = NotifyTarget(route.routing_profile_id, route.destination_ids, route.people)

    def decision(
        resolve_by: str, profile_id: UUID | None, result: Verdict, severity: Severity, action: str, has_key: bool
    ) -> RoutingDecision:
        defaults = RoutingDefaults(targets, resolve_by, profile_id, default, profile_ids)
        return decide(severity, action, defaults, result, has_dedup_key=has_key)

    return decision


def _policies(settings: WorkspaceSettings, profiles: Mapping[UUID, Profile]) -> dict[UUID | None, ReopenPolicy]:
    policy = ReopenPolicy.of_minutes(settings.reoccur_quiet_minutes, settings.reopen_window_minutes)
    own = {id: profile.reopen_window for id, profile in profiles.items()}
    return {None: policy} | {
        id: policy if window is None else policy._replace(reopen_window=window) for id, window in own.items()
    }


class SourceRouting:
    """The routing configuration of one source.

    `has_matchers` says whether the workspace has rules or silences. `waits` says whether a rule waits for more events.
    `terms` are the first arguments of `RoutingConfig.decide`.
    """

    def __init__(self, config: RoutingConfig, origin: SourceContext) -> None:
        self.config = config
        self.source_id, self.source_name = ids.encode(Prefix.SOURCE, origin.source_id), origin.source_name
        self.has_matchers = bool(config.rules.rules or config.silences)
        self.waits = any(rule.open_after for rule in config.rules.rules)
        self.terms = origin.resolve_by, origin.routing_profile_id
        self.is_grouped, self.resolve_when = origin.is_grouped, origin.resolve_when
        self._repeats = RepeatCounter()
        self._id = origin.source_id

    def is_of(self, origin: SourceContext) -> bool:
        """Returns whether the routing values of the source are unchanged."""
        own = (self.source_name, *self.terms, self.is_grouped, self.resolve_when)
        return own == (
            *(origin.source_name, origin.resolve_by, origin.routing_profile_id),
            *(origin.is_grouped, origin.resolve_when),
        )

    def verdict(self, subject: Subject, at: datetime) -> tuple[Verdict, str]:
        """Returns the verdict of the rules for an event received at `at`, and its record."""
        return self.config.verdicts.verdict(self.config.rules, subject, self._id, at, self._repeats)


class RoutingConfigCache:
    """The routing configurations of a process. Threads may share it."""

    def __init__(self, size: int = CACHED) -> None:
        self._configs: LRUCache[UUID, RoutingConfig] = LRUCache(size)
        self._verdicts = VerdictCache()
        self._lock = threading.Lock()

    def configs(self, revisions: Mapping[UUID, int], now: datetime) -> dict[UUID, RoutingConfig]:
        """Returns each workspace's configuration at its `routing_rev`, as read in the caller's transaction.

        Missing revisions are loaded in that transaction, so the loaded configuration is never older than its revision.
        If it is newer, the next transaction reads a higher revision and loads again.

        A transaction that changes the configuration must not call it, because it could be rolled back. Silences that
        ended long before `now` are left out.
        """
        with self._lock:
            configs = {
                id: self._configs[id]
                for id, rev in revisions.items()
                if id in self._configs and self._configs[id].rev == rev
            }
            previous = {id: self._configs[id] for id in revisions if id in self._configs}
        stale = {id: rev for id, rev in revisions.items() if id not in configs}
        loaded = _load(stale, now, self._verdicts, previous) if stale else {}
        with self._lock:
            self._configs.update(loaded)
        return configs | loaded

    def needs(self) -> dict[UUID, frozenset[str]]:
        """Returns the `needs` of each configuration that has any."""
        with self._lock:
            return {id: config.needs for id, config in self._configs.items() if config.needs}


_cache = RoutingConfigCache()


def routing_configs(revisions: Mapping[UUID, int], now: datetime) -> Mapping[UUID, RoutingConfig]:
    """Calls `RoutingConfigCache.configs` of this process; `revisions` maps workspace to `routing_rev`."""
    return _cache.configs(revisions, now)


def needs() -> Mapping[UUID, frozenset[str]]:
    """Returns the columns that routing probably reads, by workspace. The cached configurations may be outdated."""
    return _cache.needs()


def _load(
    revisions: Mapping[UUID, int], now: datetime, verdicts: VerdictCache, previous: Mapping[UUID, RoutingConfig]
) -> dict[UUID, RoutingConfig]:
    """Loads these configurations, and reuses the unchanged compiled rules and silences of the previous ones."""
    workspaces, profiles = stored.workspaces(revisions), stored.profiles(revisions)
    rules, silences = stored.rule_revisions(revisions), stored.silence_revisions(revisions, now - SILENCE_GRACE)
    destinations, phones = stored.destination_ids(revisions), stored.phone_counts(revisions)
    loaded = {}
    for id, rev in revisions.items():
        cached = previous[id].rows if id in previous else None
        rows = compiled_rows.of_revisions(workspaces[id].timezone, rules[id], silences[id], cached)
        config = _config(workspaces[id], rev, profiles[id], rows)
        loaded[id] = replace(config, destination_ids=destinations[id], phones=phones.get(id, 0), verdicts=verdicts)
    return loaded


def compiled(
    workspace: Workspace,
    rev: int,
    rules: Iterable[StoredRule],
    profiles: Iterable[RoutingProfile],
    silences: Iterable[Silence],
) -> RoutingConfig:
    """Compiles these rows, which may be unsaved; rules are in their order."""
    return _config(workspace, rev, profiles, compiled_rows.of_rows(workspace.timezone, rules, silences))


def _config(workspace: Workspace, rev: int, profiles: Iterable[RoutingProfile], rows: CompiledRows) -> RoutingConfig:
    silences = tuple(rows.silences.values())
    invalid: list[Rule | CompiledSilence] = [
        *rows.rule_set.invalid,
        *(silence for silence in silences if silence.error),
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
        rules=rows.rule_set,
        profiles={row.id: profile_of(row) for row in profiles},
        silences=silences,
        settings=settings,
        route=effective_route(workspace.default_route),
        quiet=quiet,
        timezone=workspace.timezone,
        needs=rows.rule_set.needs.union(*(silence.needs for silence in silences)),
        rows=rows,
    )


def _log_fault(workspace: Workspace, invalid: Rule | CompiledSilence) -> None:
    """Logs a row that cannot be read.

    Rows are validated when stored, so another version wrote it. Routing continues without it.
    """
    prefix = Prefix.RULE if isinstance(invalid, Rule) else Prefix.SILENCE
    about = {"id": ids.encode(prefix, invalid.id), "workspace_id": ids.encode(Prefix.WORKSPACE, workspace.id)}
    log.error("rulebook.faulty", **about, fault=invalid.error)
