"""Acts that each role permits."""

from __future__ import annotations

import pytest

from inbox.domain.workspaces.roles import Role


@pytest.mark.parametrize(
    ("holder", "allowed"),
    [
        (Role.OWNER, {Role.OWNER, Role.ADMIN, Role.MEMBER, Role.VIEWER}),
        (Role.ADMIN, {Role.ADMIN, Role.MEMBER, Role.VIEWER}),
        (Role.MEMBER, {Role.MEMBER, Role.VIEWER}),
        (Role.VIEWER, {Role.VIEWER}),
    ],
)
def test_a_role_may_do_everything_that_lower_roles_may(holder: Role, allowed: set[Role]) -> None:
    assert {needed for needed in Role if holder.allows(needed)} == allowed
