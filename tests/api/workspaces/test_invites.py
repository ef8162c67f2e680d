"""Invitations over HTTP: permissions, the page of the link, and the mail."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import orjson
import pytest
from flask import Flask

from inbox.config.settings import Settings
from inbox.database.base import db, new_id
from inbox.domain.values import ids
from inbox.mail import templates
from inbox.models.deliveries.mail_outbox import Mail
from inbox.models.people.links import Invite
from inbox.runtime import sealing
from inbox.services.people import sessions
from tests.api.workspaces.invites_steps import (
    NINA,
    PASSWORD,
    Browsers,
    Invited,
    invited,  # noqa: F401
    path,  # noqa: F401
    person,
)
from tests.browser import Browser
from tests.cast import Cast, present, sign_in, typeid
from tests.database.tables import tables


@pytest.fixture
def mails(in_settings: Callable[..., Settings]) -> Iterator[None]:
    """The instance can send mail."""
    in_settings(smtp_url="smtp://127.0.0.1:1", mail_from="inbox@example.org")
    return


def token_of(link: str) -> str:
    return link.partition("#token=")[2]


def test_an_owner_invites_and_the_link_is_shown_once(browser: Browsers, cast: Cast, path: str, settings: Settings):
    made = browser("olga").post(path, {"role": "admin"})

    assert made.status_code == 201
    assert made.json["link"].startswith(f"{settings.base_url}/invite#token=")
    assert made.json == {
        "id": made.json["id"], "email": None, "role": "admin", "state": "pending",
        "createdBy": person(cast, "olga"), "createdAt": made.json["createdAt"],
        "expiresAt": made.json["expiresAt"], "acceptedAt": None, "acceptedBy": None, "link": made.json["link"],
    }  # fmt: skip
    assert made.headers["Location"] == f"{path}/{made.json['id']}"
    [listed] = browser("vic").get(path).json["items"]
    assert listed == {name: value for name, value in made.json.items() if name != "link"}
    [row] = Invite.select()
    assert row.expires_at - row.created_at == timedelta(days=7)
    assert bytes(row.token_hash) == sessions.digest(token_of(made.json["link"]))


def test_the_token_is_in_no_log_no_audit_entry_and_no_table(
    browser: Browsers, anonymous: Browser, path: str, mails: None, lines: Callable[[], list[dict[str, Any]]]
) -> None:
    made = browser("olga").post(path, {"role": "member", "email": "nina@example.org"}).json
    token = token_of(made["link"])
    anonymous.post("/v1/invites/preview", {"token": token})
    anonymous.post("/v1/invites/accept", {"token": token, **NINA})
    anonymous.post("/v1/invites/accept", {"token": token, **NINA})

    assert len(lines()) >= 4
    written = orjson.dumps(lines()).decode()
    for table in tables():
        written += str(db.execute_sql(f'SELECT array_agg(t::text) FROM "{table}" t').fetchone())
    assert "nina@example.org" in written
    for secret in (token, PASSWORD):
        assert secret not in written and secret.encode().hex() not in written


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/role"),
        ({"role": "king"}, "/role"),
        ({"role": "member", "email": "nobody"}, "/email"),
        ({"role": "member", "email": ["a@example.org"]}, "/email"),
        ({"role": "member", "expiresAt": "2030-01-01T00:00:00Z"}, "/expiresAt"),
    ],
)
def test_a_bad_invitation_is_refused_with_a_pointer(
    browser: Browsers, path: str, body: dict[str, Any], pointer: str
) -> None:
    answer = browser("olga").post(path, body)

    assert answer.status_code == 422
    assert [fault["pointer"] for fault in answer.json["errors"]] == [pointer]
    assert Invite.select().count() == 0


@pytest.mark.parametrize(("name", "status"), [("vic", 403), ("mia", 403), ("adam", 403), ("eve", 404)])
def test_only_owners_invite_and_withdraw(
    browser: Browsers, path: str, invited: Invited, name: str, status: int
) -> None:
    invited()
    [row] = Invite.select()

    for answer in (
        browser(name).post(path, {"role": "member"}), browser(name).delete(f"{path}/{typeid('inv', row.id)}"),
    ):  # fmt: skip
        assert answer.status_code == status
        if status == 403:
            assert (answer.json["code"], answer.json["requiredRole"]) == ("forbidden", "owner")
    assert Invite.select().where(Invite.deleted_at.is_null()).count() == 1


@pytest.mark.parametrize("name", ["vic", "mia", "adam", "olga"])
def test_every_member_sees_the_invitations(browser: Browsers, path: str, invited: Invited, name: str) -> None:
    invited()

    assert len(browser(name).get(path).json["items"]) == 1


def test_eve_learns_nothing_about_another_workspace(browser: Browsers, cast: Cast, path: str, invited: Invited) -> None:
    invited()
    invite, eve = Invite.get(), browser("eve")
    nowhere = f"/v1/workspaces/{ids.encode('wsp', new_id())}/invites"
    own_one = f"/v1/workspaces/{typeid('wsp', cast.foreign.id)}/invites"
    one = f"/{typeid('inv', invite.id)}"

    for method, rest, body in (("GET", "", None), ("POST", "", {"role": "owner"}), ("DELETE", one, None)):
        foreign, none = eve.call(method, path + rest, body), eve.call(method, nowhere + rest, body)
        assert foreign.status_code == none.status_code == 404
        assert {**foreign.json, "requestId": ""} == {**none.json, "requestId": ""}
    assert eve.delete(own_one + one).status_code == 404
    assert eve.get(own_one).json["items"] == []
    assert Invite.get().deleted_at is None


def test_inviting_and_withdrawing_want_a_proof_of_the_last_15_minutes(
    app: Flask, settings: Settings, cast: Cast, path: str, invited: Invited
) -> None:
    invited()
    proved = present() - timedelta(minutes=15, seconds=5)
    late = Browser(app, settings.base_url, cookie=sign_in(cast.users["olga"], proved_at=proved))

    for answer in (late.post(path, {"role": "member"}), late.delete(f"{path}/{typeid('inv', Invite.get().id)}")):
        assert (answer.status_code, answer.json["code"]) == (403, "reauth_required")


def test_the_address_of_a_member_is_not_invited(browser: Browsers, path: str) -> None:
    answer = browser("olga").post(path, {"role": "owner", "email": "MIA@example.org"})

    assert (answer.status_code, answer.json["code"]) == (409, "conflict")


def test_a_link_is_mailed_in_the_same_transaction_when_mail_is_enabled(
    browser: Browsers, path: str, mails: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = browser("olga").post(path, {"role": "member", "email": "nina@example.org"}).json

    [mail] = Mail.select()
    assert (mail.address, mail.template) == ("nina@example.org", "invitation")
    place = sealing.associated_data("mail_outbox", mail.id, mail.id, "sealed")
    letter = templates.from_bytes("invitation", sealing.current().open(mail.sealed, place))
    assert letter == templates.fill("invitation", inviter="Olga", workspace="Acme", role="member", link=made["link"])

    db.execute_sql("ALTER TABLE audit_log ADD CONSTRAINT closed CHECK (action <> 'invite.created') NOT VALID")
    try:
        with pytest.raises(AssertionError):  # 500
            browser("olga").post(path, {"role": "member", "email": "otto@example.org"})
    finally:
        db.execute_sql("ALTER TABLE audit_log DROP CONSTRAINT closed")
    assert Mail.select().count() == Invite.select().count() == 1


def test_no_mail_is_sent_without_an_address_or_mail_server(
    browser: Browsers, path: str, in_settings: Callable[..., Settings]
) -> None:
    assert browser("olga").post(path, {"role": "member", "email": "nina@example.org"}).status_code == 201
    in_settings(smtp_url="smtp://127.0.0.1:1", mail_from="inbox@example.org")
    assert browser("olga").post(path, {"role": "member"}).status_code == 201

    assert Mail.select().count() == 0


def test_a_workspace_mails_no_more_than_fifty_invitations_an_hour(
    browser: Browsers, path: str, in_settings: Callable[..., Settings]
) -> None:
    in_settings(
        rate_limits=True, management_per_minute_user=0, smtp_url="smtp://127.0.0.1:1", mail_from="inbox@example.org"
    )
    olga = browser("olga")

    statuses = [olga.post(path, {"role": "viewer", "email": f"n{n}@example.org"}).status_code for n in range(51)]

    assert statuses == [201] * 50 + [429]
    assert olga.post(path, {"role": "viewer"}).status_code == 201
