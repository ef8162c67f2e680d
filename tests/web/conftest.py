"""A running service, the built dashboard, and a real Chromium.

Without one of them the tests are skipped with a reason.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ops import dashboard
from tests.runner.ports import free_port
from tests.stand_ins.receivers import Receiver
from tests.up import Up, started
from tests.web.preferences import restore
from tests.web.records import NIGHTLY, create_records
from tests.web.service import EMAIL, PASSWORD, FirstAccount, Service

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
playwright.expect.set_options(timeout=60_000)

ARGUMENTS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
DESKTOP, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
NAMES = ("chromium", "chromium-browser", "google-chrome")
LEGAL_LINKS = {"Imprint": "https://legal.example/imprint", "Data protection": "https://legal.example/privacy?lang=en"}
SHELL = "chromium-headless-shell"
"""The same engine without the parts of a desktop. It costs a third less and has no notifications."""


def chromium(*preferred: str) -> str:
    """`CHROMIUM_PATH`, else what is on the path. Without a browser the test is skipped."""
    path = os.environ.get("CHROMIUM_PATH") or next(filter(None, map(shutil.which, (*preferred, *NAMES))), None)
    if path is None:
        pytest.skip("no Chromium here: apt-get install chromium, or set CHROMIUM_PATH")
    return path


@pytest.fixture(scope="package")
def built() -> None:
    """The dashboard of these sources."""
    lines: list[str] = []
    if not dashboard.build(lines.append):
        pytest.skip(" ".join(lines))


@pytest.fixture(scope="package")
def launch() -> Iterator[Callable[[str], Any]]:
    """Starts the browser at a path, once for all tests."""
    from ops.screenshots.driver import browser_driver

    with browser_driver() as running:
        yield cache(lambda path: running.chromium.launch(executable_path=path, args=ARGUMENTS))


@pytest.fixture(scope="package")
def browser(launch: Callable[[str], Any]) -> Any:
    return launch(chromium(SHELL))


@pytest.fixture(scope="package")
def desktop_browser(launch: Callable[[str], Any]) -> Any:
    """Chromium with notifications."""
    return launch(chromium())


@pytest.fixture(scope="package")
def up(built: None, browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """`bin/up` on a fresh data directory, before anybody has an account."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("INBOX_PUSH_HOSTS", "127.0.0.1")  # push services of tests
        patched.setenv("INBOX_MAIL_IN_PORT", str(free_port()))
        patched.setenv("INBOX_PAIRING_ATTEMPTS_PER_ADDRESS", "1000")  # all phones of the tests are one address
        patched.setenv("INBOX_LEGAL_LINKS", ",".join(f"{name}={url}" for name, url in LEGAL_LINKS.items()))
        with started(tmp_path_factory.mktemp("dashboard"), "--web", "1", "--workers", "1") as running:
            yield running


@pytest.fixture(scope="package")
def first_account(up: Up, browser: Any) -> FirstAccount:
    """Olga opens the set-up link, chooses a common password, reads that it is common, and chooses another one."""
    page = browser.new_context(viewport=DESKTOP).new_page()
    page.set_default_timeout(60_000)
    page.goto(f"{up.address}/setup#token={up.setup_token}")
    page.get_by_label("Email address").fill(EMAIL)
    page.get_by_label("Your name").fill("Olga Ivanova")
    password = page.get_by_role("textbox", name="Password")
    password.fill("password12")
    page.get_by_role("button", name="Create the account").click()
    refusal = page.locator(".mantine-PasswordInput-error, [role=alert]").first.inner_text()
    password.fill(PASSWORD)
    page.get_by_role("button", name="Create the account").click()
    page.get_by_role("button", name="Account of Olga Ivanova").wait_for()
    seen = FirstAccount(refusal, page.url)
    page.context.close()
    return seen


@pytest.fixture(scope="package")
def service(up: Up, first_account: FirstAccount) -> Service:
    """The same service once Olga has set it up, with a source and incidents."""
    return Service.of(up)


@pytest.fixture(scope="package")
def records(service: Service) -> Iterator[dict[str, str]]:
    """The ids of one record of each kind, by their names in `SCREENS`."""
    with Receiver() as receiver:
        yield create_records(service, receiver, NIGHTLY)


Open = Callable[..., Any]


@pytest.fixture
def visit(browser: Any) -> Iterator[Open]:
    """Opens pages in their own contexts. What a page logs as an error, such as a violated policy, fails the test."""
    yield from visits(browser)


def visits(browser: Any) -> Iterator[Open]:
    """The fixture `visit` of a browser."""
    contexts, errors = [], []

    def open_page(
        size: dict[str, int] = DESKTOP, theme: str = "light", service: Service | None = None, **options: Any
    ) -> Any:
        # A worker would store the whole app in each new context, and each frame of a transition is drawn without a GPU.
        options = {"service_workers": "block", "reduced_motion": "reduce", **options}
        context = browser.new_context(viewport=size, color_scheme=theme, has_touch=size is PHONE, **options)
        contexts.append(context)
        if service is not None:
            context.add_cookies(service.cookies())
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda fault: errors.append(str(fault)))
        page.on("console", lambda line: errors.append(line.text) if "Content Security Policy" in line.text else None)
        return page

    yield open_page
    for context in contexts:
        for page in context.pages:
            # A handler that still fetches would raise in the next test.
            page.unroute_all(behavior="ignoreErrors")
        context.close()
    assert errors == []


@pytest.fixture(scope="package")
def axe() -> str:
    """The script of axe-core, from the packages of the dashboard."""
    return (Path(dashboard.MODULES) / "axe-core" / "axe.min.js").read_text()


@pytest.fixture
def restored(service: Service) -> Iterator[None]:
    """Olga's preferences are the default ones after the test."""
    yield
    restore(service)
