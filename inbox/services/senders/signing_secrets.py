"""Signing secrets of a source: created or entered, sealed, and opened to verify requests (specification 19.13)."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from uuid import UUID

import structlog

from inbox.domain.deliveries import signing
from inbox.domain.senders import keys
from inbox.domain.senders.keys import SenderKeyKind
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.values.refusals import Conflict, Fault, ValidationFailed
from inbox.intake.registry import TOOLS
from inbox.intake.signatures import SignedRequest, SigningScheme
from inbox.models.events import sender_sources
from inbox.models.events.sender_sources import SealedSecret, SenderSource
from inbox.runtime import sealing

log = structlog.get_logger(__name__)

MOST = 10
"""The most signing secrets of a source for one tool that work at once."""

_OF_NO_SOURCE = signing.new_secret(bytes(keys.ENTROPY_BYTES))
"""Compared where a source has no secret, so that such an answer takes as long as the others."""


@dataclass(frozen=True, slots=True)
class SecretDraft:
    """A signing secret to store. Without `text` the service creates one."""

    tool: str
    text: str | None = None

    @property
    def secret(self) -> str:
        """The entered secret, or a new one."""
        return self.text or signing.new_secret(secrets.token_bytes(keys.ENTROPY_BYTES))


def check(kind: SenderKeyKind, tool: str | None, secret: str | None) -> None:
    """Check that tool and secret fit the kind of the key. Raises `ValidationFailed`."""
    faults = []
    if kind is not SenderKeyKind.SIGNING_SECRET:
        given = (("/tool", tool), ("/secret", secret))
        faults = [Fault(pointer, "Is for a signing secret only.") for pointer, value in given if value is not None]
    elif tool is None:
        faults = [Fault("/tool", "Is required for a signing secret.")]
    elif secret is None and scheme_of(tool).is_made_by_tool:
        faults = [Fault("/secret", f"Is required: enter {scheme_of(tool).place} in {TOOLS[tool].label}.")]
    if faults:
        raise ValidationFailed(errors=faults)


def refuse_rotation(tool: str) -> None:
    """Raise `Conflict` for a secret that the tool makes."""
    if scheme_of(tool).is_made_by_tool:
        raise Conflict(f"{TOOLS[tool].label} makes this secret. Add the new one, and then revoke this one.")


def scheme_of(tool: str) -> SigningScheme:
    """Return the signature scheme of this tool. Raises `KeyError` for a tool that does not sign."""
    scheme = TOOLS[tool].signing
    if scheme is None:
        raise KeyError(tool)
    return scheme


def refuse_more(source_id: UUID, tool: str) -> None:
    """Raise `Conflict` when the source has as many secrets for the tool as are compared."""
    if len(sender_sources.of_signatures(source_id, tool, MOST)) >= MOST:
        raise Conflict(f"The source has {MOST} signing secrets for this tool. Revoke one first.")


def sealed(secret: str, key_id: UUID, workspace_id: UUID) -> bytes:
    """Return the secret, sealed for the row of this key."""
    return sealing.current().seal(secret.encode(), _place(key_id, workspace_id))


def source_of(source_id: UUID, tool: str, request: SignedRequest) -> SenderSource | None:
    """Return the source, if the tool signed the request with one of its valid secrets."""
    opened = list(_opened(sender_sources.of_signatures(source_id, tool, MOST)))
    is_valid = scheme_of(tool).is_valid
    if not opened:
        is_valid(_OF_NO_SOURCE, request)
    fitting = [source for source, secret in opened if is_valid(secret, request)]
    return fitting[0] if fitting else None


def _opened(rows: Iterable[SealedSecret]) -> Iterator[tuple[SenderSource, str]]:
    """Yield the secrets that the key ring opens. Another secret fits no request, and does not disable the others."""
    for row in rows:
        try:
            secret = sealing.current().open(row.sealed, _place(row.key_id, row.source.workspace_id))
        except sealing.CannotUnseal as fault:
            log.error("signing secret unreadable", key=ids.encode(Prefix.KEY, row.key_id), fault=str(fault))
        else:
            yield row.source, secret.decode()


def _place(key_id: UUID, workspace_id: UUID) -> bytes:
    return sealing.associated_data("source_keys", key_id, workspace_id, "sealed")
