"""Passkeys (WebAuthn): the options for the browser, and the verification of its responses.

Functions import the package `webauthn` when they need it. It takes a tenth of the start of a process, and few processes use it.
"""

from __future__ import annotations

import ipaddress
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from uuid import UUID

import orjson

from inbox.identity import cbor_scan

if TYPE_CHECKING:
    from webauthn.helpers.structs import AuthenticatorTransport, PublicKeyCredentialDescriptor

CHALLENGE_BYTES = 32
LONGEST_ID = 1_023
LONGEST_RESPONSE = 65_536
"""The most bytes of a browser's response as JSON. Its longest part is a chain of certificates of a few kilobytes."""

LONGEST_PART = 16_384
"""The most bytes of one part of a response, such as `attestationObject`.

Its text has four characters for three bytes.
"""

_HEAD_BYTES, _ID_AT = 37, 53
_HAS_KEY, _HAS_EXTENSIONS = 0x40, 0x80
"""The positions of flags, key and extensions in the data of an authenticator (WebAuthn, section 6.1)."""

TIMEOUT_MS = 300_000


class PasskeyRefused(Exception):
    """The response proves nothing.

    Callers never disclose the reason. The verification error is chained and must not be shown.
    """


@dataclass(frozen=True, slots=True)
class Site:
    """The relying party of passkeys: the host of the service's address, and its origin."""

    rp_id: str
    origin: str
    name: str

    @classmethod
    def of(cls, base_url: str, name: str) -> Site:
        """Build the site from `INBOX_BASE_URL`. Values of a request are ignored."""
        parts = urlsplit(base_url)
        host = (parts.hostname or "").lower()
        usual = {"http": 80, "https": 443}.get(parts.scheme)
        port = f":{parts.port}" if parts.port and parts.port != usual else ""
        return cls(host, f"{parts.scheme}://{f'[{host}]' if ':' in host else host}{port}", name)

    @property
    def can_have_passkeys(self) -> bool:
        """Whether browsers create passkeys here.

        The host must be a name (no IP address) over https, or `localhost`.
        """
        try:
            ipaddress.ip_address(self.rp_id)
        except ValueError:
            return self.rp_id == "localhost" or self.origin.startswith("https://")
        return False


@dataclass(frozen=True, slots=True)
class KnownPasskey:
    """A passkey of an account, with the data that the browser receives."""

    credential_id: bytes
    transports: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Registered:
    """A new passkey, for storage."""

    credential_id: bytes
    public_key: bytes
    sign_count: int
    transports: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Assertion:
    """A verified use of a passkey. `Passkey.record_use` stores `sign_count`, which detects a copied passkey."""

    credential_id: bytes
    sign_count: int
    user_verified: bool


def fault_of_size(answer: Mapping[str, Any]) -> str | None:
    """Return why a response is too large to be read, or None."""
    if len(orjson.dumps(answer)) > LONGEST_RESPONSE:
        return f"Must have at most {LONGEST_RESPONSE:,} bytes as JSON."
    parts = answer.get("response")
    texts = (each for each in parts.values() if isinstance(each, str)) if isinstance(parts, Mapping) else ()
    is_long = any(len(text) > LONGEST_PART * 4 // 3 + 4 for text in texts)
    return f"A part of `response` must have at most {LONGEST_PART:,} bytes." if is_long else None


def new_challenge() -> bytes:
    """Create the value that the authenticator signs once.

    A ticket (`identity.tickets`) carries it back to the service.
    """
    return secrets.token_bytes(CHALLENGE_BYTES)


def registration_options(
    site: Site, challenge: bytes, *, user_id: UUID, email: str, name: str, has: Sequence[KnownPasskey]
) -> dict[str, Any]:
    """Build the JSON argument of `navigator.credentials.create`.

    An authenticator in `has` creates no second passkey.
    """
    from webauthn import generate_registration_options
    from webauthn.helpers import options_to_json_dict
    from webauthn.helpers.structs import (
        AuthenticatorSelectionCriteria,
        ResidentKeyRequirement,
        UserVerificationRequirement,
    )

    options = generate_registration_options(
        rp_id=site.rp_id,
        rp_name=site.name,
        user_id=user_id.bytes,
        user_name=email,
        user_display_name=name or email,
        challenge=challenge,
        timeout=TIMEOUT_MS,
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.PREFERRED, user_verification=UserVerificationRequirement.PREFERRED
        ),
        exclude_credentials=[_descriptor(passkey) for passkey in has],
    )
    return options_to_json_dict(options)


def verify_registration(site: Site, challenge: bytes, answer: Mapping[str, Any]) -> Registered:
    """Verify the passkey that the browser created. Raises `PasskeyRefused`."""
    from webauthn import verify_registration_response

    try:
        _refuse_tags(_attested_data(answer))
        made = verify_registration_response(
            credential=dict(answer),
            expected_challenge=challenge,
            expected_rp_id=site.rp_id,
            expected_origin=site.origin,
        )
        listed_transports = answer["response"].get("transports")
    except _faults() as fault:
        raise PasskeyRefused from fault
    if len(made.credential_id) > LONGEST_ID:
        raise PasskeyRefused
    by_name = _transports()
    listed = listed_transports if isinstance(listed_transports, list) else []
    transports = tuple(sorted({each for each in listed if isinstance(each, str) and each in by_name}))
    return Registered(made.credential_id, made.credential_public_key, made.sign_count, transports)


def authentication_options(
    site: Site, challenge: bytes, *, has: Sequence[KnownPasskey], alone: bool = False
) -> dict[str, Any]:
    """Build the JSON argument of `navigator.credentials.get`.

    `alone` means that the passkey is the only proof, so the person must unlock it. `has` may then be empty, and the
    authenticator offers its passkeys of this site.
    """
    from webauthn import generate_authentication_options
    from webauthn.helpers import options_to_json_dict
    from webauthn.helpers.structs import UserVerificationRequirement

    options = generate_authentication_options(
        rp_id=site.rp_id,
        challenge=challenge,
        timeout=TIMEOUT_MS,
        allow_credentials=[_descriptor(passkey) for passkey in has],
        user_verification=UserVerificationRequirement.REQUIRED if alone else UserVerificationRequirement.PREFERRED,
    )
    return options_to_json_dict(options)


def credential_id(answer: Mapping[str, Any]) -> bytes:
    """Return the id of the passkey in the response, by which its public key is found. Raises `PasskeyRefused`."""
    from webauthn import base64url_to_bytes

    try:
        found = base64url_to_bytes(answer["rawId"])
    except _faults() as fault:
        raise PasskeyRefused from fault
    if not 0 < len(found) <= LONGEST_ID:
        raise PasskeyRefused
    return found


def user_id(answer: Mapping[str, Any]) -> UUID | None:
    """Return the owner that the authenticator states, or None. The caller compares it with the stored owner."""
    from webauthn import base64url_to_bytes

    try:
        return UUID(bytes=base64url_to_bytes(answer["response"]["userHandle"]))
    except _faults():
        return None


def verify_assertion(
    site: Site, challenge: bytes, answer: Mapping[str, Any], *, public_key: bytes, sign_count: int, alone: bool = False
) -> Assertion:
    """Verify that the passkey with this public key signed the challenge for this site. Raises `PasskeyRefused`."""
    from webauthn import verify_authentication_response

    try:
        _refuse_tags(_bytes(answer["response"]["authenticatorData"]))
        if cbor_scan.has_tags(public_key):
            raise PasskeyRefused
        proof = verify_authentication_response(
            credential=dict(answer),
            expected_challenge=challenge,
            expected_rp_id=site.rp_id,
            expected_origin=site.origin,
            credential_public_key=public_key,
            credential_current_sign_count=sign_count,
            require_user_verification=alone,
        )
    except _faults() as fault:
        raise PasskeyRefused from fault
    return Assertion(proof.credential_id, proof.new_sign_count, proof.user_verified)


def _attested_data(answer: Mapping[str, Any]) -> bytes:
    """Return the data of the authenticator in a new passkey. Nothing with a tag is decoded on the way."""
    from webauthn.helpers import parse_cbor

    encoded = _bytes(answer["response"]["attestationObject"])
    if cbor_scan.has_tags(encoded):
        raise PasskeyRefused
    return bytes(parse_cbor(encoded)["authData"])


def _refuse_tags(data: bytes) -> None:
    """Refuse tags in the public key and in the extensions of the authenticator's data.

    WebAuthn has none. The decoder makes sets, large numbers and regular expressions of them, at any cost.
    """
    begin = _HEAD_BYTES
    if not data[32] & (_HAS_KEY | _HAS_EXTENSIONS):
        return
    if data[32] & _HAS_KEY:
        begin = _ID_AT + 2 + int.from_bytes(data[_ID_AT : _ID_AT + 2])
    if cbor_scan.has_tags(data[begin:]):
        raise PasskeyRefused


def _bytes(text: str) -> bytes:
    from webauthn import base64url_to_bytes

    return base64url_to_bytes(text)


def _faults() -> tuple[type[Exception], ...]:
    """Convert foreign errors: the browser may send any value, and some raise errors of other libraries."""
    from webauthn.helpers.exceptions import WebAuthnException

    return (WebAuthnException, ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError)


def _transports() -> dict[str, AuthenticatorTransport]:
    from webauthn.helpers.structs import AuthenticatorTransport

    return {transport.value: transport for transport in AuthenticatorTransport}


def _descriptor(passkey: KnownPasskey) -> PublicKeyCredentialDescriptor:
    from webauthn.helpers.structs import PublicKeyCredentialDescriptor

    by_name = _transports()
    transports = [by_name[each] for each in passkey.transports if each in by_name]
    return PublicKeyCredentialDescriptor(id=passkey.credential_id, transports=transports or None)
