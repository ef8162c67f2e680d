"""The sender with a source key: its source is read when it is needed (specification 19.5)."""

from __future__ import annotations

from functools import cached_property
from uuid import UUID

from inbox.api.http.connections import borrowed
from inbox.domain.senders import keys
from inbox.domain.senders.keys import SenderKeyKind
from inbox.domain.values.refusals import Unauthenticated
from inbox.models.events import sender_sources
from inbox.models.events.sender_sources import SenderSource

NO_KEY = (
    "No source key was sent. Send `Authorization: Bearer svc_src_…`, or the key as the password of Basic authorization."
)


class KeyHolder:
    """The sender with a well-formed source key. Its source is read when needed; storing events checks the key."""

    def __init__(self, token: str) -> None:
        self._digest = keys.source_digest(token, NO_KEY)

    @property
    def hash_hex(self) -> str:
        """The digest of the key in hex."""
        return self._digest.hex()

    @property
    def source_id(self) -> UUID:
        """The source of the key. Raises `Unauthenticated`."""
        return self._source.source_id

    @property
    def workspace_id(self) -> UUID:
        """The workspace of the source. Raises `Unauthenticated`."""
        return self._source.workspace_id

    @cached_property
    def _source(self) -> SenderSource:
        return live_source(self._digest)


def live_source(digest: bytes) -> SenderSource:
    """Returns the source of a live source key. Raises `Unauthenticated`."""
    with borrowed():
        source = sender_sources.of_key(digest, SenderKeyKind.SOURCE_KEY)
    if source is None:
        raise Unauthenticated()
    return source
