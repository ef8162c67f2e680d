"""The person who changes shifts, and their role."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from inbox.domain.workspaces.roles import Role


@dataclass(frozen=True, slots=True)
class Editor:
    """A person with the role in the workspace of the record; None for the operator on the command line."""

    user_id: UUID | None
    role: Role
