"""Many dashboards that show the inbox, in one process: the stream of each, and the reads that its references cause.

Takes `{"port", "tokens", "workspace_id"}`, writes `{"open": n}` when all streams are open. It answers each further line
with the reads since the last one: `{"reads", "unchanged", "refused", "first_refusal", "resyncs", "largest_spread",
"p50", "p99", "cpu_seconds"}`. Times of reads are in milliseconds. The rules are those of `web/src/live/refetch.ts` and
`table.ts`. Reads go through kept connections that the dashboards share.
"""

from __future__ import annotations

from gevent import monkey

monkey.patch_all()

import http.client
import json
import os
import random
import re
import resource
import socket
import sys
import time
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import gevent
import gevent.select
from gevent.queue import LifoQueue

from bench.figures import share

CONNECTIONS = 100
COALESCE, RESYNC_EVERY, RESYNC_SPREAD = 0.05, 5.0, 0.5
SPREADS_PER_READ, SPREAD_OF_FEW = 4, 5.0
IDLE_PER_READ, LONGEST_PAUSE = 10, 15.0
LINE = re.compile(rb"data: (\{.*?\})\n\n")

INBOX = "state=open&state=acknowledged&limit=50"
STALE = {"incident": {"list": 1.0, "counts": 1.0, "sources": 5.0}, "event": {"sources": 5.0}}
"""The reads of an inbox after a reference of a type, and the least seconds between two reads."""

ON_RESYNC = ("list", "counts", "sources", "views", "me", "workspaces")


class Reads:
    """All reads of all dashboards: the connections, and the results."""

    def __init__(self, port: int, workspace_id: str) -> None:
        self._port = port
        self.paths = {
            "list": f"/v1/incidents?workspaceId={workspace_id}&{INBOX}",
            "counts": f"/v1/incidents/counts?workspaceId={workspace_id}",
            "sources": f"/v1/sources?workspaceId={workspace_id}&limit=200",
            "views": f"/v1/views?workspaceId={workspace_id}&list=incidents&limit=200",
            "me": "/v1/me",
            "workspaces": "/v1/workspaces?limit=200&sort=name&order=asc",
        }
        self._free: LifoQueue[http.client.HTTPConnection] = LifoQueue()
        for _ in range(CONNECTIONS):
            self._free.put(http.client.HTTPConnection("127.0.0.1", port, timeout=60))
        self.forget()

    def forget(self) -> None:
        """Sets the counts to zero."""
        self.took: list[float] = []
        self.unchanged = self.resyncs = self.largest_spread = 0
        self.refusals: list[str] = []

    def read(self, name: str, token: str, tags: dict[str, str]) -> None:
        """Sends one read of a dashboard, with the `ETag` of its last one."""
        due = time.monotonic()
        connection = self._free.get()
        try:
            headers = {"Cookie": f"inbox_session_{self._port}={token}"}
            if name in tags:
                headers["If-None-Match"] = tags[name]
            connection.request("GET", self.paths[name], headers=headers)
            answer = connection.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException) as fault:
            connection.close()
            self.refusals.append(f"{type(fault).__name__}: {fault}")
            return
        finally:
            self._free.put(connection)
        self.took.append(time.monotonic() - due)
        self.unchanged += answer.status == 304
        if answer.status not in (200, 304):
            self.refusals.append(f"{name}: {answer.status} {content[:200]!r}")
        elif tag := answer.headers.get("ETag"):
            tags[name] = tag


class Dashboard:
    """One browser: its stream, and its due reads."""

    def __init__(self, reads: Reads, token: str) -> None:
        self._reads = reads
        self._token = token
        self._tags: dict[str, str] = {}
        self._due: set[str] = set()
        self._last: dict[str, float] = {}
        self._took: dict[str, float] = {}
        self._after_read: dict[str, Callable[[], None] | None] = {}

    def open(self, port: int) -> None:
        """Opens the stream and waits for its first `resync`. Raises `OSError` when it is refused."""
        self._socket = socket.create_connection(("127.0.0.1", port))
        cookie = f"inbox_session_{port}={self._token}"
        self._socket.sendall(f"GET /v1/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookie}\r\n\r\n".encode())
        self._rest = b""
        while b"resync" not in self._rest:
            if not (piece := self._socket.recv(4096)):
                raise OSError(self._rest[:300])
            self._rest += piece
        gevent.spawn(self._follow)

    def _follow(self) -> None:
        while True:
            end = self._rest.rfind(b"\n\n") + 2
            for found in LINE.findall(self._rest[:end] if end > 1 else b""):
                self._take(_parsed(found))
            self._rest = self._rest[end:] if end > 1 else self._rest
            if not (piece := self._socket.recv(65536)):
                self._reads.refusals.append("the stream ended")
                return
            self._rest += piece

    def _take(self, reference: dict[str, Any]) -> None:
        spread = float(reference.get("spreadSeconds") or 0)
        if reference["type"] == "resync":
            self._reads.resyncs += 1
            self._reads.largest_spread = max(self._reads.largest_spread, int(spread))
            delay, pause = random.random() * (spread or RESYNC_SPREAD), 0.0
            if spread > SPREAD_OF_FEW:
                pause = SPREADS_PER_READ * spread
            if "types" not in reference:
                self._schedule("resync", ON_RESYNC, delay, max(RESYNC_EVERY, pause))
            else:
                self._schedule_each(reference["types"], delay, pause)
        else:
            delay = COALESCE + random.random() * max(COALESCE, spread)
            self._schedule_each([reference["type"]], delay, SPREADS_PER_READ * spread)

    def _schedule_each(self, types: list[str], delay: float, pause: float) -> None:
        for stale in (STALE.get(each, {}) for each in types):
            for name, every in stale.items():
                self._schedule(name, (name,), delay, max(every, pause))

    def _schedule(self, key: str, names: tuple[str, ...], delay: float, every: float) -> None:
        if key in self._due:
            return
        if key in self._after_read:
            self._after_read[key] = partial(self._schedule, key, names, delay, every)
            return
        self._due.add(key)
        pause = max(every, min(IDLE_PER_READ * self._took.get(key, 0.0), LONGEST_PAUSE))
        last = max(self._last.get(key, 0.0), self._last.get("resync", 0.0))
        gevent.spawn_later(max(delay, last + pause - time.monotonic()), self._run, key, names)

    def _run(self, key: str, names: tuple[str, ...]) -> None:
        began = self._last[key] = time.monotonic()
        self._due.discard(key)
        self._after_read[key] = None
        for name in names:
            self._reads.read(name, self._token, self._tags)
        self._took[key] = time.monotonic() - began
        if (schedule_again := self._after_read.pop(key)) is not None:
            schedule_again()


@lru_cache(maxsize=4_096)
def _parsed(line: bytes) -> dict[str, Any]:
    """Caches parsed lines, because all dashboards of a workspace receive the same ones."""
    reference: dict[str, Any] = json.loads(line)
    return reference


def _opened(reads: Reads, port: int, tokens: list[str]) -> int:
    opened = 0
    for token in tokens:
        try:
            Dashboard(reads, token).open(port)
            opened += 1
        except OSError as fault:
            reads.refusals.append(str(fault))
    return opened


def _report(reads: Reads) -> dict[str, Any]:
    return {
        "reads": len(reads.took),
        "unchanged": reads.unchanged,
        "refused": len(reads.refusals),
        "first_refusal": next(iter(reads.refusals), ""),
        "resyncs": reads.resyncs,
        "largest_spread": reads.largest_spread,
        "p50": share(reads.took, 0.5) * 1000,
        "p99": share(reads.took, 0.99) * 1000,
        "cpu_seconds": time.process_time(),
    }


if __name__ == "__main__":
    # The service comes first, because in production the dashboards are browsers on other machines.
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    order = json.loads(sys.stdin.readline())
    all_reads = Reads(order["port"], order["workspace_id"])
    print(json.dumps({"open": _opened(all_reads, order["port"], order["tokens"])}), flush=True)
    while sys.stdin in gevent.select.select([sys.stdin], [], [])[0] and sys.stdin.readline():
        print(json.dumps(_report(all_reads)), flush=True)
        all_reads.forget()
