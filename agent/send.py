"""`send`: sends an event, or stores it on disk while the instance is unreachable."""

from __future__ import annotations

import argparse
import json
import sys
import uuid
from datetime import datetime, timezone
from typing import Any

from agent.client import EVENTS, Away, Client, Refused, repeated
from agent.delivery import Post, deliver, flush
from agent.options import SOURCE_KEY, add_instance, address_of, credential_of, readable, warn
from agent.retry import retry_in_background
from agent.spool import Spool

JSON_TYPE = "application/json"
SEND_SECONDS = 20.0
TEXTS = {
    "severity": "severity",
    "body": "body",
    "type": "type",
    "resource": "resource",
    "dedup-key": "dedupKey",
    "url": "url",
    "external-id": "externalId",
    "idempotency-key": "idempotencyKey",
}
"""The text options, and the fields that they set."""


def add_send(commands: Any) -> None:
    """Adds the command."""
    about = "Send an event."
    made = commands.add_parser("send", help=about, description=about + " The source key comes from " + SOURCE_KEY + ".")
    made.add_argument("title")
    for name in TEXTS:
        made.add_argument("--" + name)
    made.add_argument("--tag", action="append", dest="tags", help="may be given more than once")
    made.add_argument("--resolve", action="store_true", help="resolve the incident with this --dedup-key")
    made.add_argument("--no-spool", action="store_true", help="fail if the instance cannot be reached")
    made.add_argument("--json", action="store_true", help="print the whole response")
    add_instance(made, SOURCE_KEY)
    made.set_defaults(act=send)


def send(options: argparse.Namespace) -> int:
    """Sends one event. Returns 0 when it is accepted or stored for later, 1 when it is refused. Raises `Unusable`."""
    client = Client(address_of(options), credential_of(options, SOURCE_KEY))
    body = readable(json.dumps(event_of(options), ensure_ascii=False))
    try:
        answer = _sent(client, body, spool=not options.no_spool)
    except (Away, Refused) as fault:
        warn(str(fault))
        return 1
    if answer is not None:
        _print(answer, as_json=options.json)
    elif options.json:
        print(json.dumps({"spooled": True}))
    return 0


def event_of(options: argparse.Namespace) -> dict[str, Any]:
    """Returns the event with its own identity and time, so that it can be sent again and later."""
    event = {"title": options.title, "idempotencyKey": uuid.uuid4().hex, "tags": options.tags}
    event["occurredAt"] = datetime.now(timezone.utc).isoformat()
    for option, field in TEXTS.items():
        event[field] = getattr(options, option.replace("-", "_")) or event.get(field)
    if options.resolve:
        event["action"] = "resolve"
    if options.idempotency_key:
        # With another time, the same key would have other content.
        del event["occurredAt"]
    return {name: value for name, value in event.items() if value}


def _sent(client: Client, body: str, *, spool: bool) -> Any:
    if spool:
        post = Post(EVENTS, body, JSON_TYPE)
        waiting = Spool(client.address, client.credential)
        answer = deliver(client, waiting, post, SEND_SECONDS)
        if answer is None:
            retry_in_background(waiting, lambda: flush(client, waiting, SEND_SECONDS))
        return answer
    return repeated(lambda: client.post(EVENTS, body.encode("utf-8"))[1], 4, SEND_SECONDS)


def _print(answer: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(answer, indent=2))
        return
    for event in answer.get("events", []):
        print(event["id"], event["status"])
        for warning in event["warnings"]:
            print("  {}: {}".format(warning["code"], warning["detail"]), file=sys.stderr)
