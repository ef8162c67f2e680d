"""A real browser with a virtual authenticator makes a passkey, signs in with it, and proves itself again.

Specification 11.4.

The pages of the dashboard are not needed: the browser's own `navigator.credentials` is called with what the API answers,
on the service's own address.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from inbox.config.settings import Settings
from inbox.models.people.accounts import Session, User
from inbox.models.people.factors import Passkey
from inbox.services.people import passwords
from tests.cast import Cast
from tests.live.web import Web
from tests.runner.ports import free_port

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
PASSWORD = "mias own long phrase"
ARGUMENTS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}
CALL = """async ([method, path, body]) => {
    const options = {method, headers: {"Content-Type": "application/json"}};
    const answer = await fetch(path, body === null ? options : {...options, body: JSON.stringify(body)});
    const text = await answer.text();
    return {status: answer.status, body: text ? JSON.parse(text) : null};
}"""
MAKE = """async (options) => {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
    return (await navigator.credentials.create({publicKey})).toJSON();
}"""
SHOW = """async (options) => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
    return (await navigator.credentials.get({publicKey})).toJSON();
}"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: apt-get install chromium"),
]


class Visit:
    """A page of the service in the browser, and what its scripts would do."""

    def __init__(self, page: Any) -> None:
        self.page = page

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """A request as a script of our own page sends it."""
        answer = self.page.evaluate(CALL, [method, path, body])
        return answer["status"], answer["body"]

    def make(self, options: dict[str, Any]) -> Any:
        """`navigator.credentials.create`, as JSON."""
        return self.page.evaluate(MAKE, options)

    def show(self, options: dict[str, Any]) -> Any:
        """`navigator.credentials.get`, as JSON."""
        return self.page.evaluate(SHOW, options)


@pytest.fixture
def web(cast: Cast, settings: Settings, tmp_path: Path) -> Iterator[Web]:
    port = free_port()
    chosen = replace(settings, base_url=f"http://localhost:{port}")
    with Web.start(chosen, tmp_path, workers=1, port=port) as web:
        yield web


@pytest.fixture
def visit(web: Web) -> Iterator[Visit]:
    from ops.screenshots.driver import browser_driver

    with browser_driver() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, headless=True, args=ARGUMENTS)
        page = browser.new_context(bypass_csp=True).new_page()  # the page is bare, and its policy forbids all
        page.goto(f"http://localhost:{web.port}/healthz")
        session = page.context.new_cdp_session(page)
        session.send("WebAuthn.enable")
        session.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})
        yield Visit(page)
        browser.close()


def test_a_passkey_is_made_signs_in_alone_and_beside_the_password_and_proves_again(visit: Visit, cast: Cast) -> None:
    mia = cast.users["mia"]
    User.update(password_hash=passwords.hashed(PASSWORD)).where(User.id == mia.id).execute()
    login = {"email": mia.email, "password": PASSWORD}
    assert visit.call("POST", "/v1/auth/login", login)[0] == 200

    _, requested = visit.call("POST", "/v1/me/passkeys/options", {})
    made = visit.make(requested["options"])
    body = {"challenge": requested["challenge"], "credential": made, "name": "Virtual"}
    status, passkey = visit.call("POST", "/v1/me/passkeys", body)
    assert status == 201 and passkey["name"] == "Virtual" and len(passkey["recoveryCodes"]) == 10

    visit.call("POST", "/v1/auth/logout", {})
    assert visit.call("GET", "/v1/me")[0] == 401
    _, requested = visit.call("POST", "/v1/auth/passkey/options", {})
    alone = {"challenge": requested["challenge"], "credential": visit.show(requested["options"])}
    status, answer = visit.call("POST", "/v1/auth/passkey", alone)
    assert (status, answer["user"]["name"]) == (200, "Mia")
    assert visit.call("POST", "/v1/auth/passkey", alone)[0] == 401

    visit.call("POST", "/v1/auth/logout", {})
    _, requested = visit.call("POST", "/v1/auth/login", login)
    assert requested["factors"] == ["passkey", "recovery_code"]
    _, options = visit.call("POST", "/v1/auth/login/options", {"challenge": requested["challenge"]})
    beside = {"challenge": requested["challenge"], "factor": "passkey", "credential": visit.show(options["options"])}
    assert visit.call("POST", "/v1/auth/login/factor", beside)[0] == 200

    before = Session.select().where(Session.revoked_at.is_null()).get().proved_at
    _, requested = visit.call("POST", "/v1/auth/step-up/options", {})
    repeated = {
        "factor": "passkey",
        "challenge": requested["challenge"],
        "credential": visit.show(requested["options"]),
    }
    assert visit.call("POST", "/v1/auth/step-up", repeated)[0] == 204
    assert Session.select().where(Session.revoked_at.is_null()).get().proved_at > before
    assert Passkey.get().sign_count > 0
