"""Mentions: whom the messages of a destination mention, from a least severity on (specification 9.23)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inbox.destinations.descriptors import FieldDescription, FieldType
from inbox.domain.explaining.notice_content import NoticeContent
from inbox.domain.values.severity import Severity

MENTION, MENTION_FROM = "mention", "mentionFrom"
LEAST = Severity.CRITICAL


def fields(advice: str, example: str, pattern: str) -> tuple[FieldDescription, ...]:
    """Returns the fields: whom messages mention, and from which severity on."""
    return (
        FieldDescription(
            name=MENTION,
            label="Mention",
            type=FieldType.TEXT,
            help=advice,
            example=example,
            required=False,
            pattern=pattern,
        ),
        FieldDescription(
            name=MENTION_FROM,
            label="Mention from severity",
            type=FieldType.CHOICE,
            help="The least severity of a notice that mentions. Without a choice only CRITICAL ones do.",
            choices=tuple(str(each) for each in reversed(Severity)),
            required=False,
            when_absent=str(LEAST),
        ),
    )


def of_notice(content: NoticeContent, public: Mapping[str, Any]) -> str:
    """Returns the mention of the settings without its `@`, if the notice is due one; empty otherwise.

    A test and a notice that asks for attention are due one. A recovery or another change of state is not.
    """
    least = Severity(public.get(MENTION_FROM, LEAST))
    is_due = content.is_test or (not content.is_quiet and content.severity.rank >= least.rank)
    return str(public.get(MENTION, "")).removeprefix("@") if is_due else ""
