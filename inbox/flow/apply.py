"""What a batch of events does: decided and moved in memory, in their order, then written by a few statements."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from inbox.domain.event_transition import Disposition
from inbox.domain.routing import RoutingOutcome
from inbox.domain.subject import Subject
from inbox.flow import recording
from inbox.flow.hearing import Case, Court, hear
from inbox.flow.judge import judge
from inbox.flow.ledger import Ledger
from inbox.flow.rulebook import rulebooks
from inbox.flow.work import Done
from inbox.flow.world import World
from inbox.live.feed import STORM
from inbox.models import open_after, rule_match_counts
from inbox.models.events import queue as event_queue
from inbox.models.events.queue import CountedEvent, EventDetails, QueuedEvent, RoutingResult, SourceContext
from inbox.models.incidents import lock as incident_lock
from inbox.models.tables import silences
from inbox.models.tables.events import shard_of


def apply(events: Sequence[QueuedEvent], now: datetime, done: Done) -> None:
    """Route events of one shard, in their order, in the caller's transaction; who calls holds the shard."""
    if not events:
        return
    latest = {event.source_id: event for event in events}
    origins = event_queue.source_contexts(latest)
    courts = _courts(origins, now)
    details = _details(events, courts, latest)
    cases = [_case(event, courts[event.source_id], details) for event in events]
    world = _world(cases)
    ledger = Ledger(now, done, origins)
    gone = {id for id, origin in origins.items() if origin.is_deleted}
    records = recording.Records(recording.archive, now)
    routed = [
        _routed(event, case, _fate(case, gone, world, ledger), records)
        for event, case in zip(events, cases, strict=True)
    ]
    event_queue.store_traces(records.fresh)
    event_queue.store_results([_joined(one, world) for one in routed])
    held = _held_before(routed, world)
    event_queue.count_deferred(held)
    open_after.store(world.waited)
    rule_match_counts.add(shard_of(events[0].source_id), world.matched)
    ledger.write()
    silences.count_matches(world.hushed, now)
    _announce(routed, held, done)
    done.after(records.kept)


def _courts(origins: Mapping[UUID, SourceContext], now: datetime) -> dict[UUID, Court]:
    books = rulebooks({origin.workspace_id: origin.routing_rev for origin in origins.values()}, now)
    return {id: Court.of(books[origin.workspace_id], origin) for id, origin in origins.items()}


def _details(
    events: Sequence[QueuedEvent], courts: Mapping[UUID, Court], latest: Mapping[UUID, QueuedEvent]
) -> Mapping[str, EventDetails]:
    """What rules or silences ask for and was not read already, by event. `latest` of a source tells what was read of its events."""
    if all(courts[id].book.needs <= event.read for id, event in latest.items()):
        return {}
    wanted = [event for event in events if not courts[event.source_id].book.needs <= event.read]
    columns = frozenset().union(*(courts[event.source_id].book.needs for event in wanted))
    return event_queue.details(wanted, columns)


def _case(event: QueuedEvent, court: Court, details: Mapping[str, EventDetails]) -> Case:
    if not court.looks:
        return hear(event, None, court)
    more = details.get(event.id_text, event.details)
    subject = Subject(
        event.severity,
        event.action,
        event.title,
        event.type,
        event.resource,
        event.dedup_key,
        event.tags,
        court.source_id,
        court.source_name,
        *more,
    )
    return hear(event, subject, court)


def _world(cases: Sequence[Case]) -> World:
    """The incidents that these events may meet, locked, and what rules have seen of them so far."""
    keys, names, wanted, recovered = set(), set(), set(), set[str]()
    for case in cases:
        event = case.event
        keys.add((event.source_id, case.fingerprint))
        if case.decision.recovers:
            keys.add((event.source_id, event.fingerprint))
            if event.dedup_key is not None:
                names.add((event.source_id, event.dedup_key))
            if case.court.waits:
                recovered.update((case.fingerprint, event.fingerprint))
        elif case.waits is not None and case.decision.rule_id is not None:
            wanted.add((case.decision.rule_id, case.fingerprint))
    return World(incident_lock.lock_for_events(keys, names), open_after.load(wanted, recovered))


def _fate(case: Case, gone: Collection[UUID], world: World, ledger: Ledger) -> RoutingOutcome:
    if gone and case.event.source_id in gone:
        return RoutingOutcome(Disposition.DROPPED, sentences=("the workspace is deleted",))
    return judge(case, world, ledger)


def _routed(event: QueuedEvent, case: Case, fate: RoutingOutcome, records: recording.Records) -> RoutingResult:
    return RoutingResult(event.workspace_id, event.id_text, fate.disposition, fate.incident_id, *records.of(case, fate))


def _joined(one: RoutingResult, world: World) -> RoutingResult:
    """An event of this batch, with the incident that it is counted to since a later one opened that."""
    if one.disposition != Disposition.WAITING or not world.joined:
        return one
    incident = world.joined.get(UUID(one.event_id))
    return one if incident is None else one._replace(incident_id=incident.id)


def _held_before(routed: Sequence[RoutingResult], world: World) -> list[CountedEvent]:
    """The events of earlier batches that are counted to an incident now."""
    joined = {str(id): incident for id, incident in world.joined.items()}
    for one in routed if joined else ():
        joined.pop(one.event_id, None)
    return [CountedEvent(incident.workspace_id, id, incident.id) for id, incident in joined.items()]


def _announce(routed: Sequence[RoutingResult], held: Sequence[CountedEvent], done: Done) -> None:
    """Events are told as they are routed; beyond a storm, which is told as one `resync`, no more need be listed."""
    told: dict[UUID, list[str]] = {}
    for one in routed:
        told.setdefault(one.workspace_id, []).append(one.event_id)
    for workspace_id, event_ids in told.items():
        for event_id in event_ids[: STORM + 1]:
            done.changed("event", UUID(event_id), workspace_id, op="created")
    for joined in held[:STORM]:
        done.changed("event", UUID(joined.event_id), joined.workspace_id)
