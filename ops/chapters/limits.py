"""Prints chapter 17 of the specification from constants and settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

from inbox.api.instance.info import LIMITS as ANSWERED
from inbox.config import settings
from inbox.config.settings import Settings
from ops.chapters.fixed import LIMITS as FIXED
from ops.chapters.fixed_of_files import LIMITS as FIXED_OF_FILES
from ops.dashboard import ROOT

PAGE = ROOT / "docs" / "specification" / "17-limits.md"

INTRODUCTION = """\
## 17 Limits

<!-- Printed by `python -m ops.chapters --write` from `ops/chapters/`. Do not edit. -->
"""

MEANINGS: Mapping[str, str] = {
    "batchEvents": "events of a batch",
    "bodyBytes": "body of `POST /v1/events`",
    "titleCharacters": "`title`",
    "bodyCharacters": "`body`",
    "typeCharacters": "`type`",
    "resourceCharacters": "`resource`",
    "dedupKeyCharacters": "`dedupKey`",
    "externalIdCharacters": "`externalId`",
    "idempotencyKeyCharacters": "`idempotencyKey`",
    "urlCharacters": "`url`",
    "tags": "tags of an event",
    "tagCharacters": "a tag",
    "metadataKeys": "keys of metadata",
    "metadataBytes": "metadata",
    "occurredAtPastSeconds": "skew into the past",
    "occurredAtFutureSeconds": "skew into the future",
    "idempotencyWindowSeconds": "how long requests and events are remembered",
    "pageItems": "largest `limit`",
    "pageItemsUnlessSaid": "default `limit`",
    "exportsPerMinute": "exports of a workspace",
    "rotatedKeySeconds": "grace of a rotated key",
    "streamPingSeconds": "pause between pings",
    "usedByEntries": "entries of a list in `usedBy`",
    "webhookRefusalsInARow": "rejections that stop a destination",
    "attemptsMax": "attempts of a delivery",
    "passwordCharacters": "characters of a password, at least",
    "aliasTokenCharacters": "an alias token",
}
"""The words for the limits that `GET /v1/info` answers."""

SETTINGS: Mapping[str, str] = {
    "events_per_minute_source": "2.8",
    "events_per_minute_workspace": "2.8",
    "management_per_minute_user": "2.8",
    "management_reads_per_minute_user": "2.8",
    "account_links_per_hour_address": "2.8",
    "pairing_attempts": "2.8",
    "pairing_attempts_per_address": "2.8",
    "test_sends_per_minute": "2.8",
    "ingest_bytes_in_flight": "2.9",
    "connections_per_address": "2.9",
    "delivery_timeout_seconds": "9.6",
    "delivery_concurrency": "9.9",
    "destination_concurrency": "9.9",
    "sign_ins_per_account_5min": "11.3",
    "sign_ins_per_address_5min": "11.3",
    "password_resets_per_account_day": "11.8",
    "pings_per_minute": "18.5",
    "mail_in_bytes": "19.16",
    "mail_in_connections": "19.16",
}
"""The sections that describe the limits that are settings."""


def text() -> str:
    """Returns the whole chapter."""
    lines = [INTRODUCTION]
    lines += [
        "### 17.1 Limits that `GET /v1/info` answers",
        "",
        "| Name | Value | Meaning |",
        "|---|---|---|",
        *_answered(),
    ]
    lines += ["", "### 17.2 Fixed limits", "", "| What | Limit | Section |", "|---|---|---|", *_fixed()]
    lines += ["", "### 17.3 Limits that are settings", "", "0 switches a limit of requests off (2.8).", ""]
    lines += ["| Setting | Default | Section |", "|---|---|---|", *_settings()]
    return "\n".join(lines) + "\n"


def _answered() -> Iterator[str]:
    for name, value in ANSWERED.items():
        yield f"| `{name}` | {value} | {MEANINGS[name]} |"


def _fixed() -> Iterator[str]:
    for what, value, section in (*FIXED, *FIXED_OF_FILES):
        yield f"| {what} | {_number(value)} | {section} |"


def _settings() -> Iterator[str]:
    defaults: dict[str, Any] = {each.name: each.default for each in fields(Settings)}
    for name, section in SETTINGS.items():
        yield f"| `{settings.variable(name)}` | {_number(defaults[name])} | {section} |"


def _number(value: float) -> str:
    return f"{value:,}".removesuffix(".0")
