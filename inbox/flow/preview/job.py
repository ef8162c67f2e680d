"""Background previews. One worker runs a preview in portions; another worker restarts it when the lease expires.

Specification 6.9.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

import structlog

from inbox.domain.values.refusals import TooCostly
from inbox.flow.preview.request import read
from inbox.flow.preview.runner import PreviewRun
from inbox.flow.unit_of_work import is_outage
from inbox.models.events import preview_events
from inbox.models.routing import previews
from inbox.models.routing.previews import ClaimedPreview
from inbox.runtime.queue import QueueName, is_shutting_down, job_queues

log = structlog.get_logger(__name__)

Clock = Callable[[], datetime]

MAX_EVENTS = 2_000_000
"""The limit of events in one preview. Their state is in memory."""

MAX_FINGERPRINTS = 250_000
"""The limit of fingerprints with incidents in one simulation. This many take one to two gigabytes of memory."""

LEASE = timedelta(seconds=60)
TRIES = 3
STEP_SECONDS = 0.5
"""The seconds that a portion of a preview may delay other work."""

TOO_MANY = f"The time span has more than {MAX_EVENTS:,} events: choose a shorter one."
TOO_WIDE = f"The events have more than {MAX_FINGERPRINTS:,} fingerprints: choose a shorter time span."
DEADLY = "The process that ran the preview crashed repeatedly."
BROKEN = "The preview failed; see the worker log."


def run_pending(clock: Clock, *, step_seconds: float = STEP_SECONDS) -> Iterator[None]:
    """Runs the pending previews one after the other. Pauses after each portion, so that the caller can do other work.

    1. Claim a preview. Stop when none is pending.
    2. Run it in portions. A failure other than an outage marks the preview as failed.

    Any number of callers can run at the same time. No transaction is open during a pause.
    """
    while not is_shutting_down():
        claimed = previews.claim(clock(), clock() + LEASE)
        if claimed is None:
            return
        try:
            yield from _run_one(claimed, clock, step_seconds)
        except TooCostly as refusal:
            previews.fail(claimed, refusal.detail)
        except Exception as fault:
            if is_outage(fault):
                raise
            log.exception("a preview failed", preview=str(claimed.id))
            previews.fail(claimed, BROKEN)


def _run_one(claimed: ClaimedPreview, clock: Clock, step_seconds: float) -> Iterator[None]:
    if claimed.attempt > TRIES:
        previews.fail(claimed, DEADLY)
        return
    question = read(claimed.workspace_id, claimed.request)
    total, processed = preview_events.count(question.period, MAX_EVENTS), 0
    if total > MAX_EVENTS:
        previews.fail(claimed, TOO_MANY)
        return
    preview = PreviewRun(question)
    pause_at = time.monotonic() + step_seconds
    for processed in preview.pages():
        if preview.fingerprints > MAX_FINGERPRINTS:
            previews.fail(claimed, TOO_WIDE)
            return
        if is_shutting_down():
            previews.requeue(claimed)
            job_queues().wake(QueueName.PREVIEW)
            return
        if time.monotonic() >= pause_at:
            if not previews.advance(claimed, processed, max(total, processed), clock() + LEASE):
                return
            yield
            pause_at = time.monotonic() + step_seconds
    previews.finish(claimed, processed, preview.result())
