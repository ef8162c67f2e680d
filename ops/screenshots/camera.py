"""Takes the pictures with Chromium: each screen, in both themes, wide and on a phone."""

from __future__ import annotations

import base64
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import Browser, BrowserContext, Page
from playwright.sync_api import TimeoutError as NotShown

from ops.screenshots.driver import browser_driver
from ops.screenshots.instance import Instance
from ops.screenshots.pictures import PHONE, SCREENS, SIZES, THEMES

ARGUMENTS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--font-render-hinting=none"]
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome")
QUALITY = 86
SECONDS = 120
"""The longest time in which a page must show its headline, because the machine may be busy."""

SETTLED_MS = 400
"""The time that a page has without requests before its picture, so that charts and numbers are drawn."""


class Selection(NamedTuple):
    """The pictures to take: screens (all without names), themes and sizes, as `png` or `webp`."""

    screens: Sequence[str] = ()
    themes: Sequence[str] = THEMES
    sizes: Sequence[str] = tuple(SIZES)
    kind: str = "webp"
    seconds: float = SECONDS


class NoBrowser(Exception):
    """No Chromium was found. The text says how to install one."""


def chromium() -> str:
    """Returns the path of Chromium: `CHROMIUM_PATH`, else the one on the path. Raises `NoBrowser`."""
    found = os.environ.get("CHROMIUM_PATH") or next(filter(None, map(shutil.which, CHROMIUMS)), None)
    if found is None:
        raise NoBrowser("No Chromium was found: apt-get install chromium, or set CHROMIUM_PATH.")
    return found


@contextmanager
def browser() -> Iterator[Browser]:
    """Runs a Chromium within the block. Raises `NoBrowser`."""
    with browser_driver() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        try:
            yield launched
        finally:
            launched.close()


def take(
    launched: Browser, instance: Instance, directory: Path, selection: Selection, say: Callable[[str], None]
) -> list[str]:
    """Writes the wanted pictures as `SCREEN-THEME-SIZE.KIND`. Returns the names of the ones that failed.

    A busy machine can keep a page from its headline for minutes. Such a page is opened once more.
    """
    directory.mkdir(parents=True, exist_ok=True)
    ids = instance.ids()
    chosen = [screen for screen in SCREENS if not selection.screens or screen.name in selection.screens]
    missing: list[str] = []
    for theme, size, signed_in in product(selection.themes, selection.sizes, (True, False)):
        screens = [screen for screen in chosen if screen.signed_in is signed_in]
        if not screens:
            continue
        with _context(launched, instance.cookies if signed_in else [], theme, size) as context:
            context.set_default_timeout(selection.seconds * 1000)
            for screen in screens:
                file = directory / f"{screen.name}-{theme}-{size}.{selection.kind}"
                address = instance.address + screen.path.format(**ids)
                picture = _attempt(context, address, selection.kind) or _attempt(context, address, selection.kind)
                if picture is None:
                    missing.append(file.name)
                    say(f"{file.name}  not taken: no headline within {selection.seconds:g} s, twice")
                else:
                    file.write_bytes(picture)
                    say(f"{file.name}  {len(picture) / 1024:.0f} KB")
    return missing


def _attempt(context: BrowserContext, address: str, kind: str) -> bytes | None:
    """Returns the picture from a new page, or None when the page is not shown in time."""
    page = context.new_page()
    try:
        page.goto(address)
        return _picture(page, kind)
    except NotShown:
        return None
    finally:
        page.close()


@contextmanager
def _context(launched: Browser, cookies: list[dict[str, str]], theme: str, size: str) -> Iterator[BrowserContext]:
    """Yields a browser of one theme and size, with one session or none."""
    viewport: Any = SIZES[size]
    context = launched.new_context(
        viewport=viewport, color_scheme="dark" if theme == "dark" else "light", locale="en-GB",
        has_touch=viewport is PHONE, is_mobile=viewport is PHONE, reduced_motion="reduce",
    )  # fmt: skip
    try:
        if cookies:
            context.add_cookies([{**cookie} for cookie in cookies])  # type: ignore[typeddict-item]
        yield context
    finally:
        context.close()


def _picture(page: Page, kind: str) -> bytes:
    """Returns the visible part of the page, once its headline is there and nothing is loading."""
    page.locator("h1").first.wait_for()
    page.wait_for_function("() => document.fonts.status === 'loaded'")
    page.wait_for_function("() => !document.querySelector('.mantine-Skeleton-root, .mantine-Loader-root')")
    page.wait_for_timeout(SETTLED_MS)
    if kind == "png":
        return page.screenshot(type="png")
    session = page.context.new_cdp_session(page)
    taken = session.send("Page.captureScreenshot", {"format": "webp", "quality": QUALITY})
    return base64.b64decode(taken["data"])
