"""Where the service of a destination reports pressed buttons, and tokens that this instance signs for it.

Slack and Discord sign their requests with keys of their own. For services that do not, this instance gives the
service something that it returns.
"""

from __future__ import annotations

import hashlib
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass, field
from datetime import UTC, datetime

DIGEST_LENGTH = 16
KEY_PREFIX = "svc_btn_"
"""Marks a key of this instance, so that it is masked wherever a text with one is kept."""


class TokenRefused(Exception):
    """The token is of another destination, for another purpose, or altered."""


@dataclass(frozen=True, slots=True)
class Callback:
    """The address of a destination for pressed buttons, and the secret of the destination for it."""

    url: str
    secret: str = field(repr=False)

    def key(self, purpose: str) -> str:
        """A secret for one purpose. It has letters, digits, `-` and `_`."""
        return KEY_PREFIX + hmac.new(self.secret.encode(), purpose.encode(), hashlib.sha256).hexdigest()

    def sign(self, purpose: str, text: str, until: datetime) -> str:
        """Return a token of the text, which ends at `until`. It has letters, digits, `-` and `_`. The text can be read."""
        signed = f"{int(until.timestamp())}\n{text}".encode()
        return urlsafe_b64encode(self._digest(purpose, signed) + signed).decode().rstrip("=")

    def read(self, purpose: str, token: str) -> tuple[str, datetime]:
        """Return the text of a token and its end, which the caller compares. Raises `TokenRefused`."""
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
