"""Alarms of Amazon CloudWatch, as SNS delivers them."""

from __future__ import annotations

import re
from urllib.parse import quote

from inbox.domain.events.fields import URL_LIMIT
from inbox.domain.values.severity import Severity
from inbox.intake import event
from inbox.intake.base import Event, Node

ALARM, ENDED, NO_DATA = "ALARM", "OK", "INSUFFICIENT_DATA"

_SEVERITIES = {
    Severity.CRITICAL: "critical crit fatal emergency disaster p1 sev0 sev1",
    Severity.ERROR: "p2 sev2",
    Severity.WARNING: "warning warn p3",
    Severity.INFO: "info p4 p5 sev3 sev4",
}
_WORDS = {word: severity for severity, words in _SEVERITIES.items() for word in words.split()}
"""The words of specification 19.6 that name no metric: `low` in an alarm `disk-low` is no severity."""

_OFFSET = re.compile(r"([+-]\d\d)(\d\d)$", re.ASCII)
_REGION = re.compile(r"[a-z0-9-]{1,40}", re.ASCII)
_CONSOLES = {
    "aws": "https://{region}.console.aws.amazon.com",
    "aws-cn": "https://console.amazonaws.cn",
    "aws-us-gov": "https://console.amazonaws-us-gov.com",
}


def is_alarm(message: Node) -> bool:
    """Returns whether a message reports the change of an alarm."""
    return bool(message.text("AlarmName") and message.text("NewStateValue"))


def of_alarm(alarm: Node) -> Event:
    """Returns the event of an alarm that changed its state.

    Each contributor to an alarm of many series has a key.
    """
    name, state = alarm.require("AlarmName"), alarm.text("NewStateValue")
    contributor = alarm.first("AlarmContributorId", "ContributorId")
    series = alarm.members("AlarmContributorAttributes") or alarm.members("ContributorAttributes")
    title = event.joined((name, ", ".join(series.values())), " ")
    account = f"{alarm.text('AWSAccountId')}:{alarm.text('Region')}:{name}"
    more = {
        "body": event.joined((alarm.text("NewStateReason"), alarm.text("AlarmDescription")), "\n\n"),
        "type": "cloudwatch.alarm",
        "resource": _resource(alarm),
        "tags": event.labels(namespace=alarm.text("Trigger", "Namespace"), region=_region(alarm)),
        "url": _link(alarm, name),
        "occurredAt": event.time(_OFFSET.sub(r"\1:\2", alarm.text("StateChangeTime"))),
    }
    if state not in (ALARM, ENDED, NO_DATA):
        return event.log(title, **more)
    key = event.joined(("aws", alarm.text("AlarmArn") or account, contributor), ":")
    level = Severity.WARNING if state == NO_DATA else _severity(alarm)
    return event.either(state == ENDED, title, key, level, **more)


def _severity(alarm: Node) -> Severity:
    """Returns the severity of the first such word in the name or in the first line of the description."""
    text = f"{alarm.text('AlarmName')} {alarm.text('AlarmDescription').partition(chr(10))[0]}"
    words = re.findall(r"[a-z0-9]+", text.lower())
    return next((_WORDS[word] for word in words if word in _WORDS), Severity.ERROR)


def _resource(alarm: Node) -> str:
    for dimension in alarm.elements("Trigger", "Dimensions"):
        if dimension.text("name") and dimension.text("value"):
            return f"{dimension.text('name')}:{dimension.text('value')}"
    return ""


def _region(alarm: Node) -> str:
    """Returns the region of the ARN, because `Region` is a display name."""
    parts = alarm.text("AlarmArn").split(":")
    return parts[3] if len(parts) > 3 and _REGION.fullmatch(parts[3]) else ""


def _link(alarm: Node, name: str) -> str:
    region, partition = _region(alarm), alarm.text("AlarmArn").split(":")[1:2]
    console = _CONSOLES.get("".join(partition))
    if not region or console is None:
        return ""
    return f"{console.format(region=region)}/cloudwatch/home?region={region}#alarmsV2:alarm/{quote(name[:URL_LIMIT], safe='', errors='replace')}"
