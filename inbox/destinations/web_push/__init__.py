"""Web push: sends one encrypted message per notice to a phone, through its browser's push service.

Specification 9.13.
"""

from __future__ import annotations

from collections.abc import Mapping
from email.utils import parseaddr
from typing import Any

from inbox.config import settings
from inbox.destinations import outbound_policy
from inbox.destinations.base import Config, Message, UrlCheck
from inbox.destinations.descriptors import Abilities, Icon, KindDescription
from inbox.destinations.http import Client
from inbox.destinations.web_push import push_encryption
from inbox.destinations.web_push.push_encryption import BadSubscription
from inbox.domain.deliveries import push
from inbox.domain.deliveries.delivery import FailureReason, Receipt
from inbox.domain.deliveries.push import EndpointRefused
from inbox.domain.explaining import push_text
from inbox.domain.values.refusals import Fault, ValidationFailed

SUBSCRIPTION = ("endpoint", "p256dh", "auth", "privateKey")
"""The secrets of a phone. The key pair is the one for which the browser subscribed."""


class WebPush:
    """Settings: `{hideContent}`. The subscription comes from the device, never from a person."""

    name = "web_push"
    description = KindDescription(
        kind="web_push",
        position=170,
        label="Phone",
        summary="One encrypted message per notice, through the push service of the browser.",
        target="hideContent",
        icon=Icon.PHONE,
        can=Abilities(replaces=True),
        fields=(),
    )

    def unavailable_because(self) -> str | None:
        """Returns None: every instance supports phones."""
        return None

    def keeps_state(self, config: Mapping[str, Any]) -> bool:
        """Returns True, because a later notification replaces an earlier one."""
        return self.description.can.replaces

    def validate(self, config: Mapping[str, Any], vet: UrlCheck, stored: Config | None = None) -> Config:
        """Raises `ValidationFailed`, because a phone subscribes itself."""
        raise ValidationFailed(errors=[Fault("/kind", "is made by a paired phone that turns notifications on")])

    def send(self, message: Message, config: Config, client: Client) -> Receipt:
        """Encrypts and posts the message. A known push service must have a public address."""
        try:
            url, p256dh, auth, private_key = (config.secrets[name] for name in SUBSCRIPTION)
            found = push.endpoint(url, settings.current().push_hosts)
            plain = push_text.message(message.body, hide_content=bool(config.public.get("hideContent")))
            body = push_encryption.encrypt(plain, p256dh=p256dh, auth=auth)
        except (KeyError, EndpointRefused, BadSubscription):
            return Receipt(failure=FailureReason.UNSENDABLE)
        content = message.content
        headers = {
            "Authorization": push_encryption.authorization(
                private_key, found.origin, _contact(), message.at.timestamp()
            ),
            "Content-Encoding": "aes128gcm",
            "Content-Type": "application/octet-stream",
            "TTL": str(push_text.TTL_SECONDS),
            "Urgency": push_text.urgency(content.severity, content.reason),
            "Topic": push_text.topic(content.incident_id or message.delivery_id),
        }
        caller = client if found.is_added else outbound_policy.public_client()
        return caller.post(found.url, body, headers)


def _contact() -> str:
    """Returns the contact that push services may use about our calls (RFC 8292 2.1)."""
    chosen = settings.current()
    _, address = parseaddr(chosen.mail_from)
    return chosen.push_contact or (f"mailto:{address}" if address else chosen.base_url)


KIND = WebPush()
