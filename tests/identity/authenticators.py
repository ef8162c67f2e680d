"""A software authenticator: it creates and presents passkeys like a browser, and misbehaves on demand."""

from __future__ import annotations

import hashlib
import json
import secrets
from base64 import urlsafe_b64decode
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

from tests.identity.providers import b64

PRESENT, VERIFIED, ATTESTED, EXTENDED = 0x01, 0x04, 0x40, 0x80


@dataclass
class Authenticator:
    """Holds one key. `flags` are what it says of the person: present, verified (unlocked)."""

    origin: str = "https://inbox.example.org"
    rp_id: str = "inbox.example.org"
    flags: int = PRESENT | VERIFIED
    sign_count: int = 0
    counts: bool = True
    credential_id: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    user_handle: bytes = b""
    extensions: bytes = b""
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))

    def make(self, options: Mapping[str, Any], **change: Any) -> dict[str, Any]:
        """What the browser sends after `navigator.credentials.create(options)`."""
        numbers = self.key.public_key().public_numbers()
        public = {
            1: 2,
            3: change.get("alg", -7),
            -1: 1,
            -2: numbers.x.to_bytes(32, "big"),
            -3: numbers.y.to_bytes(32, "big"),
        }
        attested = bytes(16) + len(self.credential_id).to_bytes(2, "big") + self.credential_id + cbor2.dumps(public)
        attestation = {
            "fmt": change.get("fmt", "none"),
            "attStmt": change.get("statement", {}),
            "authData": self._data(ATTESTED) + attested + self.extensions,
        }
        return self._stated(
            {
                "clientDataJSON": b64(self._client_data("webauthn.create", options, change)),
                "attestationObject": b64(cbor2.dumps(attestation)),
                "transports": change.get("transports", ["internal", "hybrid"]),
            },
            change,
        )

    def show(self, options: Mapping[str, Any], **change: Any) -> dict[str, Any]:
        """What the browser sends after `navigator.credentials.get(options)`."""
        self.sign_count += 1 if self.counts else 0
        client_data = self._client_data("webauthn.get", options, change)
        data = self._data() + self.extensions
        signature = self.key.sign(data + hashlib.sha256(client_data).digest(), ec.ECDSA(hashes.SHA256()))
        response = {
            "clientDataJSON": b64(client_data),
            "authenticatorData": b64(data),
            "signature": b64(change.get("signature", signature)),
        }
        if self.user_handle:
            response["userHandle"] = b64(self.user_handle)
        return self._stated(response, change)

    def _client_data(self, kind: str, options: Mapping[str, Any], change: Mapping[str, Any]) -> bytes:
        stated = {
            "type": change.get("type", kind),
            "challenge": change.get("challenge", options["challenge"]),
            "origin": change.get("origin", self.origin),
            "crossOrigin": False,
        }
        return json.dumps(stated).encode()

    def _data(self, more_flags: int = 0) -> bytes:
        head = hashlib.sha256(self.rp_id.encode()).digest()
        more_flags |= EXTENDED if self.extensions else 0
        return head + bytes([self.flags | more_flags]) + self.sign_count.to_bytes(4, "big")

    def _stated(self, response: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
        id = b64(self.credential_id)
        return {
            "id": change.get("id", id),
            "rawId": id,
            "type": "public-key",
            "clientExtensionResults": {},
            "response": dict(response),
        }


def bytes_of(text: str) -> bytes:
    """What base64url text stands for."""
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))
