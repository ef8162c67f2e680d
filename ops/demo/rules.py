"""The rules, routing profiles and silences of the sample workspace, in the order of evaluation."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, NamedTuple

from ops.demo.company import BOARD, CHAT, PHONE, TICKETS

ON_CALL, OFFICE_HOURS = "On call", "Office hours"


class Profile(NamedTuple):
    """A routing profile. `steps` are minutes after the opening, and the destinations."""

    name: str
    steps: tuple[tuple[int, tuple[str, ...]], ...]
    more: dict[str, Any]


PROFILES = (
    Profile(ON_CALL, ((0, (CHAT,)), (10, (PHONE,)), (25, (PHONE, CHAT))), {"quiet_hours": "ignore"}),
    Profile(OFFICE_HOURS, ((0, (CHAT,)),), {"delay_seconds": 120, "auto_resolve_minutes": 2_880}),
)


class Rule(NamedTuple):
    """A rule. `then` names destinations and profiles by their names."""

    name: str
    match: str
    then: dict[str, Any]
    more: dict[str, Any]


RULES = (
    Rule("Ignore probes of the load balancer", 'type = "probe.ok"', {"disposition": "drop"}, {}),
    Rule(
        "Announce deployments in the chat",
        'type = "deploy.finished"',
        {"disposition": "notify", "destinations": (CHAT,)},
        {},
    ),
    Rule(
        "Open a ticket for errors of the shop",
        'source = "Web shop" and severity >= ERROR',
        {"destinations": (TICKETS,), "add_tags": ("ticket",)},
        {"continue_matching": True},
    ),
    Rule(
        "Payment failures go on call",
        'source = "Payments" and severity >= ERROR',
        {"disposition": "incident", "profile": ON_CALL, "add_tags": ("money",)},
        {},
    ),
    Rule(
        "Staging is at most a warning",
        'source = "Staging" and severity >= WARNING',
        {"disposition": "incident", "severity": "WARNING", "profile": OFFICE_HOURS},
        {},
    ),
    Rule(
        "Slow answers count after three events",
        'type = "latency.high"',
        {"disposition": "incident"},
        {"open_after": {"count": 5, "within": timedelta(minutes=15)}},
    ),
    Rule(
        "Failed builds of side branches are only logged",
        'source = "CI" and metadata.branch != "main"',
        {"disposition": "log"},
        {},
    ),
    Rule(
        "Outages appear on the status board",
        'source = "Uptime checks" and severity >= WARNING',
        {"disposition": "incident", "destinations": (BOARD,)},
        {},
    ),
    Rule(
        "Long mail queue at night",
        'resource = "queue:mail" and severity = WARNING',
        {"disposition": "incident", "snooze": timedelta(hours=6)},
        {"enabled": False},
    ),
)


class Silence(NamedTuple):
    """A silence. `made`, `starts` and `ends` are days before the end of the history; negative ones lie after it."""

    by: str
    made: float
    starts: float
    ends: float
    match: str
    comment: str
    recurrence: dict[str, Any] | None = None


SILENCES = (
    Silence("theo", 8.2, 8.0, 7.9, 'resource startsWith "queue:"', "Mail server moves to the new rack"),
    Silence(
        "mira",
        13.0,
        13.0,
        -90.0,
        'source = "Staging"',
        "Staging restarts every Sunday",
        {"rrule": "FREQ=WEEKLY;BYDAY=SU", "durationMinutes": 90},
    ),
    Silence("mira", 0.03, 0.03, -1.5, 'resource = "host:db-2"', "Replica db-2 moves to larger disks"),
)
