"""Sentences for pages: whom a step paged, and why it paged nobody (specification 23.13)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inbox.domain.deliveries.fallback_reasons import FallbackReason
from inbox.domain.deliveries.notices import Cause
from inbox.domain.explaining.formatting import series

FALLBACK: Mapping[FallbackReason, str] = {
    FallbackReason.NO_DESTINATION: "No other destination could be notified: none is enabled.",
    FallbackReason.ALL_STOPPED: "No other destination could be notified: all are stopped.",
    FallbackReason.RETRIES_EXHAUSTED: "No other destination could be notified: all deliveries of the alert failed.",
    FallbackReason.NOBODY_ON_CALL: "Nobody was paged: nobody is on call, or can be reached.",
    FallbackReason.UNDELIVERED: "No destination accepted this CRITICAL alert within 2 minutes.",
}
"""The sentences for the causes of a fallback."""

NOBODY: Mapping[str, str] = {
    Cause.NOBODY_ON_CALL: "Nobody is on call by {}, so nobody was paged.",
    Cause.UNREACHABLE: "{} was not paged: no method of their notification rules reaches them.",
}
"""The sentences for a schedule by which nobody is on call, and for a person who cannot be reached."""

ENDED = "the incident was acknowledged, snoozed or resolved before"
"""Why a contact got nothing that waited for its notification rule."""


LIMITED = "the calls or text messages of the day were used up"
"""Why a contact got nothing that costs money."""


def of_pages(pages: Sequence[Mapping[str, Any]], *, by: str | None = None) -> str:
    """Returns the sentences for the pages of a step, or of a person: who was paged, and why others were not."""
    paged = [page["name"] for page in pages if page["cause"] is None]
    passive = f"{series(paged)} {'was' if len(paged) == 1 else 'were'} paged." if paged else ""
    first = [passive if by is None else f"{by} paged {series(paged)}."] if paged else []
    return " ".join([*first, *(NOBODY[page["cause"]].format(page["name"]) for page in pages if page["cause"])])


def coming(name: str, at: str | None) -> str:
    """Returns the sentence for a delivery that is due, or that waits for its notification rule until `at`."""
    if at is None:
        return f"{name} is being notified."
    return f"{name} is paged at {at}, unless somebody acknowledges before."
