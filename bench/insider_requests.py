"""Requests of people and senders who are allowed in, each as costly as its limits allow. Sent by `insider_clients.py`."""

from __future__ import annotations

import base64
import json
from typing import Any, NamedTuple

IMPORTS = "/v1/imports/preview"
BIG_PRIME = 2**61 - 1
"""Integers that are multiples of it have the same hash in CPython."""


class Request(NamedTuple):
    """One request: `key` is sent as bearer, and without a key the session of a person is."""

    method: str
    path: str
    body: str = ""
    key: str = ""


def alertmanager_routes(workspace_id: str) -> Request:
    """Returns a request with many matchers at the root route, which each of many child routes inherits."""
    matchers = "".join(f'\n    - a{number}="b"' for number in range(2_000))
    text = f"route:\n  receiver: a\n  matchers:{matchers}\n  routes:\n" + "  - {}\n" * 8_000 + "receivers:\n- name: a\n"
    return _import(workspace_id, "alertmanager", text)


def alertmanager_silences(workspace_id: str) -> Request:
    """Returns a request with many silences whose patterns take long to compile."""
    silences = [
        {
            "id": f"s{number}",
            "status": {"state": "active"},
            "comment": "c",
            "startsAt": "2026-01-01T00:00:00Z",
            "endsAt": "2036-01-01T00:00:00Z",
            "matchers": [{"name": "a", "value": f"x{number}.{{1,1000}}", "isRegex": True, "isEqual": True}],
        }
        for number in range(4_000)
    ]
    return _import(workspace_id, "alertmanager_silences", json.dumps(silences))


def healthchecks_crons(workspace_id: str) -> Request:
    """Returns a request with many checks whose schedule occurs every few years."""
    checks = [
        {"name": f"c{number}", "uuid": f"u{number}", "schedule": "0 0 29 2 */7", "tz": "UTC", "grace": 3600}
        for number in range(9_000)
    ]
    return _import(workspace_id, "healthchecks", json.dumps({"checks": checks}))


def crontab_lines(workspace_id: str) -> Request:
    """Returns a request with many lines whose schedule occurs every few years."""
    return _import(workspace_id, "crontab", "\n".join(f"0 0 29 2 */7 /bin/job-{number}" for number in range(499)))


def parsed_rule() -> Request:
    """Returns a request with a match of quotes that are never closed, by a person without a role."""
    return Request("POST", "/v1/rules/parse", json.dumps({"matchText": '\\"' * 12_000}))


def previewed_rules(workspace_id: str) -> Request:
    """Returns a request with rules of patterns that take long to compile, by a person without a role."""
    rules = [
        {
            "name": f"r{number}",
            "match": {
                "any": [
                    {"field": "title", "op": "matches", "value": f"x{number}x{clause}\\pL" + ".{1,300}" * 3}
                    for clause in range(50)
                ]
            },
            "then": {"disposition": "notify"},
        }
        for number in range(24)
    ]
    return Request("POST", "/v1/rules/preview", json.dumps(_preview(workspace_id, rules)))


def tried_lists(workspace_id: str, source_id: str) -> Request:
    """Returns a request with rules that compare a long list, tried on one event."""
    clauses = [{"field": "metadata.l", "op": "contains", "value": f"v{number}"} for number in range(50)]
    rules = [
        {"name": f"r{number}", "match": {"any": clauses}, "then": {"disposition": "notify"}} for number in range(30)
    ]
    event = {"title": "t", "metadata": {"l": [""] * 10_900}}
    body = {"workspaceId": workspace_id, "rules": rules, "event": event, "sourceId": source_id}
    return Request("POST", "/v1/rules/preview/event", json.dumps(body))


def mapped_zeros(key: str) -> Request:
    """Returns a request with an array of numbers, read by a mapping of many paths (`MAPPING`)."""
    return Request("POST", "/v1/hooks/custom", json.dumps([0] * 20_000), key)


def _ten_paths(name: str) -> str:
    return "".join(f"{{@[*].{name}{number}}}" for number in range(10))


MAPPING: dict[str, Any] = {
    **{
        field: {"template": _ten_paths(field)}
        for field in ("title", "dedupKey", "resource", "type", "body", "url", "occurredAt", "externalId")
    },
    "tags": [_ten_paths(f"t{number}x") for number in range(20)],
    "metadata": {f"m{number}": _ten_paths(f"m{number}x") for number in range(20)},
}


def passkey(challenge: str) -> Request:
    """Returns a request with an attestation whose map keys share a hash."""
    pairs = b"".join(_cbor_integer(number * BIG_PRIME) + b"\x00" for number in range(1, 20_000))
    attestation = b"\xb9" + (19_999).to_bytes(2, "big") + pairs
    response = {"attestationObject": _url64(attestation), "clientDataJSON": _url64(b"{}"), "transports": []}
    credential = {"id": "AbCd", "rawId": "AbCd", "type": "public-key", "response": response}
    body = {"name": "k", "challenge": challenge, "credential": credential}
    return Request("POST", "/v1/me/passkeys", json.dumps(body))


def recovered(key: str) -> Request:
    """Returns a request with a message of 2 MB for a source with a costly recovery pattern (`RECOVERY`)."""
    return Request("POST", "/message", json.dumps({"title": "t", "message": "a" * 1_900_000}), key)


RECOVERY = "[ab]*a[ab]{200}c"


def alerts(key: str) -> Request:
    """Returns a request with as many alerts as a body of Alertmanager holds."""
    return Request("POST", "/v1/hooks/alertmanager", json.dumps({"version": "4", "alerts": [{}] * 66_000}), key)


def large_webhook(key: str) -> Request:
    """Returns a request with a webhook of nearly 16 MiB: a group of 9,000 alerts, as Alertmanager sends it in an outage."""
    text = "The disk is nearly full. " * 60
    sent = [
        {
            "status": "firing",
            "fingerprint": f"{number:016x}",
            "labels": {"alertname": "DiskFull", "instance": f"db-{number}:9100", "severity": "warning", "job": "node"},
            "annotations": {"summary": f"The disk of db-{number} is nearly full", "description": text},
        }
        for number in range(9_000)
    ]
    body = {"version": "4", "groupKey": "{}:{}", "alerts": sent}
    return Request("POST", "/v1/hooks/alertmanager", json.dumps(body), key)


def long_match(size: int) -> dict[str, Any]:
    """Returns a match of about this many bytes. Its text is six times as long, and no title decides it early."""
    padding = "\x7f" * (size // 5_000 - 8)  # a value has four digits more, and four characters of JSON around it
    values = [f"{padding}{number:04}" for number in range(100)]
    return {"all": [{"not": {"field": "title", "op": "in", "value": values}} for _ in range(50)]}


def _preview(workspace_id: str, rules: list[dict[str, Any]]) -> dict[str, Any]:
    return {"workspaceId": workspace_id, "since": "2026-01-01T00:00:00Z", "rules": rules}


def _import(workspace_id: str, kind: str, document: str) -> Request:
    return Request("POST", IMPORTS, json.dumps({"workspaceId": workspace_id, "kind": kind, "document": document}))


def _cbor_integer(number: int) -> bytes:
    """Returns a number of at most 64 bits, else a big number."""
    if number < 2**64:
        return b"\x1b" + number.to_bytes(8, "big")
    raw = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return b"\xc2" + bytes([0x40 + len(raw)]) + raw


def _url64(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")
