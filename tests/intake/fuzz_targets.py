"""The readers of `inbox/intake` on bytes, as `bin/fuzz` calls them, and what must hold of each result."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib import import_module
from typing import Any, get_args, get_type_hints

import orjson

from inbox.domain.events import validation as events
from inbox.domain.senders.recovery_presets import RecoveryPreset
from inbox.domain.values import jsonbody
from inbox.domain.values.refusals import BadRequest, ValidationFailed
from inbox.intake import cloudevents, legacy_push, mail, mail_message, opsgenie, pagerduty, prometheus
from inbox.intake.base import Event, OddItem, Payload, Tool, WrongPayload
from inbox.intake.importers import uptime_kuma
from inbox.intake.importers.import_kind import ImportKind, Options
from inbox.intake.importers.plan import Plan, Unreadable
from inbox.intake.importers.registry import KINDS
from inbox.intake.mail import Envelope, Grouping
from inbox.intake.mapping import EventMapping
from inbox.intake.pagerduty import InvalidEvent
from inbox.intake.registry import TOOLS
from tests.cast import NOW
from tests.intake.payloads import payload

REFUSALS = (BadRequest, ValidationFailed, WrongPayload, OddItem, InvalidEvent, Unreadable)
"""The documented refusals of a reader."""

EMPTY: list[Any] = []
"""An array without items. It asks for nothing."""

HEADERS = {"github": {"x-github-event": "workflow_run"}}
ENVELOPE = Envelope(sender="nas@example.org", helo="nas.local", peer="192.0.2.7", is_encrypted=False)
MAPPING = {
    "items": "alerts[*]",
    "title": {"template": "{name} on {host}", "default": "Alarm"},
    "severity": {"template": "{level}", "table": {"Page": "CRITICAL"}, "default": "WARNING"},
    "occurred_at": {"template": "{at}"},
    "dedup_key": {"template": "{$.site}:{host}:{name}"},
    "tags": ["site:{$.site}", "{tags[*]}"],
    "metadata": {"labels": "{labels}"},
}
MAIL = b"From: NAS <nas@example.org>\r\nSubject: Volume full\r\nMessage-ID: <1@nas>\r\n\r\n/data has 3 % left."
CLOUD_EVENT = {
    "specversion": "1.0", "id": "A-7", "source": "/backup/nas1", "type": "org.example.job.failed",
    "time": "2026-11-22T10:15:30Z", "data": {"title": "The backup failed", "severity": "critical"},
}  # fmt: skip
SET_UPS: Mapping[str, bytes] = {name: import_module(f"tests.intake.importers.{name}").SEED for name in KINDS}


@dataclass(frozen=True)
class Found:
    """What a reader made of an input: events, and the number of faults and warnings."""

    events: Sequence[Event]
    reports: int = 0


@dataclass(frozen=True)
class FuzzTarget:
    """A reader on bytes. `may_ignore`: an input may give nothing, as the reader's documentation says."""

    read: Callable[[bytes], Found]
    seeds: Sequence[bytes]
    may_ignore: bool = False
    is_checked_later: bool = False
    """The sender chooses fields of the event, so that storing may refuse it."""

    def run(self, data: bytes) -> None:
        """Read the input. Raises what the reader must not raise, and `AssertionError` for a wrong result."""
        try:
            found = self.read(data)
        except REFUSALS as refused:
            assert _reason(refused), "a refusal without a reason"
            return
        assert found.events or found.reports or self.may_ignore, "no event, no problem and no warning"
        for event in found.events:
            try:
                events.accept(event, received_at=NOW)
            except REFUSALS:
                if not self.is_checked_later:
                    raise


def _reason(refused: Exception) -> str:
    return str(refused) or str(getattr(refused, "detail", ""))


def _document(data: bytes) -> Any:
    """A JSON body, as the views of senders read it."""
    try:
        return jsonbody.check_tree(orjson.loads(data))
    except orjson.JSONDecodeError as error:
        raise jsonbody.not_json(data, error) from None


def _tool(tool: Tool) -> FuzzTarget:
    def read(data: bytes) -> Found:
        result = tool.events(Payload(_document(data), HEADERS.get(tool.name, {})))
        return Found(result.events, len(result.faults))

    seeds = [json.dumps(payload(tool.name, moment)).encode() for moment in ("alarm", "end")]
    return FuzzTarget(read, seeds, may_ignore=type(None) in get_args(get_type_hints(tool.read)["return"]))


def _mapping(data: bytes) -> Found:
    result = EventMapping(MAPPING).events(Payload(_document(data)))
    return Found(result.events, len(result.faults) + sum(map(len, result.warnings)))


def _prometheus(data: bytes) -> Found:
    document = _document(data)
    if not isinstance(document, list):
        raise BadRequest("The body must be a JSON array of alerts.")
    pushed = prometheus.read(document, NOW)
    return Found([alert.event_after(NOW) for alert in pushed.alerts], len(pushed.faults) or document == EMPTY)


def _cloudevents(data: bytes) -> Found:
    document = _document(data)
    result = cloudevents.read(cloudevents.documents(document, batched=isinstance(document, list)))
    return Found(result.events, len(result.faults) or document == EMPTY)


def _cloudevent_headers(data: bytes) -> Found:
    head, _, body = data.partition(b"\n\n")
    lines = (line.partition(":") for line in head.decode("latin-1").split("\n"))
    headers = {name.strip().lower(): value.strip() for name, _, value in lines}
    result = cloudevents.read([cloudevents.of_headers(headers, body)])
    return Found(result.events, len(result.faults))


def _pagerduty(data: bytes) -> Found:
    document = _document(data)
    pagerduty.routing_key(document)
    return Found([pagerduty.alert(document, "new").event])


def _opsgenie_act(data: bytes) -> Found:
    return Found([opsgenie.act("snooze", _document(data), "alias", "opsgenie:alias")])


def _legacy_push(data: bytes) -> Found:
    fields = _document(data)
    if not isinstance(fields, dict):
        raise BadRequest("The body must be a JSON object.")
    return Found([legacy_push.event(legacy_push.parse(fields), pattern=None, preset=RecoveryPreset.HEALTHCHECKS)])


def _mail(data: bytes) -> Found:
    made = mail_message.read(data)
    mail.reason_to_drop(made)
    event = mail.event_of(made, ENVELOPE, "tag", Grouping(preset=RecoveryPreset.HEALTHCHECKS))
    return Found([orjson.loads(orjson.dumps(event))], len(mail.warnings_of(made, ENVELOPE)))


def _import(kind: ImportKind) -> FuzzTarget:
    def read(data: bytes) -> Found:
        if kind.read_text is not None:
            plan = kind.read_text(data.decode("utf-8", "replace"), Options(has_user=data[:1] == b"#"))
        elif kind.read_setup is not None:
            document = _document(data)
            plan = kind.read_setup(document if isinstance(document, dict) else {}, NOW)
        else:
            assert kind.read_answers is not None
            answers = _document(data)
            plan = kind.read_answers(
                {path: answers.get(path) if isinstance(answers, dict) else None for path in kind.paths}
            )
        return _planned(plan)

    return FuzzTarget(read, [SET_UPS[kind.kind]], may_ignore=True)


def _kuma_file(data: bytes) -> Found:
    return _planned(uptime_kuma.read_bytes(data, NOW))


def _planned(plan: Plan) -> Found:
    return Found([], len(plan.items) + len(plan.left_out) + len(plan.warnings))


def _kuma_database() -> bytes:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(
            "PRAGMA page_size = 512;"
            "CREATE TABLE monitor (id, name, type, interval, maxretries, retry_interval, push_token, active, description);"
            "INSERT INTO monitor VALUES (1, 'Job', 'push', 60, 2, 60, 'abc', 1, '');"
        )
        return connection.serialize()


def _json(*documents: Any) -> list[bytes]:
    return [json.dumps(document).encode() for document in documents]


TARGETS: Mapping[str, FuzzTarget] = {
    **{name: _tool(tool) for name, tool in TOOLS.items()},
    "mapping": FuzzTarget(_mapping, _json({"site": "b", "alerts": [{"name": "x", "host": "h", "at": 1_795_251_600}]})),
    "prometheus": FuzzTarget(_prometheus, _json(payload("alertmanager", "alarm")["alerts"])),
    "cloudevents": FuzzTarget(_cloudevents, _json(CLOUD_EVENT, [CLOUD_EVENT, 7])),
    "cloudevent_headers": FuzzTarget(
        _cloudevent_headers, [b"ce-specversion: 1.0\nce-id: 7\nce-source: /a\nce-type: b\nce-subject: Euro%20%E2%82%AC\n\nx"]
    ),
    "pagerduty": FuzzTarget(
        _pagerduty,
        _json({"routing_key": "k", "event_action": "trigger", "dedup_key": "d",
               "payload": {"summary": "s", "source": "h", "severity": "critical", "custom_details": {"a": 1}}}),
    ),
    "opsgenie": FuzzTarget(
        lambda data: Found([opsgenie.create(_document(data), "new")]),
        _json({"message": "m", "alias": "a", "tags": ["x"], "details": {"k": "v"}, "priority": "P1", "source": "http://a"}),
    ),
    "opsgenie_act": FuzzTarget(_opsgenie_act, _json({"endTime": "2030-01-01T00:00:00Z", "user": "mia"})),
    "legacy_push": FuzzTarget(
        _legacy_push,
        _json({"message": "m", "title": "t", "priority": 8, "extras": {"inbox::event": {"dedupKey": "k"},
               "monitoring::librenms": {"alert_id": 7, "state": 0}}}),
        is_checked_later=True,
    ),
    "mail": FuzzTarget(_mail, [MAIL]),
    **{f"import_{name}": _import(kind) for name, kind in KINDS.items()},
    "import_uptime_kuma_file": FuzzTarget(_kuma_file, [_kuma_database()]),
}  # fmt: skip
"""By name. Every module of `inbox/intake` that reads what others send has one."""
