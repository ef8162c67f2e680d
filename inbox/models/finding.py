"""Incidents as people look for them: every filter and every sort of the list, each along an index.

Specification 7.2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial, reduce
from operator import and_
from typing import Any
from uuid import UUID

import peewee

from inbox.domain import severity
from inbox.domain.moves import State
from inbox.domain.severity import Severity
from inbox.models import board, sources, words
from inbox.models.incidents import Incident
from inbox.models.turning import LongList
from inbox.models.walks import Branches, Sieve, Walk
from inbox.models.words import IncidentWords

URGENCY = [str(state) for state in reversed(State)]
"""By what a list is sorted by state: resolved is the lowest, open the highest."""

COLUMNS = {
    "lastSeen": Incident.last_seen_at,
    "firstSeen": Incident.first_seen_at,
    "title": Incident.title,
    "number": Incident.number,
}
"""The sorts by a column of the incident's own."""

RANKED = {
    "severity": Incident.severity,
    "state": peewee.Case(Incident.state, [(state, rank) for rank, state in enumerate(URGENCY)], 0),
    "source": board.SOURCE_NAME,
}
"""The sorts by what many incidents share; among them they are sorted by when they were last seen."""

SORTS = {
    **{name: (column,) for name, column in COLUMNS.items()},
    **{name: (column, Incident.last_seen_at) for name, column in RANKED.items()},
}
"""By what each sort sorts, ties apart."""

OWNED = {"resource": "text", "assignee_id": "uuid", "source_id": "uuid"}
"""Filters by one value, each with an index in which its incidents stand by when they were last seen."""

LEVELS = frozenset({"severity", "min_severity"})

TIMES = frozenset({"since", "until"})

ACROSS = {"firstSeen": "since", **dict.fromkeys(("lastSeen", *RANKED), "until")}
"""The sorts in which a time is walked, each with the filter that is of the other time."""

LONG = "interval '1 day'"
"""How long an incident lives that is found by having lived long; spelled as in the partial index."""


def listed(workspace_ids: Sequence[UUID], args: Mapping[str, Any]) -> LongList:
    """The incidents of these workspaces that pass the filters in `args`, by its `sort`."""
    return LongList(
        walk(workspace_ids, args), partial(board.among, workspace_ids), partial(all_of, workspace_ids, args)
    )


def all_of(workspace_ids: Sequence[UUID], args: Mapping[str, Any]) -> Any:
    """All of them, for counting."""
    hit = _hit(args)
    return board.told(workspace_ids).where(*_conditions(args), *([] if hit is None else [hit]))


def walk(workspace_ids: Sequence[UUID], args: Mapping[str, Any]) -> Walk:
    """How the list is walked."""
    branches, settled = _branches(workspace_ids, args)
    by = COLUMNS.get(args["sort"], Incident.last_seen_at)
    across = ACROSS.get(args["sort"])
    left = {name: value for name, value in args.items() if name not in settled | (TIMES if across else frozenset())}
    where = [Incident.flapping] if settled == {"flapping"} else []
    order, asked, sought = [by, Incident.id], _conditions(left, asked=True), _conditions(args)
    found = Walk(Incident, order, branches, None, None, where, asked, sought, _hit(args), sieve=_sieve(left, args))
    if across is None:
        return found
    walked = replace(found, low=args.get("since"), high=args.get("until"))
    if across not in args:
        return walked
    few = replace(found, sought=_conditions(args, asked=True), sieve=None)
    return replace(walked, beside=_across(few, args[across]))


def _across(found: Walk, moment: datetime) -> list[Walk]:
    """What was first seen before a moment and last seen after it: what lived long has an index of its own.

    What was last seen before the moment was first seen before it, too, and what was first seen since was last seen since: where
    one is asked for and the other is walked, these few are all that is beside it. Walked in one go, all that lies on the
    other side of the moment might come first.
    """
    across = [Incident.first_seen_at < moment, Incident.last_seen_at >= moment]
    before = peewee.SQL(f"(%s::timestamptz - {LONG})", (moment,))
    lived_long = Incident.last_seen_at - Incident.first_seen_at > peewee.SQL(LONG)
    return [
        replace(found, sought=[*found.sought, *across, *more], gathered=True)
        for more in ([Incident.first_seen_at >= before], [lived_long, Incident.first_seen_at < before])
    ]


def _branches(workspace_ids: Sequence[UUID], args: Mapping[str, Any]) -> tuple[Branches, frozenset[str]]:
    """The branches, and the filters that they settle; of several filters the one that may leave least."""
    here, sort = {"workspace_id": "uuid"}, args["sort"]
    states, severities = list(dict.fromkeys(args.get("state", ()))), _severities(args)
    whole = Branches(here, [(id,) for id in workspace_ids])
    if sort == "severity":
        ranks = [(str(each), place) for place, each in enumerate(Severity) if each in severities]
        return _each(workspace_ids, "severity", "severity", ranks, "integer"), LEVELS
    if sort == "state":
        ranks = [(state, place) for place, state in enumerate(URGENCY) if not states or state in states]
        return _each(workspace_ids, "state", "text", ranks, "integer"), frozenset({"state"})
    if sort == "source":
        rows = sources.names(workspace_ids, args.get("source_id"))
        return Branches({**here, "source_id": "uuid"}, rows, "text"), frozenset({"source_id"})
    if sort != "lastSeen":
        return whole, frozenset()
    for name, sql_type in OWNED.items():
        if name in args:
            return _each(workspace_ids, name, sql_type, [(args[name],)]), frozenset({name})
    if args.get("flapping"):
        return whole, frozenset({"flapping"})
    leveled = not LEVELS.isdisjoint(args)
    if states and not (leveled and State.RESOLVED in states):
        return _each(workspace_ids, "state", "text", [(state,) for state in states]), frozenset({"state"})
    if leveled:
        return _each(workspace_ids, "severity", "severity", [(str(each),) for each in severities]), LEVELS
    return whole, frozenset()


def _each(
    workspace_ids: Sequence[UUID],
    column: str,
    sql_type: str,
    values: Sequence[tuple[Any, ...]],
    rank: str | None = None,
) -> Branches:
    rows = [(id, *value) for id in workspace_ids for value in values]
    return Branches({"workspace_id": "uuid", column: sql_type}, rows, rank)


def _severities(args: Mapping[str, Any]) -> list[Severity]:
    """Those that the filters leave; INFO and SUCCESS are equal (specification 4.2)."""
    least = severity.rank(args["min_severity"]) if "min_severity" in args else 0
    return [each for each in Severity if severity.rank(each) >= least and args.get("severity", each) == each]


def _conditions(args: Mapping[str, Any], *, asked: bool = False) -> list[Any]:
    """The filters as indexes find them, or as a row is asked."""
    worded = words.asked if asked else words.of
    return [*_own(args), *(worded(Incident.id, condition) for condition in _worded(args))]


def _sieve(left: Mapping[str, Any], args: Mapping[str, Any]) -> Sieve | None:
    """Where incidents are asked both for what they say themselves and for their words."""
    worded = _worded(left)
    if not worded or not _own(left):
        return None
    return Sieve(_own(args), lambda id: reduce(and_, [words.asked(id, condition) for condition in worded]))


def _worded(args: Mapping[str, Any]) -> list[Any]:
    """What is asked of the words of incidents."""
    found = [IncidentWords.tags.contains(args["tag"])] if "tag" in args else []
    return [*found, words.containing(args["q"])] if "q" in args and words.is_indexed(args["q"]) else found


def _own(args: Mapping[str, Any]) -> list[Any]:
    """What is asked of incidents themselves."""
    found = [getattr(Incident, name) == args[name] for name in OWNED if name in args]
    if "flapping" in args:
        found.append(Incident.flapping if args["flapping"] else ~Incident.flapping)
    if "state" in args:
        found.append(Incident.state.in_(list(args["state"])))
    if not LEVELS.isdisjoint(args):
        found.append(Incident.severity.in_([str(each) for each in _severities(args)]))
    if "since" in args:
        found.append(Incident.last_seen_at >= args["since"])
    if "until" in args:
        found.append(Incident.first_seen_at < args["until"])
    text = args.get("q", "")
    if not words.is_indexed(text) and (number := words.number_in(text)) is not None:
        found.append(Incident.number == number)
    return found


def _hit(args: Mapping[str, Any]) -> Any:
    """What is searched without an index: a text without three letters or digits in a row, which is no number."""
    text = args.get("q")
    if text is None or words.is_indexed(text) or words.number_in(text) is not None:
        return None
    like = words.pattern(text)
    return Incident.title**like | Incident.resource**like | Incident.dedup_key**like
