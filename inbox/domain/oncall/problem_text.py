"""The problems of a schedule in words, for the mail to administrators (specification 23.6)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from uuid import UUID
from zoneinfo import ZoneInfo

from inbox.domain.oncall.problems import MAX_GAPS, Problem, ProblemKind

MAX_LINES = 10
"""The most problems of a mail."""


_FIXED: Mapping[ProblemKind, str] = {
    ProblemKind.SINGLE_MEMBER: "All turns name the same person, who is never relieved.",
    ProblemKind.CALENDAR_UNREADABLE: "The external calendar cannot be read. Its last good copy counts.",
    ProblemKind.CALENDAR_UNMATCHED: "Events of the external calendar name somebody who is no member.",
    ProblemKind.SLACK_FAILING: "Slack does not show who is on call.",
}
"""The sentences of problems that are about the whole schedule."""


def sentences(problems: Sequence[Problem], zone: ZoneInfo, names: Mapping[UUID, str]) -> list[str]:
    """Describes each problem in a sentence; all gaps share one. `names` has the names of people and layers."""
    found = list(_sentences(problems, zone, names))
    more = len(found) - MAX_LINES
    return [*found[:MAX_LINES], f"{more} more problem{'s' if more > 1 else ''}."] if more > 0 else found


def _sentences(problems: Sequence[Problem], zone: ZoneInfo, names: Mapping[UUID, str]) -> Iterator[str]:
    gaps = [each for each in problems if each.kind is ProblemKind.GAP]
    if gaps:
        yield _gaps(gaps, zone)
    for each in problems:
        match each.kind:
            case kind if kind in _FIXED:
                yield _FIXED[kind]
            case ProblemKind.ABSENT_MEMBER:
                yield f"Turns name {_name(names, each.user_id)}, who left the workspace or is disabled."
            case ProblemKind.UNREACHABLE_MEMBER:
                yield f"Turns name {_name(names, each.user_id)}, whom no page reaches."
            case ProblemKind.TWICE_ON_CALL:
                yield f"{_name(names, each.user_id)} is on call by two steps of a routing profile at one time."
            case ProblemKind.LAYER_NEVER_ACTIVE:
                yield f"The layer {_name(names, each.layer_id)} has nobody within a year."


def _gaps(gaps: Sequence[Problem], zone: ZoneInfo) -> str:
    first = gaps[0]
    begins, ends = (
        f"{at.astimezone(zone):%d %B %Y %H:%M}" for at in (first.starts_at, first.ends_at) if at is not None
    )
    times = "" if len(gaps) == 1 else f", and at {len(gaps) - 1}{' or more' * (len(gaps) == MAX_GAPS)} other times"
    return f"Nobody is on call from {begins} to {ends} ({zone.key}){times}."


def _name(names: Mapping[UUID, str], id: UUID | None) -> str:
    return (names.get(id) if id else None) or "somebody"
