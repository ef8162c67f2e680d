"""Processes a batch of events: evaluates and applies them in memory in order, then writes with few statements.

`process` lists the steps.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from inbox.domain.events.grouping import alert_key
from inbox.domain.incidents.event_transition import Disposition
from inbox.domain.incidents.lateness import SenderTimes
from inbox.domain.routing.decision import RoutingOutcome
from inbox.flow.notices.create import create_notices
from inbox.flow.routing.alerts import names_single, tell_joined
from inbox.flow.routing.apply_event import apply_event
from inbox.flow.routing.apply_repeat import apply_repeat
from inbox.flow.routing.batch import BatchBudget
from inbox.flow.routing.evaluate import BatchTraces, EvaluatedEvent, evaluate, subject_of
from inbox.flow.routing.incident_index import IncidentIndex
from inbox.flow.routing.incidents import IncidentWriter
from inbox.flow.routing.late import names_of
from inbox.flow.routing.routing_config import SourceRouting, routing_configs
from inbox.flow.timers.incident_schedule import schedule_timers
from inbox.flow.unit_of_work import AfterCommit
from inbox.live.feed import RESYNC_THRESHOLD, Parents
from inbox.models.events import queue as event_queue
from inbox.models.events import queue_reads
from inbox.models.events.queue import QueuedEvent, SourceContext, partition_of, shard_of
from inbox.models.incidents import alert_times
from inbox.models.incidents import alerts as incident_alerts
from inbox.models.incidents import lock as incident_lock
from inbox.models.incidents.lock import IncidentRow
from inbox.models.routing import routing_results
from inbox.models.routing.routing_results import CounterKey, DeferredEvent, RoutingResult

EvaluatedEvents = Sequence[tuple[QueuedEvent, EvaluatedEvent]]
"""Events in their order, each with its evaluation."""


def process(
    events: Sequence[QueuedEvent],
    now: datetime,
    done: AfterCommit,
    budget: BatchBudget | None = None,
    select: Callable[[EvaluatedEvents], EvaluatedEvents] = list,
) -> Sequence[QueuedEvent]:
    """Routes events in their order in each source, in the caller's transaction. The caller holds their partitions.

    Returns the routed events. A `budget` may leave the last events of each source, `select` may leave evaluated ones.

    1. Evaluate the rules for each event.
    2. Apply each event and each repeat to its incident, in memory.
    3. Write results, existing incidents with their alerts and timelines, and the times of senders.
    4. Create the notices.
    5. Schedule the timers.
    6. Write the new incidents, last: their numbers block other openings in the workspace.
    """
    if not events:
        return events
    latest = {event.source_id: event for event in events}
    origins = event_queue.source_contexts(latest)
    evaluated = select(_evaluate(events, _source_routings(origins, now), latest, budget))
    index, writer, traces = _incident_index(evaluated), IncidentWriter(now, done, origins), BatchTraces(now)
    results, routed = _apply(evaluated, index, writer, traces, budget)

    waiting = _write_results(results, index, traces)
    _count_matches(events[0], index, done)
    tell_joined([incident for incident, _ in writer.transitions], writer, writer.notices)
    writer.write_existing()
    _write_sender_times(index.sender_times, now, done)

    checks = create_notices(writer.notices, writer.event_notices, origins, writer.plans, writer.make_id, done)
    schedule_timers(writer.transitions, writer.plans, checks, done)

    writer.write_new()
    routing_results.count_silenced(index.silenced_counts, now, done.statements)
    _announce(results, {event.id_text: event.source_id for event in routed}, waiting, done)
    done.after(traces.mark_committed)
    return routed


def _source_routings(origins: Mapping[UUID, SourceContext], now: datetime) -> dict[UUID, SourceRouting]:
    configs = routing_configs({origin.workspace_id: origin.routing_rev for origin in origins.values()}, now)
    return {id: configs[origin.workspace_id].source(origin) for id, origin in origins.items()}


def _evaluate(
    events: Sequence[QueuedEvent],
    sources: Mapping[UUID, SourceRouting],
    latest: Mapping[UUID, QueuedEvent],
    budget: BatchBudget | None,
) -> list[tuple[QueuedEvent, EvaluatedEvent]]:
    """Returns the events that the budget admits, each with its evaluation."""
    evaluated, complete = [], _with_needed_columns(events, sources, latest)
    if budget is not None:
        budget.begin_step()
    for event in complete:
        if budget is not None and not budget.admits(event.workspace_id):
            continue
        source = sources[event.source_id]
        each = evaluate(event, subject_of(event, source) if source.has_matchers else None, source)
        evaluated.append((event, each))
        if budget is not None:
            size = event.optional_length if event.read else 0
            budget.spend(event.workspace_id, size + len(each.rules_record or ""))
    return evaluated


def _with_needed_columns(
    events: Sequence[QueuedEvent], sources: Mapping[UUID, SourceRouting], latest: Mapping[UUID, QueuedEvent]
) -> Sequence[QueuedEvent]:
    """Loads all columns that rules or silences need. The configuration may have changed since the fetch.

    `latest` has one event per source, which shows the columns that were fetched for all of them.
    """
    if all(sources[id].config.needs <= event.read for id, event in latest.items()):
        return events
    incomplete = [event for event in events if not sources[event.source_id].config.needs <= event.read]
    columns = frozenset().union(*(sources[event.source_id].config.needs for event in incomplete))
    complete = {event.seq: event for event in queue_reads.with_columns(incomplete, columns)}
    return [complete.get(event.seq, event) for event in events]


def _incident_index(evaluated_events: EvaluatedEvents) -> IncidentIndex:
    """Locks and indexes the incidents that these events can affect, with the waits of rules."""
    keys, names, missing, recovered = set(), set(), dict[CounterKey, int](), set[str]()
    for event, evaluated in evaluated_events:
        keys.add((event.source_id, evaluated.fingerprint))
        if evaluated.decision.recovers or evaluated.is_of_group:
            keys.add((event.source_id, event.fingerprint))
            if event.dedup_key is not None:
                names.add((event.source_id, event.dedup_key))
        if evaluated.decision.recovers and evaluated.routing.waits:
            recovered.update((evaluated.fingerprint, event.fingerprint))
        elif evaluated.threshold is not None and evaluated.decision.rule_id is not None:
            counter = evaluated.decision.rule_id, evaluated.counted_as
            missing[counter] = missing.get(counter, evaluated.threshold.count) - 1
    incidents = incident_lock.lock_for_events(keys, names)
    deferred = routing_results.load_deferred(missing, recovered)
    _load_alerts(evaluated_events, incidents, names, deferred)
    index = IncidentIndex(incidents, deferred)
    timed = {name for event, _ in evaluated_events if event.sent_at is not None for name in names_of(event)}
    if timed:
        index.sender_times.known.update(alert_times.load(timed))
    return index


def _load_alerts(
    evaluated_events: EvaluatedEvents,
    incidents: Sequence[IncidentRow],
    recoveries: Collection[tuple[UUID, str]],
    deferred: Mapping[CounterKey, Sequence[DeferredEvent]],
) -> None:
    """Loads the alerts of these incidents whose keys the events have, or the deferred events.

    Of an incident with one alert it loads this one, unless the events are only counted.
    """
    by_key, by_id = {one.key: one for one in incidents}, {one.id: one for one in incidents}
    single, named = set[UUID](), set[tuple[UUID, UUID, str]]()
    for event, evaluated in evaluated_events if incidents else ():
        recovers = evaluated.decision.recovers
        for fingerprint in (evaluated.fingerprint, event.fingerprint)[: 2 if recovers or evaluated.is_of_group else 1]:
            one = by_key.get((event.source_id.int, fingerprint))
            if one is None:
                continue
            if one.state_values.alerts.total > 1:
                named.add((one.id, one.source_id, alert_key(event.dedup_key, event.title)))
            elif recovers or not names_single(one, event):
                single.add(one.id)
    named |= _named_by_deferred(incidents, deferred)
    for id, alert in incident_alerts.load(single, named, recoveries) if incidents else ():
        if id in by_id:
            by_id[id].add_stored(alert)


def _named_by_deferred(
    incidents: Sequence[IncidentRow], deferred: Mapping[CounterKey, Sequence[DeferredEvent]]
) -> set[tuple[UUID, UUID, str]]:
    """Returns the names of the alerts that deferred events report, in incidents that may reopen with them."""
    several = {one.fingerprint: one for one in incidents if one.state_values.alerts.total > 1} if deferred else {}
    found = ((several.get(fingerprint), events) for (_, fingerprint), events in deferred.items())
    return {
        (one.id, one.source_id, each.alert.key)
        for one, events in found
        if one is not None
        for each in events
        if each.alert is not None
    }


def _write_sender_times(times: SenderTimes, now: datetime, done: AfterCommit) -> None:
    """Stores the times that senders gave for their alerts, and flags the late events."""
    if times.changed:
        alert_times.store(times.changed, now, done.statements)
    routing_results.flag_late(times.late, done.statements)


def _apply(
    evaluated: EvaluatedEvents,
    index: IncidentIndex,
    writer: IncidentWriter,
    traces: BatchTraces,
    budget: BatchBudget | None,
) -> tuple[list[RoutingResult], list[QueuedEvent]]:
    """Returns the results of the events that the budget admits, in order, and these events.

    The changes are in the index and the writer afterwards.
    """
    deleted_source_ids = {id for id, origin in writer.origins.items() if origin.is_deleted}
    results, routed = list[RoutingResult](), list[QueuedEvent]()
    if budget is not None:
        budget.begin_step()
    for event, each in evaluated:
        if budget is not None and not budget.admits(event.workspace_id):
            continue
        is_deleted = bool(deleted_source_ids) and event.source_id in deleted_source_ids
        if event.is_repeat:
            if not is_deleted:
                apply_repeat(each, index, writer)
            routed.append(event)
            continue
        outcome = _WORKSPACE_DELETED if is_deleted else apply_event(each, index, writer)
        result = traces.result(event, each, outcome)
        results.append(result)
        routed.append(event)
        if budget is not None:
            budget.spend(event.workspace_id, len(result.routing or ""), writer.recipients - budget.recipients)
    return results, routed


_WORKSPACE_DELETED = RoutingOutcome(Disposition.DROPPED, sentences=("the workspace is deleted",))


def _write_results(
    results: Sequence[RoutingResult], index: IncidentIndex, traces: BatchTraces
) -> list[tuple[UUID, str, UUID]]:
    """Writes the results of the events, and the waits of rules. Returns the events of earlier batches that count now."""
    routing_results.store_traces(traces.new_traces)
    routing_results.store_results([_with_incident(one, index) for one in results])
    waiting = _held_events(results, index)
    routing_results.count_deferred(waiting)
    routing_results.store_deferred(index.open_after_updates)
    return waiting


def _with_incident(one: RoutingResult, index: IncidentIndex) -> RoutingResult:
    """Returns the result with the incident that a later event of this batch opened for a waiting event."""
    if one.disposition != Disposition.WAITING or not index.incident_of_event:
        return one
    incident = index.incident_of_event.get(UUID(one.event_id))
    return one if incident is None else one._replace(incident_id=incident.id)


def _count_matches(event: QueuedEvent, index: IncidentIndex, done: AfterCommit) -> None:
    """Counts the events that rules matched, and the costly ones, in the partition of this event."""
    partition = partition_of(shard_of(event.source_id))
    routing_results.add_matches(partition, index.match_counts, done.statements)
    routing_results.add_costly(partition, index.costly_counts, done.statements)


def _held_events(routed: Sequence[RoutingResult], index: IncidentIndex) -> list[tuple[UUID, str, UUID]]:
    """Returns the waiting events of earlier batches that are now counted on an incident: (workspace, event, incident)."""
    counted = {str(id): incident for id, incident in index.incident_of_event.items()}
    for one in routed if counted else ():
        counted.pop(one.event_id, None)
    return [(incident.workspace_id, id, incident.id) for id, incident in counted.items()]


def _announce(
    routed: Sequence[RoutingResult],
    source_ids: Mapping[str, UUID],
    waiting: Sequence[tuple[UUID, str, UUID]],
    done: AfterCommit,
) -> None:
    """Publishes routed events. Above the threshold, one `resync` replaces the references."""
    announced: dict[UUID, list[RoutingResult]] = {}
    for one in routed:
        announced.setdefault(one.workspace_id, []).append(one)
    for workspace_id, results in announced.items():
        for one in results[: RESYNC_THRESHOLD + 1]:
            parents = Parents(one.incident_id, source_ids[one.event_id])
            done.publish_change("event", UUID(one.event_id), workspace_id, op="created", parents=parents)
    for workspace_id, event_id, incident_id in waiting:
        done.publish_change("event", UUID(event_id), workspace_id, parents=Parents(incident_id=incident_id))
