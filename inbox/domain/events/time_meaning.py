"""Meanings of the time that a sender puts into an event (specification 19.5)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from inbox.domain.events.fields import MAX_AGE
from inbox.domain.values.enums import FastStrEnum

MAX_BEGINNING_AGE = timedelta(days=366)
"""The age above which a beginning is taken for a wrong clock, such as a time of 1970."""


class TimeMeaning(FastStrEnum):
    """The meaning of a sender's time."""

    BEGINNING = "beginning"
    """The problem began then. Each report of it repeats the time: `startsAt` of Alertmanager."""

    MOMENT = "moment"
    """The sender noticed the change or sent the report then: `StateChangeTime` of CloudWatch."""

    NONE = "none"
    """The sender gives no time, so the event has the time of receipt."""


MAX_AGES: Mapping[TimeMeaning | None, timedelta] = {
    TimeMeaning.BEGINNING: MAX_BEGINNING_AGE,
    TimeMeaning.MOMENT: MAX_AGE,
    TimeMeaning.NONE: MAX_AGE,
    None: MAX_AGE,
}
"""The age above which a time is a wrong clock. None is the meaning of `occurredAt` at `POST /v1/events`."""


TEXTS: Mapping[TimeMeaning, str] = {
    TimeMeaning.BEGINNING: (
        "Its time is the beginning of the problem. A report with the same beginning, severity, title and text is a repeat:"
        " it stores no event, and shows that the problem lasts."
    ),
    TimeMeaning.MOMENT: "Its time is the moment of the change or of the report.",
    TimeMeaning.NONE: "It sends no time: its events have the time of receipt.",
}
"""The sentence for the page of a sender."""
