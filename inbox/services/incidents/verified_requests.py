"""Finds the destination of a pressed button, and verifies the request with its secret (specification 9.18)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from inbox.config.settings import Settings
from inbox.destinations import INTERACTIVE, Config
from inbox.destinations.interactions import (
    Elsewhere,
    Ignored,
    InteractionRefused,
    InteractionRequest,
    InteractiveKind,
    Press,
    SharedKind,
)
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.values.refusals import Unauthenticated
from inbox.flow.delivery import callbacks
from inbox.flow.delivery.senders import decrypted_config
from inbox.models.deliveries.destinations import Destination
from inbox.models.incidents.tables import Incident
from inbox.models.workspaces.tables import Workspace
from inbox.runtime.sealing import CannotUnseal

REFUSED = "The request is not signed by the service of this destination."
MAX_TRIED = 20
"""The destinations of a workspace whose secrets a request to the address of an app is checked with."""


@dataclass(frozen=True, slots=True)
class Received:
    """A request as it came. The names in `headers` are in lower case."""

    headers: Mapping[str, str]
    body: bytes
    at: datetime

    def at_destination(self, destination_id: UUID, chosen: Settings) -> InteractionRequest:
        """Return the request with the callback of a destination."""
        return InteractionRequest(self.headers, self.body, self.at, callbacks.of_destination(destination_id, chosen))


@dataclass(frozen=True, slots=True)
class VerifiedRequest:
    """A request that the service of a destination signed, and what it reports. Without a destination it needs no act."""

    kind: InteractiveKind
    found: Press | Ignored
    destination: Destination | None


def of_destination(destination_id: UUID, received: Received, chosen: Settings) -> VerifiedRequest:
    """Verify a request to the address of a destination.

    A press in the place of another destination of the workspace belongs to that one, if the same secret verifies it.
    Raises `Unauthenticated`, the same for an unknown destination and a wrong signature.
    """
    destination = Destination.get_or_none((Destination.id == destination_id) & Destination.deleted_at.is_null())
    request = received.at_destination(destination_id, chosen)
    kind, config = _kind_of(destination)
    try:
        found = kind.press(request, config)
    except InteractionRefused:
        raise Unauthenticated(REFUSED) from None
    if not isinstance(found, Elsewhere):
        return VerifiedRequest(kind, found, destination)
    others = _first_fitting(destination.workspace_id, destination.kind, found.settings)
    for other in (each for each in others if _fits(each, found.settings)):
        verified = _verified(other, request)
        if verified is not None:
            return verified
    return VerifiedRequest(kind, Ignored(found.answer), destination)


def of_app(kind_name: str, received: Received, chosen: Settings, *, key: str = "") -> VerifiedRequest:
    """Verify a request to the address of an app, which all its destinations share.

    1. With `key`, the public key of the app in the address, the request is verified first. A check of the address ends here.
    2. The request names an incident. The destinations of its workspace are asked, those of the named place first.
    3. The first whose own secret verifies the request is the one that acts.

    Raises `Unauthenticated`, the same for whatever is wrong.
    """
    kind = INTERACTIVE[kind_name]
    try:
        if key:
            found = kind.press(received.at_destination(UUID(int=0), chosen), Config({"publicKey": key}))
            if isinstance(found, Ignored):
                return VerifiedRequest(kind, found, None)
        assert isinstance(kind, SharedKind)
        named = kind.named(received.body)
    except InteractionRefused:
        raise Unauthenticated(REFUSED) from None
    incident = Incident.get_or_none(Incident.id == ids.decode(Prefix.INCIDENT, named.incident_id))
    settings = {"publicKey": key} if key else named.settings
    candidates = _first_fitting(incident.workspace_id, kind_name, settings) if incident is not None else []
    for destination in candidates:
        verified = _verified(destination, received.at_destination(destination.id, chosen))
        if verified is not None:
            return verified
    raise Unauthenticated(REFUSED)


def _first_fitting(workspace_id: UUID, kind_name: str, settings: Mapping[str, str]) -> list[Destination]:
    """Return destinations of the workspace, those with these settings first. The order is always the same."""
    own = (Destination.workspace == workspace_id) & (Destination.kind == kind_name) & Destination.deleted_at.is_null()
    rows = Destination.select().where(own).order_by(Destination.id)
    return sorted(rows, key=lambda each: not _fits(each, settings))[:MAX_TRIED]


def _fits(destination: Destination, settings: Mapping[str, str]) -> bool:
    return all(str(destination.config.get(name)) == value for name, value in settings.items())


def _verified(destination: Destination, request: InteractionRequest) -> VerifiedRequest | None:
    """Return the request, if the secret of this destination verifies it."""
    try:
        kind, config = _kind_of(destination)
        found = kind.press(request, config)
    except (Unauthenticated, InteractionRefused):
        return None
    return None if isinstance(found, Elsewhere) else VerifiedRequest(kind, found, destination)


def _kind_of(destination: Destination | None) -> tuple[InteractiveKind, Config]:
    """Return the kind of the destination with its secrets. Raises `Unauthenticated`."""
    if destination is None or destination.kind not in INTERACTIVE:
        raise Unauthenticated(REFUSED)
    if Workspace.get_by_id(destination.workspace_id).deleted_at is not None:
        raise Unauthenticated(REFUSED)
    try:
        return INTERACTIVE[destination.kind], decrypted_config(destination)
    except CannotUnseal:
        raise Unauthenticated(REFUSED) from None
