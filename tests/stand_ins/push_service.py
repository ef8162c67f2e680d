"""A browser's subscription at a stand-in push service on loopback, which decrypts messages."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from inbox.config import settings as in_force
from inbox.config.settings import Settings
from inbox.destinations.web_push.push_encryption import encode
from inbox.domain.deliveries.push import PushHosts
from tests.stand_ins.receivers import Receiver, Request
from tests.stand_ins.strict_push import PushService


@pytest.fixture
def service(settings: Settings) -> Iterator[Receiver]:
    """A strict push service at a host that the operator added. At the end it has refused nothing."""
    in_force.use(replace(settings, push_hosts=PushHosts(("127.0.0.1",)), push_contact="mailto:ops@example.org"))
    strict = PushService()
    with Receiver(strict) as running:
        yield running
    in_force.use(settings)
    assert strict.violations == []


@dataclass
class Subscription:
    """The keys of one browser, and its endpoint at the push service."""

    service: Receiver
    path: str = "/push/phone"
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    auth: bytes = field(default_factory=lambda: os.urandom(16))

    @property
    def endpoint(self) -> str:
        """The secret URL of the browser."""
        return f"http://127.0.0.1:{self.service.port}{self.path}"

    @property
    def keys(self) -> dict[str, str]:
        """The keys as a browser says them."""
        point = self.key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return {"p256dh": encode(point), "auth": encode(self.auth)}

    def body(self, **more: Any) -> dict[str, Any]:
        """The body of a subscribing device."""
        return {"endpoint": self.endpoint, "keys": self.keys, **more}

    def message(self, request: Request) -> dict[str, Any]:
        """What this browser would show."""
        found: dict[str, Any] = json.loads(decrypted(request.body, self.key, self.auth))
        return found

    @property
    def notifications(self) -> list[dict[str, Any]]:
        """The notifications so far."""
        own = [request for request in self.service.requests if request.path == self.path]
        return [self.message(request)["notification"] for request in own]


def decrypted(body: bytes, key: ec.EllipticCurvePrivateKey, auth: bytes) -> bytes:
    """What a browser does with a message, step by step as RFC 8291 3.4 and RFC 8188 2 say it."""
    salt, size, length = body[:16], int.from_bytes(body[16:20]), body[20]
    sender, record = body[21 : 21 + length], body[21 + length :]
    assert len(record) <= size and len(body) <= 4_096
    shared = key.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), sender))
    own = key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    material = HKDF(hashes.SHA256(), 32, auth, b"WebPush: info\x00" + own + sender).derive(shared)
    secret = HKDF(hashes.SHA256(), 16, salt, b"Content-Encoding: aes128gcm\x00").derive(material)
    nonce = HKDF(hashes.SHA256(), 12, salt, b"Content-Encoding: nonce\x00").derive(material)
    padded = AESGCM(secret).decrypt(nonce, record, None).rstrip(b"\x00")
    assert padded[-1:] == b"\x02", "the last record ends with 2"
    return padded[:-1]
