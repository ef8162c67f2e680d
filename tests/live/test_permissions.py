"""Permissions of streams: the valid credentials, and the workspaces that each may read."""

from __future__ import annotations

import pytest

from inbox.live.permissions import current_workspaces
from inbox.models.people.accounts import Session, User
from inbox.models.people.members import Member
from tests.cast import Cast, present, sign_in


@pytest.fixture
def mias(cast: Cast) -> Session:
    sign_in(cast.users["mia"])
    found: Session = Session.get(Session.user == cast.users["mia"].id)
    return found


def test_a_session_gets_changes_of_its_workspaces_only(cast: Cast, mias: Session) -> None:
    assert current_workspaces([mias.id], [], present()) == {mias.id: frozenset({cast.workspace.id})}


def test_a_session_that_was_ended_gets_nothing(mias: Session) -> None:
    Session.update(revoked_at=present()).where(Session.id == mias.id).execute()

    assert current_workspaces([mias.id], [], present()) == {}


def test_a_member_who_was_removed_gets_nothing_of_the_workspace(cast: Cast, mias: Session) -> None:
    Member.delete().where(Member.user == cast.users["mia"].id).execute()

    assert current_workspaces([mias.id], [], present()) == {mias.id: frozenset()}


@pytest.mark.parametrize("column", ["disabled_at", "deleted_at"])
def test_a_person_whose_account_ended_gets_nothing(cast: Cast, mias: Session, column: str) -> None:
    User.update({column: present()}).where(User.id == cast.users["mia"].id).execute()

    assert current_workspaces([mias.id], [], present()) == {}
