"""Defects of notices and their texts: explanations, silences of people's acts, flapping, departures, waits, updates."""

from __future__ import annotations

from bench.defects.defect import defect

PEOPLE = "tests/flow/test_people_notify.py"

DEFECTS = (
    defect(
        "an explanation leaves out the destinations that are not on the route",
        "inbox/services/explaining/explanations.py",
        "        for id, each in context.receivers.items()\n",
        "        for id, each in context.receivers.items()\n        if each.id in on_route\n",
        "tests/api/explaining/test_explain.py::test_every_destination_of_the_workspace_is_named",
    ),
    defect(
        "an edit that makes a silence match is not covered by it",
        "inbox/flow/people/incidents.py",
        "SILENCE_RECHECK_ACTS = frozenset({Act.REOPEN, Act.EDIT, Act.EDIT_HIGHER})",
        "SILENCE_RECHECK_ACTS = frozenset({Act.REOPEN})",
        "tests/flow/timers/test_silences_of_people.py",
    ),
    defect(
        "a silence matches the event and not the incident's own tags",
        "inbox/domain/routing/silences.py",
        "event._replace(tags=tuple(dict.fromkeys((*incident.tags, *event.tags))))",
        "event",
        "tests/domain/routing/test_silences.py",
        "tests/flow/timers/test_silences_agree.py",
    ),
    defect(
        "an incident that flaps and ends open is not announced",
        "inbox/domain/incidents/incident.py",
        "    reason = Reason.OPENED if is_first else transition.notice\n",
        "    reason = Reason.OPENED if is_first else None\n",
        "tests/domain/incidents/test_flapping.py",
        "tests/flow/routing/test_route_flapping.py",
    ),
    defect(
        "the end of flapping reaches the route and not whoever was notified",
        "inbox/flow/timers/incident_timers.py",
        "NoticeTraits(flapping_ended=act is Act.FLAPPING_ENDS)",
        "NoticeTraits()",
        "tests/flow/routing/test_route_flapping.py::test_earlier_recipients_are_reminded_once_when_flapping_ends_open",
    ),
    defect(
        "a severity that a person raises is only an update",
        "inbox/flow/people/incidents.py",
        "Act.EDIT_HIGHER if rises else Act.EDIT, now",
        "Act.EDIT, now",
        PEOPLE,
    ),
    defect(
        "whoever left the workspace stays the assignee",
        "inbox/flow/timers/departures.py",
        "            _unassign(incident, departures.get(incident.assignee_id), writer)\n",
        "",
        "tests/flow/timers/test_departures.py",
    ),
    defect(
        "what somebody acknowledged who left stays acknowledged",
        "inbox/flow/timers/departures.py",
        "            _unacknowledge(incident, departures.get(incident.state_values.acknowledged_by), writer)\n",
        "            pass\n",
        "tests/flow/timers/test_departures.py",
    ),
    defect(
        "events that openAfter counted belong to no incident",
        "inbox/flow/routing/apply_event.py",
        "    index.join((one for one in waiting if one.event_id != event.id), incident)\n",
        "",
        "tests/flow/routing/test_route_waits.py",
    ),
    defect(
        "an undone resolve is an update",
        "inbox/flow/people/undo.py",
        "reason = undo.correction_reason(before.state, current.state)",
        "reason = undo.correction_reason(before.state, before.state)",
        PEOPLE,
    ),
    defect(
        "an update does not say what was changed",
        "inbox/flow/people/incidents.py",
        "change = Change(tuple(changed), changes.of_edit",
        "change = Change((), changes.of_edit",
        PEOPLE,
    ),
    defect(
        "the outlook promises reminders where no destination is set",
        "inbox/domain/explaining/forecast.py",
        "    if not status.has_destination and status.state is not State.RESOLVED:\n",
        "    if status.has_destination is None:\n",
        "tests/domain/explaining/test_forecast.py",
        "tests/api/explaining/test_explain.py::test_reminders_are_not_forecast_without_a_destination",
    ),
    defect(
        "a resolved incident takes no tags",
        "inbox/flow/people/incidents.py",
        "incident.state_values.state is State.RESOLVED and (edit.title is not None or edit.severity is not None)",
        "incident.state_values.state is State.RESOLVED",
        "tests/flow/people/test_incidents_edited.py",
    ),
    defect(
        "a short page does not say that it is partial",
        "inbox/api/http/paging.py",
        'is_partial = following is not None and len(found.rows) < args["limit"]',
        "is_partial = False",
        "tests/api/lists/test_long_lists.py",
    ),
    defect(
        "with a quiet while of zero one repeat of a batch is notified",
        "inbox/domain/incidents/event_transition.py",
        "    if not policy.reoccur_quiet:\n",
        "    if policy.reoccur_quiet is None:\n",
        "tests/flow/routing/test_route.py",
    ),
)
