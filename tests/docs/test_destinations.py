"""The pages of destination kinds are current: their settings and the table of kinds come from the descriptions."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from standardwebhooks import Webhook

from inbox.domain.deliveries import notices
from inbox.domain.deliveries.event_details import EventDetails, added
from inbox.domain.deliveries.notices import NoticeFields
from inbox.domain.explaining import push_text
from inbox.domain.incidents.state_machine import Reason
from ops import destination_pages
from tests.destinations.kinds.notice_bodies import AT, INCIDENT
from tests.house.test_documents import long_sentences
from tests.stand_ins.receivers import SECRET

EXAMPLE = NoticeFields(
    title="Disk full",
    severity="CRITICAL",
    state="open",
    source_name="Backups",
    workspace_name="Shop",
    incident_id=INCIDENT,
    first_seen_at=datetime(2026, 11, 22, 9, 59, tzinfo=UTC),
    url=f"https://inbox.example.org/w/shop/incidents/{INCIDENT}",
    resource="db-1",
)
"""The notice of the examples."""


def test_the_pages_are_as_they_are_generated() -> None:
    for page, text in destination_pages.pages().items():
        assert page.read_text(encoding="utf-8") == text, "run python -m ops.destination_pages --write"
        assert text.count(destination_pages.START) == text.count(destination_pages.END) == 1, page


def test_a_page_that_is_missing_or_has_no_place_for_its_settings_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(destination_pages, "PAGES", tmp_path)

    with pytest.raises(SystemExit, match=r"webhook\.md is missing"):
        destination_pages.pages()

    (tmp_path / "webhook.md").write_text("# Signed webhook\n")
    with pytest.raises(SystemExit, match=r"webhook\.md has no lines for the generated part"):
        destination_pages.pages()


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


def examples(kind: str) -> list[str]:
    """The messages that the page shows."""
    text = (destination_pages.PAGES / f"{kind}.md").read_text(encoding="utf-8")
    return re.findall(r"^```\n(.*?)\n```$", text, re.DOTALL | re.MULTILINE)


def test_the_webhook_of_the_page_is_one_that_receivers_verify() -> None:
    (example,) = examples("webhook")
    head, _, body = example.partition("\n\n")
    headers = dict(line.split(": ", 1) for line in head.splitlines()[1:])
    page = (destination_pages.PAGES / "webhook.md").read_text(encoding="utf-8")

    assert json.loads(body) == notices.payload(Reason.OPENED, EXAMPLE, AT)
    assert headers["webhook-timestamp"] == str(int(AT.timestamp()))
    assert headers["webhook-signature"] == Webhook(SECRET).sign(headers["webhook-id"], AT, body)
    assert f"`{SECRET}`" in page


def test_the_documented_notifications_equal_the_ones_of_a_phone() -> None:
    details = EventDetails("/var has 3 % left.", (), None, None, None, None)
    body = added(notices.body_text(notices.payload(Reason.OPENED, EXAMPLE, AT)), details).encode()
    for example, is_hidden in zip(examples("web_push"), (False, True), strict=True):
        shown = json.loads(push_text.message(body, hide_content=is_hidden))["notification"]
        assert example == f"{shown['title']}\n{shown['body']}"
