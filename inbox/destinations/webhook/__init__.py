"""Signed webhook: sends one POST per notice in the Standard Webhooks scheme (specification 10)."""

from __future__ import annotations

from inbox.destinations.base import Config, Message
from inbox.destinations.descriptors import NEVER_SENT, FieldDescription, FieldType, Generator, Icon, KindDescription
from inbox.destinations.http import Client
from inbox.destinations.service import ServiceKind
from inbox.domain.deliveries.delivery import FailureReason, Receipt
from inbox.domain.deliveries.signing import BadSecret, headers, parse_secret
from inbox.domain.values.addresses import LONGEST_URL


def _secret_fault(secret: str) -> str | None:
    try:
        parse_secret(secret)
    except BadSecret as bad:
        return str(bad)
    return None


DESCRIPTION = KindDescription(
    kind="webhook",
    position=10,
    label="Signed webhook",
    summary="One signed POST per notice, in the Standard Webhooks scheme.",
    target="url",
    icon=Icon.WEBHOOK,
    fields=(
        FieldDescription(
            name="url",
            label="Address",
            type=FieldType.URL,
            help="https, or http to a private address. The service posts each notice to it.",
            example="https://example.org/hooks/inbox",
            max_length=LONGEST_URL,
        ),
        FieldDescription(
            name="secret",
            label="Signing secret",
            type=FieldType.SECRET,
            help="The receiver verifies each signature with it. The old secret stops working as soon as you save.",
            secret=True,
            sent_to=NEVER_SENT,
            generate=Generator.WHSEC,
            check=_secret_fault,
        ),
    ),
)


class Webhook(ServiceKind):
    """Settings: `{url, secret}` as input and `{url, secretHint}` as output (specification 9.3)."""

    description = DESCRIPTION

    def send(self, message: Message, config: Config, client: Client) -> Receipt:
        """Signs and posts the message. The signature covers the time of this attempt and the delivery id."""
        try:
            key = parse_secret(config.secrets["secret"])
            url = str(config.public["url"])
        except (BadSecret, KeyError):
            return Receipt(failure=FailureReason.UNSENDABLE)
        signed = headers(key, message.delivery_id, message.at, message.body)
        return client.post(url, message.body, {"Content-Type": "application/json", **signed})


KIND = Webhook()
