"""Clients without a credential, or with a stolen one, beside healthy senders.

Measures latency of the healthy ones, memory, and the largest answer.
"""

from __future__ import annotations

import hashlib
import secrets
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.environment import Api, BenchEnvironment
from bench.figures import Effort, Measurement
from bench.processes import family, resident_bytes
from bench.programs import Program
from inbox.database.base import db, new_id
from inbox.domain.senders import keys
from inbox.models.people.accounts import Session, User

SAMPLE_SECONDS = 0.25
SETTLE_SECONDS = 2.0
PEOPLE = 250
HEALTHY_CONNECTIONS = {"single": 8, "batch": 2}
NEW_ONES = 2
"""Healthy senders that open a new connection for each event."""

PATIENCE_SECONDS = 120.0
HEAD_START_SECONDS = 1.5
"""The healthy senders are connected when the abuse begins. The burst at its beginning counts."""

BODIES_SECONDS, FULL_SECONDS = 900.0, Effort().seconds
"""A bound for all hostile bodies. Bodies that were not sent within it make the measurement `NOT HELD`. A quick run
has a part of it."""

MOST_GROWTH, LARGEST_ANSWER, SLOWEST = 256 * 2**20, 64 * 1024, 1000.0


@dataclass
class Memory:
    """The largest growth of each process since the beginning, in bytes. `largest` is the largest of them."""

    before: dict[int, tuple[int, int]]
    resident: int = 0
    proportional: int = 0
    largest: int = 0
    stop: threading.Event = field(default_factory=threading.Event)

    def watch(self) -> None:
        """Watches the processes until it is stopped."""
        while not self.stop.wait(SAMPLE_SECONDS):
            for pid, (resident, proportional) in self.before.items():
                try:
                    now = memory_of(pid)
                except OSError:  # it has ended
                    continue
                self.largest = max(self.largest, now[0])
                self.resident = max(self.resident, now[0] - resident)
                self.proportional = max(self.proportional, now[1] - proportional)


def measure(stand: BenchEnvironment, effort: Effort) -> list[Measurement]:
    """Measures without abuse first, then each kind of abuse in turn."""
    stand.clear()
    seconds = effort.seconds * 3
    with stand.web() as web, db.connection_context():
        key = web.source_key()
        processes = family(web.pid)[1:]
        memory = {pid: memory_of(pid) for pid in processes}
        with _healthy(web, key, seconds) as calm:
            pass
        figures = [_figure("nobody else", calm, {}, Memory(memory))]
        for name, order in _abuses(web, key, effort).items():
            print(name, end=" … ", flush=True, file=sys.stderr)
            with watched(memory) as grown, _healthy(web, key, seconds * 2) as healthy:
                time.sleep(HEAD_START_SECONDS)
                result = _hostile(web, order, seconds, BODIES_SECONDS * min(1.0, effort.seconds / FULL_SECONDS))
            if family(web.pid)[1:] != processes:
                raise RuntimeError(f"a web process was replaced during {name}")
            figures.append(_figure(name, healthy, result, grown))
            time.sleep(SETTLE_SECONDS)
    return figures


def _abuses(web: Api, key: str, effort: Effort) -> dict[str, dict[str, Any]]:
    scale = min(1.0, effort.streams / 2_000)
    unknown = keys.mint(keys.KeyKind.SOURCE, secrets.token_bytes(keys.ENTROPY_BYTES))
    announced = [_head("/v1/events", key, 2_000_000), _head("/v1/events", unknown, 2_000_000)]
    announced += [_head("/v1/auth/login", "", 16_000), _head("/v1/rules", "", 900_000)]
    many, half = int(2_000 * scale), int(10_500 * scale)
    return {
        f"{many:,} connections that announce and stay silent": _flood("silent", many, announced),
        f"{many:,} slow bodies": _flood("slow", many, announced),
        "8 clients that pour into refused requests": _flood("pour", 8, [_head("/v1/events", "", 10**10)]),
        "50 hostile bodies for each operation": {"program": "hostile_bodies", "key": key, "tokens": people(PEOPLE)},
        f"{half:,} half heads": _flood("half_heads", half, ["GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Half: "]),
    }


def _flood(kind: str, connections: int, heads: list[str]) -> dict[str, Any]:
    """Floods from so many loopback addresses that no limit of an address applies; clients of `pour` share one."""
    sources = [f"127.0.3.{number}" for number in range(1, max(2, connections // 200 + 2))]
    return {"program": "hostile", "kind": kind, "connections": connections, "heads": heads, "sources": sources}


def _head(path: str, key: str, length: int) -> str:
    credential = f"Authorization: Bearer {key}\r\n" if key else ""
    return (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"{credential}Content-Length: {length}\r\n\r\n"
    )


def _hostile(web: Api, order: dict[str, Any], seconds: float, bodies_seconds: float) -> dict[str, Any]:
    """Runs hostile clients to their end. Returns the result. Hostile bodies have a separate time limit."""
    more = {name: value for name, value in order.items() if name != "program"}
    lasts = bodies_seconds if order["program"] == "hostile_bodies" else seconds
    with Program(order["program"], port=web.port, seconds=lasts, cookie=f"inbox_session_{web.port}", **more) as program:
        return {**program.read_line(), **program.read_line()}


@contextmanager
def watched(before: dict[int, tuple[int, int]]) -> Iterator[Memory]:
    """Watches these processes beside the body of the `with`."""
    memory = Memory(before)
    thread = threading.Thread(target=memory.watch, daemon=True)
    thread.start()
    try:
        yield memory
    finally:
        memory.stop.set()
        thread.join()


@contextmanager
def _healthy(web: Api, key: str, seconds: float) -> Iterator[dict[str, dict[str, Any]]]:
    """Sends single events and batches over kept and new connections, beside the body of the `with`.

    Filled at the end.
    """
    results: dict[str, dict[str, Any]] = {}
    with ExitStack() as stack:
        order = {"port": web.port, "token": key, "seconds": seconds, "patience": PATIENCE_SECONDS, "late": True}
        programs = {
            kind: stack.enter_context(Program("load", kind=kind, connections=connections, **order))
            for kind, connections in HEALTHY_CONNECTIONS.items()
        }
        programs["anew"] = stack.enter_context(Program("newcomers", connections=NEW_ONES, **order))
        yield results
        results |= {kind: program.read_line() for kind, program in programs.items()}


def _figure(name: str, healthy: dict[str, dict[str, Any]], result: dict[str, Any], memory: Memory) -> Measurement:
    refused = sum(load["refused"] for load in healthy.values())
    p99 = max(load["p99"] for load in healthy.values())
    largest = result.get("largest", 0)
    faults = []
    if refused:
        faults.append(f"{refused} of the healthy were refused")
    if p99 > SLOWEST or not all(load["rate"] for load in healthy.values()):
        faults.append("slower than 1 s")
    if unsent := result.get("unsent", 0):
        faults.append(f"{unsent:,} bodies were not sent")
    if max(memory.resident, memory.proportional) > MOST_GROWTH:
        faults.append("more than 256 MiB")
    if largest > LARGEST_ANSWER:
        faults.append(f"answer of {largest} bytes at {result.get('largest_at', '')}")
    grown = f"RSS +{memory.resident / 2**20:.0f}, PSS +{memory.proportional / 2**20:.0f} MiB"
    opened = f"{result.get('opened', 0):,} sent or opened, largest answer {largest:,} bytes"
    new_ones = f"p99 of new connections {healthy['anew']['p99']:.0f} ms"
    counted = f"{result['each']} bodies for each of {result['operations']} operations" if "each" in result else ""
    note = "; ".join(
        [grown, opened, new_ones, *filter(None, [counted]), *([f"NOT HELD: {', '.join(faults)}"] if faults else [])]
    )
    return Measurement(
        f"healthy beside {name}",
        sum(load["rate"] for load in healthy.values()),
        "requests/s",
        p50=max(load["p50"] for load in healthy.values()),
        p99=p99,
        note=note,
        more={"hostile": result, "healthy": healthy, "held": not faults},
    )


def memory_of(pid: int) -> tuple[int, int]:
    """Returns resident and proportional bytes of a process. Raises `OSError` where `/proc` has no figure."""
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    proportional = next(int(line.split()[1]) * 1024 for line in rollup if line.startswith("Pss:"))
    return resident_bytes(pid), proportional


def people(count: int) -> list[str]:
    """Creates sessions of people who are in no workspace, one each. Returns the tokens."""
    now, tokens = datetime.now(UTC), [secrets.token_urlsafe(32) for _ in range(count)]
    users: list[Any] = [new_id() for _ in tokens]
    with db.atomic():
        User.insert_many(
            {"id": id, "email": f"{id}@example.org", "email_key": f"{id}@example.org", "name": "B", "created_at": now}
            for id in users
        ).execute()
        Session.insert_many(
            {
                "id": new_id(),
                "user": user,
                "token_hash": hashlib.sha256(token.encode()).digest(),
                "created_at": now,
                "last_seen_at": now,
                "proved_at": now,
            }
            for user, token in zip(users, tokens, strict=True)
        ).execute()
    return tokens
