"""Signed webhook: sends one POST per notice in the Standard Webhooks scheme (specification 10)."""

from __future__ import annotations

from datetime import datetime, timedelta

from inbox.destinations import setting_fields
from inbox.destinations.base import Config, Message
from inbox.destinations.descriptors import NEVER_SENT, FieldDescription, FieldType, Generator, Icon, KindDescription
from inbox.destinations.http import Client
from inbox.destinations.service import ServiceKind
from inbox.domain.deliveries.delivery import FailureReason, Receipt
from inbox.domain.deliveries.signing import BadSecret, headers, parse_secret
from inbox.domain.values.addresses import LONGEST_URL
from inbox.domain.values.times import rfc3339

SECRET, FORMER, UNTIL = "secret", "formerSecrets", "formerSecretUntil"
OVERLAP = timedelta(days=1)
"""The time in which receivers can change to the new secret."""

MAX_FORMER = 3
"""More changes within a day end the use of the oldest ones, so that the header stays short."""


def _secret_fault(secret: str) -> str | None:
    try:
        parse_secret(secret)
    except BadSecret as bad:
        return str(bad)
    return None


SECRET_FIELD = FieldDescription(
    name="secret",
    label="Signing secret",
    type=FieldType.SECRET,
    help="The receiver verifies each signature with it. After a change the former secret signs too, for a day.",
    secret=True,
    sent_to=NEVER_SENT,
    generate=Generator.WHSEC,
    check=_secret_fault,
)

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
        SECRET_FIELD,
        setting_fields.headers(
            "Up to 10 further headers of each request, for receivers that need a key of their own.",
            "Authorization: Bearer XXXX",
        ),
    ),
)


class Webhook(ServiceKind):
    """Settings: `{url, secret, headers}` as input, without secrets as output (specification 9.3)."""

    description = DESCRIPTION

    def renewed(self, config: Config, stored: Config, now: datetime) -> Config:
        return with_former(config, stored, now)

    def send(self, message: Message, config: Config, client: Client) -> Receipt:
        """Signs and posts the message. The signature covers the time of this attempt and the delivery id."""
        try:
            keys = [parse_secret(each) for each in signing_secrets(config, message.at)]
            url = str(config.public["url"])
        except (BadSecret, KeyError):
            return Receipt(failure=FailureReason.UNSENDABLE)
        signed = headers(keys, message.delivery_id, message.at, message.body)
        return client.post(url, message.body, {"Content-Type": "application/json", **config.headers, **signed})


def signing_secrets(config: Config, at: datetime) -> list[str]:
    """Returns the secrets that sign at this time, the newest first. Raises `KeyError` without any."""
    return [config.secrets[SECRET], *_former(config, at)]


def with_former(config: Config, stored: Config, now: datetime) -> Config:
    """Returns the settings of an edit, with the former secrets and the time until which they sign."""
    former, until = _former(stored, now), str(stored.public.get(UNTIL, ""))
    current, replaced = config.secrets[SECRET], stored.secrets.get(SECRET)
    if replaced is not None and replaced != current:
        former = [each for each in dict.fromkeys([replaced, *former]) if each != current][:MAX_FORMER]
        until = rfc3339(now + OVERLAP)
    if not former:
        return config
    return Config({**config.public, UNTIL: until}, {**config.secrets, FORMER: " ".join(former)})


def _former(config: Config, at: datetime) -> list[str]:
    until = config.public.get(UNTIL)
    is_in_use = until is not None and at < datetime.fromisoformat(until)
    return config.secrets.get(FORMER, "").split() if is_in_use else []


KIND = Webhook()
