"""Better Stack: incidents of Uptime, and errors."""

from __future__ import annotations

from inbox.domain.events.time_meaning import TimeMeaning
from inbox.domain.values.severity import Severity
from inbox.intake import event
from inbox.intake.base import Event, Node, Payload, Tool, body_with
from inbox.intake.event import SenderAct

IGNORED = ("validating", "unconfirmed", "archived", "ignored", "silenced")
"""States that neither open nor end an incident."""


def read(body: Node, payload: Payload) -> Event:
    """Returns the event of an error, or of an incident that started or was resolved.

    Other notices are logged.
    """
    data, attributes = body.at("data"), body.at("data", "attributes")
    name = attributes.first("name", "url", "cause") or "Better Stack"
    state = (body.text("event") or attributes.text("event") or attributes.text("status")).lower()
    more = {"body": attributes.text("cause"), "url": attributes.first("error_url", "url")}
    kinds = {"incident": "bs", "error": "bs-err"}
    kind = data.text("type")
    if kind not in kinds or state in IGNORED or event.is_test(name) or event.is_test(attributes.text("cause")):
        return event.log(f"{name}: {state or kind or 'notice'}", **more)
    if state == "acknowledged":
        by = attributes.text("acknowledged_by")
        return event.act(SenderAct.ACKNOWLEDGE, f"{name}: acknowledged", f"{kinds[kind]}:{data.require('id')}", by=by)
    ended = state == "resolved" or (not state and bool(attributes.text("resolved_at")))
    return event.either(
        ended,
        event.joined((name, attributes.text("cause")), ": "),
        f"{kinds[kind]}:{data.require('id')}",
        Severity.CRITICAL if kind == "incident" else Severity.ERROR,
        type=kind,
        occurredAt=event.time(attributes.text("resolved_at" if ended else "started_at")),
        **more,
    )


TOOL = Tool(
    name="better_stack",
    label="Better Stack",
    summary="Incidents of Better Stack Uptime; the resolved incident closes ours.",
    setup="Integrations, Exporting data, Webhook; the key as the password in the address.",
    expected="`data` with `type` and `attributes` was expected",
    items=body_with("data"),
    read=read,
    time=TimeMeaning.BEGINNING,
    documentation="https://betterstack.com/docs/uptime/webhooks/",
)
