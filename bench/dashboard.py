"""Measures the inbox in a real browser: first render, event to row, memory of a tab, ten thousand rows.

`bin/bench dashboard --minutes 60` follows five changes a second for an hour.
"""

from __future__ import annotations

import http.client
import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from bench.dataset import fill
from bench.environment import Api, BenchEnvironment
from bench.figures import Effort, Measurement, share
from bench.programs import Program
from inbox.database.base import db
from ops import dashboard
from ops.screenshots.camera import NoBrowser, browser

EVENTS_FOR_EACH = 250
"""As in `lists`: half a million incidents, or fifty thousand when it is quick."""

SIZE = {"width": 1440, "height": 900}
RENDERS = 10
CHANGES_PER_SECOND = 5
CHANGED_KEYS = 200
PAGE_ROWS = 50
PATIENCE_MS = 60_000

WATCH = """
window.bench = { first: null, rows: {} };
new MutationObserver(() => {
  const rows = document.querySelectorAll('[data-incident]');
  if (rows.length > 0 && window.bench.first === null) window.bench.first = performance.now();
  for (const row of [...rows].slice(0, 5)) {
    const title = row.querySelector('[data-title]')?.lastChild?.textContent;
    if (title) window.bench.rows[title] ??= Date.now();
  }
}).observe(document, { childList: true, subtree: true, characterData: true });
"""
"""Records when the first row is in the page, and when the row of each probe is."""

LENGTH = "() => Number(document.querySelector('[aria-setsize]')?.getAttribute('aria-setsize') ?? 0)"
HAS_ROWS = f"(count) => ({LENGTH})() >= count"
FRAMES = """(seconds) => new Promise((resolve) => {
  const frames = [], began = performance.now();
  let last = began;
  const step = (now) => {
    frames.push(now - last);
    last = now;
    window.scrollBy(0, 400);
    if (window.scrollY + window.innerHeight >= document.body.scrollHeight - 10) window.scrollTo(0, 0);
    if (now - began < seconds * 1000) requestAnimationFrame(step); else resolve(frames.slice(1));
  };
  requestAnimationFrame(step);
})"""


Part = Callable[[Any, Api, str, Effort], Iterator[Measurement]]


def measure(stand: BenchEnvironment, effort: Effort) -> list[Measurement]:
    """Measures one browser, with the parts that `bin/up` starts.

    Raises `RuntimeError` without a browser or a built dashboard.
    """
    lines: list[str] = []
    if not dashboard.build(lines.append):
        raise RuntimeError(" ".join(lines) or "the dashboard is not built")
    stand.clear()
    parts = stand.web(), stand.workers(2), stand.scheduler(), db.connection_context()
    try:
        with parts[0] as web, parts[1], parts[2], parts[3], browser() as launched:
            fill(web, effort.events * EVENTS_FOR_EACH, incidents_alone=True)
            inbox = f"{web.address}/w/{web.workspace()['slug']}/inbox"
            return [
                figure
                for part in (_cold, _probed, _long_list)
                for figure in _measured(part, launched, web, inbox, effort)
            ]
    except NoBrowser as missing:
        raise RuntimeError(str(missing)) from missing


def _measured(part: Part, launched: Any, web: Api, inbox: str, effort: Effort) -> Iterator[Measurement]:
    """Yields the figures of a part. A failed part reports its failure and leaves the figures of the others."""
    try:
        yield from part(launched, web, inbox, effort)
    except RuntimeError as fault:
        print(f"{part.__name__} was not measured: {fault}", file=sys.stderr)


def _cold(launched: Any, web: Api, inbox: str, effort: Effort) -> Iterator[Measurement]:
    """Measures from the navigation to the first row, each time with an empty cache."""
    took = []
    for _ in range(RENDERS if effort.rounds > 1 else 2):
        with _page(launched, web) as page:
            page.goto(inbox)
            _until(page, "() => window.bench.first !== null")
            took.append(float(page.evaluate("window.bench.first")))
    yield Measurement(
        f"first row of the inbox, cold, {effort.events * EVENTS_FOR_EACH // 10:,} incidents",
        share(took, 0.5),
        "ms",
        p50=share(took, 0.5),
        p99=share(took, 0.99),
        note=f"{len(took)} times, empty cache, built files from the web process",
    )


@contextmanager
def _page(launched: Any, web: Api) -> Iterator[Any]:
    context = launched.new_context(viewport=SIZE, service_workers="block")
    context.add_cookies(web.cookies())
    context.add_init_script(WATCH)
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    try:
        yield page
    finally:
        context.close()


def _probed(launched: Any, web: Api, inbox: str, effort: Effort) -> Iterator[Measurement]:
    """Measures events one at a time, and then the memory of the same tab under a steady flow of changes."""
    key = web.source_key()
    with _page(launched, web) as page:
        page.goto(inbox)
        page.locator('[data-connection="live"]').wait_for(state="attached")
        _until(page, "() => window.bench.first !== null")
        took = [_probe(page, web.port, key, f"Probe {number}") for number in range(effort.probes + 1)][1:]
        yield Measurement(
            "event to its row on the screen",
            share(took, 0.5),
            "ms",
            p50=share(took, 0.5),
            p99=share(took, 0.99),
            note=f"{len(took)} events, one at a time, from before the request to the row in the page",
        )
        before, seconds = _memory(page), effort.minutes * 60
        order = {"port": web.port, "token": key, "rate": CHANGES_PER_SECOND, "seconds": seconds, "keys": CHANGED_KEYS}
        with Program("paced_sender", **order) as sender:
            page.wait_for_timeout(seconds * 1000)
            sender.read_line()
        after = _memory(page)
        yield Measurement(
            f"memory of a tab after {effort.minutes:g} minutes of {CHANGES_PER_SECOND} changes a second",
            after["heap"] / 2**20,
            "MB",
            note=f"before {before['heap'] / 2**20:.1f} MB; elements {before['nodes']:,} → {after['nodes']:,},"
            f" listeners {before['listeners']:,} → {after['listeners']:,}",
        )


def _probe(page: Any, port: int, key: str, title: str) -> float:
    """Returns the milliseconds from before the request to the row."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    body = json.dumps({"title": title, "severity": "ERROR", "dedupKey": title})
    began = time.time()
    connection.request(
        "POST", "/v1/events", body, {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    )
    answer = connection.getresponse()
    answer.read()
    if answer.status != 202:
        raise RuntimeError(f"POST /v1/events: {answer.status}")
    _until(page, "(title) => title in window.bench.rows", title)
    rendered_at = float(page.evaluate("(title) => window.bench.rows[title]", title))
    page.wait_for_timeout(1_300)  # a list is read at most once a second
    return rendered_at - began * 1000


def _memory(page: Any) -> dict[str, float]:
    """Returns used heap in bytes after a collection, elements and listeners."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    session.send("Performance.enable")
    found = {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}
    session.detach()
    return {"heap": found["JSHeapUsedSize"], "nodes": found["Nodes"], "listeners": found["JSEventListeners"]}


def _long_list(launched: Any, web: Api, inbox: str, effort: Effort) -> Iterator[Measurement]:
    """Loads rows page by page with scrolling. Then measures the cost of one change for a person far down."""
    key = web.source_key()
    with _page(launched, web) as page:
        page.goto(f"{inbox}?state=all")
        began = time.monotonic()
        for count in range(PAGE_ROWS, effort.rows, PAGE_ROWS):
            _until(page, HAS_ROWS, count)
            page.get_by_role("button", name="Show more").click()
        _until(page, HAS_ROWS, effort.rows)
        loaded = time.monotonic() - began
        frames = page.evaluate(FRAMES, 5 if effort.rounds > 1 else 1)
        memory = _memory(page)
        yield Measurement(
            f"{effort.rows:,} rows scrolled",
            1000 / (sum(frames) / len(frames)),
            "frames/s",
            p50=share(frames, 0.5),
            p99=share(frames, 0.99),
            note=f"loaded in {loaded:.0f} s, slowest frame {max(frames):.0f} ms, heap {memory['heap'] / 2**20:.0f} MB,"
            f" {memory['nodes']:,.0f} elements",
        )
        page.evaluate("window.scrollTo(0, document.body.scrollHeight / 2)")
        requests = _requests_during(page, lambda: _send_one(web, key))
        yield Measurement(
            f"requests of one change with {effort.rows:,} rows loaded",
            len(requests),
            "",
            note=f"{page.evaluate(LENGTH):,} rows after it; {len([each for each in requests if '/v1/incidents?' in each])} lists",
        )


def _send_one(web: Api, key: str) -> None:
    with Program("paced_sender", port=web.port, token=key, rate=1, seconds=1, keys=1) as sender:
        sender.read_line()


def _requests_during(page: Any, act: Callable[[], None]) -> list[str]:
    """Returns the addresses that the page requests during an act and five seconds afterwards."""
    addresses: list[str] = []
    page.wait_for_timeout(1_000)
    page.on("request", lambda request: addresses.append(request.url))
    act()
    page.wait_for_timeout(5_000)
    return addresses


def _until(page: Any, expression: str, argument: Any = None) -> None:
    """Waits until a function holds in the page. Raises `RuntimeError` after a minute.

    The content security policy of the dashboard refuses `wait_for_function`, which evaluates a text in the page.
    """
    end = time.monotonic() + PATIENCE_MS / 1000
    while not page.evaluate(expression, argument):
        if time.monotonic() > end:
            raise RuntimeError(f"not within {PATIENCE_MS / 1000:g} s: {expression} of {argument}")
        page.wait_for_timeout(20)
