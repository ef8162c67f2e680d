"""By whatever way an incident comes to match a silence, it is covered: openings, reopenings, repeats, edits, previews."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

import peewee
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inbox.domain.incident import Act, Actor
from inbox.domain.severity import Severity
from inbox.flow.people import incidents
from inbox.flow.people.incidents import Edit
from inbox.flow.preview.configs import configs_of, recipients_of
from inbox.flow.preview.request import Question
from inbox.flow.preview.simulation import Simulation
from inbox.flow.routing.evaluate import evaluate, subject_of
from inbox.flow.timers.run import run_due
from inbox.flow.unit_of_work import work
from inbox.models.events import preview_events
from inbox.models.events import queue as event_queue
from inbox.models.events.preview_events import Period
from inbox.models.sql.base import db, new_id
from inbox.models.tables.incidents import Incident
from inbox.services import silences
from tests.cast import NOW, make_source, make_workspace
from tests.flow.routing_fixtures import routed
from tests.flow.rulemaking import clause, rule, silence
from tests.silences import make_silence

EXAMPLES = int(os.environ.get("INBOX_TEST_EXAMPLES", "40"))
MINUTE = timedelta(minutes=1)
FIRST, OVER, THEN = NOW, NOW + MINUTE, NOW + 5 * MINUTE
RANKS = {"WARNING": 3, "ERROR": 4, "CRITICAL": 5}
MIA = Actor("user", "", "Mia")

Match = tuple[Any, ...]


class Said(NamedTuple):
    """What an event says."""

    title: str
    tags: tuple[str, ...]
    severity: str
    env: str


@dataclass(frozen=True)
class View:
    """What the model lets a silence look at."""

    title: str
    tags: frozenset[str]
    severity: str
    env: str


@dataclass(frozen=True)
class Known:
    """An incident in the model: itself, and its newest event."""

    own: View
    latest: View

    def is_covered(self, match: Match) -> bool:
        """The rule, written once more: the incident's own fields match, or those of its event with all tags."""
        event = replace(self.latest, tags=self.latest.tags | self.own.tags)
        return any(_holds(match, view) for view in (event, replace(self.own, env=self.latest.env)))


def _holds(match: Match, view: View) -> bool:
    kind, *rest = match
    match kind:
        case "all":
            return all(_holds(each, view) for each in rest)
        case "any":
            return any(_holds(each, view) for each in rest)
        case "not":
            return not _holds(rest[0], view)
        case "title":
            return rest[0] in view.title
        case "tag":
            return any(rest[0] in tag for tag in view.tags)
        case "least":
            return RANKS[view.severity] >= RANKS[rest[0]]
        case _:
            return (view.env == rest[0]) is (kind == "env")


def _written(match: Match) -> dict[str, Any]:
    kind, *rest = match
    if kind in ("all", "any"):
        return {kind: [_written(each) for each in rest]}
    if kind == "not":
        return {"not": _written(rest[0])}
    field, op = {
        "title": ("title", "contains"), "tag": ("tags", "contains"), "least": ("severity", "gte"),
        "env": ("metadata.env", "eq"), "other env": ("metadata.env", "ne"),
    }[kind]  # fmt: skip
    return clause(field, op, rest[0])


TITLES, TAGS, ENVS = ["Disk full", "Disk slow", "Net slow"], ["a", "b", "planned"], ["prod", "staging"]
SAID = st.builds(
    Said,
    st.sampled_from(TITLES),
    st.lists(st.sampled_from(TAGS[:2]), unique=True).map(tuple),
    st.sampled_from(list(RANKS)),
    st.sampled_from(ENVS),
)
CLAUSES = st.one_of(
    st.tuples(st.just("title"), st.sampled_from(["Disk", "slow", "Net", "planned"])),
    st.tuples(st.just("tag"), st.sampled_from(TAGS)),
    st.tuples(st.just("least"), st.sampled_from(["ERROR", "CRITICAL"])),
    st.tuples(st.sampled_from(["env", "other env"]), st.sampled_from(ENVS)),
)
MATCHES = st.one_of(
    CLAUSES,
    st.tuples(st.just("not"), CLAUSES),
    st.tuples(st.sampled_from(["all", "any"]), CLAUSES, CLAUSES),
    st.tuples(st.just("all"), CLAUSES, st.tuples(st.just("not"), CLAUSES)),
)
EDITS = st.sampled_from(
    [{"title": "Net planned"}, {"tags": ("b",)}, {"tags": ()}, {"severity": "WARNING"}, {"severity": "CRITICAL"}]
)


class Stage:
    """A workspace of its own, with a rule that adds a tag from the first event on, from the second on, or never."""

    def __init__(self, tagged_from: int) -> None:
        db.execute_sql("DELETE FROM timers")
        self.workspace = make_workspace(f"Acme{new_id().hex}")
        self.source, _ = make_source(self.workspace, "Prometheus")
        self._tagged_from, self._count = tagged_from, 0
        self.incident_id = UUID(int=0)

    def event(self, said: Said, at: datetime, **more: Any) -> None:
        if self._count == self._tagged_from:
            rule(self.workspace, add_tags=("planned",))
        self._count += 1
        about = {"title": said.title, "tags": list(said.tags), "severity": said.severity, "metadata": {"env": said.env}}
        self.incident_id = routed(self.source, at, **about, **more).incident_id

    def silence(self, match: Match) -> None:
        silence(self.workspace, _written(match), since=THEN)

    def edit(self, wanted: dict[str, Any]) -> None:
        wanted = {**wanted, "severity": Severity(wanted["severity"])} if "severity" in wanted else wanted
        with work() as done:
            incidents.edit(self.incident_id, Edit(**wanted), THEN, done, by=MIA, expected_rev=None)

    def reopen(self) -> None:
        with work() as done:
            incidents.act(self.incident_id, incidents.ActRequest(Act.REOPEN, by=MIA), THEN, done)

    @property
    def is_silenced(self) -> bool:
        return bool(Incident.get_by_id(self.incident_id).state == "silenced")


def _opened(said: Said, *, tagged: bool) -> Known:
    own = View(said.title, frozenset((*said.tags, *(["planned"] if tagged else []))), said.severity, said.env)
    return Known(own, _latest(said))


def _latest(said: Said) -> View:
    return View(said.title, frozenset(said.tags), said.severity, said.env)


def _opens(stage: Stage, one: Said, other: Said, match: Match, tagged_from: int) -> Known:
    stage.silence(match)
    stage.event(one, THEN)
    return _opened(one, tagged=tagged_from == 0)


def _repeats(stage: Stage, one: Said, other: Said, match: Match, tagged_from: int) -> Known:
    stage.event(one, FIRST)
    stage.silence(match)
    stage.event(other, THEN)
    return _repeated(one, other, tagged_from)


def _repeated(one: Said, other: Said, tagged_from: int) -> Known:
    known = _opened(one, tagged=tagged_from == 0)
    severity = max(one.severity, other.severity, key=lambda name: RANKS[name])
    return Known(replace(known.own, severity=severity), _latest(other))


def _reopens(stage: Stage, one: Said, other: Said, match: Match, tagged_from: int) -> Known:
    stage.event(one, FIRST)
    stage.event(one, OVER, action="resolve")
    stage.silence(match)
    stage.event(other, THEN)
    known = _opened(one, tagged=tagged_from <= 2)
    return Known(replace(known.own, severity=other.severity), _latest(other))


def _is_reopened(stage: Stage, one: Said, other: Said, match: Match, tagged_from: int) -> Known:
    stage.event(one, FIRST)
    stage.event(other, OVER, action="resolve")
    stage.silence(match)
    stage.reopen()
    return Known(_opened(one, tagged=tagged_from == 0).own, _latest(other))


WAYS: dict[str, Callable[[Stage, Said, Said, Match, int], Known]] = {
    "opens": _opens,
    "repeats": _repeats,
    "reopens": _reopens,
    "is reopened by a person": _is_reopened,
}
ANY_STORY = settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
@ANY_STORY
@given(one=SAID, other=SAID, match=MATCHES, tagged_from=st.integers(0, 3))
def test_whatever_brings_an_incident_under_a_silence_covers_it_if_its_own_fields_or_the_events_match(
    ground: peewee.Database, way: str, one: Said, other: Said, match: Match, tagged_from: int
) -> None:
    stage = Stage(tagged_from)

    known = WAYS[way](stage, one, other, match, tagged_from)

    assert stage.is_silenced is known.is_covered(match)


@ANY_STORY
@given(one=SAID, other=SAID, wanted=EDITS, match=MATCHES, tagged_from=st.integers(0, 2))
def test_an_edit_the_preview_and_the_beginning_of_a_silence_agree(
    ground: peewee.Database, one: Said, other: Said, wanted: dict[str, Any], match: Match, tagged_from: int
) -> None:
    under, before = Stage(tagged_from), Stage(tagged_from)
    for stage in (under, before):
        stage.event(one, FIRST)
        stage.event(other, OVER)
    known = _repeated(one, other, tagged_from)
    was_covered = known.is_covered(match)
    own = {name: frozenset(value) if name == "tags" else value for name, value in wanted.items()}
    known = replace(known, own=replace(known.own, **own))

    under.silence(match)
    under.edit(wanted)
    before.edit(wanted)
    foretold = silences.preview(before.workspace.id, {"match": _written(match)})
    make_silence(before.workspace, start=THEN, match=_written(match))
    run_due(lambda: THEN)

    is_covered = known.is_covered(match)
    assert (foretold.count, before.is_silenced) == (int(is_covered), is_covered)
    if not was_covered:
        has_changed = any(getattr(_repeated(one, other, tagged_from).own, name) != value for name, value in own.items())
        assert under.is_silenced is (is_covered and has_changed)


@ANY_STORY
@given(one=SAID, other=SAID, match=MATCHES, ends=st.booleans())
def test_a_preview_of_rules_covers_the_same(
    ground: peewee.Database, one: Said, other: Said, match: Match, ends: bool
) -> None:
    stage = Stage(9)
    known = (_reopens if ends else _repeats)(stage, one, other, match, 9)
    before = _opened(one, tagged=False)

    period = Period(stage.workspace.id, FIRST, THEN + MINUTE)
    book = configs_of(Question(period, [], []))[0]
    course = Simulation(stage.workspace.id, book, recipients_of(stage.workspace.id), FIRST)
    court = book.source(event_queue.source_contexts([stage.source.id])[stage.source.id])
    for page in preview_events.pages(period, book.needs):
        for event in page:
            come = course.process(evaluate(event, subject_of(event, court), court))
    assert come.outcome.incident_id is not None
    state = course.recorder.incidents[come.outcome.incident_id].incident.state_values.state

    was_covered = not ends and before.is_covered(match)
    assert (state == "silenced") is (was_covered or known.is_covered(match))
