"""Buttons of chat messages: the account they act for, and every refusal (specification 9.18)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from inbox.domain.incidents.incident import Act
from inbox.models.deliveries.tables import Notice
from inbox.models.incidents.tables import Incident
from inbox.models.people.accounts import User
from inbox.models.people.chat_accounts import ChatAccount
from inbox.models.people.members import Member
from inbox.models.records.audit import AuditEntry
from inbox.models.routing.profiles import RoutingProfile
from inbox.models.workspaces.tables import Workspace
from inbox.services.incidents.interactions import (
    GONE,
    NO_FACTOR,
    NOT_ALLOWED,
    NOT_LINKED,
    NOT_POSSIBLE,
    NOTHING_FOLLOWS,
)
from inbox.services.people import chat_accounts
from tests.api.incidents.interaction_steps import Chat, chat_at, post
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.stand_ins.chat_buttons import SERVICES
from tests.stand_ins.outgoing_posts import fresh, make_profile


@pytest.fixture(params=list(SERVICES))
def chat(request: pytest.FixtureRequest, cast: Cast) -> Chat:
    return chat_at(request.param, cast)


@pytest.mark.parametrize(("act", "state"), [(Act.ACKNOWLEDGE, "acknowledged"), (Act.RESOLVE, "resolved")])
def test_a_button_acts_in_the_name_of_the_member_who_linked_the_account(
    chat: Chat, anonymous: Browser, act: Act, state: str
) -> None:
    chat.link(chat.cast.users["mia"])

    answer = post(anonymous, chat, chat.request(act=str(act)))

    assert answer.status_code == 200
    assert chat.state == state
    entry = AuditEntry.get(AuditEntry.action == "destination.button_used")
    mia = {
        "type": "user",
        "id": typeid("usr", chat.cast.users["mia"].id),
        "name": f"{chat.cast.users['mia'].name} through {chat.service.label}",
    }
    assert (entry.actor, entry.workspace_id) == (mia, chat.cast.workspace.id)
    assert entry.details == {"act": str(act), "incidentId": chat.incident_id, "service": chat.service.kind}
    [notice] = Notice.select().where(Notice.incident_id == chat.incident.id)
    assert notice.reason == state
    if act is Act.ACKNOWLEDGE:
        assert fresh(chat.incident).acknowledged_by == chat.cast.users["mia"].id
    assert fresh(ChatAccount.get()).last_used_at is not None


def test_take_acknowledges_the_incident_and_assigns_it_to_the_member(chat: Chat) -> None:
    chat.link(chat.cast.users["mia"])

    assert chat.press(act="take") is None

    taken = fresh(chat.incident)
    assert (taken.state, taken.acknowledged_by, taken.assignee_id) == (
        "acknowledged", chat.cast.users["mia"].id, chat.cast.users["mia"].id,
    )  # fmt: skip


def test_escalate_takes_the_next_step_until_none_follows(chat: Chat) -> None:
    chat.link(chat.cast.users["mia"])
    profile = make_profile(chat.cast.workspace, chat.destination, repeat=0)
    later = {**profile.steps[0], "afterMinutes": 30}
    RoutingProfile.update(steps=[*profile.steps, later]).where(RoutingProfile.id == profile.id).execute()
    Incident.update(routing_profile_id=profile.id, steps_taken=1).where(Incident.id == chat.incident.id).execute()

    hints = [chat.press(act="escalate", id=str(number)) for number in range(1, 4)]

    assert hints[0] is None and hints[-1] is not None
    assert hints[-1].text == NOTHING_FOLLOWS
    assert fresh(chat.incident).steps_taken > 1
    assert "escalated" in [row.reason for row in Notice.select().where(Notice.incident_id == chat.incident.id)]
    entry = AuditEntry.get(AuditEntry.action == "destination.button_used")
    assert entry.details["act"] == "escalate"


def test_an_act_that_is_done_already_changes_nothing(chat: Chat) -> None:
    chat.link(chat.cast.users["mia"])

    assert [chat.press(), chat.press(id="2")] == [None, None]

    assert chat.state == "acknowledged"
    assert Notice.select().where(Notice.incident_id == chat.incident.id).count() == 1


def test_a_button_pressed_without_a_linked_account_answers_with_a_link(chat: Chat) -> None:
    hint = chat.press()

    assert hint is not None
    assert (hint.text, chat.state) == (NOT_LINKED, "open")
    offer = chat_accounts.find_offer(hint.url.rpartition("/")[2], present())
    assert (offer.account.account_id, offer.account.service) == (chat.service.account, chat.service.kind)
    assert offer.workspace.id == chat.cast.workspace.id


def lower_role(chat: Chat) -> None:
    Member.update(role="viewer").where(Member.user == chat.cast.users["mia"].id).execute()


def require_factor(chat: Chat) -> None:
    Workspace.update(settings={"requireMfa": True}).where(Workspace.id == chat.cast.workspace.id).execute()


def resolve(chat: Chat) -> None:
    Incident.update(state="resolved", resolved_at=present()).where(Incident.id == chat.incident.id).execute()


def leave(chat: Chat) -> None:
    Member.delete().where(Member.user == chat.cast.users["mia"].id).execute()


def disable(chat: Chat) -> None:
    User.update(disabled_at=present()).where(User.id == chat.cast.users["mia"].id).execute()


def unlink(chat: Chat) -> None:
    ChatAccount.delete().execute()


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lower_role, NOT_ALLOWED),
        (require_factor, NO_FACTOR),
        (resolve, NOT_POSSIBLE),
        (leave, NOT_LINKED),
        (disable, NOT_LINKED),
        (unlink, NOT_LINKED),
    ],
)
def test_a_person_who_may_not_act_gets_a_hint_and_nothing_changes(
    chat: Chat, change: Callable[[Chat], None], text: str
) -> None:
    chat.link(chat.cast.users["mia"])
    change(chat)
    before = chat.state

    hint = chat.press()

    assert hint is not None
    assert (hint.text, bool(hint.url), chat.state) == (text, text == NOT_LINKED, before)
    assert AuditEntry.select().where(AuditEntry.action == "destination.button_used").count() == 0


@pytest.mark.parametrize("incident", ["", "inc_x", "inc_01h455vb4pex5vsknk084sn02q", "usr_01h455vb4pex5vsknk084sn02q"])
def test_a_button_of_a_missing_incident_answers_that_the_incident_is_gone(chat: Chat, incident: str) -> None:
    chat.link(chat.cast.users["mia"])
    hint = chat.press(incident)

    assert hint is not None
    assert hint.text == GONE


def test_an_incident_of_another_workspace_is_not_found(chat: Chat) -> None:
    chat.link(chat.cast.users["mia"])
    chat.destination = chat.service.destination(chat.cast.foreign)
    chat.link(chat.cast.users["eve"], chat.cast.foreign)

    hint = chat.press()

    assert hint is not None
    assert (hint.text, chat.state) == (GONE, "open")


def test_a_link_counts_in_its_workspace_alone(chat: Chat) -> None:
    chat.link(chat.cast.users["eve"], chat.cast.foreign)

    hint = chat.press()

    assert hint is not None
    assert (hint.text, chat.state) == (NOT_LINKED, "open")
