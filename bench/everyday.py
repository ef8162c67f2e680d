"""Everyday load: the cost of a new incident at four rates, and the delay of webhooks and acts."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from bench.environment import Api, BenchEnvironment
from bench.figures import Effort, Measurement, share
from bench.programs import Program
from bench.routing import spent
from bench.streams import people
from inbox.database.base import db
from inbox.domain.values import ids

RATES = (1, 10, 50, 200)
"""New incidents a second."""

DESTINATIONS = 50
"""Each source has one of them, by a routing profile. So each incident has one webhook."""

STREAMS = 200
ACT_EVERY_SECONDS = 2.0
SETTLE_SECONDS = 3.0
ARRIVE_SECONDS = 30.0
PAUSE_SECONDS = 0.5
RESYNC = "resync"
COST = "ms CPU"


def measure(stand: BenchEnvironment, effort: Effort) -> list[Measurement]:
    """Measures a minute at each rate."""
    stand.clear()
    with running(stand, effort) as load:
        return [figure for rate in RATES for figure in load.measure(rate, effort.everyday_seconds)]


@contextmanager
def running(stand: BenchEnvironment, effort: Effort, *, webhooks: int = DESTINATIONS) -> Iterator[EverydayLoad]:
    """Runs the parts that `bin/up` starts with its rate limits: two web processes, two workers, the scheduler.

    Each of the `webhooks` has a source that sends to it.
    """
    service = stand.with_root(stand.root)
    service.environment |= {"INBOX_RATE_LIMITS": "on"}
    with (
        Program("receiver") as receiver,
        service.web() as web,
        service.workers(2) as workers,
        service.scheduler() as scheduler,
        db.connection_context(),
    ):
        workspace_id = ids.decode("wsp", web.workspace_id())
        assert workspace_id
        destinations = web.send_everything_to([receiver.read_line()["port"]] * webhooks)
        tokens = sources(web, [[each] for each in destinations])
        parts = {"web": [web.pid], "workers": workers, "scheduler": [scheduler]}
        parts |= {"postgres": [stand.servers.postgres.pid], "redis": [stand.servers.redis.pid]}
        streams = people(workspace_id, min(STREAMS, effort.streams))
        with Program("stream_clients", port=web.port, tokens=streams) as clients:
            if (opened := clients.read_line()["open"]) < len(streams):
                raise RuntimeError(f"of {len(streams)} streams {opened} opened")
            yield EverydayLoad(web, tokens, parts, receiver, clients, opened)


def sources(
    web: Api, groups: Sequence[Sequence[str]], people: Sequence[Sequence[dict[str, str]]] | None = None
) -> list[str]:
    """Adds a source for each group of destinations, with a profile that sends to all of them at once.

    The profile also pages the `people` of the same place. Returns the keys.
    """
    about: dict[str, Any] = {"workspaceId": web.workspace_id()}
    keys = []
    for number, (destinations, paged) in enumerate(zip(groups, people or [[]] * len(groups), strict=True)):
        steps = [{"afterMinutes": 0, "destinationIds": destinations, "people": paged}]
        profile = {**about, "name": f"Profile {number} {secrets.token_hex(4)}", "steps": steps, "repeat": 0}
        routed = web.call("POST", "/v1/routing-profiles", profile)["id"]
        source = web.call("POST", "/v1/sources", {**about, "name": "Bench", "routingProfileId": routed})
        keys.append(str(web.call("POST", f"/v1/sources/{source['id']}/keys", {"name": "bench"})["secret"]))
    return keys


@dataclass(frozen=True)
class EverydayLoad:
    """The parts that run during a measurement: the service, its processes, the webhook receiver, and stream clients."""

    web: Api
    tokens: list[str]
    parts: dict[str, list[int]]
    receiver: Program
    clients: Program
    streams: int

    def measure(self, rate: int, seconds: float) -> list[Measurement]:
        """Measures one rate. No work of earlier rates is left when it begins."""
        self.receiver.request("")
        prefix = f"at {rate}"
        order = {"port": self.web.port, "tokens": self.tokens, "rate": rate, "seconds": seconds, "keys": rate * seconds}
        before = spent(self.parts)
        with Program("paced_sender", **order, prefix=prefix, list_answered=True) as sender:
            acts = self._act(prefix, seconds)
            sent = sender.read_line()
        if sent["refused"]:
            raise RuntimeError(f"{sent['refused']} events were refused: {sent['first_refusal']}")
        arrivals = webhooks_of(self.receiver, set(sent["answered"]))
        time.sleep(SETTLE_SECONDS)
        cpu = {part: (after - before[part]) / sent["sent"] * 1000 for part, after in spent(self.parts).items()}
        took = [arrivals[title][0] - at for title, at in sent["answered"].items()]
        more = sum(len(times) - 1 for times in arrivals.values())
        return [
            _timed(f"a new incident, {rate}/s", COST, sent["p50"], sent["p99"], cpu),
            _shared(f"accepted to webhook, {rate}/s", took, f"{len(took):,} of {sent['sent']:,}, {more} more for acts"),
            _shared(f"act to each of {self.streams} streams, {rate}/s", acts, f"{len(acts) // self.streams} acts"),
        ]

    def _act(self, prefix: str, seconds: float) -> list[float]:
        """Acknowledges an incident of this load now and then. Returns seconds from the request to each stream."""
        until, took = time.monotonic() + seconds, list[float]()
        open_ones = f"/v1/incidents?workspaceId={self.web.workspace_id()}&state=open&limit=50"
        while time.monotonic() < until:
            began = time.monotonic()
            found = [
                each["id"] for each in self.web.call("GET", open_ones)["items"] if each["title"].startswith(prefix)
            ]
            self.clients.request("")
            if found:
                began = time.monotonic()
                self.web.call("POST", f"/v1/incidents/{found[0]}/acknowledge")
                took += _reached(self.clients, found[0], began, self.streams)
            time.sleep(max(0.0, began + ACT_EVERY_SECONDS - time.monotonic()))
        if not took:
            raise RuntimeError("no act was measured")
        return took


def _timed(name: str, unit: str, p50: float, p99: float, cpu: dict[str, float]) -> Measurement:
    note = ", ".join(f"{part} {cost:.2f}" for part, cost in cpu.items())
    return Measurement(name, sum(cpu.values()), unit, p50=p50, p99=p99, note=note, more=cpu)


def _shared(name: str, took: list[float], note: str) -> Measurement:
    p50, p99 = share(took, 0.5) * 1000, share(took, 0.99) * 1000
    return Measurement(name, p50, "ms", p50=p50, p99=p99, note=f"{note}, slowest {max(took) * 1000:.0f} ms")


def _reached(clients: Program, incident: str, began: float, streams: int) -> list[float]:
    """Returns when each stream was notified of the incident. In a flood of changes a `resync` notifies it."""
    reached: dict[str, list[float]] = {incident: [], RESYNC: []}
    while time.monotonic() < began + ARRIVE_SECONDS:
        time.sleep(PAUSE_SECONDS)
        arrivals: dict[str, list[float]] = clients.request("")
        for name, times in reached.items():
            times += [at - began for at in arrivals.get(name, []) if at > began]
            if len(times) >= streams:
                return sorted(times)[:streams]
    raise RuntimeError(f"of {streams} streams {len(reached[incident])} were notified of {incident}")


def webhooks_of(receiver: Program, required: set[str]) -> dict[str, list[float]]:
    """Returns the arrivals of each title, when all came."""
    arrivals: dict[str, list[float]] = {}
    until = time.monotonic() + ARRIVE_SECONDS
    while required - arrivals.keys():
        if time.monotonic() > until:
            raise RuntimeError(f"{len(required - arrivals.keys())} of {len(required)} webhooks did not arrive")
        for at, title in receiver.request("")["arrivals"]:
            if title in required:
                arrivals.setdefault(title, []).append(at)
        time.sleep(0.2)
    return arrivals
