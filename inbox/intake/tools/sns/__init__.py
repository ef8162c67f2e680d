"""Amazon SNS: alarms of CloudWatch, messages of other publishers, and subscription confirmations."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from inbox.domain.events.time_meaning import TimeMeaning
from inbox.domain.values.severity import Severity
from inbox.intake import event
from inbox.intake.base import Event, Node, OddItem, Payload, Tool
from inbox.intake.tools.sns import cloudwatch, notices

NOTIFICATION, SUBSCRIBED, UNSUBSCRIBED = "Notification", "SubscriptionConfirmation", "UnsubscribeConfirmation"
TYPES = (NOTIFICATION, SUBSCRIBED, UNSUBSCRIBED)

_HOST = re.compile(r"sns\.[a-z0-9-]{1,40}\.amazonaws\.com(\.cn)?", re.ASCII)


def items(payload: Payload) -> list[Node]:
    """Returns the body, if it is a message of SNS, or an alarm with raw message delivery."""
    body = payload.node
    return [body] if body.text("Type") in TYPES or cloudwatch.is_alarm(body) else []


def read(body: Node, payload: Payload) -> Event:
    """Returns the event of a message. A subscription to confirm becomes an alarm with the confirmation link."""
    kind = body.text("Type")
    if kind not in TYPES:
        return cloudwatch.of_alarm(body)
    made = _notification(body) if kind == NOTIFICATION else _subscription(body, ended=kind == UNSUBSCRIBED)
    message_id = body.text("MessageId")
    return made | {"idempotencyKey": event.bounded(message_id)} if message_id else made


def _notification(body: Node) -> Event:
    text = body.require("Message")
    message = Node(event.inner_json(text), "/Message")
    if cloudwatch.is_alarm(message):
        return cloudwatch.of_alarm(message)
    topic = _topic(body)
    return notices.read(
        message,
        body.text("Subject"),
        text,
        topic,
        type="sns.notification",
        resource=f"topic:{topic}" if topic else "",
        occurredAt=event.time(body.text("Timestamp")),
    )


def _subscription(body: Node, *, ended: bool) -> Event:
    link = body.require("SubscribeURL")
    if not _is_of_sns(link):
        raise OddItem("/SubscribeURL", "must be an https link of sns.<region>.amazonaws.com")
    topic = _topic(body)
    title, hint = f"Confirm the subscription of the SNS topic {topic}", "Open the link to confirm the subscription."
    if ended:
        title, hint = f"The subscription of the SNS topic {topic} has ended", "Open the link to subscribe to it again."
    return event.trigger(
        title,
        f"sns:{body.require('TopicArn')}",
        Severity.WARNING,
        body=f"{hint} The link works for three days.",
        type="sns.subscription",
        resource=f"topic:{topic}",
        url=link,
        occurredAt=event.time(body.text("Timestamp")),
    )


def _topic(body: Node) -> str:
    return body.text("TopicArn").rpartition(":")[2]


def _is_of_sns(link: str) -> bool:
    try:
        parts = urlsplit(link)
    except ValueError:
        return False
    return parts.scheme == "https" and _HOST.fullmatch(parts.netloc) is not None


TOOL = Tool(
    name="sns",
    label="AWS SNS and CloudWatch",
    summary="Alarms of CloudWatch and messages of every other publisher to a topic of Amazon SNS.",
    setup="A subscription of the topic with the protocol HTTPS; the key as the password in the endpoint.",
    expected="a message with `Type` and `Message` was expected",
    items=items,
    read=read,
    time=TimeMeaning.MOMENT,
    documentation="https://docs.aws.amazon.com/sns/latest/dg/sns-http-https-endpoint-as-subscriber.html",
    synonyms=("cloudwatch",),
)
