"""Evaluates rules, profile and default route for an event, and makes the routing traces (specification 4.10).

Evaluation needs neither incidents nor the database. A repeated trace is stored once a day, and each event refers to it
by id.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from threading import Lock
from typing import NamedTuple, Protocol
from uuid import UUID

from cachetools import LRUCache

from inbox.domain.events import grouping
from inbox.domain.events.subject import Subject
from inbox.domain.incidents.alerts import ResolveWhen
from inbox.domain.routing.decision import RoutingDecision, RoutingOutcome, record
from inbox.domain.routing.rule_action import INCIDENT
from inbox.domain.routing.rules import OpenAfter, Verdict
from inbox.domain.values import ids
from inbox.domain.values.severity import Severity
from inbox.flow.routing.routing_config import NO_RULES, SourceRouting
from inbox.models.events.queue import QueuedEvent
from inbox.models.routing.routing_results import RoutingResult, SharedTrace

MAX_CACHED = 20_000
"""The maximum number of cached traces. Their keys have at most about a kilobyte."""

MAX_KEY_LENGTH = 1_024
"""The number of characters of the rules' record in a key. A digest replaces a longer record."""

DAY = 24 * 60 * 60 * 1000
"""In milliseconds."""


class Event(grouping.Groupable, Protocol):
    """An event as it is stored."""

    @property
    def id(self) -> UUID: ...
    @property
    def workspace_id(self) -> UUID: ...
    @property
    def source_id(self) -> UUID: ...
    @property
    def received_at(self) -> datetime: ...
    @property
    def severity(self) -> Severity: ...
    @property
    def action(self) -> str: ...
    @property
    def tags(self) -> list[str]: ...
    @property
    def fingerprint(self) -> str: ...
    @property
    def group_fingerprint(self) -> str | None: ...
    @property
    def body(self) -> str | None: ...
    @property
    def external_id(self) -> str | None: ...
    @property
    def sent_at(self) -> datetime | None: ...
    @property
    def is_repeat(self) -> bool: ...


class EvaluatedEvent(NamedTuple):
    """An event with its decision, before it is applied. `fingerprint` is the one that groups it.

    `rules_record` is the record of the rules' results, if routing needs it.
    """

    event: Event
    subject: Subject | None
    routing: SourceRouting
    decision: RoutingDecision
    fingerprint: str
    rules_record: str | None = None
    is_grouped: bool = False
    """Whether `groupBy` of a rule or of the source groups the event."""
    resolves_any: bool = False
    """Whether the first recovery of an alert resolves the incident (`resolveWhen`)."""
    is_of_group: bool = False
    """Whether the group of the tool decides, because no `groupBy` groups the event."""

    @property
    def counted_as(self) -> str:
        """The fingerprint under which a rule with `openAfter` counts the event: that of its alert in a group."""
        return self.event.fingerprint if self.is_of_group else self.fingerprint

    @property
    def tags(self) -> list[str]:
        """The tags of the event and the tags that rules add."""
        return list(dict.fromkeys((*self.event.tags, *self.decision.rules_result.tags)))

    def apart(self) -> EvaluatedEvent:
        """Returns the event with an incident of its own, outside the group of the tool."""
        return self._replace(fingerprint=self.event.fingerprint, is_of_group=False)

    @property
    def trace_text(self) -> str:
        """The record of the rules' results (`Verdict.record`); empty without a result."""
        if self.rules_record is None:
            return "" if self.subject is None else self.decision.rules_result.record(self.subject)
        return self.rules_record

    @property
    def threshold(self) -> OpenAfter | None:
        """The threshold of the deciding rule before an incident opens."""
        opens = self.decision.target is INCIDENT and not self.decision.recovers
        return self.decision.rules_result.open_after if opens else None


class NamedSource(Protocol):
    """A source as matchers see it: its public id and its name."""

    source_id: str
    source_name: str


def subject_of(event: Event, source: NamedSource) -> Subject:
    """Returns the event in the form that rules and silences match."""
    return Subject(
        severity=event.severity,
        action=event.action,
        title=event.title,
        type=event.type,
        resource=event.resource,
        dedup_key=event.dedup_key,
        tags=event.tags,
        source_id=source.source_id,
        source_name=source.source_name,
        body=event.body,
        url=event.url,
        external_id=event.external_id,
        metadata=event.metadata,
    )


def evaluate(
    event: Event, subject: Subject | None, routing: SourceRouting, result: Verdict | None = None
) -> EvaluatedEvent:
    """Evaluates rules, profile and default route for the event.

    `subject` is given if the source `has_matchers`; `result` if the rules are already evaluated.
    """
    rules_record = None
    if subject is None:
        result = NO_RULES
    elif result is None:
        result, rules_record = routing.verdict(subject, event.received_at)
    decision = routing.config.decide(*routing.terms, result, event.severity, event.action, bool(event.dedup_key))
    grouped = (
        grouping.rule_fingerprint(event.source_id, subject, result.group_by) if subject and result.group_by else None
    )
    is_grouped, when = (True, result.resolve_when) if grouped else (routing.is_grouped, routing.resolve_when)
    resolves_any = decision.recovers and when == ResolveWhen.ANY
    group = None if grouped else _group_of_tool(event, result)
    return EvaluatedEvent(
        *(event, subject, routing, decision, grouped or group or event.fingerprint),
        *(rules_record, is_grouped, resolves_any, group is not None),
    )


def _group_of_tool(event: Event, result: Verdict) -> str | None:
    """Returns the fingerprint of the tool's group. Alerts for which rules name other recipients are another incident,
    because an incident has one route.
    """
    named = result.destination_ids or result.people or result.routing_profile_id
    if event.group_fingerprint is None or not named:
        return event.group_fingerprint
    profile = (result.routing_profile_id,) if result.routing_profile_id else ()
    people = (id for each in result.people for id in each if id is not None)
    recipients = (*profile, *result.destination_ids, *people)
    return grouping.with_recipients(event.source_id, event.group_fingerprint, recipients)


TraceKey = tuple[int, SourceRouting, RoutingDecision, str, str, str | None, str | None, tuple[str, ...]]
"""The day, and all values that the trace consists of. Events with this key have equal traces."""


class TraceCache:
    """The ids of the traces that a process created; None for a trace that occurred once and is not shared.

    Threads may share it. At worst two threads store the same trace under one id.
    """

    def __init__(self, max_entries: int = MAX_CACHED) -> None:
        self._lock = Lock()
        self._ids: LRUCache[TraceKey, UUID | None] = LRUCache(max_entries)

    @contextmanager
    def cleared_on_failure(self) -> Iterator[None]:
        """Clears the cache after a failure: the database may come back without traces that were stored."""
        try:
            yield
        except BaseException:
            with self._lock:
                self._ids.clear()
            raise

    def find(self, key: TraceKey) -> tuple[bool, UUID | None]:
        """Returns whether the trace occurred before, and its id if it is stored. Marks it as having occurred."""
        with self._lock:
            if key in self._ids:
                return True, self._ids[key]
            self._ids[key] = None
        return False, None

    def add(self, ids: Mapping[TraceKey, UUID]) -> None:
        """Remembers the ids of stored traces."""
        with self._lock:
            self._ids.update(ids)


trace_cache = TraceCache()
"""The cache of this process."""


class BatchTraces:
    """The traces of one batch, which is routed at `now` under the lock of its shard."""

    def __init__(self, now: datetime) -> None:
        self._day = int(now.timestamp() * 1000) // DAY
        self._cache = trace_cache
        self._ids: dict[TraceKey, UUID] = {}
        self._new_traces: dict[TraceKey, SharedTrace] = {}

    @property
    def new_traces(self) -> Sequence[SharedTrace]:
        """The traces to store with the batch if they are missing."""
        return list(self._new_traces.values())

    def result(self, event: QueuedEvent, evaluated: EvaluatedEvent, outcome: RoutingOutcome) -> RoutingResult:
        """Returns the result of this event with its trace, or with the id of a shared one.

        The first event with a trace stores it, because the trace may never be repeated.
        """
        decision, rules, text = evaluated.decision, evaluated.rules_record, None
        if rules is None:
            rules = evaluated.trace_text
        key = (
            self._day,
            evaluated.routing,
            decision,
            rules if len(rules) <= MAX_KEY_LENGTH else _digest(rules),
            outcome.disposition,
            outcome.act,
            outcome.reason,
            outcome.sentences,
        )
        id = self._ids.get(key)
        if id is None:
            is_repeated, id = self._cache.find(key)
            if not is_repeated:
                text = record(decision, outcome, rules)
            elif id is None:
                id = self._share(key, event, record(decision, outcome, rules))
            else:
                self._ids[key] = id
        return RoutingResult(event.workspace_id, event.id_text, outcome.disposition, outcome.incident_id, text, id)

    def mark_committed(self) -> None:
        """Remembers the stored traces after the commit, so that they are not stored again."""
        self._cache.add({key: self._ids[key] for key in self._new_traces})

    def _share(self, key: TraceKey, event: QueuedEvent, text: str) -> UUID:
        """Adds a trace to store, and returns its id.

        The id contains the day, so that the purge removes the trace after the events of that day.

        The digest is keyed by the source. Only the holder of its shard can store the trace at this time.
        """
        digest = hashlib.blake2b(text.encode(), digest_size=10, key=event.source_id.bytes).digest()
        id = self._ids[key] = ids.uuid7(self._day * DAY, digest)
        self._new_traces[key] = SharedTrace(event.workspace_id, id, event.source_id, text)
        return id


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
