"""Secrecy and limits of links by mail, and the storage of their tokens."""

from __future__ import annotations

from typing import Any

from redis import Redis

from inbox.config.settings import Settings
from inbox.models.deliveries.mail_outbox import Mail
from inbox.models.people.accounts import User
from inbox.models.people.links import Link
from inbox.models.records.audit import AuditEntry
from inbox.services.instance import system_status
from inbox.services.people.sessions import digest
from tests.api.people.links_steps import (
    CONFIRMATIONS,
    NEW,
    REQUESTS,
    InSettings,
    ask_for_reset,
    old_hash,  # noqa: F401
    post,  # noqa: F401
    reset,
)
from tests.browser import Browser
from tests.cast import Cast, present
from tests.stand_ins.post_office import MAIL_FROM, PostOffice, statements


def test_answers_do_not_reveal_whether_an_address_has_an_account(
    post: PostOffice, anonymous: Browser, cast: Cast, in_settings: InSettings
) -> None:
    in_settings(smtp_url=post.server.url, mail_from=MAIL_FROM, rate_limits=True)
    User.update(disabled_at=present()).where(User.id == cast.users["adam"].id).execute()
    ask_for_reset(anonymous)
    post.delivered()
    answers, requested = [], []
    for email in ("mia@example.org", "nobody@example.org", "adam@example.org", "vic@example.org"):
        requested.append(statements(lambda email=email: answers.append(ask_for_reset(anonymous, email))))

    assert len({answer.data for answer in answers}) == 1
    assert len({tuple(sorted(answer.headers.keys())) for answer in answers}) == 1
    assert requested[0] == requested[1] == requested[2] == requested[3] and len(requested[0]) == 6
    assert [to for to, _, _ in post.links()] == ["mia@example.org", "vic@example.org"]
    assert {row.address for row in Mail.select()} == {"mia@example.org", "vic@example.org", ""}


def test_mails_that_were_never_meant_to_leave_are_no_failure_of_mail(post: PostOffice, anonymous: Browser) -> None:
    ask_for_reset(anonymous, "nobody@example.org")

    mail = system_status.parts()["mail"]

    assert Mail.select().count() == 1
    assert (mail.status, mail.value) == ("ok", 0)


def test_signing_up_reveals_nobody_either(post: PostOffice, anonymous: Browser) -> None:
    answers, requested = [], []
    for email in ("zoe@example.org", "mia@example.org", "ian@example.org"):
        body = {"email": email, "password": NEW, "name": "Zoe"}
        requested.append(statements(lambda body=body: answers.append(anonymous.post("/v1/auth/signup", body))))

    assert {(answer.status_code, answer.data) for answer in answers} == {(202, b'{"status":"accepted"}')}
    assert requested[0] == requested[1] == requested[2]
    reported = {taken.to[0]: taken.text for taken in post.delivered()}
    assert "already" in reported["mia@example.org"] and "#token" not in reported["mia@example.org"]
    assert "#token" in reported["zoe@example.org"]


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


def test_a_link_uses_the_configured_address_and_not_the_host_header(
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
