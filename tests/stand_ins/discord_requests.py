"""Requests of Discord for pressed buttons, signed as Discord documents it."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

KEY = Ed25519PrivateKey.from_private_bytes(b"d" * 32)
PUBLIC_KEY = KEY.public_key().public_bytes_raw().hex()


def payload(incident: str, *, act: str = "acknowledge", id: str = "900", **more: Any) -> dict[str, Any]:
    """What Discord says of a pressed button."""
    return {
        "id": id,
        "application_id": "1",
        "type": 3,
        "token": "secret-of-the-interaction",
        "guild_id": "2",
        "channel_id": "3",
        "member": {"user": {"id": "80351110224678912", "username": "mia", "global_name": "Mia"}, "roles": []},
        "data": {"component_type": 2, "custom_id": f"{act}:{incident}"},
        "message": {"id": "4"},
        **more,
    }


def signed(fields: Any, at: datetime, key: Ed25519PrivateKey = KEY) -> tuple[bytes, dict[str, str]]:
    """The body and the headers of a request."""
    body, stamp = json.dumps(fields).encode(), str(int(at.timestamp()))
    signature = key.sign(stamp.encode() + body).hex()
    headers = {
        "Content-Type": "application/json",
        "X-Signature-Timestamp": stamp,
        "X-Signature-Ed25519": signature,
    }
    return body, headers
