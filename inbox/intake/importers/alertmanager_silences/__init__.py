"""Reads the silences of a running Alertmanager that have not ended (specification 22.5).

They become silences of its source.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from inbox.domain.routing import matchers
from inbox.domain.values import times
from inbox.intake.base import Node
from inbox.intake.importers import alertmanager, plan
from inbox.intake.importers.alertmanager_matchers import BadMatchers, bounded
from inbox.intake.importers.import_kind import of_one_answer
from inbox.intake.importers.plan import Item, ItemKind, Plan, Unreadable

SILENCES = "/api/v2/silences"
LONGEST = timedelta(days=365)
COMMENT_LIMIT = 500


def read(document: Any, now: datetime | None = None) -> Plan:
    """Returns the plan of an answer of `GET /api/v2/silences`. Raises `Unreadable`."""
    if not isinstance(document, list):
        raise Unreadable("It is no array of silences, which the API of version 2 answers.")
    made = Plan()
    made.add(alertmanager.source())
    for silence in made.reading(Node(document).items()):
        if silence.text("status", "state") != "expired":
            _add(made, silence, now or datetime.now(UTC))
    return made


def _add(made: Plan, silence: Node, now: datetime) -> None:
    name = plan.line(silence.text("comment")) or "Silence"
    try:
        clauses = bounded(_matcher(each) for each in silence.items("matchers"))
    except BadMatchers as fault:
        made.leave_out(name, str(fault))
        return
    starts, ends = (times.parse(silence.text(each)) for each in ("startsAt", "endsAt"))
    match = {"all": [each.clause for each in clauses]}
    mark = silence.text("id")
    if not clauses or not mark or starts is None or ends is None or ends <= now or matchers.check(match):
        made.leave_out(name, "It has no id, no matchers that can be expressed, or no end in the future.")
        return
    cut = min(ends, max(starts, now) + LONGEST)
    label = plan.line(", ".join(each.text for each in clauses), 200)
    made.add(
        Item(
            ItemKind.SILENCE,
            plan.line(f"alertmanager:silence:{mark}", plan.REFERENCE_LIMIT),
            made.unique(name),
            f"Alerts with {label} are silenced until {times.rfc3339(cut)}.",
            {
                "match": match,
                "starts_at": max(starts, now),
                "ends_at": cut,
                "comment": plan.line(silence.text("comment"), COMMENT_LIMIT) or "Imported from Alertmanager",
            },
            source=alertmanager.SOURCE,
            warnings=(f"Its end is cut: a silence has at most {LONGEST.days} days.",) if cut < ends else (),
        )
    )


def _matcher(matcher: Node) -> tuple[str, str, str]:
    is_equal = matcher.text("isEqual") != "false"
    is_pattern = matcher.text("isRegex") == "true"
    op = ("=~" if is_equal else "!~") if is_pattern else ("=" if is_equal else "!=")
    return matcher.text("name"), op, matcher.text("value")


IMPORT = of_one_answer(
    "alertmanager_silences",
    "Alertmanager: silences",
    (
        "Silences that have not ended become silences of the same source.",
        "A bearer token, if the server asks for one.",
    ),
    SILENCES,
    read,
    header=("Authorization", "Bearer "),
    position=30,
)
