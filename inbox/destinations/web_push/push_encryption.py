"""Encrypts web push messages (RFC 8291, RFC 8188) and signs them for their sender (RFC 8292)."""

from __future__ import annotations

import base64
import json
import os
from functools import lru_cache

from cryptography.exceptions import InvalidKey
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

RECORD_BYTES = 4_096
SALT_BYTES = AUTH_BYTES = 16
POINT_BYTES = 65
PERIOD_SECONDS = 4 * 3600
"""The time for which a signature is reused. A push service may refuse a sender with many different ones."""

LIFETIME_SECONDS = 12 * 3600
LAST_RECORD = b"\x02"


class BadSubscription(ValueError):
    """A key of a subscription is invalid. The text never contains it."""


def encode(value: bytes) -> str:
    """Encodes as base64url without padding."""
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


def decode(text: str) -> bytes:
    """Decodes base64url, with or without padding. Raises `BadSubscription`."""
    try:
        plain = text.rstrip("=")
        return base64.b64decode(plain + "=" * (-len(plain) % 4), altchars=b"-_", validate=True)
    except ValueError:
        raise BadSubscription("must be base64url") from None


def public_key(p256dh: str) -> ec.EllipticCurvePublicKey:
    """Returns the public key of a browser. Raises `BadSubscription` for anything but a point of P-256."""
    point = decode(p256dh)
    if len(point) != POINT_BYTES:
        raise BadSubscription("must be an uncompressed point of P-256")
    try:
        return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
    except (ValueError, InvalidKey):
        raise BadSubscription("must be an uncompressed point of P-256") from None


def auth_secret(auth: str) -> bytes:
    """Returns the authentication secret of a browser. Raises `BadSubscription`."""
    secret = decode(auth)
    if len(secret) != AUTH_BYTES:
        raise BadSubscription("must have 16 bytes")
    return secret


def encrypt(
    plain: bytes,
    *,
    p256dh: str,
    auth: str,
    salt: bytes | None = None,
    sender: ec.EllipticCurvePrivateKey | None = None,
) -> bytes:
    """Returns one record of `aes128gcm` for the browser with these keys.

    `salt` and `sender` are random unless given.
    """
    receiver, secret = public_key(p256dh), auth_secret(auth)
    salt, sender = salt or os.urandom(SALT_BYTES), sender or ec.generate_private_key(ec.SECP256R1())
    ours = _point(sender.public_key())
    shared = sender.exchange(ec.ECDH(), receiver)
    material = _derive(secret, shared, b"WebPush: info\0" + _point(receiver) + ours, 32)
    key = _derive(salt, material, b"Content-Encoding: aes128gcm\0", 16)
    nonce = _derive(salt, material, b"Content-Encoding: nonce\0", 12)
    head = salt + RECORD_BYTES.to_bytes(4) + bytes([len(ours)]) + ours
    return head + AESGCM(key).encrypt(nonce, plain + LAST_RECORD, None)


def new_key() -> tuple[str, str]:
    """Creates a key pair of a sender: the private and the public key in base64url."""
    made = ec.generate_private_key(ec.SECP256R1())
    return encode(made.private_numbers().private_value.to_bytes(32)), encode(_point(made.public_key()))


def authorization(private_key: str, origin: str, contact: str, at: float) -> str:
    """Returns the `Authorization` header for the push service at `origin`. It stays the same for four hours."""
    return _signed(private_key, origin, contact, int(at // PERIOD_SECONDS))


@lru_cache(256)
def _signed(private_key: str, origin: str, contact: str, period: int) -> str:
    signer = ec.derive_private_key(int.from_bytes(decode(private_key)), ec.SECP256R1())
    claims = {"aud": origin, "exp": period * PERIOD_SECONDS + LIFETIME_SECONDS, "sub": contact}
    head = {"typ": "JWT", "alg": "ES256"}
    signed = ".".join(encode(json.dumps(part, separators=(",", ":")).encode()) for part in (head, claims))
    r, s = utils.decode_dss_signature(signer.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
    token = f"{signed}.{encode(r.to_bytes(32) + s.to_bytes(32))}"
    return f"vapid t={token}, k={encode(_point(signer.public_key()))}"


def _point(key: ec.EllipticCurvePublicKey) -> bytes:
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def _derive(salt: bytes, material: bytes, info: bytes, length: int) -> bytes:
    return HKDF(hashes.SHA256(), length, salt, info).derive(material)
