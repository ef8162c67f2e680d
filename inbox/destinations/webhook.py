"""The signed webhook: one POST per notice, in the Standard Webhooks scheme (specification 10)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inbox.destinations.base import Config, Message, UrlCheck
from inbox.destinations.descriptors import FieldDescription, FieldType, Generator, KindDescription
from inbox.destinations.http import Client
from inbox.domain.addresses import LONGEST_URL, AddressRefused
from inbox.domain.delivery import FailureReason, Receipt
from inbox.domain.refusals import Fault, ValidationFailed
from inbox.domain.signing import BadSecret, headers, hint, parse_secret

DESCRIPTION = KindDescription(
    kind="webhook",
    label="Signed webhook",
    summary="One signed POST per notice, in the Standard Webhooks scheme.",
    target="url",
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
            help="The receiver verifies each signature with it. The old secret stops verifying the moment you save.",
            secret=True,
            hint_name="secretHint",
            generate=Generator.WHSEC,
        ),
    ),
)


class Webhook:
    """The settings are `{url, secret}` as input and `{url, secretHint}` as output (specification 9.3)."""

    name = "webhook"
    description = DESCRIPTION

    def validate(self, config: Mapping[str, Any], vet: UrlCheck, stored: Config | None = None) -> Config:
        """Validate the settings. The policy must allow the URL. The secret has 24 to 64 bytes as `whsec_<base64>`."""
        faults = [
            Fault(f"/config/{field}", "is not a setting of a webhook")
            for field in config
            if field not in {each.name for each in DESCRIPTION.fields}
        ]
        url = config.get("url", stored.public["url"] if stored else None)
        secret = config.get("secret", stored.secrets["secret"] if stored else None)
        if (fault := _url_fault(url, vet)) is not None:
            faults.append(Fault("/config/url", fault))
        if (fault := _secret_fault(secret)) is not None:
            faults.append(Fault("/config/secret", fault))
        if faults:
            raise ValidationFailed(errors=faults)
        return Config({"url": url, "secretHint": hint(secret)}, {"secret": secret})

    def send(self, message: Message, config: Config, client: Client) -> Receipt:
        """Sign and post the message. The signature covers the time of this attempt and the id of the delivery."""
        try:
            key = parse_secret(config.secrets["secret"])
            url = str(config.public["url"])
        except (BadSecret, KeyError):
            return Receipt(failure=FailureReason.UNSENDABLE)
        signed = headers(key, message.delivery_id, message.at, message.body)
        return client.post(url, message.body, {"Content-Type": "application/json", **signed})


def _url_fault(url: object, vet: UrlCheck) -> str | None:
    if not isinstance(url, str):
        return "must be a URL"
    try:
        vet(url)
    except AddressRefused as refused:
        return str(refused)
    return None


def _secret_fault(secret: object) -> str | None:
    if not isinstance(secret, str):
        return "must be a secret: whsec_ and base64 of 24 to 64 bytes"
    try:
        parse_secret(secret)
    except BadSecret as bad:
        return str(bad)
    return None
