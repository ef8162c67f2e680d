"""`bin/screenshots`: the table of pictures fits the documents, and one picture is taken of a real instance."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from ops import dashboard
from ops.screenshots.__main__ import IMAGES
from ops.screenshots.pictures import DOCUMENT_PICTURES, SCREENS, SIZES, THEMES
from tests.ops.processes import PROJECT

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]

MOST_BYTES = 150 * 1024
PAGES = (PROJECT / "README.md", *sorted((PROJECT / "docs").rglob("*.md")))


def test_the_pictures_of_the_documents_match_the_table() -> None:
    assert {file.name for file in IMAGES.iterdir()} == {f"{picture.file}.webp" for picture in DOCUMENT_PICTURES}
    names = {screen.name for screen in SCREENS}
    assert all(
        picture.screen in names and picture.theme in THEMES and picture.size in SIZES for picture in DOCUMENT_PICTURES
    )
    assert len(names) == len(SCREENS)


def test_each_picture_is_small_and_shown_with_a_text() -> None:
    picture = [
        found
        for page in PAGES
        for found in re.findall(r"!\[([^\]]*)\]\([^)]*images/([\w-]+\.webp)\)", page.read_text())
    ]

    assert {file for _, file in picture} == {file.name for file in IMAGES.iterdir()}
    assert all(len(text) > 20 for text, _ in picture)
    assert {file.name: file.stat().st_size for file in IMAGES.iterdir() if file.stat().st_size > MOST_BYTES} == {}
    assert all(file.read_bytes()[8:12] == b"WEBP" for file in IMAGES.iterdir())


def test_each_screen_of_the_navigation_has_a_picture() -> None:
    table = (PROJECT / "web" / "src" / "app" / "screens.ts").read_text()
    navigation = table[table.index("export const SCREENS") : table.index("export const OTHER_SCREENS")]

    taken = {screen.path.split("?")[0].rpartition("/")[2] for screen in SCREENS}

    assert set(re.findall(r"name: '([\w-]+)'", navigation)) <= taken


class _Pages(BaseHTTPRequestHandler):
    """Shows the wall at its second opening, the statistics at the first, and the events never."""

    opened: ClassVar[Counter[str]] = Counter()

    def do_GET(self) -> None:
        page = self.path.rpartition("/")[2]
        self.opened[page] += 1
        is_shown = page == "statistics" or (page == "wall" and self.opened[page] > 1)
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<h1>Shown</h1>" if is_shown else b"<p>Loading</p>")

    def log_message(self, *_: object) -> None:
        """Nothing is logged."""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists the programs of processes in files")
def test_playwright_runs_with_the_locked_node_which_needs_no_further_library() -> None:
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    from ops.screenshots.driver import browser_driver

    with browser_driver():
        children = [path.read_text().split() for path in Path("/proc/self/task").glob("*/children")]
        programs = {os.path.realpath(f"/proc/{child}/exe") for each in children for child in each}

    assert os.path.realpath(dashboard.node()) in programs


def test_a_page_that_fails_to_load_is_retried_and_named_and_other_pictures_are_taken(tmp_path: Path) -> None:
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    from ops.screenshots import camera, instance

    class Prepared(instance.Instance):
        def ids(self) -> dict[str, str]:
            return {}

    try:
        camera.chromium()
    except camera.NoBrowser as absent:
        pytest.skip(str(absent))
    selection = camera.Selection(("wall", "statistics", "events"), ("light",), ("wide",), seconds=8)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()

    with camera.browser() as launched:
        running = Prepared(f"http://127.0.0.1:{server.server_address[1]}", [])
        missing = camera.take(launched, running, tmp_path, selection, lambda _: None)
    server.shutdown()
    server.server_close()

    assert missing == ["events-light-wide.webp"]
    assert {file.name for file in tmp_path.iterdir()} == {"wall-light-wide.webp", "statistics-light-wide.webp"}
    assert _Pages.opened["wall"] == _Pages.opened["events"] == 2


def test_the_command_takes_a_picture_of_the_sample_workspace(tmp_path: Path) -> None:
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    from ops.screenshots import camera

    try:
        camera.chromium()
    except camera.NoBrowser as missing:
        pytest.skip(str(missing))
    lines: list[str] = []
    if not dashboard.build(lines.append):
        pytest.skip(" ".join(lines))
    options = ["--directory", str(tmp_path / "all"), "--images", str(tmp_path / "images")]

    done = subprocess.run(
        [PROJECT / "bin" / "screenshots", "statistics", "--theme", "light", "--size", "wide", *options],
        cwd=tmp_path, capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout + done.stderr
    [picture] = (tmp_path / "images").iterdir()
    assert picture.name == "statistics.webp" and picture.read_bytes()[8:12] == b"WEBP"
    assert 10_000 < picture.stat().st_size < MOST_BYTES
