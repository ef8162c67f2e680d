"""The hub of a web process: receives change references and sends them to the streams with access."""

from __future__ import annotations

import resource
import socket
import threading
import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import structlog

from inbox.config import settings
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.values.refusals import RateLimited, Unavailable
from inbox.live import wire
from inbox.live.change_poller import ChangePoller
from inbox.live.client_socket import ClientSocket
from inbox.live.coalescer import Coalescer
from inbox.live.fan_out import SLICE, FanOut
from inbox.live.feed import OVERLAP_SECONDS
from inbox.live.redis_listener import RedisListener
from inbox.live.seen_changes import SeenChanges
from inbox.live.stream import Stream, Subscriber, audiences
from inbox.live.subscriptions import Subscriptions
from inbox.runtime import metrics

log = structlog.get_logger(__name__)

STREAMS_PER_PERSON = 10
STREAMS_PER_WORKSPACE = 2_000
STREAMS = 4_000
"""The limits apply to one process, because a shared count would have to survive killed processes.

Specification 14.4.
"""

RESERVED_FILES = 200
TICK_SECONDS, IDLE_TICK_SECONDS = 0.05, 0.25
SEND_SECONDS, CLOSING_SEND_SECONDS = 10.0, 2.0
"""The time in which a client must accept a chunk, in seconds. The shorter limit applies to a closed stream."""

OPENING_SECONDS = 5.0
"""Streams that open within this time of each other are counted together for their first `resync`."""

ACCESS_TYPES = frozenset({"member", "workspace", "me", "device"})
"""The types whose changes may change the access of a subscriber. They trigger a poll."""


class Worker(Protocol):
    """The gunicorn worker. `alive` becomes false with SIGTERM. There is no other signal."""

    alive: bool


class Hub:
    """The hub of one process. Its threads (greenlets under gevent) hold no database connection between two polls."""

    def __init__(
        self,
        redis_url: str,
        *,
        room: int = STREAMS,
        per_workspace: int = STREAMS_PER_WORKSPACE,
        overlap_seconds: float = OVERLAP_SECONDS,
    ) -> None:
        self.seen = SeenChanges()
        self.audiences = Subscriptions()
        self.stopping = threading.Event()
        self._windows: dict[str, Coalescer] = {}
        self._sockets: dict[Stream, ClientSocket] = {}  # until the server closes the socket, also if dropped
        self._openings: deque[float] = deque()
        self._lock = threading.RLock()
        self._fan_out = FanOut(self._send_slice)
        self._poller = ChangePoller(self, overlap_seconds)
        self._redis_listener = RedisListener(self, redis_url)
        self._max_streams = min(room, _max_streams_by_file_limit())
        self._per_workspace = per_workspace

    def start(self, worker: Worker | None = None) -> None:
        """Start the threads, once. The streams end when `worker` ends."""
        metrics.STREAMS_OPEN.set_function(lambda: len(self._sockets))
        for name, act in (
            ("redis", self._redis_listener.run),
            ("poller", self._poller.run),
            ("tick", lambda: self._run(worker)),
            ("fan-out", self._fan_out.run),
        ):
            threading.Thread(target=act, name=f"hub-{name}", daemon=True).start()

    def open(self, subscriber: Subscriber, sock: socket.socket | None = None) -> Stream:
        """Open a stream that receives all later changes. Only this call needs an open database connection.

        Raises `RateLimited` when the person has ten streams in this process, or a workspace has 2,000. It also raises
        when the process has no capacity. Raises `Unavailable` when the process is about to stop.
        """
        if self.stopping.is_set():
            raise Unavailable("the server is about to stop", retry_after=1)
        with self._lock:
            if self.audiences.count(ids.encode("usr", subscriber.user_id)) >= STREAMS_PER_PERSON:
                raise RateLimited(f"at most {STREAMS_PER_PERSON} streams for one person", retry_after=30)
            if any(
                self.audiences.count(ids.encode("wsp", id)) >= self._per_workspace for id in subscriber.workspace_ids
            ):
                raise RateLimited(f"at most {self._per_workspace} streams for one workspace", retry_after=30)
            if len(self._sockets) >= self._max_streams:
                raise RateLimited("this server has too many streams", retry_after=30)
            stream = Stream(subscriber, self._on_closed, opening=wire.opening(self._opened_lately()))
            self.audiences.join(stream)
            self._sockets[stream] = ClientSocket(sock, stream.mailbox.close)
        try:
            self._poller.start_following()
        except BaseException:
            stream.close()
            raise
        self._redis_listener.listen()
        metrics.STREAMS_OPENED.inc()
        return stream

    def on_changes(self, seq: int, references: Sequence[Mapping[str, Any]]) -> None:
        """Send the changes of one unit of work to their audiences, unless they were sent before."""
        now = time.monotonic()
        by_audience: dict[str, list[Mapping[str, Any]]] = {}
        for reference in references:
            by_audience.setdefault(reference["to"], []).append(reference)
        with self._lock:
            if not self.seen.add(seq):
                return
            for audience, audience_references in by_audience.items():
                if count := self.audiences.count(audience):
                    self._send(audience, self._window(audience).add(audience_references, now, count))
        if any(reference["type"] in ACCESS_TYPES for reference in references):
            self._poller.poll_now()

    def resync(self, streams: Iterable[Stream] | None = None) -> None:
        """Send a `resync` to these streams, or to all."""
        with self._lock:
            chosen = tuple(self.audiences) if streams is None else tuple(streams)
            self._post(chosen, [wire.resync(streams=len(chosen))])

    def close(self, *, session: str | None = None, user: str | None = None, device: str | None = None) -> None:
        """End the streams of a session, a device or a person. The ids are UUIDs in their canonical form."""
        closing_ids = {id for id in (session, user, device) if id is not None}
        with self._lock:
            for stream in self.audiences:
                subscriber = stream.subscriber
                if not closing_ids.isdisjoint({str(subscriber.credential_id), str(subscriber.user_id)}):
                    self._drop(stream)

    def update_access(self, stream: Stream, subscriber: Subscriber | None) -> None:
        """Apply the result of the access check.

        None ends the stream. Other workspaces change its audiences and send a `resync`.
        """
        with self._lock:
            if subscriber is None:
                self._drop(stream)
            elif not stream.mailbox.closed:
                stream.subscriber = subscriber
                self.audiences.move(stream, audiences(subscriber))
                self._post([stream], [wire.resync()])

    def stop(self) -> None:
        """End all streams and the threads."""
        self.stopping.set()
        self._fan_out.stop()
        with self._lock:
            for stream in self.audiences:
                self._drop(stream)
        self._poller.poll_now()
        self._redis_listener.listen()

    def _window(self, audience: str) -> Coalescer:
        if audience not in self._windows:
            self._windows[audience] = Coalescer(audience if audience.startswith(f"{Prefix.WORKSPACE}_") else None)
        return self._windows[audience]

    def _opened_lately(self) -> int:
        """Count this stream and those that opened shortly before it: many do after a restart."""
        now = time.monotonic()
        self._openings = deque(at for at in self._openings if at > now - OPENING_SECONDS)
        self._openings.append(now)
        return len(self._openings)

    def _send(self, audience: str, lines: Sequence[bytes]) -> None:
        streams = self.audiences.of(audience) if lines else ()
        if len(streams) > SLICE or self._fan_out.is_busy:
            self._fan_out.add(audience, streams, lines)
        else:
            self._post(streams, lines)

    def _send_slice(self, audience: str, streams: Sequence[Stream], lines: Sequence[bytes]) -> None:
        with self._lock:
            self._post([stream for stream in streams if audience in stream.audiences], lines)

    def _post(self, streams: Iterable[Stream], lines: Sequence[bytes]) -> None:
        for stream in streams if lines else ():
            if not stream.mailbox.put(lines):
                log.info("a client of the stream fell behind")
                self._drop(stream)

    def _drop(self, stream: Stream) -> None:
        stream.mailbox.close()
        self.audiences.leave(stream)

    def _on_closed(self, stream: Stream) -> None:
        with self._lock:
            self.audiences.leave(stream)
            client_socket = self._sockets.pop(stream, None)
        if client_socket is not None:
            client_socket.stop_watching()

    def _run(self, worker: Worker | None) -> None:
        while self._sockets or not self.stopping.is_set():
            time.sleep(TICK_SECONDS if self._windows else IDLE_TICK_SECONDS)
            if worker is not None and not worker.alive and not self.stopping.is_set():
                self.stop()
            try:
                self._tick(time.monotonic())
            except Exception:  # the loop must continue
                log.exception("a tick of the hub failed")

    def _tick(self, now: float) -> None:
        with self._lock:
            for audience, window in tuple(self._windows.items()):
                self._send(audience, window.flush(now, self.audiences.count(audience)))
                if window.is_idle:
                    del self._windows[audience]
            stuck = [peer for stream, peer in self._sockets.items() if _is_stuck(stream, now)]
        for client_socket in stuck:
            client_socket.disconnect()


def _max_streams_by_file_limit() -> int:
    """Return the number of streams that the limit of open files allows. Half of the limit is left for requests."""
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return STREAMS if files == resource.RLIM_INFINITY else (files - RESERVED_FILES) // 2


def _is_stuck(stream: Stream, now: float) -> bool:
    since = stream.send_started_at
    return since is not None and now > since + (CLOSING_SEND_SECONDS if stream.mailbox.closed else SEND_SECONDS)


_hub: Hub | None = None
_start_lock = threading.Lock()


def start(worker: Worker | None = None) -> Hub:
    """Start the hub of this process. Call it after the fork of a web worker and before its first request."""
    global _hub
    _hub = Hub(settings.current().redis_url)
    _hub.start(worker)
    return _hub


def current() -> Hub:
    """Return the hub of this process. Start it in a process that is not a web worker."""
    with _start_lock:
        return _hub or start()
