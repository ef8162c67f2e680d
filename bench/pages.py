"""Everyday load whose incidents page whoever is on call, and the same load to destinations: the ratio of their CPU."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from bench import everyday
from bench.environment import Api, BenchEnvironment
from bench.everyday import EverydayLoad
from bench.figures import Effort, Measurement
from bench.programs import Program
from bench.routing import spent
from inbox.database.base import new_id
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.models.people.accounts import User
from inbox.models.people.contact_methods import ContactMethod, StoredNotificationRules
from inbox.models.people.members import Member

RATE = 25
"""New incidents a second."""

PEOPLE = 50
"""Each has a schedule and a topic of ntfy. Two seconds lie between two notices to a topic, so that no pacing delays one."""

ROUNDS = 4
"""Rounds of each load, in turn. The first of each warms up, and does not count."""

START = "2026-01-05T09:00"


def measure(stand: BenchEnvironment, effort: Effort) -> list[Measurement]:
    """Measures both loads in one run. Each incident has one notice, to a topic of the same receiver."""
    stand.clear()
    with everyday.running(stand, effort, webhooks=0) as load, Program("receiver") as receiver:
        port, seconds = receiver.read_line()["port"], effort.everyday_seconds / 3
        notified = replace(load, tokens=_notifying(load.web, port), receiver=receiver)
        paging = replace(load, tokens=_paging(load.web, port), receiver=receiver)
        costs: dict[str, list[dict[str, float]]] = {"notified": [], "paged": []}
        for number in range(ROUNDS):
            for name, each in (("notified", notified), ("paged", paging)):
                costs[name].append(_cost(each, f"{name} {number}", seconds))
    return _figures({name: _mean(found[1:]) for name, found in costs.items()})


def _figures(costs: dict[str, dict[str, float]]) -> list[Measurement]:
    totals = {name: sum(each.values()) for name, each in costs.items()}
    notes = {name: ", ".join(f"{part} {cost:.2f}" for part, cost in each.items()) for name, each in costs.items()}
    to_notified = f"{totals['paged'] / totals['notified']:.2f} of the same notices to destinations; {notes['paged']}"
    return [
        Measurement(f"an incident that notifies a destination, {RATE}/s", totals["notified"], everyday.COST, note=notes["notified"]),
        Measurement(f"an incident that pages who is on call, {RATE}/s", totals["paged"], everyday.COST, note=to_notified),
    ]  # fmt: skip


def _mean(found: Sequence[dict[str, float]]) -> dict[str, float]:
    return {part: sum(each[part] for each in found) / len(found) for part in found[0]}


def _cost(load: EverydayLoad, prefix: str, seconds: float) -> dict[str, float]:
    """Returns the CPU of an incident by process, in milliseconds, once each has its notice."""
    seen, before = load.receiver.request("")["count"], spent(load.parts)
    order = {"port": load.web.port, "tokens": load.tokens, "rate": RATE, "seconds": seconds, "keys": RATE * seconds}
    with Program("paced_sender", **order, prefix=prefix) as sender:
        sent = sender.read_line()
    if sent["refused"]:
        raise RuntimeError(f"{sent['refused']} events were refused: {sent['first_refusal']}")
    until = time.monotonic() + everyday.ARRIVE_SECONDS
    while (arrived := load.receiver.request("")["count"] - seen) < sent["sent"]:
        if time.monotonic() > until:
            raise RuntimeError(f"{arrived} of {sent['sent']} notices arrived")
        time.sleep(everyday.PAUSE_SECONDS)
    time.sleep(everyday.SETTLE_SECONDS)
    if (arrived := load.receiver.request("")["count"] - seen) != sent["sent"]:
        raise RuntimeError(f"{arrived} notices of {sent['sent']} incidents arrived")
    return {part: (after - before[part]) / sent["sent"] * 1000 for part, after in spent(load.parts).items()}


def _notifying(web: Api, port: int) -> list[str]:
    """Adds a source for each of as many topics as there are people. Returns the keys."""
    return everyday.sources(web, [[_topic(web, port, number)] for number in range(PEOPLE)])


def _paging(web: Api, port: int) -> list[str]:
    """Adds a source for each person, whose incidents page the person by a schedule. Returns the keys."""
    workspace_id, provider_id = web.workspace_id(), _topic(web, port, PEOPLE, forContactMethods=True)
    about, people = {"workspaceId": workspace_id}, []
    for number, user_id in enumerate(_reachable(workspace_id, provider_id)):
        layer = {"name": "Days", "start": START, "unit": "day", "every": 1, "members": [[user_id]]}
        schedule = {**about, "name": f"Schedule {number}", "timezone": "Europe/Berlin", "layers": [layer]}
        people.append({"scheduleId": web.call("POST", "/v1/schedules", schedule)["id"]})
    return everyday.sources(web, [[] for _ in people], [[each] for each in people])


def _topic(web: Api, port: int, number: int, **more: Any) -> str:
    config = {"server": f"http://127.0.0.1:{port}", "topic": f"topic-{number}"}
    made = {"workspaceId": web.workspace_id(), "kind": "ntfy", "name": f"Topic {number}", "config": config, **more}
    return str(web.call("POST", "/v1/destinations", made)["id"])


def _reachable(workspace_id: str, provider_id: str) -> list[str]:
    """Creates members with a confirmed contact method each, which their notification rules use at once."""
    now, users = datetime.now(UTC), [new_id() for _ in range(PEOPLE)]
    own, provider = ids.decode(Prefix.WORKSPACE, workspace_id), ids.decode(Prefix.DESTINATION, provider_id)
    for number, user in enumerate(users):
        _create(user, f"Person {number}", own, now)
        method = new_id()
        ContactMethod.create(
            id=method, user=user, kind="ntfy", address=f"person-{number}", provider_id=provider, created_at=now,
            confirmed_at=now,
        )  # fmt: skip
        rules = [{"afterMinutes": 0, "method": ids.encode(Prefix.CONTACT_METHOD, method)}]
        StoredNotificationRules.create(user=user, rules={"default": rules, "critical": []})
    return [ids.encode(Prefix.USER, each) for each in users]


def _create(user: UUID, name: str, workspace_id: UUID | None, now: datetime) -> None:
    address = f"{user}@example.org"
    User.create(id=user, email=address, email_key=address, name=name, created_at=now)
    Member.create(id=new_id(), workspace=workspace_id, user=user, role="member", joined_at=now)
