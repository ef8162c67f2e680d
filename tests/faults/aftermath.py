"""Invariants after people changed silences, profiles and sources during a storm of events."""

from __future__ import annotations

from tests.faults.people import LASTING_MINUTES
from tests.faults.service_processes import RunningService

TASKS = "'workspace.reschedule', 'workspace.reschedule_late', 'source.deleted', 'source.deleted_late'," + (
    " 'silence.transition', 'silence.recheck', 'silence.stray_check', 'silence.changed_late'"
)


def is_over(running_service: RunningService) -> bool:
    """Every silence has ended, and what was to be done to many incidents is done."""
    return running_service.settled() and running_service.ask(
        f"SELECT count(*) FROM timers WHERE kind IN ({TASKS})"
    ) == [(0,)]


def _is_empty(running_service: RunningService, what: str, query: str, *values: object) -> None:
    found = running_service.ask(query, *values)
    assert found == [], f"{what}: {len(found)}, as {found[:3]}"


def check_aftermath(running_service: RunningService) -> None:
    """`AssertionError` names what is wrong."""
    _nothing_is_silenced_any_more(running_service)
    _what_a_deleted_source_left_is_over_and_reported(running_service)
    _timelines_are_chains(running_service)
    _no_event_is_reported_twice(running_service)
    _timers_follow_the_plan_that_holds(running_service)


def _nothing_is_silenced_any_more(running_service: RunningService) -> None:
    _is_empty(running_service, "silenced for ever", "SELECT id, silenced_by FROM incidents WHERE state = 'silenced'")


def _what_a_deleted_source_left_is_over_and_reported(running_service: RunningService) -> None:
    """Every recipient of the alarm is notified of the end."""
    of_deleted = "FROM incidents i JOIN sources s ON s.id = i.source_id AND s.deleted_at IS NOT NULL"
    _is_empty(
        running_service, "alarms that nobody can end", f"SELECT i.id, i.state {of_deleted} WHERE i.state <> 'resolved'"
    )
    last = "(SELECT n.reason FROM notices n WHERE n.incident_id = i.id ORDER BY n.seq DESC LIMIT 1)"
    unreported = f"SELECT i.id, {last} {of_deleted} WHERE NOT i.flapping AND {last} <> 'resolved'"
    _is_empty(running_service, "ends that nobody heard", unreported)


def _timelines_are_chains(running_service: RunningService) -> None:
    """Each entry begins where the one before ended, and events are in the order in which they were accepted.

    A repeat has the id of the alarm that it repeats.
    """
    line = "OVER (PARTITION BY incident_id ORDER BY id)"
    entries = (
        f"SELECT incident_id, kind, details->>'from' AS came, lag(details->>'to') {line} AS was,"
        f" event_id, max(event_id::text) OVER (PARTITION BY incident_id ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1"
        " PRECEDING) AS newest FROM timeline"
    )
    _is_empty(running_service, "moves from where it was not", f"SELECT * FROM ({entries}) x WHERE came <> was")
    is_late = "event_id::text < newest OR (event_id::text = newest AND kind <> 'still_reported')"
    _is_empty(running_service, "events out of their order", f"SELECT * FROM ({entries}) x WHERE {is_late}")


def _no_event_is_reported_twice(running_service: RunningService) -> None:
    reported = "SELECT event_id, count(*) FROM notices WHERE event_id IS NOT NULL GROUP BY event_id HAVING count(*) > 1"
    _is_empty(running_service, "events that were told twice", reported)


def _timers_follow_the_plan_that_holds(running_service: RunningService) -> None:
    """An incident without a timer would stay for ever; one of an earlier plan would end it too soon."""
    wrong = (
        "SELECT i.id, i.state, i.opened_at, i.last_seen_at, i.event_count, t.due_at FROM incidents i LEFT JOIN timers t ON t.subject_id = i.id"
        " AND t.kind = 'incident.auto_resolve' WHERE i.state <> 'resolved' AND (t.due_at IS NULL"
        " OR t.due_at NOT BETWEEN i.first_seen_at + %s * interval '1 minute' AND GREATEST(i.last_seen_at, i.opened_at) + %s * interval '1 minute')"
    )
    _is_empty(running_service, "incidents without the timer of their plan", wrong, LASTING_MINUTES, LASTING_MINUTES)
    late = "SELECT kind, due_at FROM timers WHERE due_at < now() - interval '30 seconds'"
    _is_empty(running_service, "timers that nobody acts on", late)
