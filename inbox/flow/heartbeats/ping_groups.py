"""Group commit of pings (decision 0006)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import structlog

from inbox.database.base import db
from inbox.domain.values.networks import Client
from inbox.domain.values.refusals import Unauthenticated, Unavailable
from inbox.flow.group_commit import TIMEOUT_SECONDS, GroupCommit, PerProcess, Waiting
from inbox.flow.heartbeats import ping as single
from inbox.flow.heartbeats import slug_pings
from inbox.flow.heartbeats.ping import MINUTE, ReceivedPing
from inbox.flow.heartbeats.transitions import MonitorWrites
from inbox.flow.unit_of_work import is_outage, sqlstate, work
from inbox.models.heartbeats import history, monitors
from inbox.models.heartbeats.slugs import SlugAddress
from inbox.runtime import metrics

log = structlog.get_logger(__name__)

MAX_PINGS = 200
"""The number of pings in a group."""

THROTTLED = "throttled"
Outcome = str | Exception | None
"""The metrics count the kind of the ping, or `THROTTLED`. None: the ping must be stored alone."""

NO_CLIENT: Client = ("", "")


class PendingPing(Waiting[str]):
    """A waiting ping without a run id.

    `target` is the digest of a token, or a slug with the digest of a ping key. The key's use is recorded with the
    client.
    """

    __slots__ = ("client", "now", "ping", "target")

    def __init__(
        self, target: bytes | SlugAddress, ping: ReceivedPing, now: datetime, client: Client = NO_CLIENT
    ) -> None:
        super().__init__()
        self.target = target
        self.client = client
        self.ping = ping
        self.now = now


class PingCommitter(GroupCommit[PendingPing]):
    """Stores waiting pings in groups, in a thread."""

    def __init__(self, *, timeout: float = TIMEOUT_SECONDS) -> None:
        super().__init__(["ping committer"], max_group=MAX_PINGS, timeout=timeout)

    def submit(
        self, target: bytes | SlugAddress, ping: ReceivedPing, now: datetime, client: Client = NO_CLIENT
    ) -> None:
        """Waits until the ping is committed.

        Raises `Unauthenticated`, `NotFound` for an unknown slug, or `Unavailable` when the outcome is unknown.
        """
        pending = PendingPing(target, ping, now, client)
        self._wait(pending)
        if isinstance(pending.outcome, Exception):
            raise pending.outcome
        if pending.outcome is None:
            self._store_alone(pending)

    def _commit(self, group: Sequence[PendingPing], number: int) -> None:
        for pending, outcome in zip(group, _stored(group), strict=True):
            pending.release(outcome)

    def _store_alone(self, pending: PendingPing) -> None:
        with self._single():
            if isinstance(pending.target, SlugAddress):
                slug_pings.receive(pending.target, pending.client, pending.ping, pending.now)
            else:
                single.receive(pending.target, pending.ping, pending.now)


def _stored(group: Sequence[PendingPing]) -> Sequence[Outcome]:
    """Returns the outcome of each ping of the group. When the group cannot be stored, each ping is stored alone."""
    try:
        with db.connection_context():
            outcomes = store_group(group)
    except Exception as fault:  # noqa: BLE001 - the committer continues, and one ping does not fail others
        log.warning("pings not stored together", fault=type(fault).__name__, sqlstate=sqlstate(fault), pings=len(group))
        return [Unavailable() if is_outage(fault) else None] * len(group)
    for outcome in outcomes:
        if isinstance(outcome, str):
            metrics.HEARTBEAT_PINGS.labels(outcome).inc()
    return outcomes


def store_group(group: Sequence[PendingPing]) -> list[Outcome]:
    """Stores pings in one transaction, in their order, and returns the outcome of each.

    1. Slugs are resolved to tokens before the transaction, in one statement.
    2. The monitors of the tokens are locked in the order of their ids. A monitor that is locked, or whose rate limit is
       used up, is left out.
    3. Each ping is applied to its monitor.
    4. The monitors are saved and the pings inserted, each in one statement. Without such pings nothing is written.
    """
    interval = single.ping_interval()
    digests, outcomes = _resolved(group)
    with work() as done:
        latest = max(pending.now for pending in group) + MINUTE - interval
        locked = monitors.lock_by_tokens({digest for digest in digests if digest is not None}, latest)
        writes = MonitorWrites()
        rows: list[dict[str, Any]] = []
        for index, (pending, digest) in enumerate(zip(group, digests, strict=True)):
            monitor = None if digest is None else locked.get(digest)
            if monitor is None:
                continue
            if monitor.throttle_at > pending.now + MINUTE - interval:
                outcomes[index] = THROTTLED
                continue
            monitors.throttle(monitor, pending.now, interval)
            rows.append(single.change(monitor, pending.ping, pending.now, done, writes))
            outcomes[index] = rows[-1]["kind"]
        writes.flush(done)
        history.insert(rows)
        return _explained(group, digests, outcomes, latest)


def _resolved(group: Sequence[PendingPing]) -> tuple[list[bytes | None], list[Outcome]]:
    """Returns the digest of each ping's token; for a slug without a token, None and the refusal."""
    clients = {each.target: each.client for each in group if isinstance(each.target, SlugAddress)}
    tokens = slug_pings.resolve(clients, max(pending.now for pending in group))
    digests: list[bytes | None] = []
    outcomes: list[Outcome] = []
    for target in (pending.target for pending in group):
        outcome: Outcome = None
        digest = tokens.get(target) if isinstance(target, SlugAddress) else target
        if digest is None and isinstance(target, SlugAddress):
            outcome = slug_pings.refusal(target, tokens)
        digests.append(digest)
        outcomes.append(outcome)
    return digests, outcomes


def _explained(
    group: Sequence[PendingPing], digests: Sequence[bytes | None], outcomes: Sequence[Outcome], latest: datetime
) -> list[Outcome]:
    """Returns the outcomes, with the reason why a monitor was left out."""
    left_out = {digest for digest, outcome in zip(digests, outcomes, strict=True) if outcome is None and digest}
    throttles = monitors.throttles(left_out) if left_out else {}

    def explained(pending: PendingPing, digest: bytes | None) -> Outcome:
        if digest in throttles:
            return THROTTLED if throttles[digest] > latest else None
        # The token of a slug was replaced after it was resolved: the ping is stored alone.
        return None if isinstance(pending.target, SlugAddress) else Unauthenticated()

    return [
        explained(pending, digest) if outcome is None else outcome
        for pending, digest, outcome in zip(group, digests, outcomes, strict=True)
    ]


committer = PerProcess(PingCommitter)
"""The committer of this process."""
