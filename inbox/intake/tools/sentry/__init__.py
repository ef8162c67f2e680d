"""Sentry: issues, issue alerts and metric alerts of an internal integration, and the old webhook plugin."""

from __future__ import annotations

import re

from inbox.domain.events.time_meaning import TimeMeaning
from inbox.domain.senders.keys import SenderKeyKind
from inbox.domain.values.severity import Severity
from inbox.intake import event, state_words
from inbox.intake.base import Event, Node, Payload, Tool, body_with
from inbox.intake.event import SenderAct
from inbox.intake.signatures import SigningScheme, hex_hmac
from inbox.intake.source_kind import Snippet

TRIGGERS = ("created", "unresolved", "triggered")
LINKS = ("web_url", "webUrl", "permalink")
"""Members with a page for people. `url` and `issue_url` are addresses of the API."""

SAMPLE = "sample_event"
"""The tag of the event that the test buttons of Sentry send."""

_EXAMPLE = re.compile(r"This is an example \w{1,20} exception", re.IGNORECASE)


def read(body: Node, payload: Payload) -> Event | None:
    """Returns the event of an issue or a metric alert. `event.request` and `event.user` are never read."""
    data, made = body.at("data"), None
    if data.at("metric_alert"):
        made = _metric(body.text("action"), data)
    elif data.at("issue"):
        made = _issue(body.text("action"), data.at("issue"), data.text("triggered_rule"))
    elif data.at("event"):
        made = _alert(data.at("event"), data.text("triggered_rule"))
    elif body.text("url") and body.text("id"):
        made = _plugin(body)
    delivery = payload.header("request-id")
    return made if made is None or not delivery else made | {"idempotencyKey": event.bounded(delivery)}


def _issue(action: str, issue: Node, rule: str) -> Event | None:
    key, project = f"sentry:issue:{issue.require('id')}", issue.text("project", "slug")
    title = event.joined((issue.text("shortId"), issue.text("title") or "Issue"), ": ")
    more = {
        "body": _body(issue.text("culprit"), rule),
        "type": "issue",
        "resource": _project(project),
        "url": issue.first(*LINKS),
    }
    if _EXAMPLE.search(title):
        return event.log(f"Test of Sentry: {title}", type="issue.test")
    if action == "resolved":
        return event.resolve(title, key, **more)
    if action in TRIGGERS:
        return event.trigger(title, key, event.severity(issue.text("level"), Severity.ERROR), **more)
    return event.act(SenderAct.NOTE, f"{title} was {action or 'changed'}", key, **more)


def _body(culprit: str, rule: str) -> str:
    return event.joined((culprit, f"Rule: {rule}" if rule else ""), "\n")


def _is_sample(found: Node, title: str) -> bool:
    tags = [tag.value for tag in found.elements("tags") if isinstance(tag.value, list)]
    return [SAMPLE, "yes"] in tags or _EXAMPLE.search(title) is not None


def _alert(found: Node, rule: str) -> Event:
    title = found.text("title") or "Issue alert"
    if _is_sample(found, title):
        return event.log(f"Test of Sentry: {title}", type="issue.test")
    return event.trigger(
        title,
        f"sentry:issue:{found.require('issue_id')}",
        event.severity(found.text("level"), Severity.ERROR),
        body=_body(found.text("culprit"), rule),
        type="issue",
        resource=_project(found.text("project")),
        url=found.first(*LINKS),
        occurredAt=event.time(found.text("datetime")),
    )


def _metric(action: str, data: Node) -> Event:
    return event.either(
        action == "resolved",
        state_words.without_state(data.first("description_title", "metric_alert.title")) or "Metric alert",
        f"sentry:metric:{data.require('metric_alert', 'id')}",
        event.severity(action),
        body=data.text("description_text"),
        type="metric",
        url=data.first(*LINKS),
    )


def _plugin(body: Node) -> Event:
    title = body.text("message") or body.text("culprit") or "Issue"
    if _is_sample(body.at("event"), title):
        return event.log(f"Test of Sentry: {title}", type="issue.test")
    return event.trigger(
        title,
        f"sentry:issue:{body.text('id')}",
        event.severity(body.text("level"), Severity.ERROR),
        body=_body(body.text("culprit"), ", ".join(rule.text() for rule in body.elements("triggering_rules"))),
        type="issue",
        resource=_project(body.text("project")),
        url=body.text("url"),
    )


def _project(slug: str) -> str:
    return f"project:{slug}" if slug else ""


TOOL = Tool(
    name="sentry",
    label="Sentry",
    summary="Issues and metric alerts; a resolved issue closes its incident.",
    setup="Settings, Custom Integrations: an internal integration, whose client secret is the signing secret.",
    expected="`data` with an issue, an event or a metric alert was expected",
    items=body_with("data", "triggering_rules", "url"),
    read=read,
    time=TimeMeaning.MOMENT,
    signing=SigningScheme(
        ("Sentry-Hook-Signature",),
        "the client secret of the integration",
        hex_hmac("Sentry-Hook-Signature"),
        is_made_by_tool=True,
    ),
    documentation="https://docs.sentry.io/integrations/integration-platform/webhooks/",
    more=(
        Snippet(
            "plugin", "Webhook plugin", "sentry-plugin.txt", "An alarm opens an incident.", SenderKeyKind.SOURCE_KEY
        ),
    ),
)
