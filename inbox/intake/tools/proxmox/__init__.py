"""Proxmox VE and Backup Server: the body that our snippet publishes for a webhook target."""

from __future__ import annotations

from inbox.domain.events.time_meaning import TimeMeaning
from inbox.domain.values.severity import Severity
from inbox.intake import event
from inbox.intake.base import Event, Node, Payload, Tool, body_with

SEVERITIES = {"error": Severity.ERROR, "warning": Severity.WARNING, "unknown": Severity.WARNING}
ENDING = ("vzdump", "gc", "prune", "verification", "sync", "tape-backup")
"""Types whose success resolves the incident of their failure."""

OF_HOST = (*ENDING, "fencing", "replication")
"""Types about the host itself. Notifications of other types without a job have different subjects."""


def read(body: Node, payload: Payload) -> Event:
    """Returns the event of a notification.

    A manual backup has no job, so it resolves no failure of a job. System mails have no job either: only the title
    names their subject.
    """
    fields = body.at("fields")
    kind, host, level = fields.text("type"), fields.text("hostname"), body.text("severity").lower()
    title = body.require("title")
    job = fields.first("job-id", "datastore", "job-store") or (
        "manual" if kind in OF_HOST else event.key_of_title(title)
    )
    more = {
        "body": body.text("message"),
        "type": f"proxmox.{kind}" if kind else "proxmox",
        "resource": f"host:{host}" if host else "",
        "occurredAt": event.epoch(body.text("timestamp")),
    }
    key = f"pve:{host}:{kind}:{job}"
    if kind in ENDING and level in ("info", "notice"):
        return event.resolve(title, key, **more)
    if level in SEVERITIES:
        return event.trigger(title, key, Severity.CRITICAL if kind == "fencing" else SEVERITIES[level], **more)
    return event.log(title, **more)


TOOL = Tool(
    name="proxmox",
    label="Proxmox VE",
    summary="Backups, replication and fencing of Proxmox VE and Proxmox Backup Server.",
    setup="Datacenter, Notifications, Add, Webhook; the key as secret `key`.",
    expected="`title` and `severity`, as in the published body, were expected",
    items=body_with("severity", "fields"),
    read=read,
    time=TimeMeaning.MOMENT,
    documentation="https://pve.proxmox.com/wiki/Notifications",
    listed_as="pve",
)
