"""Account flows by mailed links: each is there where its capability is, works once, and tells nobody who has an account."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask
from redis import Redis

from inbox import sealing
from inbox.identity import totp
from inbox.models.sql.base import new_id
from inbox.models.tables.accounts import Session, User
from inbox.models.tables.audit import AuditEntry
from inbox.models.tables.devices import Device
from inbox.models.tables.factors import TotpFactor
from inbox.models.tables.links import Link
from inbox.models.tables.mail import Mail
from inbox.services import passwords, system_status
from inbox.services.authentication_factors import associated_data
from inbox.services.sessions import digest
from inbox.settings import Settings
from tests.browser import Browser
from tests.cast import Cast, present
from tests.mail.servers import MailServer
from tests.post_office import MAIL_FROM, PostOffice, statements

Browsers = Callable[[str], Browser]
InSettings = Callable[..., Settings]
OLD, NEW = "mias own long phrase", "another long phrase"

CONFIRMATIONS: dict[str, dict[str, Any]] = {
    "/v1/auth/password-reset/confirm": {"password": NEW},
    "/v1/auth/email-change/confirm": {},
    "/v1/auth/verify-email": {},
}
REQUESTS: dict[str, dict[str, Any]] = {
    "/v1/auth/password-reset": {"email": "mia@example.org"},
    "/v1/auth/signup": {"email": "zoe@example.org", "password": NEW, "name": "Zoe"},
}


@pytest.fixture(scope="module")
def old_hash() -> str:
    return passwords.hashed(OLD)


@pytest.fixture
def post(cast: Cast, in_settings: InSettings, old_hash: str) -> Iterator[PostOffice]:
    """A hosted instance with mail, in which Mia has a password."""
    User.update(password_hash=old_hash).where(User.id == cast.users["mia"].id).execute()
    with MailServer() as server:
        in_settings(smtp_url=server.url, mail_from=MAIL_FROM, edition="hosted")
        yield PostOffice(server)


def ask_for_reset(browser: Browser, email: str = "mia@example.org") -> Any:
    answer = browser.post("/v1/auth/password-reset", {"email": email})
    assert (answer.status_code, answer.json) == (202, {"status": "accepted"})
    return answer


def reset(browser: Browser, token: Any, password: str = NEW) -> Any:
    return browser.post("/v1/auth/password-reset/confirm", {"token": token, "password": password})


def log_in(browser: Browser, password: str, email: str = "mia@example.org") -> Any:
    return browser.post("/v1/auth/login", {"email": email, "password": password})


def actions() -> list[str]:
    return [row.action for row in AuditEntry.select().order_by(AuditEntry.id)]


@pytest.mark.parametrize(
    ("settings_of", "listed", "there"),
    [
        ({}, set(), set()),
        ({"edition": "hosted"}, set(), set()),
        (
            {"smtp_url": "smtp://127.0.0.1:1", "mail_from": MAIL_FROM},
            {"mail", "auth.password_reset"},
            {"/v1/auth/password-reset", "/v1/auth/password-reset/confirm", "/v1/auth/email-change/confirm"},
        ),
        (
            {"smtp_url": "smtp://127.0.0.1:1", "mail_from": MAIL_FROM, "edition": "hosted"},
            {"mail", "auth.password_reset", "auth.signup"},
            {*CONFIRMATIONS, *REQUESTS},
        ),
    ],
    ids=["neither", "hosted without mail", "mail", "hosted with mail"],
)
def test_what_is_not_listed_is_not_there(
    settings_of: dict[str, Any], listed: set[str], there: set[str], anonymous: Browser, in_settings: InSettings
) -> None:
    in_settings(**settings_of)

    told = set(anonymous.get("/v1/info").json["capabilities"])
    found = {
        path
        for path, body in {**CONFIRMATIONS, **REQUESTS}.items()
        for answer in [anonymous.post(path, {**body, "token": "t"} if path in CONFIRMATIONS else body)]
        if (answer.status_code, answer.json.get("code")) != (404, "not_found")
    }

    assert told & {"mail", "auth.password_reset", "auth.signup"} == listed
    assert found == there
    if not there:
        assert {anonymous.post(path, {"nonsense": 1}).status_code for path in REQUESTS} == {404}


def test_the_change_of_an_address_is_not_there_without_mail(browser: Browsers) -> None:
    assert browser("mia").post("/v1/me/email-change", {"newEmail": "m@example.org"}).status_code == 404


def test_a_forgotten_password_is_replaced_by_a_link(
    post: PostOffice, anonymous: Browser, cast: Cast, app: Flask, settings: Settings
) -> None:
    elsewhere = Browser(app, settings.base_url, cookie=cast.cookie("mia"))
    phone = Device.create(id=new_id(), user=cast.users["mia"], name="Phone", created_at=present())
    ask_for_reset(anonymous, "MIA@example.org")
    [(to, page, token)] = post.links()

    answer = reset(anonymous, token)

    assert (to, page, len(token)) == ("mia@example.org", f"{settings.base_url}/reset", 43)
    assert (answer.status_code, answer.data, answer.headers.getlist("Set-Cookie")) == (204, b"", [])
    assert elsewhere.get("/v1/me").status_code == 401
    assert Device.get_by_id(phone.id).revoked_at is not None
    assert log_in(anonymous, OLD).status_code == 401
    assert log_in(anonymous, NEW).status_code == 200
    [told] = post.delivered()
    assert "password" in told.message["Subject"] and "was changed" in told.text and token not in told.text
    assert reset(anonymous, token).json["code"] == "token_invalid"
    assert "password.reset" in actions() and "session.ended" in actions()


def test_a_reset_closes_the_persons_streams(
    post: PostOffice, anonymous: Browser, cast: Cast, settings: Settings
) -> None:
    cast.cookie("mia")
    ask_for_reset(anonymous)
    token = post.token()
    listening = Redis.from_url(settings.redis_url).pubsub()
    listening.subscribe("inbox:changes")
    listening.get_message(timeout=30)
    reset(anonymous, token)

    told = [listening.get_message(timeout=5) for _ in range(3)]
    listening.close()
    assert any(message and str(cast.users["mia"].id).encode() in message["data"] for message in told)


def test_a_reset_does_not_stand_for_a_second_factor(post: PostOffice, anonymous: Browser, cast: Cast) -> None:
    mia = cast.users["mia"]
    sealed = sealing.current().seal(totp.new_secret(), associated_data(mia.id))
    TotpFactor.create(user=mia, sealed=sealed, created_at=present(), confirmed_at=present())
    ask_for_reset(anonymous)
    reset(anonymous, post.token())

    answer = log_in(anonymous, NEW)

    assert (answer.status_code, answer.json["mfaRequired"]) == (200, True)
    assert "Set-Cookie" not in answer.headers


def test_a_password_that_is_not_acceptable_leaves_the_link_good(post: PostOffice, anonymous: Browser) -> None:
    ask_for_reset(anonymous)
    token = post.token()

    refused = [reset(anonymous, token, password) for password in ("short", "password123", "mia@example.org")]

    assert [(answer.status_code, answer.json["errors"][0]["pointer"]) for answer in refused] == [(422, "/password")] * 3
    assert reset(anonymous, token).status_code == 204


BAD_TOKENS: list[Any] = ["", "x" * 43, "é" * 43, "x" * 10_000, None, 7, True, [], ["x"], {}, {"a": "b"}, ...]


@pytest.mark.parametrize("path", CONFIRMATIONS)
def test_a_refused_link_is_one_answer_whatever_is_wrong_with_it(
    path: str, post: PostOffice, anonymous: Browser, cast: Cast
) -> None:
    mia, adam = cast.users["mia"], cast.users["adam"]
    now, purpose = present(), {"password-reset": "password_reset", "email-change": "email_change"}
    right = purpose.get(path.split("/")[3], "verify_email")
    wrong = "email_change" if right != "email_change" else "password_reset"
    User.update(disabled_at=now).where(User.id == adam.id).execute()
    for token, more in {
        "expired": {"expires_at": now - timedelta(seconds=1)},
        "used": {"used_at": now},
        "other purpose": {"purpose": wrong},
        "of somebody disabled": {"user": adam},
        "good": {},
    }.items():
        values = {"purpose": right, "user": mia, "expires_at": now + timedelta(minutes=5), **more}
        Link.create(id=new_id(), token_hash=digest(token), created_at=now, payload={"email": "m@x.org"}, **values)
    tokens = [*BAD_TOKENS, "expired", "used", "other purpose", "of somebody disabled", "goo", "goodx", "Good", " good"]

    answers = [
        anonymous.post(path, {**CONFIRMATIONS[path], **({} if token is ... else {"token": token})}) for token in tokens
    ]

    assert {answer.status_code for answer in answers} == {403}
    assert {answer.json["code"] for answer in answers} == {"token_invalid"}
    bodies = {answer.data.replace(answer.json["requestId"].encode(), b"") for answer in answers}
    assert len(bodies) == 1
    assert anonymous.post(path, {**CONFIRMATIONS[path], "token": "good"}).status_code in (200, 204)


def test_a_new_link_ends_the_one_before(post: PostOffice, anonymous: Browser) -> None:
    ask_for_reset(anonymous)
    ask_for_reset(anonymous)
    [(_, _, first), (_, _, second)] = post.links()

    assert reset(anonymous, first).json["code"] == "token_invalid"
    assert reset(anonymous, second).status_code == 204


def test_links_are_good_for_as_long_as_is_said(post: PostOffice, anonymous: Browser, browser: Browsers) -> None:
    ask_for_reset(anonymous)
    browser("mia").post("/v1/me/email-change", {"newEmail": "new@example.org"})
    anonymous.post("/v1/auth/signup", REQUESTS["/v1/auth/signup"])

    lifetimes = {row.purpose: row.expires_at - row.created_at for row in Link.select()}

    assert lifetimes == {
        "password_reset": timedelta(minutes=30),
        "email_change": timedelta(hours=1),
        "verify_email": timedelta(hours=24),
    }


def test_of_a_hundred_uses_of_one_link_one_succeeds(
    post: PostOffice, anonymous: Browser, app: Flask, settings: Settings
) -> None:
    ask_for_reset(anonymous)
    token = post.token()

    def use(number: int) -> int:
        return int(reset(Browser(app, settings.base_url), token, f"the long phrase {number}").status_code)

    with ThreadPoolExecutor(10) as people:
        statuses = list(people.map(use, range(100)))

    assert sorted(statuses) == [204] + [403] * 99


def test_nobody_learns_whether_an_address_has_an_account(
    post: PostOffice, anonymous: Browser, cast: Cast, in_settings: InSettings
) -> None:
    in_settings(smtp_url=post.server.url, mail_from=MAIL_FROM, rate_limits=True)
    User.update(disabled_at=present()).where(User.id == cast.users["adam"].id).execute()
    ask_for_reset(anonymous)
    post.delivered()
    answers, asked = [], []
    for email in ("mia@example.org", "nobody@example.org", "adam@example.org", "vic@example.org"):
        asked.append(statements(lambda email=email: answers.append(ask_for_reset(anonymous, email))))

    assert len({answer.data for answer in answers}) == 1
    assert len({tuple(sorted(answer.headers.keys())) for answer in answers}) == 1
    assert asked[0] == asked[1] == asked[2] == asked[3] and len(asked[0]) == 6
    assert [to for to, _, _ in post.links()] == ["mia@example.org", "vic@example.org"]
    assert {row.address for row in Mail.select()} == {"mia@example.org", "vic@example.org", ""}


def test_mails_that_were_never_meant_to_leave_are_no_failure_of_mail(post: PostOffice, anonymous: Browser) -> None:
    ask_for_reset(anonymous, "nobody@example.org")

    mail = system_status.parts()["mail"]

    assert Mail.select().count() == 1
    assert (mail.status, mail.value) == ("ok", 0)


def test_signing_up_tells_nobody_either(post: PostOffice, anonymous: Browser) -> None:
    answers, asked = [], []
    for email in ("zoe@example.org", "mia@example.org", "ian@example.org"):
        body = {"email": email, "password": NEW, "name": "Zoe"}
        asked.append(statements(lambda body=body: answers.append(anonymous.post("/v1/auth/signup", body))))

    assert {(answer.status_code, answer.data) for answer in answers} == {(202, b'{"status":"accepted"}')}
    assert asked[0] == asked[1] == asked[2]
    told = {taken.to[0]: taken.text for taken in post.delivered()}
    assert "already" in told["mia@example.org"] and "#token" not in told["mia@example.org"]
    assert "#token" in told["zoe@example.org"]


def test_five_resets_a_day_are_mailed_and_the_sixth_is_answered_alike(
    post: PostOffice, anonymous: Browser, in_settings: InSettings
) -> None:
    in_settings(smtp_url=post.server.url, mail_from=MAIL_FROM, rate_limits=True)
    for _ in range(6):
        ask_for_reset(anonymous)

    links = post.links()

    assert len(links) == 5
    assert reset(anonymous, links[4][2]).status_code == 204


def test_twenty_requests_an_hour_about_links_from_one_address(
    post: PostOffice, anonymous: Browser, in_settings: InSettings
) -> None:
    in_settings(smtp_url=post.server.url, mail_from=MAIL_FROM, rate_limits=True, edition="hosted")
    for number in range(10):
        ask_for_reset(anonymous, f"somebody{number}@example.org")
    refused = [reset(anonymous, "x" * 43).status_code for _ in range(10)]
    answers = [anonymous.post(path, body) for path, body in REQUESTS.items()]
    answers += [anonymous.post(path, {**body, "token": "x"}) for path, body in CONFIRMATIONS.items()]

    assert refused == [403] * 10
    assert {(answer.status_code, answer.json["code"]) for answer in answers} == {(429, "rate_limited")}
    assert all(1 <= int(answer.headers["Retry-After"]) <= 180 for answer in answers)


def test_a_link_is_made_from_our_address_whatever_the_request_calls_us(
    post: PostOffice, anonymous: Browser, settings: Settings
) -> None:
    spoofed = {"Host": "evil.example", "X-Forwarded-Host": "evil.example", "Forwarded": "host=evil.example"}
    anonymous.post("/v1/auth/password-reset", {"email": "mia@example.org"}, headers=spoofed)

    [taken] = post.delivered()

    assert "evil" not in taken.text + taken.html
    assert f"{settings.base_url}/reset#token=" in taken.text


def test_a_token_is_in_the_mail_and_nowhere_else(
    post: PostOffice, anonymous: Browser, lines: Any, settings: Settings
) -> None:
    ask_for_reset(anonymous)
    waiting = bytes(Mail.get().sealed)
    token = post.token()
    reset(anonymous, token)
    rows = [*Link.select().dicts(), *Mail.select().dicts(), *AuditEntry.select().dicts()]

    assert token.encode() not in waiting
    assert token not in str(rows) and NEW not in str(rows)
    written = str([line for line in lines() if line.get("logger") != "mail.log"])  # the mail server's own
    assert "password-reset/confirm" in written
    assert token not in written and NEW not in written and "mia@example.org" not in written
    assert bytes(Link.get().token_hash) == digest(token)
    assert token not in str(Redis.from_url(settings.redis_url).keys())


def change_email(browser: Browser, new_email: str) -> Any:
    answer = browser.post("/v1/me/email-change", {"newEmail": new_email})
    assert (answer.status_code, answer.json) == (202, {"status": "accepted"})
    return answer


def confirm_email(browser: Browser, token: str) -> Any:
    return browser.post("/v1/auth/email-change/confirm", {"token": token})


def test_a_new_address_is_the_persons_when_its_link_comes_back(
    post: PostOffice, browser: Browsers, anonymous: Browser, settings: Settings
) -> None:
    ask_for_reset(anonymous)
    old_link = post.token()
    mia = browser("mia")
    change_email(mia, "Mia.New@example.org")
    told = {taken.to[0]: taken for taken in post.delivered()}

    assert set(told) == {"mia@example.org", "Mia.New@example.org"}
    assert "M…@example.org" in told["mia@example.org"].text and "#token" not in told["mia@example.org"].text
    assert mia.get("/v1/me").json["email"] == "mia@example.org"
    token = told["Mia.New@example.org"].text.partition(f"{settings.base_url}/email-change#token=")[2].split()[0]
    answer = confirm_email(anonymous, token)

    assert (answer.status_code, answer.headers.getlist("Set-Cookie")) == (204, [])
    assert mia.get("/v1/me").json["email"] == "Mia.New@example.org"
    assert User.get(User.email_key == "mia.new@example.org").email_verified_at is not None
    assert log_in(anonymous, OLD).status_code == 401
    assert log_in(anonymous, OLD, "mia.new@EXAMPLE.org").status_code == 200
    assert reset(anonymous, old_link).json["code"] == "token_invalid"
    assert {"email.change_requested", "email.changed"} <= set(actions())


def test_a_taken_address_is_asked_for_like_a_free_one_and_gets_no_mail(post: PostOffice, browser: Browsers) -> None:
    mia, answers = browser("mia"), []
    change_email(mia, "earlier@example.org")
    post.delivered()
    asked = [
        statements(lambda email=email: answers.append(change_email(mia, email)))
        for email in ("free@example.org", "VIC@example.org")
    ]

    assert asked[0] == asked[1]
    told = sorted(taken.to[0] for taken in post.delivered())
    assert told == ["free@example.org", "mia@example.org", "mia@example.org"]


def test_of_two_who_want_one_address_one_gets_it(post: PostOffice, browser: Browsers, anonymous: Browser) -> None:
    for name in ("mia", "vic"):
        change_email(browser(name), "shared@example.org")
    first, second = (token for to, _, token in post.links() if to == "shared@example.org")

    assert confirm_email(anonymous, first).status_code == 204
    assert confirm_email(anonymous, second).json["code"] == "token_invalid"
    assert [user.name for user in User.select().where(User.email_key == "shared@example.org")] == ["Mia"]


def test_a_new_address_wants_a_recent_proof(post: PostOffice, browser: Browsers) -> None:
    mia = browser("mia")
    Session.update(proved_at=present() - timedelta(minutes=16)).execute()

    answer = mia.post("/v1/me/email-change", {"newEmail": "new@example.org"})

    assert (answer.status_code, answer.json["code"], answer.json["factors"]) == (403, "reauth_required", ["password"])
    assert Link.select().count() == 0


def sign_up(browser: Browser, password: str = NEW, email: str = "Zoe@example.org") -> Any:
    answer = browser.post("/v1/auth/signup", {"email": email, "password": password, "name": "Zoe"})
    assert answer.status_code == 202
    return answer


def verify(browser: Browser, token: str) -> Any:
    return browser.post("/v1/auth/verify-email", {"token": token})


def test_an_account_is_made_when_its_address_is_confirmed(
    post: PostOffice, anonymous: Browser, settings: Settings
) -> None:
    sign_up(anonymous)
    assert User.get_or_none(User.email_key == "zoe@example.org") is None
    assert log_in(anonymous, NEW, "zoe@example.org").status_code == 401
    [(to, page, token)] = post.links()

    answer = verify(anonymous, token)

    assert (to, page) == ("Zoe@example.org", f"{settings.base_url}/verify-email")
    assert (answer.status_code, answer.json) == (200, {"email": "Zoe@example.org", "hasPassword": True})
    assert "Set-Cookie" not in answer.headers
    assert verify(anonymous, token).json["code"] == "token_invalid"
    answer = log_in(anonymous, NEW, "zoe@example.org")
    assert (answer.status_code, answer.json["user"]["name"]) == (200, "Zoe")
    assert User.get(User.name == "Zoe").email_verified_at is not None
    assert "account.created" in actions()


def test_whoever_signs_up_with_somebody_elses_address_does_not_choose_their_password(
    post: PostOffice, anonymous: Browser
) -> None:
    sign_up(anonymous, "the phrase of a stranger")
    sign_up(anonymous)
    sign_up(anonymous)
    *earlier, (_, _, token) = post.links()

    assert [verify(anonymous, old).status_code for _, _, old in earlier] == [403, 403]
    assert verify(anonymous, token).json == {"email": "Zoe@example.org", "hasPassword": False}
    for password in ("the phrase of a stranger", NEW):
        assert log_in(anonymous, password, "zoe@example.org").status_code == 401
    ask_for_reset(anonymous, "zoe@example.org")
    assert reset(anonymous, post.token()).status_code == 204
    assert log_in(anonymous, NEW, "zoe@example.org").status_code == 200


def test_whoever_asks_again_with_the_same_password_keeps_it(post: PostOffice, anonymous: Browser) -> None:
    sign_up(anonymous)
    sign_up(anonymous)
    _, (_, _, token) = post.links()

    assert verify(anonymous, token).json["hasPassword"] is True


def test_an_address_that_got_an_account_meanwhile_is_not_confirmed(
    post: PostOffice, anonymous: Browser, cast: Cast
) -> None:
    sign_up(anonymous)
    token = post.token()
    User.update(email_key="zoe@example.org").where(User.id == cast.users["vic"].id).execute()

    assert verify(anonymous, token).json["code"] == "token_invalid"


def test_nobody_signs_up_before_the_instance_is_set_up(post: PostOffice, anonymous: Browser) -> None:
    User.delete().execute()
    sign_up(anonymous)

    assert post.delivered() == []
    assert Link.select().count() == 0


@pytest.mark.parametrize("password", ["short", "password123"])
@pytest.mark.parametrize("email", ["zoe@example.org", "mia@example.org"])
def test_a_weak_password_is_refused_whether_the_address_has_an_account_or_not(
    email: str, password: str, post: PostOffice, anonymous: Browser
) -> None:
    answer = anonymous.post("/v1/auth/signup", {"email": email, "password": password, "name": "Zoe"})

    assert (answer.status_code, answer.json["errors"][0]["pointer"]) == (422, "/password")
