"""Incidents as people look for them: every filter and every sort of the list, each along an index (decision 9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

import peewee

from inbox.domain import severity
from inbox.domain.moves import State
from inbox.domain.paging import Position
from inbox.domain.severity import Severity
from inbox.models import board, sources, walks, words
from inbox.models.incidents import Incident
from inbox.models.pages import Slice
from inbox.models.walks import Branches, Walk
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


def turn(
    workspace_ids: Sequence[UUID], args: Mapping[str, Any], *, after: Position | None, descending: bool, limit: int
) -> Slice:
    """The next page of the incidents of these workspaces that pass the filters in `args`, by its `sort`."""
    steps = walks.page(walk(workspace_ids, args), after=after, descending=descending, limit=limit)
    found = {incident.id: incident for incident in board.among(workspace_ids, steps.ids)}
    return Slice([found[id] for id in steps.ids if id in found], steps.following)


def all_of(workspace_ids: Sequence[UUID], args: Mapping[str, Any]) -> Any:
    """All of them, for pages by number and for counting."""
    hit = _hit(args)
    return board.told(workspace_ids).where(*_conditions(args), *([] if hit is None else [hit]))


def walk(workspace_ids: Sequence[UUID], args: Mapping[str, Any]) -> Walk:
    """How the list is walked."""
    branches, settled = _branches(workspace_ids, args)
    order = [Incident.last_seen_at if args["sort"] in RANKED else COLUMNS[args["sort"]], Incident.id]
    found = Walk(Incident, order, branches, _conditions(args, settled), _hit(args))
    newest_first = order[0] is Incident.last_seen_at and args.get("order") == "desc"
    return _until(found, args["until"]) if "until" in args and newest_first else found


def _until(found: Walk, moment: datetime) -> Walk:
    """By when they were seen last, what was first seen before a moment is all that was last seen before it, and beside it
    the few that were seen before and after: walked from the newest, all that began later would come first."""
    begun, over = Incident.last_seen_at >= moment, Incident.last_seen_at < moment
    straddling = replace(found, conditions=[*found.conditions, begun], gathered=True)
    return replace(found, conditions=[*found.conditions, over], beside=straddling)


def _branches(workspace_ids: Sequence[UUID], args: Mapping[str, Any]) -> tuple[Branches, frozenset[str]]:
    """The branches, and the filters that they settle."""
    here, sort = {"workspace_id": "uuid"}, args["sort"]
    states, severities = list(dict.fromkeys(args.get("state", ()))), _severities(args)
    if sort == "severity":
        ranks = [(str(each), place) for place, each in enumerate(Severity) if each in severities]
        return _each(workspace_ids, "severity", "severity", ranks, "integer"), frozenset({"severity", "min_severity"})
    if sort == "state":
        ranks = [(state, place) for place, state in enumerate(URGENCY) if not states or state in states]
        return _each(workspace_ids, "state", "text", ranks, "integer"), frozenset({"state"})
    if sort == "source":
        rows = sources.names(workspace_ids, args.get("source_id"))
        return Branches({**here, "source_id": "uuid"}, rows, "text"), frozenset({"source_id"})
    leveled = not args.keys().isdisjoint({"severity", "min_severity"})
    if sort == "lastSeen" and states and not (leveled and State.RESOLVED in states):
        return _each(workspace_ids, "state", "text", [(state,) for state in states]), frozenset({"state"})
    if sort == "lastSeen" and leveled:
        values = [(str(each),) for each in severities]
        return _each(workspace_ids, "severity", "severity", values), frozenset({"severity", "min_severity"})
    return Branches(here, [(id,) for id in workspace_ids]), frozenset()


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
    """Those that the filters leave; INFO and SUCCESS are equal (spec 2.2)."""
    least = severity.rank(args["min_severity"]) if "min_severity" in args else 0
    return [each for each in Severity if severity.rank(each) >= least and args.get("severity", each) == each]


def _conditions(args: Mapping[str, Any], settled: frozenset[str] = frozenset()) -> list[Any]:
    given = {name: value for name, value in args.items() if name not in settled}
    found = [
        getattr(Incident, name) == given[name] for name in ("source_id", "assignee_id", "resource") if name in given
    ]
    if "flapping" in given:
        found.append(Incident.flapping if given["flapping"] else ~Incident.flapping)
    if "state" in given:
        found.append(Incident.state.in_(list(given["state"])))
    if "severity" in given or "min_severity" in given:
        found.append(Incident.severity.in_([str(each) for each in _severities(given)]))
    if "tag" in given:
        found.append(words.of(Incident.id, IncidentWords.tags.contains(given["tag"])))
    if "since" in given:
        found.append(Incident.last_seen_at >= given["since"])
    if "until" in given:
        found.append(Incident.first_seen_at < given["until"])
    return found + _found_by_words(given.get("q"))


def _found_by_words(text: str | None) -> list[Any]:
    if text is None:
        return []
    if words.is_indexed(text):
        return [words.of(Incident.id, words.containing(text))]
    number = words.number_in(text)
    return [] if number is None else [Incident.number == number]


def _hit(args: Mapping[str, Any]) -> Any:
    """What is searched without an index: a text without three letters or digits in a row, which is no number."""
    text = args.get("q")
    if text is None or words.is_indexed(text) or words.number_in(text) is not None:
        return None
    like = words.pattern(text)
    return Incident.title**like | Incident.resource**like | Incident.dedup_key**like
