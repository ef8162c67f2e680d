"""Background previews, their limits and permissions."""

from __future__ import annotations

import pytest

from inbox.database.base import db
from inbox.domain.routing import matchers
from inbox.flow.preview import job as playing
from inbox.models.routing.previews import RulePreview
from inbox.services.routing import previews
from jobs import preview as door
from tests.api.routing.previews_steps import (
    HOUR,
    LOG,
    SINCE,
    UNTIL,
    Browsers,
    adam,  # noqa: F401
    requested,
)
from tests.browser import Browser
from tests.cast import NOW, Cast, present, typeid
from tests.flow.routing_fixtures import accept, listen, settle
from tests.flow.rulemaking import clause, rule, silence


def many(cast: Cast, count: int) -> None:
    """So many events within the day that is asked about."""
    db.execute_sql(
        "INSERT INTO received_events (workspace_id, id, source_id, received_at, occurred_at, severity, action, title, fingerprint)"
        " SELECT %s, (lpad(to_hex((extract(epoch FROM %s::timestamptz) * 1000)::bigint + n), 12, '0')"
        " || '7000' || '8000' || lpad(to_hex(n), 12, '0'))::uuid, %s, %s::timestamptz + n * interval '1 ms',"
        " %s, 'ERROR', 'trigger', 'Disk full', 'f1:' || n %% 100 FROM generate_series(1, %s) n",
        (cast.workspace.id, NOW, cast.source.id, NOW, NOW, count),
    )


def test_many_events_are_played_in_the_background(adam: Browser, cast: Cast) -> None:
    many(cast, previews.AT_ONCE)
    cheap = rule(cast.workspace, **LOG)  # so that the events fit the computing time of a request, too
    assert adam.post("/v1/rules/preview", requested(cast)).status_code == 200
    cheap.delete_instance()
    accept(cast.source, NOW + HOUR)

    begun = adam.post("/v1/rules/preview", requested(cast, rules=[]))
    path = begun.headers["Location"]
    assert (begun.status_code, begun.json["status"]) == (202, "pending")
    assert begun.json["progress"] == {"events": 0, "of": None}
    door.run()

    done = adam.get(path).json
    assert (done["status"], done["progress"]) == ("done", {"events": 20_001, "of": 20_001})
    assert (done["result"]["events"], done["result"]["incidents"]) == (20_001, {"before": 101, "after": 101})
    assert adam.delete(path).status_code == 204
    assert adam.get(path).json["status"] == "done"


@pytest.mark.parametrize(("most", "status"), [(101, "done"), (100, "failed")])
def test_a_preview_of_more_fingerprints_than_fit_in_memory_fails_and_says_so(
    adam: Browser, cast: Cast, monkeypatch: pytest.MonkeyPatch, most: int, status: str
) -> None:
    monkeypatch.setattr(playing, "MAX_FINGERPRINTS", most)
    many(cast, previews.AT_ONCE)
    accept(cast.source, NOW + HOUR)
    path = adam.post("/v1/rules/preview", requested(cast)).headers["Location"]

    door.run()

    reported = adam.get(path).json
    assert (reported["status"], reported["error"]) == (status, playing.TOO_WIDE if status == "failed" else None)


def test_a_workspace_has_at_most_two_running_previews_and_may_cancel_them(adam: Browser, cast: Cast) -> None:
    many(cast, previews.AT_ONCE + 1)
    paths = [adam.post("/v1/rules/preview", requested(cast)).headers["Location"] for _ in range(2)]
    refused = adam.post("/v1/rules/preview", requested(cast))
    assert (refused.status_code, refused.json["code"]) == (409, "conflict")

    assert adam.delete(paths[0]).status_code == 204
    assert adam.get(paths[0]).json["status"] == "cancelled"
    assert adam.post("/v1/rules/preview", requested(cast)).status_code == 202


def test_previews_are_for_administrators_of_the_workspace(browser: Browsers, cast: Cast) -> None:
    retained = {
        "workspace_id": cast.workspace.id,
        "request": {},
        "created_at": present(),
        "expires_at": present() + HOUR,
    }
    path = f"/v1/rules/previews/{typeid('prv', RulePreview.create(id=cast.source.id, **retained).id)}"

    for name, status in (("mia", 403), ("vic", 403), ("eve", 404)):
        assert browser(name).get(path).status_code == status
        assert browser(name).delete(path).status_code == status
    assert browser("vic").post("/v1/rules/preview", requested(cast)).status_code == 403
    assert browser("adam").get(path).status_code == 200
    RulePreview.update(expires_at=present()).execute()
    assert browser("adam").get(path).status_code == 404


def test_a_slow_preview_continues_in_the_background(adam: Browser, cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    accept(cast.source, NOW)
    monkeypatch.setattr(previews, "INLINE_SECONDS", -1.0)

    answer = adam.post("/v1/rules/preview", requested(cast))

    assert (answer.status_code, answer.json["status"]) == (202, "pending")


@pytest.mark.parametrize("way", ["rule", "rules"])
def test_rules_of_a_preview_have_the_search_limit_of_stored_rules(adam: Browser, cast: Cast, way: str) -> None:
    costly = clause("body", "matches", "[ab]" * 100)
    fitting = matchers.TOTAL_LIMIT.long_steps // matchers.cost(costly).long_steps
    tried_one = {"match": costly, "then": LOG}
    if way == "rule":
        for _ in range(fitting):
            rule(cast.workspace, costly)
    wrong = {"rule": tried_one} if way == "rule" else {"rules": [tried_one] * (fitting + 1)}

    refused = adam.post("/v1/rules/preview", requested(cast, **wrong))
    fine = adam.post("/v1/rules/preview", requested(cast, rules=[tried_one] * fitting))

    assert (refused.status_code, fine.status_code) == (422, 200)
    assert refused.json["errors"][0]["pointer"] == {"rule": "/rule/match", "rules": "/rules"}[way]


@pytest.mark.parametrize(
    ("since", "until"),
    [("0001-01-01T00:00:00Z", "0001-01-02T00:00:00Z"), ("0012-01-16T00:10:01-01:56", UNTIL),
     (SINCE, "9999-12-31T23:59:59Z"), ("9999-12-30T00:00:00Z", "9999-12-31T23:59:59Z")],
)  # fmt: skip
def test_times_may_be_as_far_away_as_they_can_be_written(adam: Browser, cast: Cast, since: str, until: str) -> None:
    listen(cast.workspace)
    settle(cast.workspace, renotifyMinutes={"ERROR": 1440})
    accept(cast.source, NOW)
    silence(cast.workspace)

    assert adam.post("/v1/rules/preview", requested(cast, since=since, until=until)).status_code == 200
