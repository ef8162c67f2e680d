"""The members of the sample workspace, its senders of events, and its destinations."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, NamedTuple
from uuid import UUID

WORKSPACE = "Demo"
DAYS = 14
PORT = 8097
"""The port on 127.0.0.1 of the receiver that `--live` starts."""


class Person(NamedTuple):
    """A member of the workspace. Nobody can sign in with the account: it has no password."""

    id: UUID
    name: str
    email: str
    role: str


PEOPLE = {
    "mira": Person(UUID("01900000-0000-7000-8000-00000000de01"), "Mira Holm", "mira@demo.example.com", "admin"),
    "theo": Person(UUID("01900000-0000-7000-8000-00000000de02"), "Theo Brandt", "theo@demo.example.com", "member"),
    "ines": Person(UUID("01900000-0000-7000-8000-00000000de03"), "Ines Roth", "ines@demo.example.com", "member"),
    "nils": Person(UUID("01900000-0000-7000-8000-00000000de04"), "Nils Berg", "nils@demo.example.com", "member"),
}
"""The fixed ids are the mark of the workspace: `--remove` removes only what belongs to these accounts."""


class Source(NamedTuple):
    """A sender of events and the name of its key."""

    name: str
    key: str
    group_by: tuple[str, ...] = ()


SOURCES = (
    Source("Web shop", "production"),
    Source("Payments", "production"),
    Source("PostgreSQL", "exporter"),
    Source("Backups", "nightly"),
    Source("Uptime checks", "probes", ("resource",)),
    Source("CI", "pipeline"),
    Source("Certificates", "daily check"),
    Source("Staging", "cluster"),
)


class Target(NamedTuple):
    """A destination. `path` is its address at the receiver, which answers by `behaviour`.

    A `healthy` one leads to the built-in receiver, where the instance can call it, and accepts notices. A `retrying`
    one fails since `since` before the end, a `stopped` one rejects them.
    """

    name: str
    path: str
    behaviour: str = "healthy"
    since: timedelta = timedelta()
    quiet_hours_threshold: str | None = "CRITICAL"
    send_notes: bool = True


CHAT, PHONE, BOARD, TICKETS = "Team chat", "On-call phone", "Status board", "Ticket system"

TARGETS = (
    Target(CHAT, "/team-chat"),
    Target(PHONE, "/on-call-phone", quiet_hours_threshold=None, send_notes=False),
    Target(BOARD, "/status-board", "retrying", timedelta(hours=5), quiet_hours_threshold=None),
    Target(TICKETS, "/ticket-system", "stopped", timedelta(days=3)),
)

ANSWERS = {"healthy": 204, "retrying": 503, "stopped": 410}
"""The status code of each behaviour."""

SETTINGS: dict[str, Any] = {
    "quietHours": {
        "enabled": True,
        "timezone": None,
        "windows": [
            {"days": ["mon", "tue", "wed", "thu", "fri", "sat", "sun"], "start": "22:00", "end": "06:30"},
        ],
        "holidays": [],
    },
    "renotifyMinutes": {"CRITICAL": 15, "ERROR": 60, "WARNING": 0},
    "renotifyMax": 1,
}
"""The settings of the workspace that differ from the shipped ones. The fallback is the on-call phone."""

VIEWS = (
    ("Needs attention", {"state": ["open"], "minSeverity": "ERROR", "sort": "lastSeen"}),
    ("Money", {"state": ["open", "acknowledged"], "tag": ["money"]}),
)
"""The saved views that Mira shares: a name and the filters of the list."""
