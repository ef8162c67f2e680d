"""A silence covers a matching incident on every path: openings, reopenings, repeats, edits, previews."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

import peewee
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inbox.database.base import db, new_id
from inbox.domain.incidents.incident import Act, Actor
from inbox.domain.values.severity import Severity
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
from inbox.models.incidents.tables import Incident
from inbox.services.routing import silence_previews
from tests.cast import NOW, make_source, make_workspace
from tests.flow.routing_fixtures import routed
from tests.flow.rulemaking import clause, rule, silence
from tests.runner.amounts import amount
from tests.silences import make_silence

EXAMPLES = amount("TEST_HISTORIES", usual=40, long=400)
MINUTE = timedelta(minutes=1)
FIRST, OVER, THEN = NOW, NOW + MINUTE, NOW + 5 * MINUTE
RANKS = {"WARNING": 3, "ERROR": 4, "CRITICAL": 5}
MIA = Actor("user", "", "Mia")

Match = tuple[Any, ...]


class Stated(NamedTuple):
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
class Existing:
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
STATED = st.builds(
    Stated,
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
    """A separate workspace, with a rule that adds a tag from the first event on, from the second on, or never."""

    def __init__(self, tagged_from: int) -> None:
        db.execute_sql("DELETE FROM timers")
        self.workspace = make_workspace(f"Acme{new_id().hex}")
        self.source, _ = make_source(self.workspace, "Prometheus")
        self._tagged_from, self._count = tagged_from, 0
        self.incident_id = UUID(int=0)

    def event(self, stated: Stated, at: datetime, **more: Any) -> None:
        if self._count == self._tagged_from:
            rule(self.workspace, add_tags=("planned",))
        self._count += 1
        about = {
            "title": stated.title,
            "tags": list(stated.tags),
            "severity": stated.severity,
            "metadata": {"env": stated.env},
        }
        self.incident_id = routed(self.source, at, **about, **more).incident_id

    def silence(self, match: Match) -> None:
        silence(self.workspace, _written(match), since=THEN)

    def edit(self, required: dict[str, Any]) -> None:
        required = {**required, "severity": Severity(required["severity"])} if "severity" in required else required
        with work() as done:
            incidents.edit(self.incident_id, Edit(**required), THEN, done, by=MIA, expected_rev=None)

    def reopen(self) -> None:
        with work() as done:
            incidents.act(self.incident_id, incidents.ActRequest(Act.REOPEN, by=MIA), THEN, done)

    @property
    def is_silenced(self) -> bool:
        return bool(Incident.get_by_id(self.incident_id).state == "silenced")


def _opened(stated: Stated, *, tagged: bool) -> Existing:
    own = View(stated.title, frozenset((*stated.tags, *(["planned"] if tagged else []))), stated.severity, stated.env)
    return Existing(own, _latest(stated))


def _latest(stated: Stated) -> View:
    return View(stated.title, frozenset(stated.tags), stated.severity, stated.env)


def _opens(stage: Stage, one: Stated, other: Stated, match: Match, tagged_from: int) -> Existing:
    stage.silence(match)
    stage.event(one, THEN)
    return _opened(one, tagged=tagged_from == 0)


def _repeats(stage: Stage, one: Stated, other: Stated, match: Match, tagged_from: int) -> Existing:
    stage.event(one, FIRST)
    stage.silence(match)
    stage.event(other, THEN)
    return _repeated(one, other, tagged_from)


def _repeated(one: Stated, other: Stated, tagged_from: int) -> Existing:
    existing = _opened(one, tagged=tagged_from == 0)
    if RANKS[other.severity] <= RANKS[one.severity]:
        return Existing(existing.own, _latest(other))
    return Existing(replace(existing.own, severity=other.severity, title=other.title), _latest(other))


def _reopens(stage: Stage, one: Stated, other: Stated, match: Match, tagged_from: int) -> Existing:
    stage.event(one, FIRST)
    stage.event(one, OVER, action="resolve")
    stage.silence(match)
    stage.event(other, THEN)
    existing = _opened(one, tagged=tagged_from <= 2)
    return Existing(replace(existing.own, severity=other.severity, title=other.title), _latest(other))


def _is_reopened(stage: Stage, one: Stated, other: Stated, match: Match, tagged_from: int) -> Existing:
    stage.event(one, FIRST)
    stage.event(other, OVER, action="resolve")
    stage.silence(match)
    stage.reopen()
    return Existing(_opened(one, tagged=tagged_from == 0).own, _latest(other))


WAYS: dict[str, Callable[[Stage, Stated, Stated, Match, int], Existing]] = {
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
@given(one=STATED, other=STATED, match=MATCHES, tagged_from=st.integers(0, 3))
def test_every_path_under_a_silence_covers_an_incident_if_its_fields_or_event_match(
    ground: peewee.Database, way: str, one: Stated, other: Stated, match: Match, tagged_from: int
) -> None:
    stage = Stage(tagged_from)

    existing = WAYS[way](stage, one, other, match, tagged_from)

    assert stage.is_silenced is existing.is_covered(match)


@ANY_STORY
@given(one=STATED, other=STATED, required=EDITS, match=MATCHES, tagged_from=st.integers(0, 2))
def test_an_edit_the_preview_and_the_beginning_of_a_silence_agree(
    ground: peewee.Database, one: Stated, other: Stated, required: dict[str, Any], match: Match, tagged_from: int
) -> None:
    under, before = Stage(tagged_from), Stage(tagged_from)
    for stage in (under, before):
        stage.event(one, FIRST)
        stage.event(other, OVER)
    existing = _repeated(one, other, tagged_from)
    was_covered = existing.is_covered(match)
    own = {name: frozenset(value) if name == "tags" else value for name, value in required.items()}
    existing = replace(existing, own=replace(existing.own, **own))

    under.silence(match)
    under.edit(required)
    before.edit(required)
    foretold = silence_previews.preview(before.workspace.id, {"match": _written(match)}, now=THEN)
    make_silence(before.workspace, start=THEN, match=_written(match))
    run_due(lambda: THEN)

    is_covered = existing.is_covered(match)
    assert (foretold.count, before.is_silenced) == (int(is_covered), is_covered)
    if not was_covered:
        has_changed = any(getattr(_repeated(one, other, tagged_from).own, name) != value for name, value in own.items())
        assert under.is_silenced is (is_covered and has_changed)


@ANY_STORY
@given(one=STATED, other=STATED, match=MATCHES, ends=st.booleans())
def test_a_preview_of_rules_covers_the_same(
    ground: peewee.Database, one: Stated, other: Stated, match: Match, ends: bool
) -> None:
    stage = Stage(9)
    existing = (_reopens if ends else _repeats)(stage, one, other, match, 9)
    before = _opened(one, tagged=False)

    period = Period(stage.workspace.id, FIRST, THEN + MINUTE)
    book = configs_of(Question(period, [], []))[0]
    course = Simulation(stage.workspace.id, book, recipients_of(stage.workspace.id), FIRST)
    context = book.source(event_queue.source_contexts([stage.source.id])[stage.source.id])
    for page in preview_events.pages(period, book.needs):
        for event in page:
            come = course.process(evaluate(event, subject_of(event, context), context))
    assert come.outcome.incident_id is not None
    state = course.recorder.incidents[come.outcome.incident_id].incident.state_values.state

    was_covered = not ends and before.is_covered(match)
    assert (state == "silenced") is (was_covered or existing.is_covered(match))
