"""Notices of other publishers on a topic of Amazon SNS: AWS Health, RDS, and texts."""

from __future__ import annotations

from inbox.domain.values.severity import Severity
from inbox.intake import event
from inbox.intake.base import Event, Node

HEALTH = "aws.health"
ISSUE, CLOSED = "issue", "closed"
HEALTH_SEVERITIES = {ISSUE: Severity.ERROR, "investigation": Severity.WARNING, "scheduledChange": Severity.WARNING}

RDS_ALARMS = {
    "RDS-EVENT-0004": ("availability", Severity.WARNING),
    "RDS-EVENT-0013": ("failover", Severity.WARNING),
    "RDS-EVENT-0007": ("storage", Severity.ERROR),
    "RDS-EVENT-0089": ("storage", Severity.WARNING),
    "RDS-EVENT-0031": ("failure", Severity.CRITICAL),
}
"""Events of RDS that open an incident, each with the part of its key: shutdown, failover, storage, failure."""

RDS_ENDS = {
    "RDS-EVENT-0006": "availability",
    "RDS-EVENT-0088": "availability",
    "RDS-EVENT-0015": "failover",
    "RDS-EVENT-0049": "failover",
    "RDS-EVENT-0218": "storage",
}


def read(message: Node, subject: str, text: str, topic: str, **more: object) -> Event:
    """Returns the event of a notice. Where AWS says how bad it is, it opens an incident; else the source decides.

    An event without `severity` has the default severity of the source.
    """
    if message.text("source") == HEALTH and message.text("detail", "eventArn"):
        return _health(message.at("detail"), text, **more)
    if message.text("Event ID") and message.text("Source ID"):
        return _rds(message, text, **more)
    title = subject or message.text("detail-type") or text.partition("\n")[0]
    made = event.log(title, body=text, **more)
    del made["severity"]
    return made | {"dedupKey": event.bounded(f"sns:{topic}:{event.key_of_title(made['title'])}")}


def _health(detail: Node, text: str, **more: object) -> Event:
    category, arn = detail.text("eventTypeCategory"), detail.text("eventArn")
    described = [each.text("latestDescription") for each in detail.elements("eventDescription")]
    service, region = detail.text("service"), detail.text("eventRegion")
    code = detail.text("eventTypeCode") or "AWS Health"
    title = f"{service} in {region}: {code}" if service and region else code
    more |= {"body": "\n".join(filter(None, described)) or text, "type": "aws.health"}
    more |= {"tags": event.labels(service=service, region=region)}
    if detail.text("statusCode") == CLOSED:
        return event.resolve(title, f"aws:health:{arn}", **more)
    if category in HEALTH_SEVERITIES:
        return event.trigger(title, f"aws:health:{arn}", HEALTH_SEVERITIES[category], **more)
    return event.log(title, **more)


def _rds(message: Node, text: str, **more: object) -> Event:
    name, number = message.text("Source ID"), message.text("Event ID").rpartition("#")[2]
    said = message.text("Event Message")
    kind = message.text("Event Source") or "db-instance"
    more |= {"body": said or text, "type": "rds.event", "resource": f"{kind}:{name}"}
    more |= {"url": message.text("Identifier Link")}
    owner = message.text("Source ARN") or name
    if number in RDS_ENDS:
        return event.resolve(f"{name}: {said or number}", f"aws:rds:{owner}:{RDS_ENDS[number]}", **more)
    if number in RDS_ALARMS:
        part, level = RDS_ALARMS[number]
        return event.trigger(f"{name}: {said or number}", f"aws:rds:{owner}:{part}", level, **more)
    made = event.log(f"{name}: {said or number}", **more)
    del made["severity"]
    return made | {"dedupKey": event.bounded(f"aws:rds:{owner}:{number}")}
