"""The kinds of records that files can keep, each with its schemas and its use cases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from uuid import UUID

from inbox.api.deliveries.schemas.destinations import DestinationNew, DestinationRecord
from inbox.api.heartbeats.schemas.monitors import MonitorNew, MonitorRecord
from inbox.api.http.schemas.base import Schema
from inbox.api.insight.schemas.views import ViewNew, ViewRecord
from inbox.api.oncall.schemas.schedules import ScheduleNew, ScheduleRecord
from inbox.api.routing.schemas.profiles import ProfileNew, ProfileRecord
from inbox.api.routing.schemas.rules import RuleNew, RuleRecord
from inbox.api.routing.schemas.silences import SilenceNew, SilenceRecord
from inbox.api.senders.schemas.sources import SourceNew, SourceRecord
from inbox.domain.routing import matchers
from inbox.domain.routing.rules import RuleActions
from inbox.domain.values.ids import Prefix
from inbox.models.deliveries.destinations import Destination
from inbox.models.heartbeats import locked_watchers
from inbox.models.heartbeats import monitors as monitor_queries
from inbox.models.heartbeats.tables import HeartbeatMonitor
from inbox.models.insight.views import SavedView
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.routing.profiles import RoutingProfile
from inbox.models.routing.rules import Rule
from inbox.models.routing.silences import Silence
from inbox.models.senders.sources import Source
from inbox.services.deliveries import destinations
from inbox.services.oncall import schedules
from inbox.services.routing import profiles, rules, silences
from inbox.services.senders import sources

NEVER = frozenset({"workspace_id", "position", "shared"})
"""Fields of requests that files do not have: the order of rules is that of the file, and a view is shared."""


@dataclass(frozen=True)
class Section:
    """A kind of record: the name of its section in files, and how its rows become documents.

    `fixed` are the fields that no edit changes. `unsaved` are the values of a row that has the defaults.
    """

    name: str
    record_type: str
    label: str
    prefix: Prefix
    new: type[Schema]
    read: type[Schema]
    table: Any
    rows: Callable[[UUID], Iterable[Any]]
    unsaved: Mapping[str, Any] = field(default_factory=dict)
    fixed: frozenset[str] = frozenset()
    left_out: frozenset[str] = frozenset()
    title_field: str = "name"

    @cached_property
    def shape(self) -> Schema:
        """The schema of a record of a file: the body of the request that creates it."""
        names = self.new().fields.keys()
        return self.new(exclude=[each for each in names if each in NEVER | self.left_out and each != self._order])

    @cached_property
    def defaults(self) -> dict[str, Any]:
        """The values of missing fields, in the shape of the API."""
        fields = {str(each.data_key): each for each in self.shape.fields.values()}
        return {
            name: value
            for name, value in self.document(self.table(**self.unsaved)).items()
            if isinstance(value, dict) or not (fields[name].required or (value is None and not fields[name].allow_none))
        }

    def document(self, row: Any) -> dict[str, Any]:
        """Returns the fields of a row that a request can set, in the shape of the API."""
        if self.has_match and row.match is not None:
            row.match_text = matchers.to_text(row.match)
        dumped = self._reader.dump(row)
        if "matchText" in dumped:
            del dumped["match" if len(dumped["matchText"]) <= matchers.TEXT_LIMIT else "matchText"]
        dumped = {**dict.fromkeys(self._optional), **dumped}
        return {name: dumped[name] for name in self._names if name in dumped}

    def title(self, document: Mapping[str, Any]) -> str:
        """Returns the name of a record. A silence has its comment."""
        return str(document.get(self.title_field, ""))

    @property
    def has_match(self) -> bool:
        """Whether records have a match, which files have as one line."""
        return "match" in self.shape.fields

    @property
    def _order(self) -> str | None:
        return "position" if self.name == "views" else None

    @cached_property
    def _names(self) -> list[str]:
        names = [str(each.data_key) for each in self.shape.fields.values()]
        fixed = {str(self.shape.fields[each].data_key) for each in self.fixed}
        return sorted(names, key=lambda name: (name != self.title_field, name not in fixed))

    @cached_property
    def _optional(self) -> list[str]:
        """The fields that may be null. Those that other tables have are read by `exports`."""
        return [str(each.data_key) for each in self.shape.fields.values() if each.allow_none]

    @cached_property
    def _reader(self) -> Schema:
        return self.read(only=[each for each in self.shape.fields if each in self.read().fields])


def _rows_of(existing: Callable[[list[UUID]], Any], table: Any, *order: Any) -> Callable[[UUID], Iterable[Any]]:
    return lambda workspace_id: existing([workspace_id]).order_by(*order, table.created_at, table.id)


def _own_sources(workspace_id: UUID) -> Iterable[Source]:
    own = sources.existing([workspace_id]).where(~Source.built_in)
    found: Iterable[Source] = own.order_by(Source.created_at, Source.id)
    return found


def _rules(workspace_id: UUID) -> Iterable[Rule]:
    found: Iterable[Rule] = rules.existing([workspace_id]).order_by(Rule.position, Rule.id)
    return found


def _recurring_silences(workspace_id: UUID) -> Iterable[Silence]:
    own = silences.existing([workspace_id]).where(Silence.recurrence.is_null(False))
    found: Iterable[Silence] = own.order_by(Silence.created_at, Silence.id)
    return found


def _own_monitors(workspace_id: UUID) -> list[HeartbeatMonitor]:
    """Returns the monitors that no watcher has, because a watcher sets its monitor itself."""
    found = monitor_queries.existing([workspace_id]).order_by(HeartbeatMonitor.created_at, HeartbeatMonitor.id)
    rows = list(found)
    watched = locked_watchers.of_monitors(row.id for row in rows)
    return [row for row in rows if row.id not in watched]


def _shared_views(workspace_id: UUID) -> Iterable[SavedView]:
    own = (SavedView.workspace_id == workspace_id) & SavedView.deleted_at.is_null() & SavedView.shared
    found: Iterable[SavedView] = SavedView.select().where(own).order_by(SavedView.created_at, SavedView.id)
    return found


SECTIONS = (
    Section(
        "destinations", "destination", "destination", Prefix.DESTINATION, DestinationNew, DestinationRecord,
        Destination, _rows_of(destinations.existing, Destination), fixed=frozenset({"kind"}),
    ),
    Section(
        "schedules", "schedule", "on-call schedule", Prefix.SCHEDULE, ScheduleNew, ScheduleRecord,
        OnCallSchedule, _rows_of(schedules.existing, OnCallSchedule),
    ),
    Section(
        "routingProfiles", "routingProfile", "routing profile", Prefix.PROFILE, ProfileNew, ProfileRecord,
        RoutingProfile, _rows_of(profiles.existing, RoutingProfile),
    ),
    Section(
        "sources", "source", "source", Prefix.SOURCE, SourceNew, SourceRecord,
        Source, _own_sources, left_out=frozenset({"kind"}),
    ),
    Section(
        "rules", "rule", "rule", Prefix.RULE, RuleNew, RuleRecord,
        Rule, _rules, unsaved={"actions": RuleActions().record()},
    ),
    Section(
        "silences", "silence", "silence", Prefix.SILENCE, SilenceNew, SilenceRecord,
        Silence, _recurring_silences, title_field="comment",
    ),
    Section(
        "heartbeatMonitors", "monitor", "heartbeat monitor", Prefix.MONITOR, MonitorNew, MonitorRecord,
        HeartbeatMonitor, _own_monitors, fixed=frozenset({"source_id"}),
    ),
    Section(
        "views", "view", "view", Prefix.VIEW, ViewNew, ViewRecord,
        SavedView, _shared_views, fixed=frozenset({"list"}),
    ),
)  # fmt: skip
"""The sections in the order in which their records are created: each refers to earlier ones only."""

BY_NAME: Mapping[str, Section] = {each.name: each for each in SECTIONS}
