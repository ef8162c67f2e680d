"""Rules and silences that cost too much: records report it, and previews skip them as routing does."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from inbox.models.incidents.tables import Incident
from inbox.models.routing import routing_results
from inbox.models.routing.routing_results import MatchCount, MatchHour
from inbox.runtime import work_budget
from tests.api.routing.previews_steps import LOG, adam, requested  # noqa: F401
from tests.browser import Browser
from tests.cast import NOW, Cast, present, typeid
from tests.clock import well_before_the_end_of
from tests.flow.routing_fixtures import accept, routed
from tests.flow.rulemaking import clause, rule, silence

COSTLY = {"any": [clause("metadata.l", "endsWith", "x")] * 50}
LIST = {"l": [""] * 9_000}
ADVICE = " because it costs too much. Compare fewer values with body, tags and metadata, or use simpler patterns."


def left_out(cast: Cast, match_id: Any, events: int, at: datetime) -> None:
    hour = at.replace(minute=0, second=0, microsecond=0)
    for shard in (1, 2):
        routing_results.add_costly(shard, {MatchHour(cast.workspace.id, match_id, hour): MatchCount(events, at)})


@pytest.mark.parametrize("noun", ["rules", "silences"])
def test_a_costly_rule_or_silence_shows_how_often_it_was_left_out(adam: Browser, cast: Cast, noun: str) -> None:
    well_before_the_end_of(timedelta(hours=1))
    made = rule(cast.workspace) if noun == "rules" else silence(cast.workspace, ends_at=present() + timedelta(hours=1))
    path = f"/v1/{noun}/{typeid('rul' if noun == 'rules' else 'sil', made.id)}"
    before = adam.get(path).json["tooCostly"]
    now = datetime.now(UTC)
    left_out(cast, made.id, 4, now - timedelta(hours=30))
    left_out(cast, made.id, 3, now)

    after = adam.get(path).json["tooCostly"]
    [listed] = adam.get(f"/v1/{noun}?workspaceId={typeid('wsp', cast.workspace.id)}").json["items"]

    assert before is None
    assert after == listed["tooCostly"]
    assert (after["last24h"], after["text"]) == (6, f"Left out for 6 events of the last 24 hours,{ADVICE}")


def test_the_event_explains_which_rule_was_left_out(adam: Browser, cast: Cast) -> None:
    rule(cast.workspace, COSTLY, "drop", name="Every host")
    found = routed(cast.source, metadata={"l": [""] * 10_900})

    explained = adam.get(f"/v1/events/{typeid('evt', found.id)}").json

    assert found.disposition == "opened"
    assert explained["routing"]["rules"][0]["name"] == "Every host"
    assert explained["routing"]["rules"][0]["error"].startswith("it costs too much for this event. Compare fewer")


def test_the_preview_of_an_event_leaves_out_the_rules_that_routing_leaves_out(adam: Browser, cast: Cast) -> None:
    rule(cast.workspace, COSTLY, "log", name="Every host")
    rule(cast.workspace, clause("title", "contains", "disk"), "notify", name="Disk")
    event_id = accept(cast.source, metadata={"l": [""] * 10_900})

    body = {"workspaceId": requested(cast)["workspaceId"], "eventId": typeid("evt", event_id)}
    reported = adam.post("/v1/rules/preview/event", body).json

    assert [part["result"] for part in reported["rules"]] == ["too_costly", "decided"]
    assert reported["rules"][0]["clauses"] == []
    assert reported["rules"][0]["text"].startswith('Rule "Every host" costs too much for this event; compare fewer')
    assert reported["after"]["disposition"] == "notified"


def test_the_preview_of_an_event_by_many_costly_rules_is_refused(
    adam: Browser, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work_budget, "REQUEST_SECONDS", 0.05)
    for _ in range(20):
        rule(cast.workspace, {"any": COSTLY["any"][:20]}, None, continue_matching=True)
    event_id = accept(cast.source, metadata=LIST)

    body = {"workspaceId": requested(cast)["workspaceId"], "eventId": typeid("evt", event_id)}
    refused = adam.post("/v1/rules/preview/event", body)

    assert (refused.status_code, refused.json["code"]) == (422, "too_costly")


def test_a_preview_that_exceeds_the_request_budget_continues_in_the_background(
    adam: Browser, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work_budget, "REQUEST_SECONDS", 0.02)
    for number in range(30):
        accept(cast.source, NOW, metadata={"l": [*LIST["l"], str(number)]})

    answer = adam.post("/v1/rules/preview", requested(cast, rule={"match": {"any": COSTLY["any"][:20]}, "then": LOG}))

    assert (answer.status_code, answer.json["status"]) == (202, "pending")


def test_the_preview_of_a_silence_ends_with_the_budget_of_the_request(
    adam: Browser, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(30):
        routed(cast.source, key=f"k{number}", metadata=LIST)
    monkeypatch.setattr(work_budget, "REQUEST_SECONDS", 0.02)

    body = {"workspaceId": typeid("wsp", cast.workspace.id), "match": {"any": COSTLY["any"][:20]}}
    reported = adam.post("/v1/silences/preview", body).json

    assert Incident.select().count() == 30
    assert (reported["count"], reported["complete"]) == (0, False)
