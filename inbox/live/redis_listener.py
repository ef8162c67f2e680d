"""The Redis subscription of a process to the change feed. It is active while streams are open."""

from __future__ import annotations

import threading
import time

import orjson
import structlog
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from inbox.live.feed import CHANNEL
from inbox.live.hub_interface import HubInterface
from inbox.runtime import redis_client
from inbox.runtime.outages import cause_of

log = structlog.get_logger(__name__)

POLL_SECONDS = 1.0
QUIET_SECONDS, PONG_SECONDS = 5.0, 3.0
RETRY_SECONDS = 0.5


class RedisListener:
    """Listens to Redis, which only makes the feed faster. The poller finds changes that were published meanwhile."""

    def __init__(self, hub: HubInterface, redis_url: str) -> None:
        self._hub = hub
        self._url = redis_url
        self._has_streams = threading.Event()

    def listen(self) -> None:
        """Wake the thread, because a stream is open or the hub stops."""
        self._has_streams.set()

    def run(self) -> None:
        """Listen until the hub stops (specification 14.3).

        1. Wait until a stream is open.
        2. Subscribe, and pass messages to the hub while streams are open.
        3. After a lost connection, retry and send a `resync` to all streams.
        """
        connection_lost = False
        while not self._hub.stopping.is_set():
            self._has_streams.wait()
            try:
                self._follow(resync=connection_lost)
                connection_lost = False
            except Exception as fault:
                if not connection_lost:
                    is_outage = isinstance(fault, RedisError | OSError)
                    log.warning("change feed connection lost", cause=cause_of(fault), exc_info=not is_outage)
                connection_lost = True
                self._hub.stopping.wait(RETRY_SECONDS)

    def _follow(self, *, resync: bool) -> None:
        redis = redis_client.connect(
            self._url, socket_connect_timeout=2, socket_timeout=PONG_SECONDS, retry=Retry(NoBackoff(), 0)
        )
        with redis, redis.pubsub() as subscription:
            subscription.subscribe(CHANNEL)
            if subscription.get_message(timeout=PONG_SECONDS) is None:
                raise RedisError("no confirmation")
            if resync:
                self._hub.resync()
            received_at = time.monotonic()
            while self._has_subscribers():
                message = subscription.get_message(timeout=POLL_SECONDS)
                if message is None and time.monotonic() > received_at + QUIET_SECONDS:
                    subscription.ping()  # a connection may be dead without an error
                    message = subscription.get_message(timeout=PONG_SECONDS)
                    if message is None:
                        raise RedisError("no pong")
                if message is not None:
                    received_at = time.monotonic()
                    if message["type"] == "message":
                        self._on_message(message["data"])

    def _has_subscribers(self) -> bool:
        if not self._hub.audiences:
            self._has_streams.clear()
            if self._hub.audiences:  # a stream was opened between the check and the clear
                self._has_streams.set()
        return self._has_streams.is_set() and not self._hub.stopping.is_set()

    def _on_message(self, payload: bytes) -> None:
        payload_data = orjson.loads(payload)
        if "close" in payload_data:
            self._hub.close(**payload_data["close"])
        else:
            self._hub.on_changes(payload_data["seq"], payload_data["refs"])
