"""One record of each kind, with chosen names and texts, as screens show them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import requests

from tests.faults.service_processes import until
from tests.stand_ins.discord_requests import PUBLIC_KEY, payload, signed
from tests.stand_ins.receivers import Receiver
from tests.web.service import Service


@dataclass(frozen=True)
class Texts:
    """Texts of people and senders. `mark` is a short text that no other record has."""

    mark: str
    name: str
    title: str
    body: str
    tag: str
    resource: str
    metadata: dict[str, Any] = field(default_factory=dict)


NIGHTLY = Texts(
    mark="nightly",
    name="Nightly copy",
    title="The nightly copy of db-1 failed",
    body="no space left on device\nRunbook: https://example.org/runbook",
    tag="nightly",
    resource="host:db-1",
    metadata={"attempt": 3, "disk": {"used": "97 %"}},
)
"""Ordinary texts."""


def create_records(service: Service, receiver: Receiver, texts: Texts) -> dict[str, str]:
    """Create one record of each kind, and answer the ids by the names that `SCREENS` has for them.

    1. A source with a key, a destination, a profile and a rule.
    2. An event, which the rule and the profile make an incident with a notice to `receiver`, with a note and a snooze.
    3. A silence of other incidents, and a monitor whose run failed, and a watcher with a failed check.
    4. A chat account that is linked with Olga.
    5. An on-call schedule with shifts and gaps.
    """
    workspace = service.home()
    own = {"workspaceId": workspace["id"]}
    source = service.post("/v1/sources", {**own, "name": texts.name})
    key = service.post(f"/v1/sources/{source['id']}/keys", {"name": texts.name})
    routing = _routing(service, receiver, texts, {**own, "sourceIds": [source["id"]]})
    incident = _incident(service, texts, source["id"], key["secret"])
    _link_chat_account(service, texts, own, incident)
    sent = until(lambda: service.get(f"/v1/deliveries?incidentId={incident}")["items"], "the notice is sent", 60)
    return {
        **routing,
        "source": source["id"],
        "incident": incident,
        "delivery": sent[0]["id"],
        "event": service.get(f"/v1/events?sourceId={source['id']}")["items"][0]["id"],
        "silence": _silence(service, texts, own),
        "monitor": _monitor(service, texts, {**own, "sourceId": source["id"]}),
        "watcher": _watcher(service, texts, key["secret"]),
        "schedule": _schedule(service, texts, own),
    }


def _routing(service: Service, receiver: Receiver, texts: Texts, own: dict[str, Any]) -> dict[str, str]:
    """The ids of a destination, of a profile that names it, and of a rule for the sources of `own`."""
    workspace = {"workspaceId": own["workspaceId"]}
    destination = service.destination(texts.name, receiver.url)
    steps = [{"afterMinutes": 0, "destinationIds": [destination["id"]]}]
    profile = service.post("/v1/routing-profiles", {**workspace, "name": texts.name, "steps": steps})
    then = {"disposition": "incident", "routingProfileId": profile["id"], "addTags": [texts.tag]}
    # The service may store another title than was sent, hence the second clause.
    clauses = [
        {"field": "title", "op": "eq", "value": texts.title},
        {"field": "severity", "op": "gte", "value": "DEBUG"},
    ]
    rule = {**own, "name": texts.name, "match": {"any": clauses}}
    return {
        "destination": destination["id"],
        "profile": profile["id"],
        "rule": service.post("/v1/rules", {**rule, "then": then})["id"],
    }


def _incident(service: Service, texts: Texts, source: str, key: str) -> str:
    event = {
        "title": texts.title,
        "body": texts.body,
        "severity": "ERROR",
        "tags": [texts.tag],
        "resource": texts.resource,
        "type": "copy.failed",
        "dedupKey": texts.title,
        "url": "https://example.org/runbook",
        "metadata": texts.metadata,
    }
    headers = {"Authorization": f"Bearer {key}"}
    requests.post(f"{service.address}/v1/events", json=event, headers=headers, timeout=60).raise_for_status()
    found = until(lambda: service.get(f"/v1/incidents?sourceId={source}")["items"], "the event is an incident", 60)
    service.post(f"/v1/incidents/{found[0]['id']}/notes", {"text": texts.body})
    return str(found[0]["id"])


def _link_chat_account(service: Service, texts: Texts, own: dict[str, Any], incident: str) -> None:
    """Somebody presses a button in Discord, and Olga opens the link of the answer and confirms it. The name is that of the texts."""
    config = {"url": f"https://discord.com/api/webhooks/1234/{texts.mark}", "publicKey": PUBLIC_KEY}
    body = {**own, "name": f"Chat {texts.mark}", "kind": "discord", "config": config}
    destination = service.post("/v1/destinations", body)
    account_id = str(int.from_bytes(texts.mark.encode()))[:20]
    member = {"user": {"id": account_id, "username": texts.name}}
    pressed, headers = signed(payload(incident, id=account_id, member=member), datetime.now(UTC))
    url = f"{service.address}/v1/destinations/{destination['id']}/interactions"
    hint = requests.post(url, data=pressed, headers=headers, timeout=60)
    hint.raise_for_status()
    [page] = re.findall(r"\((\S+/chat-account/\S+)\)", hint.json()["data"]["content"])
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    service.session.post(page, headers=form, timeout=60).raise_for_status()
    service.delete(f"/v1/destinations/{destination['id']}")


def _silence(service: Service, texts: Texts, own: dict[str, Any]) -> str:
    ends_at = (datetime.now(UTC) + timedelta(hours=4)).isoformat()
    match = {"all": [{"field": "title", "op": "eq", "value": f"{texts.mark} {texts.name}"}]}
    body = {**own, "match": match, "endsAt": ends_at, "comment": texts.name}
    return str(service.post("/v1/silences", body)["id"])


def _monitor(service: Service, texts: Texts, own: dict[str, Any]) -> str:
    schedule = {"kind": "simple", "periodSeconds": 3600}
    body = {**own, "name": texts.name, "tags": [texts.tag], "schedule": schedule}
    monitor = service.post("/v1/heartbeat-monitors", body)
    requests.post(f"{monitor['pingUrl']}/fail", data=texts.body.encode(), timeout=60).raise_for_status()
    return str(monitor["id"])


def _schedule(service: Service, texts: Texts, own: dict[str, Any]) -> str:
    """A schedule in which Olga is on call at night, with an override at noon of the next day."""
    olga = service.get("/v1/me")["id"]
    night = {"days": ["mon", "tue", "wed", "thu", "fri"], "start": "22:00", "end": "07:00"}
    layer = {"name": texts.name, "start": "2026-03-02T09:00", "unit": "day", "every": 1, "members": [[olga]]}
    body = {**own, "name": texts.name, "description": texts.mark, "timezone": "UTC"}
    made = service.post("/v1/schedules", {**body, "layers": [{**layer, "windows": [night]}]})
    noon = (datetime.now(UTC) + timedelta(days=1)).replace(hour=12, minute=0)
    override = {"startsAt": noon.isoformat(), "endsAt": (noon + timedelta(hours=2)).isoformat(), "userIds": [olga]}
    service.post(f"/v1/schedules/{made['id']}/overrides", {**override, "reason": texts.mark})
    return str(made["id"])


def _watcher(service: Service, texts: Texts, key: str) -> str:
    checks = [
        {"name": texts.tag, "status": "fail", "message": texts.body},
        {"name": "disk /", "status": "ok", "message": "41 % used"},
    ]
    labels = {texts.tag: texts.name}
    body = {"watcherId": texts.mark, "name": texts.name, "hostname": texts.resource, "labels": labels, "checks": checks}
    headers = {"Authorization": f"Bearer {key}"}
    answer = requests.post(f"{service.address}/v1/watchers/check-in", json=body, headers=headers, timeout=60)
    answer.raise_for_status()
    return str(answer.json()["watcher"]["id"])
