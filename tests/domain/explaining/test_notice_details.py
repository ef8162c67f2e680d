"""The first lines, tags and links in the content of a notice (specification 9.14)."""

from __future__ import annotations

from typing import Any

import pytest

from inbox.domain.explaining import notice_content
from inbox.domain.explaining.notice_content import LONGEST_EXCERPT, MOST_LINES, Fact, Link, NoticeContent
from tests.destinations.kinds.notice_bodies import WITHOUT_DETAILS, body


def content(**data: Any) -> NoticeContent:
    return notice_content.of_body(body(**{**WITHOUT_DETAILS, **data}))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        (" \n\n", ""),
        ("one\n\n\ntwo \r\n  three", "one\ntwo\n  three"),
        ("x" * (LONGEST_EXCERPT - 1), "x" * (LONGEST_EXCERPT - 1)),
        ("x" * LONGEST_EXCERPT, "x" * LONGEST_EXCERPT),
        ("x" * (LONGEST_EXCERPT + 1), "x" * (LONGEST_EXCERPT - 1) + "…"),
        ("x" * (LONGEST_EXCERPT - 5) + "[REDACTED] and more", "x" * (LONGEST_EXCERPT - 5) + "…"),
        ("a\n" * MOST_LINES, "\n".join("a" * MOST_LINES)),
        ("a\n" * (MOST_LINES + 1), "\n".join("a" * MOST_LINES) + "…"),
    ],
)
def test_the_excerpt_has_the_first_lines_of_the_body(text: str, expected: str) -> None:
    assert content(body=text).excerpt == expected


@pytest.mark.parametrize(
    ("urls", "expected"),
    [
        ({}, ()),
        ({"sourceUrl": "https://a.example"}, (Link("Open in sender", "https://a.example"),)),
        (
            {"sourceUrl": "https://a.example", "runbookUrl": "https://b.example"},
            (Link("Runbook", "https://b.example"), Link("Open in sender", "https://a.example")),
        ),
        (
            {"sourceUrl": "https://a.example", "runbookUrl": "https://a.example"},
            (Link("Runbook", "https://a.example"),),
        ),
    ],
)
def test_links_lead_to_the_runbook_and_to_the_sender(urls: dict[str, str], expected: tuple[Link, ...]) -> None:
    assert content(**urls).links == expected


@pytest.mark.parametrize(
    ("began_at", "expected"),
    [
        ("2026-11-13T09:58:00Z", "9 days ago"),
        ("2026-11-20T10:00:00Z", "2 days ago"),
        ("2026-11-20T10:00:01Z", "47 hours ago"),
        ("2026-11-22T08:30:00Z", "90 minutes ago"),
        (None, None),
    ],
)
def test_a_message_says_how_long_ago_an_old_problem_began(began_at: str | None, expected: str | None) -> None:
    facts = dict(content(beganAt=began_at).facts)

    assert facts.get("Began") == expected


def test_a_message_about_an_end_does_not_count_from_the_beginning() -> None:
    resolved = notice_content.of_body(body("resolved", **WITHOUT_DETAILS, beganAt="2026-11-13T09:58:00Z"))

    assert "Began" not in dict(resolved.facts)


def test_tags_and_several_alerts_are_facts() -> None:
    several = content(tags=["data", "prod"], alerts={"total": 1_200, "firing": 2}).facts
    one = content(alerts={"total": 1, "firing": 1}).facts

    assert [fact for fact in several if fact.label in ("Tags", "Alerts")] == [
        Fact("Alerts", "2 of 1,200 firing"),
        Fact("Tags", "data, prod"),
    ]
    assert {fact.label for fact in one} == {"Resource", "Source", "State", "Severity", "Workspace"}
