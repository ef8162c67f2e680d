"""Heartbeats: pings of many monitors beside the bare server in turns, and pings of one token above its rate limit."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from statistics import median
from typing import Any

from bench.environment import Api, BenchEnvironment
from bench.figures import Effort, Measurement
from inbox.database.base import db
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.services.heartbeats import monitors as heartbeats

CONNECTIONS = 64
MONITORS = 500
HOURLY = {"kind": "simple", "periodSeconds": 3600}


def measure(stand: BenchEnvironment, effort: Effort) -> list[Measurement]:
    """Measures the cost of a ping in bare requests: the ratio of the rates, inverted."""
    stand.clear()
    with stand.baseline() as bare, stand.web() as web:
        tokens = monitors(web)
        # The first ping of a monitor changes its status, which is more work.
        web.load(kind="ping", connections=CONNECTIONS, requests=2 * MONITORS, tokens=tokens)
        many = _figure("pings of 500 monitors", *in_turns(bare, web, effort, tokens))
    with stand.with_limits().web() as limited, stand.baseline() as bare:
        stored = _pings(stand)
        one = _figure("pings of one monitor above its limit", *in_turns(bare, limited, effort, tokens[:1]))
        one.more["stored"] = _pings(stand) - stored
    return [many, one]


def monitors(web: Api) -> list[str]:
    """Returns the tokens of new monitors."""
    workspace = web.workspace_id()
    source = web.call("POST", "/v1/sources", {"workspaceId": workspace, "name": "Heartbeats"})["id"]
    fields = {"source_id": ids.decode(Prefix.SOURCE, source), "schedule": HOURLY, "grace_seconds": 300}
    with db.connection_context():
        return [
            heartbeats.create(
                ids.decode(Prefix.WORKSPACE, workspace), {**fields, "name": f"Job {number}"}, now=datetime.now(UTC)
            ).token
            for number in range(MONITORS)
        ]


def in_turns(bare: Api, web: Api, effort: Effort, tokens: Sequence[str]) -> tuple[list[Any], list[Any]]:
    """Returns the runs of the bare server and of the service."""
    runs: tuple[list[Any], list[Any]] = ([], [])
    for _ in range(effort.rounds):
        runs[0].append(bare.load(kind="hello", connections=CONNECTIONS, seconds=effort.seconds))
        runs[1].append(web.load(kind="ping", connections=CONNECTIONS, seconds=effort.seconds, tokens=list(tokens)))
    return runs


def _figure(name: str, bare: Sequence[Any], ours: Sequence[Any]) -> Measurement:
    hello, rate = median(run["rate"] for run in bare), median(run["rate"] for run in ours)
    parts = [part for part in ("web", "postgres") if f"{part}_us" in ours[0]]
    cpu = [f"{median(run[f'{part}_us'] for run in ours):.0f} µs {part}" for part in parts]
    return Measurement(
        name=f"{name}, {CONNECTIONS} connections",
        value=rate,
        unit="pings/s",
        ratio=rate / hello,
        p50=median(run["p50"] for run in ours),
        p99=median(run["p99"] for run in ours),
        note=", ".join([f"bare {hello:,.0f}/s, a ping costs {hello / rate:.1f} bare requests", *cpu]),
        more={"bare": list(bare), "ours": list(ours)},
    )


def _pings(stand: BenchEnvironment) -> int:
    return int(stand.query_one("SELECT count(*) FROM heartbeat_pings"))
