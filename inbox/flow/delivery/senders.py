"""The threads that call receivers, and one call with its outcome."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Self
from uuid import UUID

import structlog

from inbox.config import settings
from inbox.config.settings import Settings
from inbox.destinations import (
    CALLING,
    INTERACTIVE,
    KINDS,
    MAIL,
    PHONE,
    REPORTING,
    SERVICES,
    WITH_ACTION_LINKS,
    Config,
    Message,
    outbound_policy,
    personal,
    secret_forms,
    sent_requests,
)
from inbox.destinations.http import Client
from inbox.destinations.recording_client import RecordingClient
from inbox.destinations.sent_requests import SentRequest
from inbox.domain.deliveries.answer_excerpt import excerpt
from inbox.domain.deliveries.delivery import FailureReason, Receipt
from inbox.domain.explaining.notice_content import TEST
from inbox.domain.values import ids
from inbox.flow.delivery import action_links, call_answers, callbacks, status_callbacks, unsubscribe_links
from inbox.flow.delivery.message_templates import with_template
from inbox.models.deliveries.claims import ClaimedDelivery, Reserve
from inbox.models.deliveries.contacts import PERSONAL
from inbox.models.deliveries.destination_state import DestinationState
from inbox.runtime import queue, sealing
from inbox.runtime.queue import QueueName

log = structlog.get_logger(__name__)

Clock = Callable[[], datetime]
Call = tuple[ClaimedDelivery, DestinationState]

COALESCE_SECONDS = 0.008
"""With several open calls, a result waits this long for others, so that they are recorded together."""

POLL_SECONDS = 0.002
"""The poll interval during that wait. Waking up for each result would cost about as much as recording it."""

WAKE_INTERVAL_SECONDS = 1.0

MORE_SECONDS = 15.0
"""The time by which all calls of a message may outlast one call. The delivery's lease ends another 15 seconds later."""

RESERVED_PART = 4
"""One in this many slots is reserved for destinations without an open call. Slow ones cannot use all slots."""

SLOW = timedelta(seconds=1)
"""A destination whose last call took longer gets no reserved slot, because it would occupy the slot that long again."""

QUICK = timedelta(milliseconds=10)
"""Calls of destinations whose last call was shorter wait in a line that one thread serves."""


@dataclass(frozen=True, slots=True)
class AttemptOutcome:
    """The outcome of one call. `started_at` is when it started; `generation` is the destination's generation at that time.

    `note` is stored with the outcome. `requests` is the sent requests without secrets. A signed webhook has only the
    `address`. `called` is the destination as it was read for the call.
    """

    delivery: ClaimedDelivery
    generation: int
    receipt: Receipt
    started_at: datetime
    requests: tuple[SentRequest, ...] = ()
    address: str = ""
    note: str | None = None
    called: DestinationState | None = None

    def is_stale(self, destination: DestinationState) -> bool:
        """Returns whether the destination was edited or resumed since the call began."""
        return self.generation != destination.generation

    def has_settings_of(self, destination: DestinationState) -> bool:
        """Returns whether the call was made with these settings.

        An edit of the name, for example, leaves them as they are.
        """
        if not self.is_stale(destination):
            return True
        called = self.called
        return called is not None and (called.config, called.sealed) == (destination.config, destination.sealed)

    @property
    def requests_text(self) -> str | None:
        """Returns the sent requests in their stored form."""
        if self.requests:
            return sent_requests.to_text(self.requests)
        has_details = self.called is None or self.called.include_details
        return sent_requests.of_webhook(self.address, has_details=has_details) if self.address else None


class SenderPool:
    """The threads that call receivers, and the queue of their results.

    Quick calls wait in a line, because threads that compete for the interpreter cost as much as such a call. One thread
    serves it. While the line stands still, more threads serve it, twice as many each time.
    """

    def __init__(self, size: int, clock: Clock) -> None:
        self.size, self.busy, self.started_count = size, 0, 0
        self._clock, self._client = clock, outbound_policy.client()
        self._threads: list[Thread] = []
        self._requests = SimpleQueue[Call | None]()
        self._line, self._standing, self._more = deque[Call](), 0, 1
        self._results = SimpleQueue[AttemptOutcome]()
        self._woke_at = float("-inf")
        self._open, self._slow, self._quick = Counter[UUID](), set[UUID](), set[UUID]()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for _each in self._threads:
            self._requests.put(None)
        for thread in self._threads:
            thread.join()

    @property
    def free_slots(self) -> int:
        """The number of calls that can start now."""
        return self.size - self.busy

    def reserve(self) -> Reserve:
        """Returns the slots that the next claim reserves for destinations without an open call."""
        return Reserve(self._open.keys() | self._slow, self.free_slots - self.size // RESERVED_PART)

    def start(self, calls: Sequence[Call]) -> None:
        """Starts these calls; wakes another worker when no thread is free afterwards."""
        self.busy += len(calls)
        self.started_count += len(calls)
        self._standing = self._standing if self._line else 0
        for call in calls:
            self._open[call[1].id] += 1
            (self._line.append if call[1].id in self._quick else self._requests.put)(call)
        self._serve_line()
        while len(self._threads) < self.busy:
            thread = Thread(target=self._work, name="delivery")
            thread.start()
            self._threads.append(thread)
        now = time.monotonic()
        if not self.free_slots and now - self._woke_at > WAKE_INTERVAL_SECONDS:
            self._woke_at = now
            queue.job_queues().pass_on(QueueName.DELIVERY)

    def results(self, seconds: float) -> list[AttemptOutcome]:
        """Returns the available results as soon as one exists.

        With several open calls, it collects results for some milliseconds.
        """
        outcomes: list[AttemptOutcome] = []
        until = time.monotonic() + seconds
        while not outcomes and (left := until - time.monotonic()) > 0:
            with suppress(Empty):
                outcomes.append(self._results.get(timeout=min(left, POLL_SECONDS) if self._line else left))
            self._serve_line()
        until = time.monotonic() + COALESCE_SECONDS
        while outcomes and len(outcomes) < self.busy:
            if not self._results.empty():
                outcomes.append(self._results.get_nowait())
            elif time.monotonic() < until:
                time.sleep(POLL_SECONDS)
                self._serve_line()
            else:
                break
        self.busy -= len(outcomes)
        for outcome in outcomes:
            self._note_end(outcome)
        return outcomes

    def _note_end(self, outcome: AttemptOutcome) -> None:
        destination_id = outcome.delivery.destination_id
        self._open[destination_id] -= 1
        if not self._open[destination_id]:
            del self._open[destination_id]
        took = timedelta(milliseconds=outcome.receipt.duration_ms)
        for is_one, destinations in ((took > SLOW, self._slow), (took < QUICK, self._quick)):
            (destinations.add if is_one else destinations.discard)(destination_id)

    def _serve_line(self) -> None:
        """Lets more threads serve the line if it stands still."""
        if not self._line or len(self._line) < self._standing:
            self._more = 1
        else:
            for _ in range(self._more):
                if (call := self._first_in_line()) is not None:
                    self._requests.put(call)
            self._more *= 2
        self._standing = len(self._line)

    def _work(self) -> None:
        while (request := self._requests.get()) is not None:
            while request is not None:
                self._results.put(send_one(*request, self._client, self._clock))
                request = self._first_in_line()

    def _first_in_line(self) -> Call | None:
        with suppress(IndexError):
            return self._line.popleft()
        return None


def send_one(
    claimed: ClaimedDelivery, destination: DestinationState, client: Client, clock: Clock, *, is_stored: bool = True
) -> AttemptOutcome:
    """Sends one delivery. Decrypts the destination's secret for this call only. Uses no database and raises nothing.

    An internal error also yields a result, because the loop would wait forever for a missing one. A destination that is
    not stored has no address that a service could call back.
    """
    at, delivery_id, kind = clock(), ids.encode("dlv", claimed.id), destination.kind
    chosen = settings.current()
    is_personal = bool(destination.config.get(PERSONAL))  # others must not read the address, in answers neither
    is_recorded = not is_personal and (kind in SERVICES or (claimed.reason == TEST and kind != PHONE))
    recorder = RecordingClient(client, chosen.delivery_timeout_seconds + MORE_SECONDS) if is_recorded else None
    secrets, note = list[str](), None
    try:
        config = decrypted_config(destination)
        message = _message(claimed, destination, config, at, chosen)
        message = message if is_stored else replace(message, callback=None, status_url="", answer_url="")
        secrets += [*config.hidden_texts, *_tokens(message)]
        if destination.template is not None:
            message, note = with_template(message, destination)
        receipt = KINDS[kind].send(message, config, recorder or client)
    except Exception:
        log.exception("call failed", delivery=delivery_id)
        receipt = Receipt(failure=FailureReason.UNSENDABLE)
    requests = recorder.requests(secrets) if recorder else ()
    receipt = replace(receipt, answer="", excerpt="") if is_personal else receipt
    receipt = _without_secrets(receipt, [*secrets, *(recorder.credentials if recorder else ())])
    address = "" if kind in SERVICES else str(destination.config.get("url", ""))
    return AttemptOutcome(claimed, destination.generation, receipt, at, requests, address, note, destination)


def _without_secrets(receipt: Receipt, secrets: Iterable[str]) -> Receipt:
    """Returns the receipt with a redacted excerpt of its answer.

    Services repeat the request, and proxies repeat the address.
    """
    if not receipt.answer:
        return receipt
    return replace(receipt, answer="", excerpt=excerpt(receipt.answer, secret_forms.of_answers(secrets)))


def _message(
    claimed: ClaimedDelivery, destination: DestinationState, config: Config, at: datetime, chosen: Settings
) -> Message:
    kind = destination.kind
    return Message(
        ids.encode("dlv", claimed.id),
        claimed.body.encode(),
        at,
        claimed.reference,
        action_links.of_delivery(claimed, kind, config.public, chosen) if kind in WITH_ACTION_LINKS else (),
        callback=callbacks.of_destination(destination.id, chosen) if kind in INTERACTIVE else None,
        unsubscribe_urls=unsubscribe_links.of_delivery(claimed, config.public, chosen) if kind == MAIL else {},
        status_url=status_callbacks.url_of(claimed, at, chosen) if kind in REPORTING else "",
        answer_url=call_answers.url_of(claimed, at, chosen) if kind in CALLING and destination.owner_id else "",
    )


def _tokens(message: Message) -> list[str]:
    """Returns the tokens in the addresses of a message. They must not be stored, because a token authorises its bearer."""
    urls = (*(link.url for link in message.action_links), *message.unsubscribe_urls.values())
    urls = (*urls, message.status_url, message.answer_url)
    return [url.rpartition("/")[2] for url in urls]


def decrypted_config(destination: DestinationState) -> Config:
    """Returns the destination's settings with their secrets; raises `sealing.CannotUnseal`."""
    if destination.sealed is None:
        return Config.unsealed_from(destination.config, None)
    sealed_for = destination.provider_id or destination.id
    associated_data = sealing.associated_data("destinations", sealed_for, destination.workspace_id, "sealed")
    found = Config.unsealed_from(destination.config, sealing.current().open(destination.sealed, associated_data))
    return found if destination.provider_id is None else personal.for_person(found, KINDS[destination.kind])
