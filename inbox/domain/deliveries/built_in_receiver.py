"""Addresses of the built-in receiver: one for each workspace, signed by the instance (specification 9.12)."""

from __future__ import annotations

import base64
import binascii
import hmac
from uuid import UUID

PATH = "/v1/built-in-receiver/"
MAX_REQUESTS = 10
KEPT_SECONDS = 3_600
KEPT_HEADERS = (
    *("host", "user-agent", "content-type", "content-length", "accept-encoding"),
    *("webhook-id", "webhook-timestamp", "webhook-signature"),
)
"""The headers of a request that are kept. Thus a caller cannot store a credential by mistake."""

LONGEST_HEADER = 512
_PURPOSE = b"built-in-receiver|"
_MAC_BYTES = 16


def token(signing_key: str, workspace_id: UUID) -> str:
    """Returns the last part of a workspace's address. It is the same until the signing key changes."""
    return base64.urlsafe_b64encode(workspace_id.bytes + _mac(signing_key, workspace_id.bytes)).decode().rstrip("=")


def workspace_of(signing_key: str, text: str) -> UUID | None:
    """Returns the workspace of a token in canonical form; None for any other text."""
    if len(text) > 64 or not text.isascii():
        return None
    try:
        found = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except binascii.Error:
        return None
    if len(found) != 16 + _MAC_BYTES:
        return None
    workspace_id = UUID(bytes=found[:16])
    return workspace_id if hmac.compare_digest(token(signing_key, workspace_id), text) else None


def _mac(signing_key: str, workspace: bytes) -> bytes:
    return hmac.digest(signing_key.encode(), _PURPOSE + workspace, "sha256")[:_MAC_BYTES]
