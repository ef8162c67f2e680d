"""The look-up of a session's person by its token: one statement for every request of a browser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from inbox.database.base import db

# As text: Peewee takes longer to build this statement than the database to execute it.
BY_TOKEN = """
SELECT s.id, s.last_seen_at, s.proved_at, u.id, u.name, u.email, u.is_instance_admin,
    u.password_hash IS NOT NULL,
    EXISTS (SELECT FROM totp_factors f WHERE f.user_id = u.id AND f.confirmed_at IS NOT NULL),
    EXISTS (SELECT FROM passkeys p WHERE p.user_id = u.id),
    EXISTS (SELECT FROM identities i WHERE i.user_id = u.id AND i.provider = ANY(%(providers)s::text[])),
    w.id, m.role, COALESCE(w.settings @> '{"requireMfa": true}', false)
FROM sessions s
JOIN users u ON u.id = s.user_id
LEFT JOIN members m ON m.user_id = u.id
LEFT JOIN workspaces w ON w.id = m.workspace_id AND w.deleted_at IS NULL
WHERE s.token_hash = %(hash)s AND s.revoked_at IS NULL AND s.last_seen_at > %(seen_after)s
    AND s.created_at > %(begun_after)s AND u.disabled_at IS NULL AND u.deleted_at IS NULL
"""


@dataclass(frozen=True, slots=True)
class SignedInRow:
    """A session, its person, the person's proofs of identity, and one of their workspaces with their role, if any."""

    session_id: UUID
    last_seen_at: datetime
    proved_at: datetime
    user_id: UUID
    name: str
    email: str
    is_instance_admin: bool
    has_password: bool
    has_totp: bool
    has_passkey: bool
    has_oidc: bool
    workspace_id: UUID | None
    role: str | None
    requires_mfa: bool


def by_token(
    token_hash: bytes, *, seen_after: datetime, created_after: datetime, providers: Sequence[str]
) -> list[SignedInRow]:
    """Returns one row per workspace of the person, or one without a workspace; none for an invalid session.

    `providers` are the configured identity providers. An identity of another provider no longer serves as a proof.
    """
    values = {"hash": token_hash, "seen_after": seen_after, "begun_after": created_after, "providers": list(providers)}
    return [SignedInRow(*row) for row in db.execute_sql(BY_TOKEN, values).fetchall()]
