"""Latency: from the 202 to the webhook's arrival, on an idle service and beside a long backlog of routing."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Callable
from typing import Any, NamedTuple
from uuid import UUID

from bench import everyday, routing
from bench.environment import Api, BenchEnvironment
from bench.figures import Effort, Measurement, share
from bench.growth import FLOOD
from bench.programs import Program
from inbox.domain.values import ids
from inbox.models.events.queue import shard_of

PAUSE_SECONDS = 0.2
ARRIVE_SECONDS = 15.0
WAITING = "SELECT count(*) FROM event_queue WHERE shard <> %s AND NOT may_overtake"
TO_CALL = """SELECT extract(epoch FROM percentile_disc(%s) WITHIN GROUP (ORDER BY a.at - d.created_at)) * 1000
FROM deliveries d JOIN delivery_attempts a ON a.delivery_id = d.id"""


def measure(stand: BenchEnvironment, effort: Effort) -> list[Measurement]:
    """Measures idle, and beside the backlogs of several numbers of sources."""
    return [idle(stand, effort), *beside_floods(stand, effort)]


def idle(stand: BenchEnvironment, effort: Effort) -> Measurement:
    """Measures one event at a time, with the parts of `bin/up`: two web workers, two workers, the scheduler."""
    stand.clear()
    with Program("receiver") as receiver, stand.web() as web, stand.workers(2), stand.scheduler():
        web.send_everything_to([receiver.read_line()["port"]])
        token = web.source_key()
        connection = http.client.HTTPConnection("127.0.0.1", web.port, timeout=10)
        took = [_probe(connection, token, f"probe {number}", receiver) for number in range(effort.probes + 1)][1:]
    return _figure("accepted to webhook, idle", took, f"{len(took)} events, one at a time")


def beside_floods(stand: BenchEnvironment, effort: Effort) -> list[Measurement]:
    """Measures beside the backlogs of each number of other sources, and critical events of the source of a backlog."""
    others = [_beside_flood(stand, effort, sources, _source) for sources in effort.floods]
    return [*others, _beside_flood(stand, effort, 1, _flooding_source)]


def _beside_flood(
    stand: BenchEnvironment, effort: Effort, sources: int, find: Callable[[BenchEnvironment, Api, int], ProbeSource]
) -> Measurement:
    """Measures an event every 0.2 s while one worker of all queues routes a backlog of this many sources.

    The webhooks are of these events alone.
    """
    stand.clear()
    backlog = routing.fill(stand, FLOOD, effort.events * routing.BACKLOG, sources)
    with Program("receiver") as receiver, stand.web() as web, stand.scheduler():
        source = find(stand, web, receiver.read_line()["port"])
        connection = http.client.HTTPConnection("127.0.0.1", web.port, timeout=10)
        accepted, waiting = {"warm": _send(connection, source, "warm")}, list[int]()
        with stand.workers(1):
            while left := int(stand.query_one(WAITING, source.shard)):
                title = f"probe {len(waiting)}"
                accepted[title] = _send(connection, source, title)
                waiting.append(left)
                time.sleep(PAUSE_SECONDS)
            arrivals = everyday.webhooks_of(receiver, set(accepted))
    took = [arrivals[title][0] - accepted[title] for title in accepted if title != "warm"]
    if not took:
        raise RuntimeError("the backlog was routed before the first event")
    to_call = [float(stand.query_one(TO_CALL, fraction)) for fraction in (0.5, 1)]
    notes = [f"{len(took)} events", f"{waiting[0]:,} to {waiting[-1]:,} of {backlog.events:,} waited"]
    notes += [f"the slowest {max(took) * 1000:.0f} ms"]
    notes += [f"from the routed event to its call p50 {to_call[0]:.0f} ms, the slowest {to_call[1]:.0f} ms"]
    flood = "its own source" if source.shard < 0 else f"{sources} source{'s' if sources > 1 else ''}"
    return _figure(f"accepted to webhook, one worker beside a flood of {flood}", took, ", ".join(notes))


class ProbeSource(NamedTuple):
    """The key of a source with a webhook, and its shard, which has no other event; -1 when the source has the backlog."""

    token: str
    shard: int = -1
    severity: str = "ERROR"


def _source(stand: BenchEnvironment, web: Api, port: int) -> ProbeSource:
    """Adds sources until one has its own shard."""
    taken = stand.query_one("SELECT array_agg(DISTINCT shard) FROM event_queue")
    webhooks = web.webhooks([port])
    while True:
        (token,) = everyday.sources(web, [webhooks])
        shard = shard_of(UUID(stand.query_one("SELECT id::text FROM sources ORDER BY id DESC LIMIT 1")))
        if shard not in taken:
            return ProbeSource(token, shard)


def _flooding_source(stand: BenchEnvironment, web: Api, port: int) -> ProbeSource:
    """Adds a rule that notifies a webhook of critical events, which the backlog does not have."""
    about: dict[str, Any] = {"workspaceId": web.workspace_id(), "name": "Critical"}
    action = {"disposition": "incident", "destinationIds": web.webhooks([port])}
    web.call("POST", "/v1/rules", {**about, "matchText": "severity >= CRITICAL", "then": action})
    source = UUID(stand.query_one("SELECT source_id::text FROM received_events LIMIT 1"))
    added = web.call("POST", f"/v1/sources/{ids.encode(ids.Prefix.SOURCE, source)}/keys", {"name": "probe"})
    return ProbeSource(str(added["secret"]), severity="CRITICAL")


def _figure(name: str, took: list[float], note: str) -> Measurement:
    p50, p99 = share(took, 0.5) * 1000, share(took, 0.99) * 1000
    return Measurement(
        name=name,
        value=p50,
        unit="ms",
        p50=p50,
        p99=p99,
        note=note,
        more={"took_ms": [round(seconds * 1000, 2) for seconds in took]},
    )


def _probe(connection: http.client.HTTPConnection, token: str, title: str, receiver: Program) -> float:
    """Returns seconds from the answer to the webhook; below zero when the webhook was faster."""
    accepted_at = _send(connection, ProbeSource(token), title)
    until = time.monotonic() + ARRIVE_SECONDS
    while time.monotonic() < until:
        time.sleep(PAUSE_SECONDS)
        for arrived_at, arrived in receiver.request("")["arrivals"]:
            if arrived == title:
                return float(arrived_at) - accepted_at
    raise RuntimeError(f"no webhook within {ARRIVE_SECONDS:g} s")


def _send(connection: http.client.HTTPConnection, source: ProbeSource, title: str) -> float:
    """Sends an event. Returns when its 202 came, on the monotonic clock."""
    body = json.dumps({"title": title, "severity": source.severity, "dedupKey": title})
    headers = {"Authorization": f"Bearer {source.token}", "Content-Type": "application/json"}
    connection.request("POST", "/v1/events", body, headers)
    answer = connection.getresponse()
    accepted_at = time.monotonic()
    stated = answer.read()
    if answer.status != 202:
        raise RuntimeError(f"POST /v1/events: {answer.status} {stated[:300]!r}")
    return accepted_at
