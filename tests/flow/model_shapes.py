"""The settings and profiles with which the workspace and its model are compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.flow.model_parts import MINUTE

RECIPIENTS: Mapping[str, Mapping[str, Any]] = {
    "Pager": {"quiet_hours_threshold": "CRITICAL"},
    "Chat": {"quiet_hours_threshold": None, "min_severity": "ERROR", "send_notes": False},
    "Siren": {"quiet_hours_threshold": "ERROR", "send_updates": False, "send_notes": False},
    "Boss": {"quiet_hours_threshold": None},
}
"""The destinations; only the boss is ever switched off or stopped."""


@dataclass(frozen=True)
class Shape:
    """How a workspace is set: its settings and, where it has one, its profile, both as they are stored.

    `step_groups` are the ladder that must come of the profile: minutes, destinations, least severity. `groups`: a rule
    groups the events by their type, and says when an incident with several alerts resolves; else the sender does.
    """

    name: str
    step_groups: tuple[tuple[int, str, int], ...]
    terms: Mapping[str, Any]
    settings: Mapping[str, Any] = field(default_factory=dict)
    profile: Mapping[str, Any] | None = None
    steps: tuple[tuple[int, str, str | None], ...] = ()
    groups: str | None = None
    on_call: tuple[tuple[str, str, str], ...] = ()
    """From and until which time of the day a phone's person is on call. `@` among the destinations of a step pages them."""

    def __repr__(self) -> str:
        return self.name


PLAIN = Shape(
    "no profile",
    ((0, "Pager Chat Siren Boss", 0),),
    {"renotify": {5: 30 * MINUTE, 4: 120 * MINUTE}, "renotify_max": 6},
)


STANDBY = Shape(
    "a profile with steps and all clocks",
    ((0, "Pager Siren", 0), (10, "Chat", 4), (25, "Boss", 0), (50, "Pager Siren", 0), (60, "Chat", 4), (75, "Boss", 0)),
    {
        "renotify": {5: 30 * MINUTE, 4: 40 * MINUTE, 3: 50 * MINUTE},
        "renotify_max": 1,
        "ack_timeout": 20 * MINUTE,
        "auto_resolve": 180 * MINUTE,
    },
    profile={
        "repeat": 1,
        "renotify_minutes": {"ERROR": 40, "WARNING": 50},
        "renotify_max": 1,
        "ack_timeout_minutes": 20,
        "auto_resolve_minutes": 180,
    },
    steps=((0, "Pager Siren", None), (10, "Chat", "ERROR"), (25, "Boss", None)),
    groups="all",
)


HELD = Shape(
    "a profile that holds, reopens for ten minutes and knows no night",
    ((0, "Pager", 0), (10, "Boss", 0)),
    {
        "renotify": {5: 30 * MINUTE},
        "renotify_max": 6,
        "hold": 5 * MINUTE,
        "reopen": 10 * MINUTE,
        "sleeps": False,
        "any_end": True,
    },
    settings={"renotifyMinutes": {"ERROR": 0}, "ackTimeoutMinutes": 0},
    profile={"delay_seconds": 300, "reopen_window_minutes": 10, "quiet_hours": "ignore"},
    steps=((0, "Pager", None), (10, "Boss", None)),
    groups="any",
)


AFRESH = Shape(
    "no profile, and nothing is ever reopened",
    ((0, "Pager Chat Siren", 0),),
    {
        "renotify": {5: 30 * MINUTE},
        "renotify_max": 1,
        "reopen": 0,
        "quiet": 0,
        "joined_quiet": 0,
        "auto_resolve": 90 * MINUTE,
    },
    settings={
        "joinedQuietMinutes": 0,
        "renotifyMinutes": {"ERROR": 0},
        "renotifyMax": 1,
        "reopenWindowMinutes": 0,
        "reoccurQuietMinutes": 0,
        "autoResolveMinutes": 90,
    },
)


PHONE = {"quiet_hours_threshold": "CRITICAL", "min_severity": "CRITICAL", "send_notes": False}
"""A phone whose owner is on call at some times."""


PAGED = Shape(
    "a profile that pages whoever is on call",
    (
        *((0, "Pager", 0), (5, "@", 4), (20, "@ Boss", 0), (30, "Siren", 0)),
        *((60, "Pager", 0), (65, "@", 4), (80, "@ Boss", 0), (90, "Siren", 0)),
    ),
    {"renotify": {5: 30 * MINUTE, 4: 40 * MINUTE}, "renotify_max": 2, "round": 4},
    profile={"repeat": 1, "renotify_minutes": {"ERROR": 40}, "renotify_max": 2},
    steps=((0, "Pager", None), (5, "@", "ERROR"), (20, "@ Boss", None), (30, "Siren", None)),
    on_call=(
        *(("00:00", "09:20", "Ana"), ("09:20", "09:50", "Ben"), ("10:20", "11:00", "Ana"), ("12:00", "17:00", "Ben")),
        ("19:00", "23:00", "Ana"),
    ),
)


SHAPES = (PLAIN, STANDBY, HELD, AFRESH, PAGED)
