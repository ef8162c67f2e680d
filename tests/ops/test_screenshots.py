"""`bin/screenshots`: the table of pictures fits the documents and the navigation."""

from __future__ import annotations

import re

from ops.screenshots.__main__ import IMAGES
from ops.screenshots.pictures import SCREENS, SHOWN, SIZES, THEMES
from tests.ops.processes import PROJECT

MOST_BYTES = 150 * 1024
PAGES = (PROJECT / "README.md", *sorted((PROJECT / "docs").rglob("*.md")))


def test_the_pictures_of_the_documents_are_those_of_the_table() -> None:
    assert {file.name for file in IMAGES.iterdir()} == {f"{shown.file}.webp" for shown in SHOWN}
    names = {screen.name for screen in SCREENS}
    assert all(shown.screen in names and shown.theme in THEMES and shown.size in SIZES for shown in SHOWN)
    assert len(names) == len(SCREENS)


def test_each_picture_is_small_and_shown_with_a_text() -> None:
    shown = [
        found
        for page in PAGES
        for found in re.findall(r"!\[([^\]]*)\]\([^)]*images/([\w-]+\.webp)\)", page.read_text())
    ]

    assert {file for _, file in shown} == {file.name for file in IMAGES.iterdir()}
    assert all(len(text) > 20 for text, _ in shown)
    assert {file.name: file.stat().st_size for file in IMAGES.iterdir() if file.stat().st_size > MOST_BYTES} == {}
    assert all(file.read_bytes()[8:12] == b"WEBP" for file in IMAGES.iterdir())


def test_each_screen_of_the_navigation_has_a_picture() -> None:
    table = (PROJECT / "web" / "src" / "app" / "screens.ts").read_text()
    navigation = table[table.index("export const SCREENS") : table.index("export const OTHER_SCREENS")]

    taken = {screen.path.split("?")[0].rpartition("/")[2] for screen in SCREENS}

    assert set(re.findall(r"name: '([\w-]+)'", navigation)) <= taken
