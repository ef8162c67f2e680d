"""Callback addresses for pressed buttons, and the tokens that this instance signs for services.

Slack and Discord sign their requests with their own keys. For other services this instance creates a token that the
service sends back.
"""

from __future__ import annotations

import hashlib
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass, field
from datetime import UTC, datetime

DIGEST_LENGTH = 16
KEY_PREFIX = "svc_btn_"
"""Prefix of a key of this instance, so that stored texts can mask it."""


class TokenRefused(Exception):
    """The token is altered, or belongs to another destination or purpose."""


@dataclass(frozen=True, slots=True)
class Callback:
    """The callback address of a destination, and the secret that signs its tokens."""

    url: str
    secret: str = field(repr=False)

    def key(self, purpose: str) -> str:
        """Returns a secret for one purpose. It consists of letters, digits, `-` and `_`."""
        return KEY_PREFIX + hmac.new(self.secret.encode(), purpose.encode(), hashlib.sha256).hexdigest()

    def sign(self, purpose: str, text: str, until: datetime) -> str:
        """Returns a token of the text that expires at `until`.

        It consists of letters, digits, `-` and `_`. The text is signed and not encrypted.
        """
        signed = f"{int(until.timestamp())}\n{text}".encode()
        return urlsafe_b64encode(self._digest(purpose, signed) + signed).decode().rstrip("=")

    def read(self, purpose: str, token: str) -> tuple[str, datetime]:
        """Returns the text and the expiry of a token; the caller checks the expiry. Raises `TokenRefused`."""
        try:
            content = urlsafe_b64decode(token + "=" * (-len(token) % 4))
            given, signed = content[:DIGEST_LENGTH], content[DIGEST_LENGTH:]
            if not hmac.compare_digest(given, self._digest(purpose, signed)):
                raise TokenRefused
            ends, _, text = signed.decode().partition("\n")
            return text, datetime.fromtimestamp(int(ends), UTC)
        except (ValueError, OverflowError):
            raise TokenRefused from None

    def _digest(self, purpose: str, signed: bytes) -> bytes:
        return hmac.new(self.key(purpose).encode(), signed, hashlib.sha256).digest()[:DIGEST_LENGTH]
