"""Everything that each tool sends, and what it becomes. The pages of the senders have the same tables (specification 19.6)."""

from __future__ import annotations

from typing import Any

import pytest

from inbox.domain.events import validation
from inbox.domain.values.severity import Severity
from ops import sender_notices
from tests.cast import NOW

NOTICES = [(tool, notice) for tool in sender_notices.KINDS for notice in sender_notices.notices(tool)]
COMPARED = ("title", "body", "url", "resource")
PERSON = "person"
"""The value of `by` for an incident that no notice of the tool ends. Its row of the table says that a person does."""


@pytest.mark.parametrize(
    ("tool", "notice"), NOTICES, ids=lambda each: each["notice"][:40] if isinstance(each, dict) else each
)
def test_a_notice_becomes_what_the_page_says(tool: str, notice: dict[str, Any]) -> None:
    assert sender_notices.effects(tool, notice) == notice["becomes"]

    for made in sender_notices.events(tool, notice):
        [stored] = validation.accept(made, received_at=NOW, default_severity=Severity.INFO)
        assert {name: getattr(stored, name) for name in COMPARED if name in notice} == {
            name: notice[name] for name in COMPARED if name in notice
        }
        if "key" in notice:
            assert (stored.dedup_key or (stored.metadata or {}).get("dedupKey")) == notice["key"]


@pytest.mark.parametrize("tool", sender_notices.KINDS)
def test_what_nothing_ends_opens_no_incident_unless_a_person_must_act(tool: str) -> None:
    made = [(each, event) for each in sender_notices.notices(tool) for event in sender_notices.events(tool, each)]
    ended = {kind_of_key(event["dedupKey"]) for _, event in made if sender_notices.effect(event) == "closes"}
    opened = [(each, event) for each, event in made if sender_notices.effect(event).startswith("opens")]

    unended = [each["notice"] for each, event in opened if kind_of_key(event["dedupKey"]) not in ended]

    assert unended == [each["notice"] for each, _ in opened if each.get("by") == PERSON]
    assert all("person resolves" in text or "has expired" in text or "negative" in text for text in unended)


def kind_of_key(key: str) -> tuple[str, ...]:
    """The parts of a key that are equal for all notices of one kind."""
    parts = key.split(":")
    if parts[0] == "pve":
        return parts[0], parts[2]
    if parts[:2] == ["aws", "rds"]:
        return *parts[:2], parts[-1]
    return tuple(parts[:2]) if parts[0] in ("kuma", "aws", "sentry") and len(parts) > 2 else (parts[0],)


@pytest.mark.parametrize("tool", sender_notices.KINDS)
def test_a_test_button_opens_no_incident(tool: str) -> None:
    tests = [each for each in sender_notices.notices(tool) if "test button" in each["notice"].lower()]

    assert [each["notice"] for each in tests if each["becomes"] not in ("log", "nothing")] == []
