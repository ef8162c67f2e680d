"""The members that an event adds to the body of a notice (specification 10.2)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from inbox.domain.deliveries.event_details import LARGEST_METADATA, EventDetails, added

BODY = '{"type":"incident.opened","timestamp":"2026-11-22T10:00:00Z","data":{"v":1,"title":"Disk full"}}'
NOTHING = EventDetails(None, (), None, None, None, None)


def data(notice: str = BODY, **details: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(added(notice, NOTHING._replace(**details)))["data"]
    return found


def test_an_event_adds_what_it_says_after_the_other_members() -> None:
    found = data(body="3 % left\nof /var", tags=["data"], type="disk.full", dedup_key="disk:1", url="https://a.example")

    assert list(found.items()) == [
        ("v", 1),
        ("title", "Disk full"),
        ("body", "3 % left\nof /var"),
        ("tags", ["data"]),
        ("type", "disk.full"),
        ("dedupKey", "disk:1"),
        ("sourceUrl", "https://a.example"),
    ]


def test_an_event_that_says_nothing_changes_no_byte() -> None:
    assert added(BODY, NOTHING) == BODY


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        ({"runbook_url": "https://wiki.example.org/disk"}, "https://wiki.example.org/disk"),
        ({"runbook_url": "javascript:alert(1)"}, None),
        ({"runbook_url": "see the wiki"}, None),
        ({"runbook_url": ["https://wiki.example.org"]}, None),
        ({"runbook_url": "https://w.example/" + "x" * 2_030}, "https://w.example/" + "x" * 2_030),
        ({"runbook_url": "https://w.example/" + "x" * 2_031}, None),
        ("https://wiki.example.org", None),
        (None, None),
    ],
)
def test_the_runbook_is_the_link_of_an_annotation(annotations: object, expected: str | None) -> None:
    assert data(metadata={"annotations": annotations}).get("runbookUrl") == expected


def test_a_runbook_of_the_rule_goes_before_that_of_the_event() -> None:
    body = BODY.replace('"v":1', '"v":1,"runbookUrl":"https://rule.example"')

    assert data(body, metadata={"annotations": {"runbook_url": "https://event.example"}})["runbookUrl"] == (
        "https://rule.example"
    )


@pytest.mark.parametrize(("over", "omitted"), [(-1, False), (0, False), (1, True)])
def test_metadata_has_at_most_8_kb(over: int, omitted: bool) -> None:
    room = LARGEST_METADATA - len('{"labels":{"a":"b"}}') - len('{"text":""}') + over
    found = data(metadata={"labels": {"a": "b"}, "text": "é" * (room // 2) + "x" * (room % 2)})

    assert found["metadata"].keys() == ({"labels"} if omitted else {"labels", "text"})
    assert found.get("metadataOmitted", False) is omitted


def test_metadata_that_is_one_large_member_is_left_out() -> None:
    found = data(metadata={"blob": "x" * 9_000})

    assert ("metadata" in found, found["metadataOmitted"]) == (False, True)
