"""Opsgenie and Jira Service Management: an alert that is acknowledged and closed with the incident."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from inbox.destinations import setting_fields
from inbox.destinations.base import Config, Message
from inbox.destinations.descriptors import Abilities, Icon, KindDescription, Limits
from inbox.destinations.http import Client
from inbox.destinations.layout import cut
from inbox.destinations.service import Answer, ServiceKind, call, pause
from inbox.domain.deliveries.delivery import FailureReason, Receipt
from inbox.domain.explaining.notice_content import NoticeContent
from inbox.domain.incidents.state_machine import Reason
from inbox.domain.values.severity import Severity

ADDRESSES = {
    "us": "https://api.opsgenie.com",
    "eu": "https://api.eu.opsgenie.com",
    "jira": "https://api.atlassian.com/jsm/ops/integration",
}
LONGEST_MESSAGE, LONGEST_DESCRIPTION, LONGEST_SOURCE = 130, 15_000, 100
PAYMENT_REQUIRED = 402
_PRIORITIES = {Severity.CRITICAL: "P1", Severity.ERROR: "P2", Severity.WARNING: "P3", Severity.DEBUG: "P5"}
_ACTIONS = {Reason.RESOLVED: "close", Reason.ACKNOWLEDGED: "acknowledge", Reason.SNOOZED: "acknowledge"}


class Opsgenie(ServiceKind):
    """Settings: `{apiKey, service}`. The incident is the alias, so a repeated call changes nothing."""

    description = KindDescription(
        kind="opsgenie",
        position=130,
        label="Opsgenie",
        summary="An alert in Opsgenie or Jira Service Management. Opsgenie itself ends on 5 April 2027.",
        target="apiKeyHint",
        icon=Icon.PAGER,
        can=Abilities(replaces=True),
        limits=Limits(text_length=LONGEST_DESCRIPTION, pace_seconds=0.5),
        fields=(
            setting_fields.secret(
                "apiKey",
                "API key",
                "From an API integration of a team, not of the account.",
                "XXXXXXXX-XXXX-XXXX-XXXX-XXXXXXXXXXXX",
                sent_to=("service",),
                pattern=r"[A-Za-z0-9-]{16,64}",
            ),
            setting_fields.choice(
                "service",
                "Service",
                "Opsgenie in the United States or Europe, or Jira Service Management.",
                ADDRESSES,
            ),
        ),
    )

    def send(self, message: Message, config: Config, client: Client) -> Receipt:
        """Creates, acknowledges or closes the alert.

        A deleted alert needs no closing. The alert of a test is closed at once.
        """
        content, alias = message.content, message.content.incident_id or message.delivery_id
        action = _ACTIONS.get(content.reason)  # type: ignore[call-overload]
        if action is None:
            receipt = self._call(client, config, "", {"alias": alias, **layout(content)})
            return (
                receipt if not (content.is_test and receipt.is_accepted) else self._end(client, config, alias, "close")
            )
        return self._end(client, config, alias, action, note=content.sentence)

    def _end(self, client: Client, config: Config, alias: str, action: str, **body: Any) -> Receipt:
        path = f"/{quote(alias, safe='')}/{action}?identifierType=alias"
        receipt = self._call(client, config, path, {"source": "Incident Inbox", **body})
        return Receipt(202, duration_ms=receipt.duration_ms) if receipt.status_code == 404 else receipt

    def _call(self, client: Client, config: Config, path: str, body: dict[str, Any]) -> Receipt:
        url = f"{ADDRESSES[config.public['service']]}/v2/alerts{path}"
        return receipt_of(call(client, "POST", url, body, {"Authorization": f"GenieKey {config.secrets['apiKey']}"}))


def layout(content: NoticeContent) -> dict[str, Any]:
    """Returns the alert of a notice."""
    facts = {fact.label: fact.value for fact in content.facts}
    return {
        "message": cut(content.headline, LONGEST_MESSAGE),
        "description": cut(
            "\n".join(filter(None, (content.text, content.url, content.links_text))), LONGEST_DESCRIPTION
        ),
        "priority": _PRIORITIES.get(content.severity, "P4"),
        "source": cut(content.workspace or "Incident Inbox", LONGEST_SOURCE),
        "entity": facts.get("Resource", ""),
        "details": {**facts, "URL": content.url, **dict(content.links)},
    }


def receipt_of(answer: Answer) -> Receipt:
    """Returns the receipt of an answer."""
    if answer.receipt.status_code == PAYMENT_REQUIRED:
        return answer.failed(FailureReason.DESTINATION_REFUSED)
    if answer.receipt.status_code == 429:
        period = pause(answer.headers.get("x-ratelimit-period-in-sec"))
        return answer.failed(FailureReason.SERVICE_BUSY, retry_after=answer.receipt.retry_after or period)
    return answer.receipt


KIND = Opsgenie()
