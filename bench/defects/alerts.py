"""Defects of the alerts inside incidents: ends, late reports, repeats and alerts that join."""

from __future__ import annotations

from bench.defects.defect import defect

ALERTS = "inbox/domain/incidents/alerts.py"
FLOW = "inbox/flow/routing/alerts.py"
ROUTED = "tests/flow/routing/test_route_alerts.py"
JOINED = "tests/flow/routing/test_joined_alerts.py"
LATE = "tests/flow/routing/test_late_reports.py"
MODEL = "tests/flow/test_incident_machine.py"

DEFECTS = (
    defect(
        "any end resolves the incident",
        FLOW,
        "what is Ending.ONE and counts.firing > 0 and not evaluated.resolves_any",
        "False",
        ROUTED,
        MODEL,
    ),
    defect(
        "an end of an alert that does not fire ends the incident",
        ALERTS,
        "        return Ending.NOTHING if counts.firing else Ending.ALL\n",
        "        return Ending.ALL\n",
        ROUTED,
        MODEL,
    ),
    defect(
        "a late end ends its alert",
        "inbox/domain/incidents/lateness.py",
        "return self.alarm_at is not None and at < self.alarm_at",
        "return False",
        LATE,
        MODEL,
    ),
    defect(
        "the alerts of a group share the times of their sender",
        "inbox/flow/routing/late.py",
        "    alert = event.source_id, alert_name(event.fingerprint, event.dedup_key, event.title)\n",
        '    alert = event.source_id, alert_name(event.fingerprint, "", "")\n',
        LATE,
    ),
    defect(
        "an event that reopens brings back the alerts of before",
        ALERTS,
        "counts._replace(round=counts.round + 1, firing=0, joined=0, joined_titles=())",
        "counts",
        ROUTED,
        MODEL,
    ),
    defect(
        "alerts that join a flapping incident are never told",
        "inbox/domain/deliveries/notification_plan.py",
        "if not counts.joined or incident.flapping or incident.state",
        "if not counts.joined or incident.state",
        JOINED,
        MODEL,
    ),
    defect(
        "the events that a rule counts before the opening have no alerts",
        FLOW,
        "if one.alert is not None and one.event_id != evaluated.event.id:",
        "if False:",
        "tests/flow/routing/test_waiting_alerts.py",
    ),
    defect(
        "an event of a new alert is explained as a repeat",
        FLOW,
        "return Act.JOIN if act is Act.TRIGGER and JOINED_TEXT in about_alert else act",
        "return act",
        "tests/api/explaining/test_explain_events.py",
    ),
    defect(
        "a message does not say that its problem is old",
        "inbox/domain/deliveries/event_details.py",
        'datetime.fromisoformat(data["firstSeenAt"]) - began_at > NEWS',
        "False",
        "tests/flow/delivery/test_message_details.py",
    ),
    defect(
        "the list of alerts begins with those that ended",
        "inbox/models/incidents/alerts.py",
        "    return (fires + rank) * _LATEST + microseconds\n",
        "    return (rank - fires) * _LATEST + microseconds\n",
        "tests/api/incidents/test_alerts.py",
    ),
    defect(
        "alerts beyond the budget of a request are not counted",
        "inbox/intake/base.py",
        "            result.unread = len(items) - read\n",
        "            pass\n",
        "tests/intake/test_budgets.py",
        "tests/api/senders/test_large_webhooks.py",
    ),
)
