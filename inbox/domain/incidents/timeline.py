"""The kinds of timeline entries."""

from __future__ import annotations

from inbox.domain.values.enums import FastStrEnum


class EntryKind(FastStrEnum):
    """The kind of a change or notice of an incident."""

    OPENED = "opened"
    """An event opened it."""

    REOPENED = "reopened"
    """An event or a person reopened it."""

    STILL_REPORTED = "still_reported"
    """The sender reported its alarm again within five minutes after it was resolved."""

    LATE = "late"
    """A report arrived after a later one of its alert, and changed nothing."""

    REOCCURRED = "reoccurred"
    """A repeat came after a quiet period. Other repeats are only counted."""

    JOINED = "joined"
    """New alerts joined it, and a notice named them."""

    ALERT_ENDED = "alert_ended"
    """A recovery ended one of its alerts, and others still fire."""

    ESCALATED = "escalated"
    """An event or a person raised its severity, or the next step of its routing profile was due."""

    PAGED = "paged"
    """A step with people was due, and paged some or nobody."""

    ACKNOWLEDGED = "acknowledged"
    """A person acknowledged it."""

    UNACKNOWLEDGED = "unacknowledged"
    """The acknowledgement was withdrawn."""

    ACK_TIMED_OUT = "ack_timed_out"
    """The acknowledgement expired."""

    SNOOZED = "snoozed"
    """A person snoozed it."""

    UNSNOOZED = "unsnoozed"
    """A person ended the snooze."""

    SNOOZE_EXPIRED = "snooze_expired"
    """The snooze ended at its time."""

    SILENCED = "silenced"
    """A silence covered it."""

    SILENCE_ENDED = "silence_ended"
    """The last silence that covered it ended."""

    UPDATED = "updated"
    """A person changed title, assignee or tags, or lowered the severity."""

    NOTE = "note"
    """A person added a note."""

    UNDONE = "undone"
    """A person undid an act."""

    DELAY_ENDED = "delay_ended"
    """The delay of its routing profile ended."""

    RENOTIFIED = "renotified"
    """A reminder was due."""

    NOTIFIED_NOW = "notified_now"
    """A person notified the destinations that no notice of it had addressed."""

    FLAPPING_ENDED = "flapping_ended"
    """Flapping ended."""

    FALLBACK = "fallback"
    """No destination could be notified, so the fallback was."""

    RESOLVED = "resolved"
    """An event, a person or the service resolved it."""
