"""PagerDuty: sends alerts by the Events API v2, and acknowledges and resolves them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from inbox.destinations import setting_fields
from inbox.destinations.base import Config, Message
from inbox.destinations.descriptors import Abilities, Icon, KindDescription, Limits
from inbox.destinations.http import Client
from inbox.destinations.layout import cut
from inbox.destinations.service import Answer, ServiceKind, call
from inbox.domain.deliveries.delivery import FailureReason, Receipt
from inbox.domain.explaining.notice_content import NoticeContent
from inbox.domain.incidents.state_machine import Reason
from inbox.domain.values.severity import Severity
from inbox.domain.values.times import rfc3339

ADDRESSES = {"us": "https://events.pagerduty.com/v2/enqueue", "eu": "https://events.eu.pagerduty.com/v2/enqueue"}
LONGEST_SUMMARY = 1_024
_SEVERITIES = {Severity.CRITICAL: "critical", Severity.ERROR: "error", Severity.WARNING: "warning"}
_ACTIONS = {Reason.RESOLVED: "resolve", Reason.ACKNOWLEDGED: "acknowledge", Reason.SNOOZED: "acknowledge"}
PAUSE = timedelta(minutes=1)
"""The window of the rate limit. PagerDuty names none in its answer."""


class PagerDuty(ServiceKind):
    """Settings: `{routingKey, region}`. The incident is the deduplication key, so a repeated call changes nothing."""

    description = KindDescription(
        kind="pagerduty",
        position=120,
        label="PagerDuty",
        summary="An alert on a PagerDuty service. It is acknowledged and resolved with the incident.",
        target="routingKeyHint",
        icon=Icon.PAGER,
        can=Abilities(replaces=True),
        limits=Limits(text_length=LONGEST_SUMMARY, pace_seconds=0.5),
        fields=(
            setting_fields.secret(
                "routingKey",
                "Integration key",
                "In the service: Integrations, Events API v2.",
                "R0123456789ABCDEF0123456789ABCDE",
                sent_to=("region",),
                pattern=r"[A-Za-z0-9]{32}",
            ),
            setting_fields.choice(
                "region",
                "Region",
                "The region of the account.",
                ADDRESSES,
            ),
        ),
    )

    def send(self, message: Message, config: Config, client: Client) -> Receipt:
        """Sends the event. A test resolves an alert that does not exist, which PagerDuty accepts and drops."""
        body = {"routing_key": config.secrets["routingKey"], **layout(message.content, message.delivery_id)}
        return receipt_of(call(client, "POST", ADDRESSES[config.public["region"]], body))


def layout(content: NoticeContent, delivery_id: str) -> dict[str, Any]:
    """Returns the event of a notice."""
    if content.is_test:
        return {"event_action": "resolve", "dedup_key": delivery_id}
    key = content.incident_id or delivery_id
    action = _ACTIONS.get(Reason(content.reason), "trigger")
    if action != "trigger":
        return {"event_action": action, "dedup_key": key}
    excerpt = {"Text": content.excerpt} if content.excerpt else {}
    facts = {fact.label: fact.value for fact in content.facts}
    return {
        "event_action": "trigger",
        "dedup_key": key,
        "client": "Incident Inbox",
        "client_url": content.url,
        "links": [{"href": url, "text": text} for text, url in (("Open", content.url), *content.links)],
        "payload": {
            "summary": cut(content.title, LONGEST_SUMMARY),
            "source": facts.get("Resource") or facts.get("Source") or content.workspace,
            "severity": _SEVERITIES.get(content.severity, "info"),
            "timestamp": rfc3339(content.at),
            "custom_details": {"Reason": content.sentence, **excerpt, **facts, **dict(content.links)},
        },
    }


def receipt_of(answer: Answer) -> Receipt:
    """Returns the receipt of an answer. A 400 concerns the key if its text names it, else the event."""
    if answer.receipt.status_code == 429:
        return answer.failed(FailureReason.SERVICE_BUSY, retry_after=answer.receipt.retry_after or PAUSE)
    if answer.receipt.status_code != 400:
        return answer.receipt
    errors = str(answer.fields.get("errors", "")).lower()
    is_key = "routing_key" in errors or "routing key" in errors
    return answer.failed(FailureReason.DESTINATION_REFUSED) if is_key else answer.receipt


KIND = PagerDuty()
