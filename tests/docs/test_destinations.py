"""The pages of destination kinds are current: their settings and the table of kinds come from the descriptions."""

from __future__ import annotations

from ops import destination_pages
from tests.house.test_documents import long_sentences


def test_the_pages_are_as_they_are_generated() -> None:
    for page, text in destination_pages.pages().items():
        assert page.read_text(encoding="utf-8") == text, "run python -m ops.destination_pages --write"
        assert text.count(destination_pages.START) == text.count(destination_pages.END) == 1, page


def test_each_kind_has_a_page_and_no_page_is_left_over() -> None:
    pages = {page.stem for page in destination_pages.PAGES.glob("*.md")}

    assert pages == {"README", *(each.kind for each in destination_pages.described())}


def test_a_page_has_all_its_parts_and_no_long_sentence() -> None:
    parts = ("What you need", "Settings", "What a message looks like", "Limits", "When it stops")
    for page in destination_pages.PAGES.glob("*.md"):
        text = page.read_text(encoding="utf-8")
        assert long_sentences(text) == [], page
        if page.stem != "README":
            assert [line[3:] for line in text.splitlines() if line.startswith("## ")] == list(parts), page
