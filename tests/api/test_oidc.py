"""Signing in through an identity provider: what it does, and everything that comes back as a redirect with a closed code."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import peewee
import pytest
from flask import Flask

from inbox import sealing
from inbox.identity import totp
from inbox.identity.faults import Fault
from inbox.models.sql import base
from inbox.models.sql.base import new_id
from inbox.models.tables.accounts import Session, User
from inbox.models.tables.audit import AuditEntry
from inbox.models.tables.factors import Identity, TotpFactor
from inbox.services import passwords
from inbox.services.authentication_factors import associated_data
from inbox.settings import Settings
from tests.browser import Browser
from tests.cast import Cast, present
from tests.identity.providers import OwnProvider, b64, compact, ec_key, es256, rs256, rsa_key
from tests.mail.servers import MailServer
from tests.post_office import MAIL_FROM, PostOffice

Browsers = Callable[[str], Browser]
InSettings = Callable[..., Settings]
SUBJECT, PASSWORD = "248289761001", "mias own long phrase"
OWN = "/v1/auth/oidc/own"


@pytest.fixture(scope="module")
def password_hash() -> str:
    return passwords.hashed(PASSWORD)


@pytest.fixture
def own(cast: Cast, in_settings: InSettings) -> Iterator[OwnProvider]:
    """A provider that does everything right, and says that whoever comes is `SUBJECT`, mia@example.org."""
    with OwnProvider(now=int(time.time())) as provider:
        in_settings(oidc_providers=(provider.chosen(),))
        yield provider


@pytest.fixture
def linked(own: OwnProvider, cast: Cast) -> Identity:
    """Mia's account is linked with it."""
    return make_identity(cast.users["mia"])


def make_identity(user: User, provider: str = "own", subject: str = SUBJECT) -> Identity:
    return Identity.create(id=new_id(), user=user, provider=provider, subject=subject, created_at=present())


def start(browser: Browser, **body: str) -> str:
    answer = browser.post(f"{OWN}/start", body)
    assert answer.status_code == 200, answer.data
    return str(answer.json["authorizeUrl"])


def back(browser: Browser, answer: dict[str, str], path: str = f"{OWN}/callback") -> Any:
    """The provider's redirect; whatever it says, a redirect into the dashboard is the answer."""
    came = browser.get(f"{path}?{urlencode(answer)}")
    assert came.status_code == 303
    assert came.headers["Location"].startswith(browser.base_url + "/")
    return came


def through(browser: Browser, own: OwnProvider, **body: str) -> Any:
    return back(browser, own.authorize(start(browser, **body)))


def place_of(answer: Any) -> str:
    """Where the browser is sent, below our address."""
    location = urlsplit(answer.headers["Location"])
    return location.path + (f"?{location.query}" if location.query else "")


def fault_of(answer: Any) -> str:
    """The closed code that the sign-in page is told."""
    place, _, code = place_of(answer).partition("?error=")
    assert place == "/login" and code in set(Fault)
    return code


def sessions() -> int:
    return int(Session.select().where(Session.revoked_at.is_null()).count())


def cookies(answer: Any) -> dict[str, str]:
    return {line.partition("=")[0]: line.partition("=")[2] for line in answer.headers.getlist("Set-Cookie")}


def test_the_providers_are_listed_without_what_is_secret(own: OwnProvider, anonymous: Browser) -> None:
    answer = anonymous.get("/v1/auth/providers")

    assert answer.json == {"items": [{"id": "own", "name": "Own"}], "nextCursor": None, "partial": False, "total": 1}
    assert "auth.oidc" in anonymous.get("/v1/info").json["capabilities"]


def test_without_providers_there_is_nothing_to_list_or_to_start(anonymous: Browser) -> None:
    assert anonymous.get("/v1/auth/providers").json["items"] == []
    assert anonymous.post(f"{OWN}/start", {}).status_code == 404
    assert fault_of(back(anonymous, {"code": "x", "state": "y"})) == "provider_unknown"
    assert "auth.oidc" not in anonymous.get("/v1/info").json["capabilities"]


def test_starting_ties_the_sign_in_to_the_browser_for_ten_minutes(own: OwnProvider, anonymous: Browser) -> None:
    answer = anonymous.post(f"{OWN}/start", {})
    asked = parse_qs(urlsplit(answer.json["authorizeUrl"]).query)

    assert asked["redirect_uri"] == [f"{anonymous.base_url}{OWN}/callback"]
    cookie = cookies(answer)["inbox_oidc_8080"]
    assert f"Path={OWN}/callback" in cookie and "Max-Age=600" in cookie
    assert "HttpOnly" in cookie and "SameSite=Lax" in cookie and "Domain" not in cookie


def test_nothing_needs_to_be_said_to_start(own: OwnProvider, anonymous: Browser) -> None:
    assert anonymous.post(f"{OWN}/start").status_code == 200


@pytest.mark.parametrize(
    ("body", "pointer"),
    [({"purpose": "blood"}, "/purpose"), ({"returnTo": "/" + "x" * 600}, "/returnTo"), ({"x": 1}, "/x")],
)
def test_bad_fields_are_told(body: dict[str, Any], pointer: str, own: OwnProvider, anonymous: Browser) -> None:
    answer = anonymous.post(f"{OWN}/start", body)

    assert (answer.status_code, answer.json["errors"][0]["pointer"]) == (422, pointer)


def test_a_provider_that_is_away_is_said_to_be(own: OwnProvider, anonymous: Browser) -> None:
    own.answers["/.well-known/openid-configuration"] = (500, b"<b>canary of the provider</b>")

    answer = anonymous.post(f"{OWN}/start", {})

    assert (answer.status_code, answer.json["code"]) == (503, "unavailable")
    assert b"canary" not in answer.data and answer.headers["Retry-After"]


def test_starts_from_one_address_are_counted(own: OwnProvider, anonymous: Browser, in_settings: InSettings) -> None:
    in_settings(oidc_providers=(own.chosen(),), rate_limits=True, sign_ins_per_address_5min=3)

    statuses = [anonymous.post(f"{OWN}/start", {}).status_code for _ in range(4)]

    assert statuses == [200, 200, 200, 429]


def test_ways_back_from_one_address_are_counted(own: OwnProvider, anonymous: Browser, in_settings: InSettings) -> None:
    in_settings(oidc_providers=(own.chosen(),), rate_limits=True, sign_ins_per_address_5min=3)
    state = own.authorize(start(anonymous))["state"]
    cookie = anonymous.client.get_cookie("inbox_oidc_8080", path=f"{OWN}/callback")
    assert cookie is not None
    faults = []
    for _ in range(5):
        anonymous.client.set_cookie("inbox_oidc_8080", cookie.value, path=f"{OWN}/callback")
        faults.append(fault_of(back(anonymous, {"state": state, "code": "guessed"})))

    assert faults == ["provider_refused"] * 3 + ["rate_limited"] * 2
    assert own.asked_for("/token") == 3


def test_whoever_is_linked_signs_in(own: OwnProvider, linked: Identity, anonymous: Browser, cast: Cast) -> None:
    answer = through(anonymous, own, returnTo="/w/acme?state=open")

    assert place_of(answer) == "/w/acme?state=open"
    assert anonymous.get("/v1/me").json["name"] == "Mia"
    assert "Max-Age=0" in cookies(answer)["inbox_oidc_8080"]
    assert Identity.get_by_id(linked.id).last_used_at is not None
    entry = AuditEntry.get(AuditEntry.action == "session.started")
    assert (entry.actor["name"], entry.details) == ("Mia", {"by": "oidc:own"})


def test_it_is_the_providers_own_name_that_counts_and_no_address(
    own: OwnProvider, linked: Identity, anonymous: Browser
) -> None:
    own.claims = {"email": "olga@example.org", "email_verified": True}
    through(anonymous, own)

    assert anonymous.get("/v1/me").json["email"] == "mia@example.org"


def test_the_browsers_session_until_now_ends(
    own: OwnProvider, linked: Identity, cast: Cast, app: Flask, settings: Settings
) -> None:
    token = cast.cookie("vic")
    through(Browser(app, settings.base_url, cookie=token), own)

    assert sessions() == 1
    assert Browser(app, settings.base_url, cookie=token).get("/v1/me").status_code == 401


@pytest.mark.parametrize(
    "evil", ["//evil.example", "/\\evil.example", "https://evil.example", "javascript:alert(1)", "\t//evil", "w/acme"]
)
def test_nobody_is_sent_elsewhere(evil: str, own: OwnProvider, linked: Identity, anonymous: Browser) -> None:
    assert anonymous.base_url + "/" == through(anonymous, own, returnTo=evil).headers["Location"]


def test_a_second_factor_is_still_asked_for(own: OwnProvider, linked: Identity, anonymous: Browser, cast: Cast) -> None:
    mia, secret = cast.users["mia"], totp.new_secret()
    sealed = sealing.current().seal(secret, associated_data(mia.id))
    TotpFactor.create(user=mia, sealed=sealed, created_at=present(), confirmed_at=present())

    answer = through(anonymous, own, returnTo="/w/acme")

    location = urlsplit(answer.headers["Location"])
    said = {name: values[0] for name, values in parse_qs(location.fragment).items()}
    assert (location.path, location.query, said["factors"], said["returnTo"]) == ("/login", "", "totp", "/w/acme")
    assert "inbox_session_8080" not in cookies(answer) and sessions() == 0
    code = totp.code_of(secret, int(time.time()) // totp.PERIOD)
    finished = anonymous.post("/v1/auth/login/factor", {"challenge": said["challenge"], "factor": "totp", "code": code})
    assert finished.status_code == 200 and anonymous.get("/v1/me").json["name"] == "Mia"


def test_whoever_is_disabled_does_not_sign_in(
    own: OwnProvider, linked: Identity, anonymous: Browser, cast: Cast
) -> None:
    User.update(disabled_at=present()).where(User.id == cast.users["mia"].id).execute()

    assert fault_of(through(anonymous, own)) == "account_disabled"
    assert sessions() == 0


def test_somebody_unknown_does_not_sign_in(own: OwnProvider, anonymous: Browser) -> None:
    own.claims = {"email": "zoe@example.org"}

    assert fault_of(through(anonymous, own)) == "account_unknown"
    assert User.get_or_none(User.email_key == "zoe@example.org") is None and sessions() == 0


def test_where_it_is_allowed_somebody_unknown_gets_an_account(
    own: OwnProvider, anonymous: Browser, in_settings: InSettings
) -> None:
    in_settings(oidc_providers=(own.chosen(allow_signup=True),))
    own.claims = {"email": "Zoe@example.org", "name": " Zoe\nZ. "}

    through(anonymous, own)
    zoe = anonymous.get("/v1/me").json

    assert (zoe["email"], zoe["name"], zoe["isInstanceAdmin"]) == ("Zoe@example.org", "Zoe Z.", False)
    row = User.get(User.email_key == "zoe@example.org")
    assert row.password_hash is None and row.email_verified_at is not None
    through(anonymous, own)
    assert anonymous.get("/v1/me").json["id"] == zoe["id"]
    assert {"account.created", "identity.linked"} <= {entry.action for entry in AuditEntry.select()}


@pytest.mark.parametrize(
    "claims", [{"email": ...}, {"email_verified": False}, {"email_verified": ...}, {"email": "zoe"}]
)
def test_an_address_that_is_not_confirmed_makes_and_links_nothing(
    claims: dict[str, Any], own: OwnProvider, anonymous: Browser, in_settings: InSettings
) -> None:
    in_settings(oidc_providers=(own.chosen(allow_signup=True),))
    own.claims = claims

    answer = through(anonymous, own)

    assert fault_of(answer) == "account_unknown"
    assert "inbox_link_8080" not in cookies(answer)
    assert User.select().count() == 5 and Identity.select().count() == 0 and sessions() == 0


def test_nobody_becomes_the_first_account_through_a_provider(
    own: OwnProvider, anonymous: Browser, in_settings: InSettings, ground: peewee.Database
) -> None:
    in_settings(oidc_providers=(own.chosen(allow_signup=True),))
    User.delete().execute()

    assert fault_of(through(anonymous, own)) == "account_unknown"
    assert User.select().count() == 0


def test_of_many_at_once_one_makes_the_account(
    own: OwnProvider, app: Flask, settings: Settings, in_settings: InSettings
) -> None:
    in_settings(oidc_providers=(own.chosen(allow_signup=True),))
    own.claims = {"email": "zoe@example.org"}

    def come(_: int) -> str:
        return place_of(through(Browser(app, settings.base_url), own))

    with ThreadPoolExecutor(6) as people:
        places = list(people.map(come, range(6)))

    assert places == ["/"] * 6
    assert Identity.select().count() == 1 and sessions() == 6


@pytest.fixture
def mia_has_a_password(cast: Cast, password_hash: str) -> None:
    User.update(password_hash=password_hash).where(User.id == cast.users["mia"].id).execute()


def log_in(browser: Browser, email: str = "mia@example.org") -> Any:
    answer = browser.post("/v1/auth/login", {"email": email, "password": PASSWORD})
    assert answer.status_code == 200
    return answer


def test_an_address_with_an_account_is_linked_when_that_account_is_signed_in_to(
    own: OwnProvider, mia_has_a_password: None, anonymous: Browser, app: Flask, in_settings: InSettings
) -> None:
    with MailServer() as server:
        in_settings(oidc_providers=(own.chosen(),), smtp_url=server.url, mail_from=MAIL_FROM)
        answer = through(anonymous, own)
        assert fault_of(answer) == "sign_in_to_link" and sessions() == 0 and Identity.select().count() == 0
        log_in(anonymous)
        [told] = PostOffice(server).delivered()

    assert (Identity.get().subject, Identity.get().user.name) == (SUBJECT, "Mia")
    assert told.to == ["mia@example.org"] and "An identity provider was added" in told.text
    other = Browser(app, anonymous.base_url)
    assert place_of(through(other, own)) == "/" and other.get("/v1/me").json["name"] == "Mia"
    assert "identity.linked" in {entry.action for entry in AuditEntry.select()}


def test_a_provider_that_claims_somebodys_address_takes_nothing_over(
    own: OwnProvider, mia_has_a_password: None, anonymous: Browser, app: Flask, cast: Cast, password_hash: str
) -> None:
    User.update(password_hash=password_hash).where(User.id == cast.users["eve"].id).execute()
    through(anonymous, own)

    log_in(anonymous, "eve@example.org")
    log_in(Browser(app, anonymous.base_url))

    assert Identity.select().count() == 0


def test_what_waits_to_be_linked_is_linked_once_and_in_time(
    own: OwnProvider, mia_has_a_password: None, anonymous: Browser, app: Flask
) -> None:
    cookie = cookies(through(anonymous, own))["inbox_link_8080"].partition(";")[0]
    log_in(anonymous)
    Identity.delete().execute()
    other = Browser(app, anonymous.base_url)
    for text in (cookie, "", "nonsense", cookie[:-2], cookie.swapcase()):
        other.client.set_cookie("inbox_link_8080", text, path="/v1/auth")
        assert log_in(other).status_code == 200

    assert Identity.select().count() == 0


def rewound(browser: Browser) -> None:
    """All sessions were proved an hour ago."""
    Session.update(proved_at=present() - timedelta(hours=1)).execute()


def is_proved() -> list[bool]:
    return [row.proved_at > present() - timedelta(minutes=1) for row in Session.select().order_by(Session.created_at)]


def test_the_linked_person_proves_themselves_again_in_this_session(
    own: OwnProvider, linked: Identity, browser: Browsers
) -> None:
    mia, _ = browser("mia"), browser("mia")
    rewound(mia)
    own.claims = {"auth_time": int(time.time())}

    answer = through(mia, own, purpose="step-up", returnTo="/settings")

    assert place_of(answer) == "/settings"
    assert is_proved() == [True, False]
    assert AuditEntry.get(AuditEntry.action == "session.reauthenticated").details == {"by": "oidc:own"}


@pytest.mark.parametrize(
    ("claims", "fault"),
    [
        ({"auth_time": 1}, "identity_not_recent"),
        ({}, "identity_not_recent"),
        ({"sub": "somebody else"}, "identity_mismatch"),
        ({"sub": "of olga"}, "identity_mismatch"),
    ],
)
def test_what_does_not_prove_this_person_now_proves_nothing(
    claims: dict[str, Any], fault: str, own: OwnProvider, linked: Identity, browser: Browsers, cast: Cast
) -> None:
    make_identity(cast.users["olga"], subject="of olga")
    mia = browser("mia")
    rewound(mia)
    own.claims = {"auth_time": int(time.time()), **claims} if "sub" in claims else claims

    assert fault_of(through(mia, own, purpose="step-up")) == fault
    assert is_proved() == [False]


@pytest.mark.parametrize("purpose", ["step-up", "link"])
def test_what_a_session_began_another_one_does_not_finish(
    purpose: str, own: OwnProvider, browser: Browsers, cast: Cast, app: Flask
) -> None:
    mia = browser("mia")
    own.claims = {"auth_time": int(time.time())}
    answer = own.authorize(start(mia, purpose=purpose))
    mia.client.set_cookie("inbox_session_8080", cast.cookie("vic"))
    rewound(mia)

    assert fault_of(back(mia, answer)) == "session_ended"
    assert is_proved() == [False, False] and Identity.select().count() == 0


@pytest.mark.parametrize("purpose", ["step-up", "link"])
def test_whoever_is_not_signed_in_cannot_begin_it(purpose: str, own: OwnProvider, anonymous: Browser) -> None:
    answer = anonymous.post(f"{OWN}/start", {"purpose": purpose})

    assert (answer.status_code, answer.json["code"]) == (401, "unauthenticated")


def test_an_identity_is_linked_from_within(own: OwnProvider, browser: Browsers) -> None:
    vic = browser("vic")
    for _ in range(2):
        assert place_of(through(vic, own, purpose="link", returnTo="/settings")) == "/settings"

    assert [row.user.name for row in Identity.select()] == ["Vic"]


def test_linking_wants_a_recent_proof(own: OwnProvider, browser: Browsers) -> None:
    vic = browser("vic")
    rewound(vic)

    answer = vic.post(f"{OWN}/start", {"purpose": "link"})

    assert (answer.status_code, answer.json["code"], answer.json["factors"]) == (403, "reauth_required", [])


def test_an_identity_is_one_persons(own: OwnProvider, linked: Identity, browser: Browsers) -> None:
    assert fault_of(through(browser("vic"), own, purpose="link")) == "identity_taken"
    assert [row.user.name for row in Identity.select()] == ["Mia"]


def test_an_identity_is_unlinked_and_signs_nobody_in_any_more(
    own: OwnProvider, linked: Identity, mia_has_a_password: None, browser: Browsers, anonymous: Browser
) -> None:
    mia = browser("mia")
    answers = [mia.delete("/v1/me/identities/own") for _ in range(2)]

    assert [answer.status_code for answer in answers] == [204, 404]
    assert fault_of(through(anonymous, own)) == "sign_in_to_link"
    [entry] = AuditEntry.select().where(AuditEntry.action == "identity.unlinked")
    assert set(entry.details["record"]) == {"provider", "email", "createdAt", "lastUsedAt"}


def test_the_last_way_in_stays(own: OwnProvider, linked: Identity, browser: Browsers) -> None:
    answer = browser("mia").delete("/v1/me/identities/own")

    assert (answer.status_code, answer.json["code"]) == (409, "conflict")
    assert Identity.select().count() == 1


def test_nobody_unlinks_somebody_else(own: OwnProvider, linked: Identity, browser: Browsers) -> None:
    eve = browser("eve")
    assert eve.delete("/v1/me/identities/own").status_code == 404
    rewound(eve)
    assert eve.delete("/v1/me/identities/own").json["code"] == "reauth_required"
    assert Identity.select().count() == 1


BAD_TOKENS: dict[str, dict[str, Any]] = {
    "another issuer": {"claims": {"iss": "https://evil.example"}},
    "another client": {"claims": {"aud": "somebody else"}},
    "expired": {"claims": {"exp": 1}},
    "no nonce": {"claims": {"nonce": ...}},
    "another nonce": {"claims": {"nonce": "x"}},
    "no subject": {"claims": {"sub": ...}},
    "another key": {"token": lambda claims: compact({"alg": "RS256", "kid": "k1"}, claims, rs256(rsa_key("evil")))},
    "another kind of key": {"token": lambda claims: compact({"alg": "ES256", "kid": "k1"}, claims, es256(ec_key("e")))},
    "no signature": {"token": lambda claims: compact({"alg": "none"}, claims, lambda _: b"")},
    "no token": {"token": lambda claims: None},
    "not a token": {"token": lambda claims: "<b>canary</b>"},
    "a token as an object": {"token": lambda claims: {"a": claims}},
    "an algorithm that is a list": {"token": lambda claims: compact({"alg": ["RS256"]}, claims, rs256(rsa_key("own")))},
    "a subject with NUL": {"claims": {"sub": "a\0b"}},
    "a subject with half a character": {"claims": {"sub": "a\ud800b"}},
    "a deep claim": {"token": lambda claims: signed_text(b'{"a":' * 3_000 + b"1" + b"}" * 3_000)},
    "a header that is a list": {"token": lambda claims: f"{b64(b'[]')}.{b64(b'{}')}.{b64(b'x')}"},
}


@pytest.mark.parametrize("name", BAD_TOKENS)
def test_a_bad_token_signs_nobody_in(name: str, own: OwnProvider, linked: Identity, anonymous: Browser) -> None:
    for field, value in BAD_TOKENS[name].items():
        setattr(own, field, value)

    answer = through(anonymous, own)

    assert fault_of(answer) == "identity_unproved"
    assert "inbox_session_8080" not in cookies(answer) and sessions() == 0


def signed_text(claims: bytes) -> str:
    """A token of the provider's own, with this text for its claims."""
    head = b64(b'{"alg":"RS256","kid":"k1"}')
    told = f"{head}.{b64(claims)}"
    return f"{told}.{b64(rs256(rsa_key('own'))(told.encode()))}"


def test_an_answer_is_good_once(own: OwnProvider, linked: Identity, anonymous: Browser, app: Flask) -> None:
    answer = own.authorize(start(anonymous))
    jar = anonymous.client.get_cookie("inbox_oidc_8080", path=f"{OWN}/callback")
    assert jar is not None
    back(anonymous, answer)
    thief = Browser(app, anonymous.base_url)
    thief.client.set_cookie("inbox_oidc_8080", jar.value, path=f"{OWN}/callback")

    assert fault_of(back(anonymous, answer)) == "sign_in_expired"
    assert fault_of(back(thief, answer)) in ("provider_refused", "sign_in_expired")
    assert sessions() == 1


def test_a_ticket_is_acted_on_once_even_if_the_provider_would_answer_twice(
    own: OwnProvider, linked: Identity, anonymous: Browser, app: Flask
) -> None:
    url = start(anonymous)
    jar = anonymous.client.get_cookie("inbox_oidc_8080", path=f"{OWN}/callback")
    assert jar is not None
    back(anonymous, own.authorize(url))
    thief = Browser(app, anonymous.base_url)
    thief.client.set_cookie("inbox_oidc_8080", jar.value, path=f"{OWN}/callback")

    assert fault_of(back(thief, own.authorize(url))) == "sign_in_expired"
    assert sessions() == 1


def test_an_answer_is_good_in_the_browser_that_asked_only(
    own: OwnProvider, linked: Identity, anonymous: Browser, app: Flask
) -> None:
    victim = Browser(app, anonymous.base_url)
    attackers = own.authorize(start(anonymous))

    assert fault_of(back(victim, attackers)) == "sign_in_expired"
    mine = own.authorize(start(victim))
    assert fault_of(back(victim, attackers)) == "sign_in_mismatch"
    assert place_of(back(victim, mine)) == "/"  # what is not an answer to it has not ended it


def test_an_answer_of_one_provider_is_none_of_another(
    own: OwnProvider, linked: Identity, anonymous: Browser, in_settings: InSettings
) -> None:
    with OwnProvider(now=int(time.time())) as evil:
        in_settings(oidc_providers=(own.chosen(), evil.chosen(id="evil", name="Evil")))
        answer = own.authorize(start(anonymous))
        jar = anonymous.client.get_cookie("inbox_oidc_8080", path=f"{OWN}/callback")
        assert jar is not None
        anonymous.client.set_cookie("inbox_oidc_8080", jar.value, path="/v1/auth/oidc/evil/callback")

        assert fault_of(back(anonymous, answer, "/v1/auth/oidc/evil/callback")) == "sign_in_expired"
        anonymous.post("/v1/auth/oidc/evil/start", {})
        assert fault_of(back(anonymous, answer, "/v1/auth/oidc/evil/callback")) == "sign_in_mismatch"
        assert evil.asked_for("/token") == 0
    assert sessions() == 0


@pytest.mark.parametrize(
    ("query", "fault"),
    [
        ("", "sign_in_mismatch"),
        ("state=%00&code=%ff", "sign_in_mismatch"),
        ("state=%C3%A9&code=x", "sign_in_mismatch"),
        ("state&code&state=x&state=y", "sign_in_mismatch"),
        ("%%%=1&&&=&a[]=b", "sign_in_mismatch"),
        ("error=access_denied", "sign_in_mismatch"),
        ("state=STATE&error=access_denied&error_description=<script>canary", "sign_in_cancelled"),
        ("state=STATE&error=canary", "provider_refused"),
        ("state=STATE", "sign_in_mismatch"),
        ("state=STATE&code=forged", "provider_refused"),
        ("state=STATE&code=" + "x" * 5000, "sign_in_mismatch"),
        ("state=STATE&code=x&iss=https%3A%2F%2Fevil.example", "sign_in_mismatch"),
    ],
)
def test_a_malformed_answer_is_a_redirect_with_a_closed_code(
    query: str, fault: str, own: OwnProvider, anonymous: Browser
) -> None:
    state = own.authorize(start(anonymous))["state"]

    answer = anonymous.get(f"{OWN}/callback?{query.replace('STATE', state)}")

    assert answer.status_code == 303
    assert fault_of(answer) == fault
    assert "canary" not in answer.headers["Location"] and b"canary" not in answer.data and sessions() == 0


@pytest.mark.parametrize("provider_id", ["nobody", "OWN", "own%20", "%00", "x" * 300, "'--", "é"])
def test_a_provider_that_is_not_there_is_a_redirect_too(provider_id: str, own: OwnProvider, anonymous: Browser) -> None:
    path = f"/v1/auth/oidc/{provider_id}/callback"

    assert fault_of(back(anonymous, {"code": "x", "state": "y"}, path)) == "provider_unknown"
    assert anonymous.post(f"/v1/auth/oidc/{provider_id}/start", {}).status_code == 404


def test_a_provider_that_fails_on_the_way_back_is_a_redirect(
    own: OwnProvider, linked: Identity, anonymous: Browser
) -> None:
    answer = own.authorize(start(anonymous))
    own.answers["/token"] = (500, b"canary")

    assert fault_of(back(anonymous, answer)) == "provider_unavailable"


def test_a_database_that_is_away_is_a_redirect(own: OwnProvider, linked: Identity, anonymous: Browser) -> None:
    answer, kept = own.authorize(start(anonymous)), base.db.obj
    base.open_database("postgresql://nobody@127.0.0.1:1/nothing", application="inbox-test")
    came = back(anonymous, answer)
    base.db.initialize(kept)

    assert fault_of(came) == "unavailable"


def test_a_failure_of_ours_is_a_redirect(
    own: OwnProvider, linked: Identity, anonymous: Browser, ground: peewee.Database, lines: Any
) -> None:
    answer = own.authorize(start(anonymous))
    ground.execute_sql("ALTER TABLE identities RENAME TO gone")
    try:
        came = back(anonymous, answer)
    finally:
        ground.execute_sql("ALTER TABLE gone RENAME TO identities")

    assert fault_of(came) == "internal_error"
    assert any(line["event"] == "callback failed" for line in lines())


def test_over_https_its_cookies_are_secure(own: OwnProvider, anonymous: Browser, in_settings: InSettings) -> None:
    in_settings(oidc_providers=(own.chosen(),), base_url="https://inbox.example.org")
    anonymous.base_url = "https://inbox.example.org"

    answer = anonymous.post(f"{OWN}/start", {})

    cookie = cookies(answer)["__Secure-inbox_oidc"]
    assert "Secure;" in cookie and f"Path={OWN}/callback" in cookie and "HttpOnly" in cookie
    assert parse_qs(urlsplit(answer.json["authorizeUrl"]).query)["redirect_uri"] == [
        f"https://inbox.example.org{OWN}/callback"
    ]


def test_nothing_of_a_sign_in_is_logged(own: OwnProvider, linked: Identity, anonymous: Browser, lines: Any) -> None:
    answer = own.authorize(start(anonymous))
    came = back(anonymous, answer)
    fault_of(back(anonymous, {"state": "x", "code": answer["code"], "error_description": "canary"}))
    written = str(lines())

    token = cookies(came)["inbox_session_8080"].partition(";")[0]
    for secret in (answer["code"], answer["state"], token, "mia@example.org", SUBJECT, "canary"):
        assert secret not in written
    assert "sign_in_expired" in written
