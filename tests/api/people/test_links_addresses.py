"""A change of the address, and sign-up, by links in mails."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from inbox.config.settings import Settings
from inbox.models.people.accounts import Session, User
from inbox.models.people.links import Link
from tests.api.people.links_steps import (
    NEW,
    OLD,
    REQUESTS,
    Browsers,
    actions,
    ask_for_reset,
    log_in,
    old_hash,  # noqa: F401
    post,  # noqa: F401
    reset,
    verify,
)
from tests.browser import Browser
from tests.cast import Cast, present
from tests.stand_ins.post_office import PostOffice, statements


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
    reported = {taken.to[0]: taken for taken in post.delivered()}

    assert set(reported) == {"mia@example.org", "Mia.New@example.org"}
    assert "M…@example.org" in reported["mia@example.org"].text and "#token" not in reported["mia@example.org"].text
    assert mia.get("/v1/me").json["email"] == "mia@example.org"
    token = reported["Mia.New@example.org"].text.partition(f"{settings.base_url}/email-change#token=")[2].split()[0]
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
    requested = [
        statements(lambda email=email: answers.append(change_email(mia, email)))
        for email in ("free@example.org", "VIC@example.org")
    ]

    assert requested[0] == requested[1]
    reported = sorted(taken.to[0] for taken in post.delivered())
    assert reported == ["free@example.org", "mia@example.org", "mia@example.org"]


def test_two_accounts_that_request_one_address_leave_it_to_the_first(
    post: PostOffice, browser: Browsers, anonymous: Browser
) -> None:
    for name in ("mia", "vic"):
        change_email(browser(name), "shared@example.org")
    first, second = (token for to, _, token in post.links() if to == "shared@example.org")

    assert confirm_email(anonymous, first).status_code == 204
    assert confirm_email(anonymous, second).json["code"] == "token_invalid"
    assert [user.name for user in User.select().where(User.email_key == "shared@example.org")] == ["Mia"]


def test_a_new_address_requires_a_recent_proof(post: PostOffice, browser: Browsers) -> None:
    mia = browser("mia")
    Session.update(proved_at=present() - timedelta(minutes=16)).execute()

    answer = mia.post("/v1/me/email-change", {"newEmail": "new@example.org"})

    assert (answer.status_code, answer.json["code"], answer.json["factors"]) == (403, "reauth_required", ["password"])
    assert Link.select().count() == 0


def sign_up(browser: Browser, password: str = NEW, email: str = "Zoe@example.org") -> Any:
    answer = browser.post("/v1/auth/signup", {"email": email, "password": password, "name": "Zoe"})
    assert answer.status_code == 202
    return answer


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


def test_a_sign_up_with_a_foreign_address_does_not_choose_its_password(post: PostOffice, anonymous: Browser) -> None:
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


def test_a_repeated_sign_up_with_the_same_password_keeps_the_password(post: PostOffice, anonymous: Browser) -> None:
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


def test_sign_up_is_closed_until_the_instance_is_set_up(post: PostOffice, anonymous: Browser) -> None:
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


def test_an_account_has_the_time_zone_and_language_of_its_sign_up(post: PostOffice, anonymous: Browser) -> None:
    body = {**REQUESTS["/v1/auth/signup"], "timezone": "Europe/Berlin", "locale": "de"}
    anonymous.post("/v1/auth/signup", body)
    [(_, _, token)] = post.links()

    verify(anonymous, token)

    user = User.get(User.name == "Zoe")
    assert (user.timezone, user.locale) == ("Europe/Berlin", "de")
