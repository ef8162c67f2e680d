"""Invitations over HTTP: a link shown once, good once, for whom it is meant; every refusal is one.

Specification 12.4.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import orjson
import peewee
import pytest
from flask import Flask

from inbox import sealing
from inbox.domain import ids
from inbox.mail import templates
from inbox.models.sql.base import db, new_id
from inbox.models.tables.accounts import Session, User
from inbox.models.tables.audit import AuditEntry
from inbox.models.tables.change_feed import Change
from inbox.models.tables.links import Invite
from inbox.models.tables.mail import Mail
from inbox.models.tables.workspaces import Member, Workspace
from inbox.services import deletion, members, sessions
from inbox.settings import Settings
from tests.browser import Browser
from tests.cast import Cast, join, make_user, present, sign_in, typeid
from tests.phone import Phone, pair
from tests.tables import tables

Browsers = Callable[[str], Browser]
Invited = Callable[..., str]
PASSWORD = "ninas own long phrase"
NINA = {"email": "nina@example.org", "name": "Nina", "password": PASSWORD}


@pytest.fixture
def path(cast: Cast) -> str:
    return f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}/invites"


@pytest.fixture
def invited(cast: Cast) -> Invited:
    """`invited(email=...)` is the token of an invitation of Olga's."""

    def invite(**more: Any) -> str:
        token = f"token-{new_id()}"
        Invite.create(
            id=new_id(),
            token_hash=sessions.digest(token),
            **{
                "workspace": cast.workspace,
                "role": "member",
                "created_by": cast.users["olga"],
                "created_at": present(),
                "expires_at": present() + timedelta(days=7),
                **more,
            },
        )
        return token

    return invite


@pytest.fixture
def mails(in_settings: Callable[..., Settings]) -> Iterator[None]:
    """The instance can send mail."""
    in_settings(smtp_url="smtp://127.0.0.1:1", mail_from="inbox@example.org")
    return


def token_of(link: str) -> str:
    return link.partition("#token=")[2]


def role_of(cast: Cast, name: str) -> str | None:
    found = Member.get_or_none(Member.workspace == cast.workspace, Member.user == cast.users[name])
    return None if found is None else str(found.role)


def at_once(acts: list[Callable[[], int]]) -> list[int]:
    start = threading.Barrier(len(acts))

    def run(act: Callable[[], int]) -> int:
        start.wait()
        return act()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


def person(cast: Cast, name: str) -> dict[str, str]:
    return {"type": "user", "id": typeid("usr", cast.users[name].id), "name": name.capitalize()}


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


def test_eve_learns_nothing(browser: Browsers, cast: Cast, path: str, invited: Invited) -> None:
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


def test_with_mail_the_link_is_mailed_in_the_same_transaction(
    browser: Browsers, path: str, mails: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = browser("olga").post(path, {"role": "member", "email": "nina@example.org"}).json

    [mail] = Mail.select()
    assert (mail.address, mail.template) == ("nina@example.org", "invitation")
    place = sealing.associated_data("mails", mail.id, mail.id, "sealed")
    letter = templates.from_bytes("invitation", sealing.current().open(mail.sealed, place))
    assert letter == templates.fill("invitation", inviter="Olga", workspace="Acme", role="member", link=made["link"])

    db.execute_sql("ALTER TABLE audit_log ADD CONSTRAINT closed CHECK (action <> 'invite.created') NOT VALID")
    try:
        with pytest.raises(AssertionError):  # 500
            browser("olga").post(path, {"role": "member", "email": "otto@example.org"})
    finally:
        db.execute_sql("ALTER TABLE audit_log DROP CONSTRAINT closed")
    assert Mail.select().count() == Invite.select().count() == 1


def test_without_an_address_or_without_mail_nothing_is_mailed(
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


def test_the_link_shows_what_it_offers_without_being_used_up(anonymous: Browser, invited: Invited) -> None:
    token = invited(role="admin", email="nina@example.org")

    for _ in range(3):
        answer = anonymous.post("/v1/invites/preview", {"token": token})
        assert answer.status_code == 200
        assert answer.json == {
            "workspaceName": "Acme", "role": "admin", "inviter": "Olga", "email": "nina@example.org",
            "expiresAt": answer.json["expiresAt"],
        }  # fmt: skip


def test_who_is_signed_in_joins(browser: Browsers, cast: Cast, invited: Invited) -> None:
    eve, token = browser("eve"), invited(role="admin")

    answer = eve.post("/v1/invites/accept", {"token": token})

    assert answer.status_code == 200
    assert answer.json["user"].items() <= eve.get("/v1/me").json.items()
    assert answer.json["workspace"] == eve.get(f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}").json
    assert answer.json["workspace"]["role"] == role_of(cast, "eve") == "admin"
    assert "Set-Cookie" not in answer.headers
    row = Invite.get()
    assert row.accepted_at is not None and row.accepted_by_id == cast.users["eve"].id
    [listed] = browser("olga").get(f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}/invites").json["items"]
    assert (listed["state"], listed["acceptedBy"]) == ("accepted", person(cast, "eve"))


def test_joining_is_reported_and_recorded(browser: Browsers, cast: Cast, invited: Invited) -> None:
    token = invited(role="viewer")
    answer = browser("eve").post("/v1/invites/accept", {"token": token})

    reported = {(ref["type"], ref["op"], ref["to"]) for change in Change.select() for ref in change.refs}
    workspace, eve = typeid("wsp", cast.workspace.id), typeid("usr", cast.users["eve"].id)
    assert reported == {("member", "created", workspace), ("invite", "changed", workspace), ("me", "changed", eve)}
    entries = {entry.action: entry for entry in AuditEntry.select()}
    assert set(entries) == {"invite.accepted", "member.joined"}
    for entry in entries.values():
        assert entry.actor == {"type": "user", "id": eve, "name": "Eve"}
        assert entry.workspace_id == cast.workspace.id
        assert entry.request_id == answer.headers["X-Request-Id"]


def test_somebody_without_an_account_makes_one_joins_and_is_signed_in(
    anonymous: Browser, cast: Cast, invited: Invited
) -> None:
    answer = anonymous.post("/v1/invites/accept", {"token": invited(), **NINA})

    assert answer.status_code == 200
    assert (answer.json["user"]["name"], answer.json["user"]["email"]) == ("Nina", "nina@example.org")
    assert answer.json["workspace"]["role"] == "member"
    assert answer.json["user"].items() <= anonymous.get("/v1/me").json.items()
    assert [item["name"] for item in anonymous.get("/v1/workspaces").json["items"]] == ["Acme"]
    user = User.get(User.email_key == "nina@example.org")
    assert not user.is_instance_admin and user.email_verified_at is None
    assert user.password_hash.startswith("$argon2id$")
    actions = {entry.action: entry.actor["name"] for entry in AuditEntry.select()}
    assert actions == dict.fromkeys(("account.created", "member.joined", "invite.accepted", "session.started"), "Nina")
    anonymous.post("/v1/auth/logout")
    login = {"email": NINA["email"], "password": PASSWORD}
    assert anonymous.post("/v1/auth/login", login).status_code == 200


def test_an_address_that_has_an_account_is_asked_to_sign_in(anonymous: Browser, cast: Cast, invited: Invited) -> None:
    token = invited()

    refused = anonymous.post("/v1/invites/accept", {"token": token, **NINA, "email": " Eve@Example.ORG"})

    assert (refused.status_code, refused.json["code"]) == (409, "conflict")
    assert "Set-Cookie" not in refused.headers and role_of(cast, "eve") is None
    assert anonymous.post("/v1/invites/preview", {"token": token}).status_code == 200


@pytest.mark.parametrize(
    ("account", "pointer"),
    [
        ({"email": "nina@example.org"}, ["/name", "/password"]),
        ({"password": PASSWORD}, ["/email", "/name"]),
        ({**NINA, "email": "nina"}, ["/email"]),
        ({**NINA, "name": " "}, ["/name"]),
        ({**NINA, "password": "short"}, ["/password"]),
        ({**NINA, "password": "password1234"}, ["/password"]),
        ({**NINA, "role": "owner"}, ["/role"]),
    ],
)
def test_a_bad_account_is_refused_and_the_link_stays_good(
    anonymous: Browser, invited: Invited, account: dict[str, Any], pointer: list[str]
) -> None:
    token = invited()

    answer = anonymous.post("/v1/invites/accept", {"token": token, **account})

    assert answer.status_code == 422
    assert sorted(fault["pointer"] for fault in answer.json["errors"]) == pointer
    assert User.select().where(User.name == "Nina").count() == 0
    assert anonymous.post("/v1/invites/accept", {"token": token, **NINA}).status_code == 200


def test_who_is_not_signed_in_and_says_nothing_more_is_asked_who_they_are(
    app: Flask, settings: Settings, anonymous: Browser, cast: Cast, invited: Invited
) -> None:
    token = invited()
    expired = Browser(app, settings.base_url, cookie=sign_in(cast.users["eve"], revoked_at=present()))

    for nobody in (anonymous, expired):
        answer = nobody.post("/v1/invites/accept", {"token": token})
        assert (answer.status_code, answer.json["code"]) == (401, "unauthenticated")
    with_key = anonymous.post("/v1/invites/accept", {"token": token}, headers={"Authorization": f"Bearer {cast.key}"})
    assert with_key.status_code == 401
    assert Invite.get().accepted_at is None


def test_only_the_address_that_was_invited_may_accept(
    browser: Browsers, anonymous: Browser, cast: Cast, invited: Invited
) -> None:
    token = invited(email="Eve@Example.org")
    mallory = make_user("mallory")

    assert anonymous.post("/v1/invites/accept", {"token": token, **NINA}).status_code == 403
    stranger = Browser(anonymous.client.application, anonymous.base_url, cookie=sign_in(mallory))
    assert stranger.post("/v1/invites/accept", {"token": token}).status_code == 403
    assert browser("eve").post("/v1/invites/accept", {"token": token}).status_code == 200

    bound = invited(email="NINA@example.org")
    assert anonymous.post("/v1/invites/accept", {"token": bound, **NINA}).status_code == 200


def spoiled(cast: Cast, invited: Invited) -> dict[str, object]:
    """Tokens that are good for nothing, each for its own reason."""
    olga, ann = cast.users["olga"], make_user("ann")
    gone = Workspace.create(id=new_id(), name="Gone", slug="gone", created_at=present(), deleted_at=present())
    join(gone, olga, "owner")
    ben = make_user("ben", disabled_at=present())
    join(cast.workspace, ben, "owner")
    cleo = make_user("cleo", deleted_at=present())
    join(cast.workspace, cleo, "owner")
    return {
        "expired": invited(expires_at=present() - timedelta(seconds=1)),
        "used": invited(accepted_at=present(), accepted_by=cast.users["mia"]),
        "withdrawn": invited(deleted_at=present()),
        "workspace deleted": invited(workspace=gone),
        "inviter removed": invited(created_by=None),
        "inviter no member": invited(created_by=ann),
        "inviter no owner": invited(created_by=cast.users["adam"]),
        "inviter disabled": invited(created_by=ben),
        "inviter closed": invited(created_by=cleo),
        "unknown": "x" * 43,
        "empty": "",
        "oversize": "y" * 10_000,
        "a cut one": invited()[:-1],
        "a longer one": invited() + "x",
        "another case": invited().upper(),
        "with blanks": f" {invited()} ",
        "umlauts": "ü" * 43,
        "null": None,
        "number": 7,
        "float": 1.5,
        "true": True,
        "array": [invited()],
        "object": {"$ne": ""},
        "query": "' OR 1=1 --",
    }


def test_every_refusal_is_the_same_to_the_byte(
    browser: Browsers, anonymous: Browser, cast: Cast, invited: Invited
) -> None:
    eve, bodies = browser("eve"), set()
    before = Member.select().count()
    tokens = spoiled(cast, invited)
    there = Member.select().count()

    def refused(answer: Any, why: str) -> None:
        assert answer.status_code == 403, why
        own = answer.headers["X-Request-Id"].encode()
        bodies.add(answer.data.replace(own, b"-"))

    for why, token in tokens.items():
        refused(anonymous.post("/v1/invites/preview", {"token": token}), why)
        refused(anonymous.post("/v1/invites/accept", {"token": token}), why)
        refused(anonymous.post("/v1/invites/accept", {"token": token, **NINA}), why)
        refused(eve.post("/v1/invites/accept", {"token": token}), why)
    refused(eve.post("/v1/invites/accept", {"token": invited(email="mia@example.org")}), "for somebody else")
    refused(browser("mia").post("/v1/invites/accept", {"token": invited()}), "a member already")

    [body] = bodies
    assert orjson.loads(body)["code"] == "invite_invalid"
    assert Member.select().count() == there > before
    assert User.select().where(User.name == "Nina").count() == 0
    assert Session.select().where(Session.user.not_in([cast.users["eve"], cast.users["mia"]])).count() == 0


@pytest.mark.parametrize("body", [{}, {"token": "x", "workspaceId": "y"}])
def test_a_body_of_another_shape_is_no_invitation(anonymous: Browser, body: dict[str, Any], cast: Cast) -> None:
    for address in ("/v1/invites/preview", "/v1/invites/accept"):
        assert anonymous.post(address, body).status_code == 422


def test_a_withdrawn_invitation_is_refused_and_listed_no_more(
    browser: Browsers, anonymous: Browser, path: str, invited: Invited
) -> None:
    token, olga = invited(), browser("olga")
    one = f"{path}/{typeid('inv', Invite.get().id)}"

    assert olga.delete(one).status_code == 204

    assert anonymous.post("/v1/invites/accept", {"token": token, **NINA}).status_code == 403
    assert olga.get(path).json["items"] == []
    assert olga.delete(one).status_code == 404
    assert [entry.action for entry in AuditEntry.select()] == ["invite.withdrawn"]


def test_an_accepted_invitation_is_not_withdrawn(browser: Browsers, path: str, invited: Invited) -> None:
    token = invited()
    browser("eve").post("/v1/invites/accept", {"token": token})

    assert browser("olga").delete(f"{path}/{typeid('inv', Invite.get().id)}").status_code == 409


def test_the_list_is_paged_newest_first_and_says_what_has_expired(
    browser: Browsers, path: str, invited: Invited
) -> None:
    for days in (-1, 1, 2):
        invited(expires_at=present() + timedelta(days=days))
    olga = browser("olga")

    first = olga.get(f"{path}?limit=2").json
    last = olga.get(f"{path}?limit=2&cursor={first['nextCursor']}").json

    assert [item["state"] for item in first["items"] + last["items"]] == ["pending", "pending", "expired"]
    assert last["nextCursor"] is None


def accepting(app: Flask, settings: Settings, body: dict[str, Any], cookie: str | None = None) -> Callable[[], int]:
    return lambda: Browser(app, settings.base_url, cookie).post("/v1/invites/accept", body).status_code


def test_of_many_who_accept_one_link_at_the_same_time_one_joins(
    app: Flask, settings: Settings, cast: Cast, invited: Invited
) -> None:
    cookies = [sign_in(make_user(f"p{number}")) for number in range(4)]
    for number in range(10):
        token = invited()
        accounts = [{"token": token, **NINA, "email": f"{name}{number}@example.org"} for name in ("new", "newer")]

        statuses = at_once(
            [accepting(app, settings, {"token": token}, cookie) for cookie in cookies]
            + [accepting(app, settings, account) for account in accounts]
        )

        assert sorted(statuses) == [200] + [403] * 5
        assert Member.select().where(Member.workspace == cast.workspace).count() == 5
        Member.delete().where(Member.user == Invite.get().accepted_by_id).execute()
        assert User.select().where(User.name == "Nina", User.email.startswith(f"new{number}")).count() <= 1
        Invite.delete().execute()


def test_of_many_accounts_for_one_address_at_the_same_time_one_is_made(
    app: Flask, settings: Settings, cast: Cast, invited: Invited
) -> None:
    for number in range(5):
        account = {**NINA, "email": f"nina{number}@example.org"}
        acts = [accepting(app, settings, {"token": invited(), **account}) for _ in range(4)]

        assert sorted(at_once(acts)) == [200, 409, 409, 409]
    assert Invite.select().where(Invite.accepted_at.is_null()).count() == 15


def test_who_accepts_two_links_at_the_same_time_joins_once(
    app: Flask, settings: Settings, cast: Cast, invited: Invited
) -> None:
    for number in range(10):
        cookie = sign_in(make_user(f"guest{number}"))
        acts = [accepting(app, settings, {"token": invited()}, cookie) for _ in range(2)]

        assert sorted(at_once(acts)) == [200, 403]


def test_nobody_joins_by_the_link_of_an_owner_who_is_removed_meanwhile(
    app: Flask, settings: Settings, cast: Cast, invited: Invited
) -> None:
    for number in range(10):
        owner, guest = make_user(f"owner{number}"), make_user(f"guest{number}")
        join(cast.workspace, owner, "owner")
        token = invited(created_by=owner)

        def removal(owner: User = owner) -> int:
            with db.connection_context():
                members.remove(cast.workspace.id, owner.id, by=cast.users["olga"].id, now=present())
            return 204

        def acceptance(guest: User = guest, token: str = token) -> int:
            browser = Browser(app, settings.base_url, cookie=sign_in_apart(guest))
            return browser.post("/v1/invites/accept", {"token": token}).status_code

        removed, accepted = at_once([removal, acceptance])

        assert removed == 204 and accepted in (200, 403)
        is_member = Member.select().where(Member.workspace == cast.workspace, Member.user == guest).exists()
        row = Invite.get(Invite.created_by == owner)
        assert is_member == (accepted == 200) == (row.accepted_at is not None)
        assert (row.deleted_at is None) == is_member


def test_who_closes_the_account_meanwhile_is_a_member_of_nothing(
    app: Flask, settings: Settings, cast: Cast, invited: Invited
) -> None:
    for number in range(10):
        guest = make_user(f"guest{number}")
        accept = accepting(app, settings, {"token": invited()}, sign_in(guest))

        def closure(guest: User = guest) -> int:
            with db.connection_context():
                deletion.close_account(guest.id, expected_rev=None, now=present())
            return 204

        closed, accepted = at_once([closure, accept])

        assert closed == 204 and accepted in (200, 401, 403)
        assert not Member.select().where(Member.user == guest).exists()


def sign_in_apart(user: User) -> str:
    with db.connection_context():
        return sign_in(user)


def test_twenty_refusals_an_hour_and_then_a_pause(
    anonymous: Browser, browser: Browsers, cast: Cast, invited: Invited, in_settings: Callable[..., Settings]
) -> None:
    in_settings(rate_limits=True)
    good = invited()
    for _ in range(25):  # what is not refused does not count
        assert anonymous.post("/v1/invites/preview", {"token": good}).status_code == 200
    for number in range(20):
        address = ("/v1/invites/preview", "/v1/invites/accept")[number % 2]
        assert anonymous.post(address, {"token": "wrong"}).status_code == 403

    for answer in (
        anonymous.post("/v1/invites/preview", {"token": good}),
        anonymous.post("/v1/invites/accept", {"token": good, **NINA}),
        browser("eve").post("/v1/invites/accept", {"token": good}),
    ):
        assert (answer.status_code, answer.json["code"]) == (429, "rate_limited")
        assert 1 <= int(answer.headers["Retry-After"]) <= 180


def test_another_site_makes_nobody_accept(browser: Browsers, cast: Cast, invited: Invited) -> None:
    token = invited()
    headers = {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}

    assert browser("eve").post("/v1/invites/accept", {"token": token}, headers=headers).status_code == 403
    assert role_of(cast, "eve") is None


def test_the_session_that_the_browser_had_ends_with_the_new_account(
    browser: Browsers, cast: Cast, invited: Invited
) -> None:
    eve = browser("eve")

    assert eve.post("/v1/invites/accept", {"token": invited(), **NINA}).status_code == 200

    assert eve.get("/v1/me").json["name"] == "Nina"
    assert Session.get(Session.user == cast.users["eve"]).revoked_at is not None


def test_nothing_is_left_of_an_acceptance_that_fails(anonymous: Browser, cast: Cast, invited: Invited) -> None:
    token = invited()
    db.execute_sql("ALTER TABLE audit_log ADD CONSTRAINT closed CHECK (action <> 'session.started') NOT VALID")
    try:
        with pytest.raises((AssertionError, peewee.IntegrityError)):  # 500
            anonymous.post("/v1/invites/accept", {"token": token, **NINA})
    finally:
        db.execute_sql("ALTER TABLE audit_log DROP CONSTRAINT closed")

    assert User.select().where(User.name == "Nina").count() == 0
    assert Invite.get().accepted_at is None
    assert Member.select().count() == 5


def test_a_phone_accepts_and_leaves_for_its_person_but_invites_nobody(
    app: Flask, settings: Settings, cast: Cast, path: str, invited: Invited
) -> None:
    eve = Phone(app, settings.base_url, pair(cast.users["eve"]).access_token)
    olga = Phone(app, settings.base_url, pair(cast.users["olga"]).access_token)

    assert eve.post("/v1/invites/accept", {"token": invited()}).status_code == 200
    assert role_of(cast, "eve") == "member"
    assert eve.delete(path.replace("invites", "members/me")).status_code == 204
    refused = olga.post(path, {"role": "member"})
    assert (refused.status_code, refused.json["code"], refused.json["factors"]) == (403, "reauth_required", [])
