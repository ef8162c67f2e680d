"""Silences over HTTP: creation, changes, end, visible fields, limits and permissions (specification 8.1)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from inbox.database.base import new_id
from inbox.domain.routing import matchers
from inbox.domain.routing.silences import MAX_DURATION, MAX_OCCURRENCE_MINUTES
from inbox.flow.timers.run import run_due
from inbox.flow.timers.silences import TRANSITION
from inbox.models.incidents.tables import Timer
from inbox.models.records.audit import AuditEntry
from inbox.models.routing.routing_results import count_silenced
from inbox.models.routing.silences import Silence
from inbox.models.workspaces.tables import Workspace
from inbox.services.routing import silences
from tests.api.routing.silences_steps import (
    NIGHTLY,
    Browsers,
    ahead,
    path,
    required,
    stamp,
    state,
    workspace,  # noqa: F401
)
from tests.cast import Cast, present, typeid
from tests.flow.routing_fixtures import incident, routed
from tests.silences import HOUR, make_silence, titled


def test_a_member_makes_a_silence_and_reads_it_back(browser: Browsers, cast: Cast, workspace: str) -> None:
    source = typeid("src", cast.source.id)
    start, end = ahead(hours=1), ahead(days=2)

    order = {"workspaceId": workspace, "matchText": 'title contains "disk"', "sourceIds": [source], "startsAt": start,
             "endsAt": end, "recurrence": NIGHTLY, "comment": " Upgrade of the database "}  # fmt: skip
    made = browser("mia").post("/v1/silences", order)

    assert made.status_code == 201
    assert made.json == {
        "id": made.json["id"],
        "workspaceId": workspace,
        "match": titled("disk"),
        "matchText": 'title contains "disk"',
        "sourceIds": [source],
        "startsAt": start,
        "endsAt": end,
        "recurrence": NIGHTLY,
        "text": made.json["text"],
        "comment": "Upgrade of the database",
        "createdBy": {"type": "user", "id": typeid("usr", cast.users["mia"].id), "name": "Mia"},
        "state": "pending",
        "nextChangeAt": start,
        "periods": made.json["periods"],
        "matchedEvents": 0,
        "lastMatchedAt": None,
        "tooCostly": None,
        "silencedIncidents": 0,
        "createdAt": made.json["createdAt"],
        "deletedAt": None,
        "rev": 1,
    }
    assert made.headers["ETag"] == '"1"'
    assert browser("vic").get(made.headers["Location"]).json == made.json


def test_a_silence_without_a_start_begins_now_and_covers_unresolved_incidents(
    browser: Browsers, cast: Cast, workspace: str
) -> None:
    existing = incident(routed(cast.source, present()).id)

    made = browser("mia").post("/v1/silences", required(workspace)).json
    assert (made["state"], made["nextChangeAt"]) == ("active", made["endsAt"])
    run_due(present)

    assert state(existing) == "silenced"
    assert browser("vic").get(f"/v1/silences/{made['id']}").json["silencedIncidents"] == 1
    assert browser("vic").get(f"/v1/incidents/{typeid('inc', existing.id)}").json["silencedBy"] == made["id"]


def test_a_silence_shows_how_many_events_it_matched(browser: Browsers, cast: Cast) -> None:
    silence, now = make_silence(cast.workspace), present()
    count_silenced({silence.id: 3}, now)

    read = browser("vic").get(path(silence)).json

    assert (read["matchedEvents"], read["lastMatchedAt"]) == (3, stamp(now))


def test_the_author_of_a_silence_is_null_after_leaving_for_good(browser: Browsers, cast: Cast) -> None:
    silence = make_silence(cast.workspace, created_by=new_id())

    assert browser("vic").get(path(silence)).json["createdBy"] is None


@pytest.mark.parametrize("act", ["end", "remove", "edit"])
def test_an_ended_or_narrowed_silence_releases_its_incidents_at_once(
    browser: Browsers, cast: Cast, workspace: str, act: str
) -> None:
    existing = incident(routed(cast.source, present(), title="Disk full").id)
    made = browser("mia").post("/v1/silences", required(workspace)).json
    run_due(present)
    where, before = f"/v1/silences/{made['id']}", Workspace.get_by_id(cast.workspace.id).config_rev

    match act:
        case "end":
            browser("mia").post(f"{where}/end")
        case "remove":
            assert browser("mia").delete(where).status_code == 204
        case _:
            browser("mia").patch(where, {"match": titled("network")})
    run_due(present)

    assert state(existing) == "open"
    assert Workspace.get_by_id(cast.workspace.id).config_rev == before + 1


def test_an_ended_silence_keeps_its_record_and_may_be_ended_again(browser: Browsers, cast: Cast) -> None:
    silence = make_silence(cast.workspace, cast.users["mia"], recurrence=NIGHTLY, ends_at=present() + 50 * HOUR)

    ended = browser("mia").post(f"{path(silence)}/end")
    repeated = browser("mia").post(f"{path(silence)}/end")

    assert (ended.status_code, ended.json["state"], ended.json["nextChangeAt"]) == (200, "expired", None)
    assert (ended.json["rev"], repeated.json) == (2, ended.json)
    assert AuditEntry.select().where(AuditEntry.action == "silence.ended").count() == 1


def test_a_pending_silence_that_is_ended_never_begins(browser: Browsers, cast: Cast) -> None:
    silence = make_silence(cast.workspace, start=present() + HOUR)

    ended = browser("mia").post(f"{path(silence)}/end").json

    assert ended["state"] == "expired"
    assert ended["startsAt"] == ended["endsAt"] <= ahead()


def test_a_silence_is_extended_only_to_a_later_end(browser: Browsers, cast: Cast) -> None:
    silence = make_silence(cast.workspace)
    later = stamp(silence.ends_at + HOUR)

    for end in (silence.ends_at, silence.ends_at - timedelta(milliseconds=1), present() + MAX_DURATION + HOUR):
        refused = browser("mia").post(f"{path(silence)}/extend", {"endsAt": stamp(end)})
        assert (refused.status_code, refused.json["errors"][0]["pointer"]) == (422, "/endsAt")
    same = browser("mia").post(f"{path(silence)}/extend", {"endsAt": stamp(silence.ends_at)})
    extended = browser("mia").post(f"{path(silence)}/extend", {"endsAt": later})

    assert same.json["errors"][0]["detail"] == "Must be later than its current end."
    assert (extended.status_code, extended.json["endsAt"], extended.json["rev"]) == (200, later, 2)
    run_due(present)
    assert Timer.get(Timer.kind == TRANSITION).due_at == Silence.get_by_id(silence.id).ends_at


def test_an_expired_silence_is_neither_changed_nor_extended(browser: Browsers, cast: Cast) -> None:
    silence = make_silence(cast.workspace, start=present() - 2 * HOUR)

    for answer in (
        browser("mia").patch(path(silence), {"comment": "Again"}),
        browser("mia").post(f"{path(silence)}/extend", {"endsAt": ahead(hours=1)}),
    ):
        assert (answer.status_code, answer.json["code"]) == (409, "conflict")


def test_fields_left_out_of_a_silence_edit_stay(browser: Browsers, cast: Cast) -> None:
    silence = make_silence(cast.workspace, recurrence=NIGHTLY, source_ids=[cast.source.id], match=titled("disk"))

    changed = browser("mia").patch(path(silence), {"comment": "Longer than thought"}).json

    assert (changed["comment"], changed["rev"]) == ("Longer than thought", 2)
    assert (changed["match"], changed["recurrence"]) == (titled("disk"), NIGHTLY)
    assert changed["sourceIds"] == [typeid("src", cast.source.id)]
    assert browser("mia").patch(path(silence), {"recurrence": None, "sourceIds": []}).json["recurrence"] is None


def test_a_stale_change_is_refused(browser: Browsers, cast: Cast) -> None:
    silence = make_silence(cast.workspace)
    stale = {"If-Match": '"7"'}

    for answer in (
        browser("mia").patch(path(silence), {"comment": "x"}, headers=stale),
        browser("mia").delete(path(silence), headers=stale),
        browser("mia").post(f"{path(silence)}/end", headers=stale),
        browser("mia").post(f"{path(silence)}/extend", {"endsAt": ahead(hours=2)}, headers=stale),
    ):
        assert (answer.status_code, answer.json["code"]) == (412, "rev_mismatch")


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"comment": "x" * 500}, None),
        ({"comment": "x" * 501}, "/comment"),
        ({"comment": " "}, "/comment"),
        ({"comment": None}, "/comment"),
        ({"endsAt": None}, "/endsAt"),
        ({"endsAt": "tomorrow"}, "/endsAt"),
        ({"endsAt": timedelta(seconds=-1)}, "/endsAt"),
        ({"endsAt": MAX_DURATION - HOUR}, None),
        ({"endsAt": MAX_DURATION + HOUR}, "/endsAt"),
        ({"startsAt": HOUR - timedelta(seconds=1), "endsAt": HOUR}, None),
        ({"startsAt": HOUR, "endsAt": HOUR}, "/endsAt"),
        ({"startsAt": -MAX_DURATION}, "/startsAt"),
        ({"match": {}}, "/match"),
        ({"match": {"all": [{"field": "nonsense", "op": "eq", "value": "x"}]}}, "/match/all/0/field"),
        ({"matchText": "severity"}, "/matchText"),
        ({"sourceIds": ["src_00000000000000000000000000"]}, "/sourceIds/0"),
        ({"recurrence": {**NIGHTLY, "rrule": "FREQ=SECONDLY"}}, "/recurrence/rrule"),
        ({"recurrence": {**NIGHTLY, "rrule": "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"}}, "/recurrence/rrule"),
        ({"recurrence": {**NIGHTLY, "rrule": "FREQ=MONTHLY;BYDAY=MO;BYSETPOS=-1"}}, "/recurrence/rrule"),
        ({"recurrence": {**NIGHTLY, "rrule": "FREQ=DAILY;COUNT=1000000000"}}, "/recurrence/rrule"),
        ({"recurrence": {**NIGHTLY, "timezone": "Mars/Olympus"}}, "/recurrence/timezone"),
        ({"recurrence": {**NIGHTLY, "durationMinutes": 0}}, "/recurrence/durationMinutes"),
        ({"recurrence": {**NIGHTLY, "durationMinutes": MAX_OCCURRENCE_MINUTES}}, None),
        ({"recurrence": {**NIGHTLY, "durationMinutes": MAX_OCCURRENCE_MINUTES + 1}}, "/recurrence/durationMinutes"),
        ({"recurrence": {"rrule": "FREQ=DAILY", "durationMinutes": 5}}, "/recurrence/timezone"),
        ({"matchedEvents": 5}, "/matchedEvents"),
    ],
)
def test_each_field_has_its_bounds(browser: Browsers, workspace: str, change: Any, pointer: str | None) -> None:
    now = present()
    sent = {name: stamp(now + value) if isinstance(value, timedelta) else value for name, value in change.items()}
    body = required(workspace, **sent)
    if "matchText" in sent:
        del body["match"]

    answer = browser("mia").post("/v1/silences", body)

    if pointer is None:
        assert answer.status_code == 201
    else:
        assert (answer.status_code, answer.json["errors"][0]["pointer"]) == (422, pointer)


@pytest.mark.parametrize("missing", ["comment", "endsAt", "match", "workspaceId"])
def test_comment_end_and_match_are_mandatory(browser: Browsers, workspace: str, missing: str) -> None:
    body = required(workspace)
    del body[missing]

    answer = browser("mia").post("/v1/silences", body)

    assert (answer.status_code, answer.json["errors"][0]["pointer"]) == (422, f"/{missing}")


def test_a_source_of_another_workspace_is_refused(browser: Browsers, cast: Cast, workspace: str) -> None:
    foreign = required(workspace, sourceIds=[typeid("src", cast.foreign_source.id)])

    assert browser("mia").post("/v1/silences", foreign).json["errors"][0]["pointer"] == "/sourceIds/0"
    assert browser("mia").post("/v1/silences/preview", {**foreign} | {}).status_code == 422


def test_a_workspace_has_so_many_at_a_time(
    browser: Browsers, cast: Cast, workspace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(silences, "MAX_SILENCES", 2)
    make_silence(cast.workspace, start=present() - 2 * HOUR)
    make_silence(cast.workspace, deleted_at=present())

    answers = [browser("mia").post("/v1/silences", required(workspace)).status_code for _ in range(3)]

    assert answers == [201, 201, 409]


def test_all_silences_of_a_workspace_share_one_search_limit(browser: Browsers, cast: Cast, workspace: str) -> None:
    costly = {"field": "body", "op": "matches", "value": "[ab]" * 100}
    fitting = matchers.TOTAL_LIMIT.long_steps // matchers.cost(costly).long_steps
    made = [make_silence(cast.workspace, match=costly) for _ in range(fitting)]
    make_silence(cast.workspace, start=present() - 2 * HOUR, match=costly)
    mia = browser("mia")

    refused = mia.post("/v1/silences", required(workspace, match=costly))
    simple = mia.post("/v1/silences", required(workspace)).json["id"]
    changed = mia.patch(f"/v1/silences/{simple}", {"match": costly})

    assert [error["pointer"] for error in refused.json["errors"]] == ["/match"]
    assert (refused.status_code, changed.status_code) == (422, 422)
    assert mia.patch(path(made[0]), {"comment": "Still"}).status_code == 200
    assert mia.post(path(made[0]) + "/end", {}).status_code == 200
    assert mia.patch(f"/v1/silences/{simple}", {"match": costly}).status_code == 200
