"""Opens pages in journeys, finds rows, and looks for violations of accessibility."""

from __future__ import annotations

from typing import Any

import pytest

from tests.web.conftest import Open
from tests.web.layout import layout_faults
from tests.web.service import PASSWORD, Service

NotShown = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").TimeoutError

WIDTHS = (1440, 1024, 390)
"""A desktop, a laptop with a sidebar that is narrow, and a phone; in pixels."""

COLOUR_RULES = ("color-contrast", "link-in-text-block")
"""The rules whose result may differ between the themes."""

LAYOUT_RULES = ("color-contrast", "scrollable-region-focusable", "target-size")
"""The rules whose result may differ between widths with the same visible elements: they look at overlap, overflow and size."""

VISIBLE = """([within]) => [...document.querySelectorAll(within ? `:is(${within}) *` : '*')]
  .filter((each) => each.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
  .map((each) => [each.tagName, ...[...each.attributes].map(({ name, value }) => name + value)
    .filter((attribute) => !/^(style|data-resizing)/.test(attribute))]).join()"""
"""The visible elements with their attributes, without texts and measures. Mantine marks the moment after a resize."""

AXE = """([only, within]) => axe.run(within || document, {
  runOnly: only.length ? only : ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  resultTypes: ['violations'],
  preload: false,
})"""

QUERY_CACHE = """(() => {
  const root = document.getElementById('root');
  const container = root[Object.keys(root).find((each) => each.startsWith('__reactContainer$'))];
  const clients = (fiber) => fiber && (fiber.memoizedProps?.client?.getQueryCache ? fiber.memoizedProps.client
    : clients(fiber.child) ?? clients(fiber.sibling));
  return clients(container.stateNode.current);
})()"""
"""The query client of the dashboard, found through React: the dashboard gives no handle to it."""

SETTLED = f"""() => document.querySelector('h1')
  && {QUERY_CACHE}.isFetching() === 0
  && !document.querySelector('.mantine-Skeleton-root')
  && document.getAnimations().every((each) => each.playState !== 'running')"""
"""The screen is there, nothing is being read, and nothing moves."""

PAINTED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))"


def signed_in(visit: Open, service: Service, path: str, **more: Any) -> Any:
    """A page at `path` with Olga signed in, in its own browser."""
    page = visit(service=service, **more)
    page.goto(service.address + path)
    return page


def go_by_keys(page: Any, key: str, target: Any) -> None:
    """Press `g` and the key until the target is there: on a busy machine the second may come too late for the first."""
    for _ in range(5):
        page.keyboard.press("g")
        page.keyboard.press(key)
        try:
            target.wait_for(timeout=15_000)
        except NotShown:
            continue
        return
    raise AssertionError(f"g {key} leads nowhere")


def stored_secret(page: Any) -> str:
    """The secret of the open dialog, which closes once the person has said that it is stored."""
    dialog = page.get_by_role("dialog")
    secret: str = dialog.locator("[data-secret]").inner_text()
    dialog.get_by_label("I have stored it").check()
    dialog.get_by_role("button", name="Done").click()
    return secret


def prove(page: Any, *, done: Any) -> None:
    """Give the password where the service asks for a recent proof. `done` appears afterwards, or without the question."""
    field = page.get_by_role("dialog").get_by_role("textbox", name="Password")
    field.or_(done).first.wait_for()
    if field.count():
        field.fill(PASSWORD)
        page.get_by_role("dialog").locator("button[type=submit]").last.click()
        done.first.wait_for()


def load(page: Any, address: str) -> None:
    """Load a screen, also where its address differs from the open one by the fragment alone."""
    if page.url.partition("#")[0] == address.partition("#")[0]:
        page.goto("about:blank")
    page.goto(address)


def show(page: Any, path: str) -> None:
    """Change to another screen of the loaded app, as a link does. This costs a third of the processor time of loading it."""
    page.evaluate("(path) => history.pushState(null, '', path)", path)
    page.evaluate(PAINTED)
    settled(page)


def settled(page: Any) -> None:
    """Wait until the screen shows what it has read. Looking at each frame, as Playwright does, makes the browser paint."""
    page.wait_for_function(SETTLED, polling=50)


def violations(page: Any, axe: str, rules: tuple[str, ...] = (), within: str = "") -> list[tuple[str, list[str]]]:
    """What violates these rules of accessibility now, or any rule; each rule with up to three elements."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe)
    found = page.evaluate(AXE, [list(rules), within])["violations"]
    return [(each["id"], [node["html"][:160] for node in each["nodes"]][:3]) for each in found]


def violations_everywhere(
    page: Any, axe: str, sizes: tuple[int, ...] = WIDTHS, within: str = ""
) -> list[tuple[str, int, str, list[str]]]:
    """Violations of the open page: theme, width, rule, elements. The page is light and as wide as the first size afterwards.

    1. Light: the layout at each width. All rules at each width that shows other elements than the widths before. At another
       width only layout changes.
    2. Dark: the rules about colours, at the widths that show different elements.

    After the first width only the elements `within` are examined, where something else examines the others.
    """
    touch = page.context.new_cdp_session(page)
    found = []

    widths: dict[str, int] = {}

    def examine(theme: str, width: int, rules: tuple[str, ...]) -> None:
        part = within if widths else ""
        found.extend((theme, width, *each) for each in violations(page, axe, rules, part))

    for width in sizes:
        _resize(page, touch, width)
        found.extend(("light", width, *each) for each in layout_faults(page, overlaps=not within))
        elements = page.evaluate(VISIBLE, [within])
        examine("light", width, LAYOUT_RULES if elements in widths else ())
        widths.setdefault(elements, width)
    _change_theme(page, "dark")
    for width in reversed(widths.values()):
        _resize(page, touch, width)
        examine("dark", width, COLOUR_RULES)
    _change_theme(page, "light")
    touch.detach()
    return found


def _resize(page: Any, touch: Any, width: int) -> None:
    """A phone has a touch screen."""
    if page.viewport_size["width"] != width:
        page.set_viewport_size({"width": width, "height": 900})
        touch.send("Emulation.setTouchEmulationEnabled", {"enabled": width < 500})
    page.evaluate(PAINTED)
    settled(page)


def _change_theme(page: Any, theme: str) -> None:
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.locator(f"html[data-mantine-color-scheme={theme}]").wait_for(state="attached")
    page.evaluate(PAINTED)
