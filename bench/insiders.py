"""A signed-in person and a sender with a key send the costliest requests, beside a quiet workspace of other people."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

import requests

from bench import insider_requests as costly
from bench.abuse import Memory, memory_of, people, watched
from bench.environment import Api, BenchEnvironment
from bench.figures import Effort, Measurement, share
from bench.insider_requests import Request
from bench.processes import family
from bench.programs import Program
from inbox.database.base import db
from ops import up

CLIENTS = 4
RATE = 10.0
"""Reads and events of the quiet workspace a second."""

HOSTILE_RATE = 10.0
PATIENCE_SECONDS = 120.0
ARRIVE_SECONDS = 90.0
SETTLE_SECONDS = 2.0
DESTINATIONS, CHANGES = 300, 101
RULES, SILENCES = 200, 500
MATCH_BYTES = (970_000, 64_000, 50_000)
"""Sizes of a match that are tried in turn until one is accepted."""

SLOWEST_SECONDS, SLOWEST_WEBHOOK_SECONDS, MOST_MEMORY = 1.0, 2.0, 2**30


class Insider:
    """A person with a workspace, with the methods that `Api` has for the administrator."""

    def __init__(self, web: Api) -> None:
        self._session = requests.Session()
        [token] = people(1)
        self.cookie = f"inbox_session_{web.port}={token}"
        self._address = web.address
        self.workspace = str(self.call("POST", "/v1/workspaces", {"name": "Insider"})["id"])

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """Calls the API. Raises `RuntimeError` with the problem when the answer is no success."""
        headers = {"Cookie": self.cookie}
        answer = self._session.request(method, self._address + path, json=body, headers=headers, timeout=60)
        if not answer.ok:
            raise RuntimeError(f"{method} {path}: {answer.status_code} {answer.text[:300]}")
        return answer.json() if answer.content else None

    def source(self, kind: str = "source_key", **more: Any) -> tuple[str, str]:
        """Returns the id of a new source, and a key of this kind."""
        source = str(self.call("POST", "/v1/sources", {"workspaceId": self.workspace, "name": "Source", **more})["id"])
        return source, str(self.call("POST", f"/v1/sources/{source}/keys", {"name": "k", "kind": kind})["secret"])

    def send(self, key: str, events: Sequence[dict[str, Any]]) -> None:
        """Sends events of a source, one by one."""
        for event in events:
            headers = {"Authorization": f"Bearer {key}"}
            self._session.post(f"{self._address}/v1/events", json=event, headers=headers, timeout=60).raise_for_status()

    def accepted(self, path: str, body: Callable[[dict[str, Any]], dict[str, Any]], count: int) -> int:
        """Creates this many records with the longest accepted match. Returns its bytes."""
        for size in MATCH_BYTES:
            made = {"workspaceId": self.workspace, **body(costly.long_match(size))}
            with suppress(RuntimeError):
                for _ in range(count):
                    self.call("POST", path, made)
                return size
        raise RuntimeError(f"{path} accepts no long match")


@dataclass
class Neighbourhood:
    """The running service, the quiet workspace, and the insider beside it."""

    web: Api
    workers: list[int]
    receiver: Program
    token: str
    insider: Insider

    def beside(self, name: str, seconds: float, hostile: Callable[[], str]) -> Measurement:
        """Runs `hostile` beside the quiet workspace, which works for at least `seconds`."""
        print(name, end=" … ", flush=True, file=sys.stderr)
        processes = family(self.web.pid)[1:]
        before = {pid: memory_of(pid) for pid in [*processes, *self.workers]}
        with watched(before) as memory, self._quiet(name, seconds) as quiet:
            note = hostile()
        replaced = sum(pid not in family(self.web.pid) for pid in processes)
        self._arrivals(quiet)
        time.sleep(SETTLE_SECONDS)
        return _figure(name, quiet, memory, f"{note}, {replaced} web processes were replaced" if replaced else note)

    @contextmanager
    def _quiet(self, prefix: str, seconds: float) -> Iterator[dict[str, Any]]:
        order = {"port": self.web.port, "cookie": self._cookie(), "workspace": self.web.workspace_id()}
        order |= {"token": self.token, "rate": RATE, "seconds": seconds, "patience": PATIENCE_SECONDS, "prefix": prefix}
        found: dict[str, Any] = {}
        with Program("quiet_neighbour", **order) as program:
            yield found
            found |= program.read_line()

    def _cookie(self) -> str:
        return "; ".join(f"{cookie['name']}={cookie['value']}" for cookie in self.web.cookies())

    def _arrivals(self, quiet: dict[str, Any]) -> None:
        """Waits for the webhooks of all accepted events.

        `webhooks` are the seconds of each, `missing` did not arrive.
        """
        waiting, took = dict(quiet.pop("sent")), list[float]()
        until = time.monotonic() + ARRIVE_SECONDS
        while waiting and time.monotonic() < until:
            for at, title in self.receiver.request("")["arrivals"]:
                if title in waiting:
                    took.append(at - waiting.pop(title))
            time.sleep(0.2)
        quiet |= {"webhooks": took, "missing": len(waiting)}

    def repeated(self, request: Request, seconds: float) -> str:
        """Repeats the request with four clients at the same time. Returns the counts of each status."""
        order = {"port": self.web.port, "cookie": self.insider.cookie, "request": request, "clients": CLIENTS}
        with Program("insider_clients", **order, seconds=seconds) as clients:
            result = clients.read_line()
        answers = ", ".join(f"{count} × {status}" for status, count in sorted(result["answers"].items()))
        return f"{answers}, slowest {result['slowest']:.1f} s"


def measure(stand: BenchEnvironment, effort: Effort) -> list[Measurement]:
    """Measures each costly request in turn, then a hostile workspace of many rules and silences."""
    stand.clear()
    with (
        Program("receiver") as receiver,
        stand.web(host="localhost") as web,
        stand.workers(1, up.queues(1, 2)) as first,
        stand.workers(1, up.queues(2, 2)) as second,
        stand.scheduler(),
        db.connection_context(),
    ):
        web.send_everything_to([receiver.read_line()["port"]])
        here = Neighbourhood(web, [*first, *second], receiver, web.source_key(), Insider(web))
        seconds = effort.seconds * 2
        figures = [here.beside("nobody else", seconds, lambda: "")]
        for name, request in _requests(here.insider).items():
            figures.append(here.beside(name, seconds, lambda r=request: here.repeated(r(), seconds)))  # type: ignore[misc]
        figures.append(here.beside("12 rules of long lists, 40 events", seconds, lambda: _long_lists(here.insider, 40)))
        figures.append(here.beside("a rule of the longest match, 60 events", seconds, lambda: _long_rule(here.insider)))
        figures.append(_hostile_workspace(here, effort.minutes * 60))
    return figures


def _requests(insider: Insider) -> dict[str, Callable[[], Request]]:
    """Returns the costly requests by name. Each is created when its turn comes."""
    workspace = insider.workspace
    return {
        "import of an alertmanager.yml": lambda: costly.alertmanager_routes(workspace),
        "import of silences of Alertmanager": lambda: costly.alertmanager_silences(workspace),
        "import of checks of Healthchecks": lambda: costly.healthchecks_crons(workspace),
        "import of a crontab": lambda: costly.crontab_lines(workspace),
        "a mapping of 500 paths": lambda: costly.mapped_zeros(insider.source(mapping=costly.MAPPING)[1]),
        "66,000 alerts in a body": lambda: costly.alerts(insider.source()[1]),
        "a webhook of 16 MiB": lambda: costly.large_webhook(insider.source()[1]),
        "a match that is parsed": costly.parsed_rule,
        "rules that are previewed": lambda: costly.previewed_rules(workspace),
        "long lists that are tried": lambda: costly.tried_lists(workspace, insider.source()[0]),
        "a passkey": lambda: costly.passkey(insider.call("POST", "/v1/me/passkeys/options")["challenge"]),
        "a recovery pattern": lambda: costly.recovered(
            insider.source("alias_token", recoveryPattern=costly.RECOVERY)[1]
        ),
        "explanations of notices": lambda: _explained(insider),
        "the list of silences": lambda: _silences(insider, 25),
        "the list of rules": lambda: _rules(insider, 25),
    }


def _explained(insider: Insider) -> Request:
    """Returns the request for explanations of an often changed incident, in a workspace of many destinations."""
    config = {"url": "http://127.0.0.1:9/", "secret": "whsec_" + "A" * 43 + "="}
    common = {"workspaceId": insider.workspace, "kind": "webhook", "config": config}
    ids = [insider.call("POST", "/v1/destinations", {**common, "name": f"d{n}"})["id"] for n in range(DESTINATIONS)]
    insider.call("PUT", f"/v1/workspaces/{insider.workspace}/default-route", {"destinationIds": ids[:1]})
    _, key = insider.source()
    actions = ["trigger", "resolve"] * (CHANGES // 2 + 1)
    insider.send(key, [{"title": "often", "dedupKey": "often", "severity": "ERROR", "action": act} for act in actions])
    time.sleep(SETTLE_SECONDS)
    [incident, *_] = insider.call("GET", f"/v1/incidents?workspaceId={insider.workspace}")["items"]
    return Request("GET", f"/v1/incidents/{incident['id']}/explain?kind=notice&limit=200")


def _silences(insider: Insider, count: int) -> Request:
    """Returns the request for the list of silences with long matches."""
    ends = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 86_400))
    insider.accepted("/v1/silences", lambda match: {"match": match, "endsAt": ends, "comment": "c"}, count)
    return Request("GET", f"/v1/silences?workspaceId={insider.workspace}&limit=200")


def _rules(insider: Insider, count: int) -> Request:
    """Returns the request for the list of rules with long matches."""
    then = {"disposition": "notify"}
    insider.accepted("/v1/rules", lambda match: {"name": "r", "match": match, "then": then, "enabled": False}, count)
    return Request("GET", f"/v1/rules?workspaceId={insider.workspace}&limit=200")


def _long_lists(insider: Insider, events: int) -> str:
    """Sends events with a long list, which a dozen rules compare."""
    for number in range(12):
        clauses = [{"field": "metadata.l", "op": "contains", "value": f"{number} {clause}"} for clause in range(50)]
        body = {"name": f"list {number}", "match": {"any": clauses}, "then": {"disposition": "notify"}}
        insider.call("POST", "/v1/rules", {"workspaceId": insider.workspace, **body})
    _, key = insider.source()
    insider.send(key, [_event_with_list(number) for number in range(events)])
    return f"{events} events were sent"


def _long_rule(insider: Insider) -> str:
    """Sends events whose routing record holds the whole match, as often as a body may repeat it."""
    then = {"disposition": "notify"}
    body = {"name": "long", "then": then, "continue": True}
    size = insider.accepted("/v1/rules", lambda match: {**body, "match": match}, 1)
    _, key = insider.source()
    insider.send(key, [{"title": f"small {number}", "severity": "ERROR"} for number in range(60)])
    return f"a match of {size:,} bytes, 60 events were sent"


def _hostile_workspace(here: Neighbourhood, seconds: float) -> Measurement:
    """Creates rules and silences at every limit, and events for all of them, for some minutes."""
    insider = Insider(here.web)
    ends = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 86_400))
    for number in range(SILENCES):
        about = {"workspaceId": insider.workspace, "endsAt": ends, "comment": "c", "match": _list_match(number)}
        insider.call("POST", "/v1/silences", about)
    for number in range(RULES):
        about = {"workspaceId": insider.workspace, "name": f"rule {number}", "match": _list_match(number)}
        insider.call("POST", "/v1/rules", {**about, "then": {"disposition": "notify"}})
    _, key = insider.source()

    def storm() -> str:
        until, sent = time.monotonic() + seconds, 0
        while time.monotonic() < until:
            insider.send(key, [_event_with_list(sent)])
            sent += 1
            time.sleep(1 / HOSTILE_RATE)
        return f"{sent:,} events were sent"

    figure = here.beside(f"{RULES} rules and {SILENCES} silences at every limit", seconds, storm)
    rules = insider.call("GET", f"/v1/rules?workspaceId={insider.workspace}&limit=200")["items"]
    warned = sum(rule["tooCostly"] is not None for rule in rules)
    return replace(figure, note=f"{figure.note}; {warned} rules say that they cost too much")


def _list_match(number: int) -> dict[str, Any]:
    clauses = [{"field": "metadata.l", "op": "contains", "value": f"{number} {clause}"} for clause in range(49)]
    return {"any": [*clauses, {"field": "body", "op": "contains", "value": "a" * 50 + "b" + "a" * 48}]}


def _event_with_list(number: int) -> dict[str, Any]:
    return {"title": f"list {number}", "severity": "ERROR", "body": "a" * 16_000, "metadata": {"l": [""] * 10_900}}


def _figure(name: str, quiet: dict[str, Any], memory: Memory, note: str) -> Measurement:
    webhooks = quiet["webhooks"]
    slowest = max(quiet[kind]["slowest"] for kind in ("reads", "events"))
    p99 = {"reads": quiet["reads"]["p99"], "events": quiet["events"]["p99"], "webhooks": share(webhooks, 0.99)}
    faults = [f"{kind} p99 above 1 s" for kind in ("reads", "events") if p99[kind] > SLOWEST_SECONDS]
    faults += [f"{quiet[kind]['failed']} {kind} failed" for kind in ("reads", "events") if quiet[kind]["failed"]]
    faults += ["a webhook came after 2 s"] * (max(webhooks, default=0.0) > SLOWEST_WEBHOOK_SECONDS)
    faults += [f"{quiet['missing']} webhooks did not come"] * bool(quiet["missing"])
    faults += ["a process has more than 1 GiB"] * (memory.largest > MOST_MEMORY)
    notes = [", ".join(f"p99 of {kind} {seconds * 1000:.0f} ms" for kind, seconds in p99.items())]
    notes += [f"slowest webhook {max(webhooks, default=0.0):.1f} s", f"a process has {memory.largest / 2**20:.0f} MiB"]
    notes += [note] * bool(note) + [f"NOT HELD: {', '.join(faults)}"] * bool(faults)
    more = {"quiet": {**quiet, "webhooks": len(webhooks)}, "held": not faults}
    return Measurement(
        f"others waited beside {name}", slowest, "s", p99=max(p99.values()) * 1000, note="; ".join(notes), more=more
    )
