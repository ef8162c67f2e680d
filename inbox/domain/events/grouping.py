"""Fingerprints: events of a source with the same fingerprint share an incident (specification 4.6).

Inside the incident, events with the same alert key report the same alert.
"""

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Any, Protocol
from uuid import UUID

from inbox.domain.events import metadata
from inbox.domain.events.subject import Named
from inbox.domain.values.measures import replace_measures

VERSION = "f1"
DIGEST_LENGTH = 40
TITLE_LENGTH = 160
FIELDS = frozenset({"type", "resource", "resource.kind", "resource.name", "title", "url"})
"""The fields that `groupBy` of a source may name, besides `metadata.<path>`. Severity, body, tags, times and
`externalId` are excluded."""

_METADATA = "metadata."

_NUMBER = r"[0-9]+(?:[.,][0-9]+)*"
_UNIT = (
    r"(?:[kmgtpe]?i?b(?:ytes?|its?|ps)?(?:/s)?|[kmgt]|[num]s|s(?:ec(?:ond)?s?)?|min(?:ute)?s?"
    r"|h(?:ours?|rs?)?|d(?:ays?)?)"
)
_CLOCK = r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?(?:z|[+-][0-9]{2}:?[0-9]{2})?"
_IPV6_PART = r"[0-9a-f]{1,4}(?::[0-9a-f]{1,4})"
# The variable parts of titles about the same thing, the longest forms first. A number that is part of a name
# (`web1`, `eu-2`, `v1.4`) stays: two hosts are two things.
_VARIABLE = re.compile(
    "|".join(
        (
            r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
            r"[a-z0-9][a-z0-9._%+-]{0,63}+@[a-z0-9][a-z0-9-]{0,62}+(?:\.[a-z0-9-]{1,63}+)*",
            r"(?<![\w.])[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?:/[0-9]{1,2})?(?::[0-9]{1,5})?(?!\.?\w)",
            rf"(?<![\w:])(?:{_IPV6_PART}{{7}}|(?:{_IPV6_PART}{{0,6}})?::(?:{_IPV6_PART}{{0,6}})?)(?:/[0-9]{{1,3}})?(?![\w:])",
            rf"(?<![\w-])[0-9]{{4}}([-/.])[0-9]{{1,2}}\1[0-9]{{1,2}}(?:[t ]{_CLOCK})?(?!\w)",
            r"(?<![\w-])[0-9]{1,2}([-/.])[0-9]{1,2}\2[0-9]{2,4}(?!\w)",
            rf"(?<![\w:]){_CLOCK}(?![\w:])",
            r"(?<!\w)0x[0-9a-f]+(?!\w)",
            r"[0-9a-f]{8,}+(?!\w)",
            rf"(?<!\w)(?<!\w[-.])[+-]?{_NUMBER}(?:\s?%|\s?{_UNIT}(?:{_NUMBER}{_UNIT})*(?!\w)|(?!\w))",
        )
    )
)


class IncidentFor(StrEnum):
    """The alerts that share an incident, for tools that send alerts in groups of their own."""

    GROUP = "group"
    """The alerts of one group are one incident, such as those of one `groupKey` of Alertmanager."""

    ALERT = "alert"
    """Each alert is an incident."""


class Groupable(Named, Protocol):
    """The fields of an event that grouping reads."""

    @property
    def url(self) -> str | None: ...
    @property
    def metadata(self) -> dict[str, Any] | None: ...


def fingerprint(source_id: UUID | str, event: Groupable, group_by: Sequence[str] = ()) -> str:
    """Returns the fingerprint, `f1:` and 40 hexadecimal digits, which is equal for events of one source that belong together.

    The first applicable basis is used. A UUID and its text are the same source.

    1. The dedup key, verbatim.
    2. The source's `group_by` fields, unless the event has none of them.
    3. Type and resource.
    4. Resource and title.
    5. Title.
    """
    return _digest(source_id, _basis(event, group_by))


def alert_key(dedup_key: str | None, title: str) -> str:
    """Returns the key of the alert that an event reports inside its incident: the dedup key, else the title without
    measures. Names stay, so "Disk 3" and "Disk 5" are two alerts.
    """
    return dedup_key or replace_measures(title)


def alert_name(fingerprint: str, dedup_key: str | None, title: str) -> str:
    """Returns the name of an alert in its source, 40 hexadecimal digits: by its dedup key, else by fingerprint and title."""
    return _hex(f"key {dedup_key}".encode() if dedup_key else f"{fingerprint} {alert_key(None, title)}".encode())


def group_fingerprint(source_id: UUID | str, event: Groupable, group_by: Sequence[str], group: str) -> str | None:
    """Returns the fingerprint of the tool's group, which precedes the dedup key; None for an event without a key.

    The source's `group_by` fields precede the group, unless the event has none of them.
    """
    if not event.dedup_key:
        return None
    parts = _group_by_parts(event, group_by) if group_by else None
    return _digest(source_id, ("group", group) if parts is None else parts)


def with_recipients(source_id: UUID | str, group: str, recipients: Sequence[UUID]) -> str:
    """Returns the fingerprint of the alerts of a group for which rules name these recipients."""
    return _digest(source_id, ("recipients", group, *map(str, recipients)))


def rule_fingerprint(source_id: UUID | str, event: Groupable, group_by: Sequence[str]) -> str | None:
    """Returns the fingerprint of a rule's `groupBy`, which precedes the dedup key; None for an event without its fields."""
    parts = _group_by_parts(event, group_by)
    return None if parts is None else _digest(source_id, parts)


def columns(group_by: Iterable[str]) -> frozenset[str]:
    """Returns the columns among `url` and `metadata` that must be loaded to group by these fields."""
    return frozenset(
        "metadata" if name.startswith(_METADATA) else name
        for name in group_by
        if name == "url" or name.startswith(_METADATA)
    )


def groupable(name: str) -> bool:
    """Returns whether `groupBy` of a source may name this field."""
    return name in FIELDS or (name.startswith(_METADATA) and len(name) > len(_METADATA))


def normalise_title(title: str) -> str:
    """Returns the title with each variable part replaced by `#`, at most 160 characters."""
    if not title.isascii():
        title = unicodedata.normalize("NFKC", title)
    return " ".join(_VARIABLE.sub("#", title.casefold()).split())[:TITLE_LENGTH]


def _digest(source_id: UUID | str, basis: Iterable[str]) -> str:
    digest = _hex(_unambiguous([str(source_id), *basis]))
    return f"{VERSION}:{digest}"


def _hex(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()[:DIGEST_LENGTH]


def _basis(event: Groupable, group_by: Sequence[str]) -> Iterable[str]:
    if event.dedup_key:
        return ("dedupKey", event.dedup_key)
    group_by_parts = _group_by_parts(event, group_by) if group_by else None
    if group_by_parts is not None:
        return group_by_parts
    if event.resource and event.type:
        return ("type", event.type, event.resource)
    if event.resource:
        return ("resource", event.resource, normalise_title(event.title))
    return ("title", normalise_title(event.title))


def _group_by_parts(event: Groupable, group_by: Sequence[str]) -> Iterable[str] | None:
    values = [_value(event, name) for name in group_by]
    if not any(values):
        return None
    return ("groupBy", *(part for pair in zip(group_by, values, strict=True) for part in pair))


def _value(event: Groupable, name: str) -> str:
    match name:
        case "type":
            return event.type or ""
        case "resource":
            return event.resource or ""
        case "resource.kind":
            kind, colon, _ = (event.resource or "").partition(":")
            return kind if colon else ""
        case "resource.name":
            return (event.resource or "").partition(":")[2] or event.resource or ""
        case "title":
            return normalise_title(event.title)
        case "url":
            return event.url or ""
    if name.startswith(_METADATA):
        return _text(metadata.at(event.metadata, name.removeprefix(_METADATA)))
    return ""


def _text(value: object) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _unambiguous(parts: Iterable[str]) -> bytes:
    """Returns each part after its length, so that two different lists never give the same bytes."""
    return "".join(f"{len(part)}:{part}" for part in parts).encode()
