"""Saved views: personal and shared ones, valid contents and permissions (specification 7.10)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from inbox.database.base import new_id
from inbox.flow.upkeep.purge_steps import steps
from inbox.live.feed import Change
from inbox.models.insight.views import SavedView
from inbox.models.people.members import Member
from inbox.services.insight import views
from tests.browser import Browser
from tests.cast import Cast, join, make_workspace, present, typeid

Browsers = Callable[[str], Browser]
VIEWS = "/v1/views"
OPEN = {"state": ["open"], "minSeverity": "ERROR", "sort": "severity", "order": "asc"}


@pytest.fixture
def new(cast: Cast) -> Callable[..., dict[str, Any]]:
    def body(**more: Any) -> dict[str, Any]:
        return {"workspaceId": typeid("wsp", cast.workspace.id), "name": "Open", "filters": OPEN, **more}

    return body


def test_a_view_is_kept_read_changed_and_deleted(browser: Browsers, new: Callable[..., dict[str, Any]]) -> None:
    mia = browser("mia")
    made = mia.post(VIEWS, new())
    path, shown = made.headers["Location"], made.get_json()

    assert (made.status_code, shown["filters"], shown["list"], shown["shared"]) == (201, OPEN, "incidents", False)
    assert mia.get(path).get_json() == shown
    changed = mia.patch(path, {"filters": {"q": " disk "}}, headers={"If-Match": '"1"'}).get_json()
    assert (changed["filters"], changed["name"], changed["rev"]) == ({"q": "disk"}, "Open", 2)
    assert mia.patch(path, {"name": "X"}, headers={"If-Match": '"1"'}).status_code == 412
    assert mia.delete(path).status_code == 204
    assert mia.get(path).status_code == 404
    assert mia.get(VIEWS).get_json()["items"] == []


@pytest.mark.parametrize(
    ("more", "pointer"),
    [
        ({"name": ""}, "/name"),
        ({"name": "x" * 101}, "/name"),
        ({"list": "rules"}, "/list"),
        ({"filters": {"state": ["broken"]}}, "/filters/state/0"),
        ({"filters": {"minSeverity": "LOUD"}}, "/filters/minSeverity"),
        ({"filters": {"disposition": "logged"}}, "/filters/disposition"),
        ({"filters": {"cursor": "x"}}, "/filters/cursor"),
        ({"filters": {"limit": 5}}, "/filters/limit"),
        ({"filters": {"offset": 0}}, "/filters/offset"),
        ({"filters": {"sort": "colour"}}, "/filters/sort"),
        ({"list": "events", "filters": {"state": ["open"]}}, "/filters/state"),
        ({"filters": 5}, "/filters"),
        ({"shared": "yes"}, "/shared"),
    ],
)
def test_a_view_that_its_list_would_not_take_is_refused(
    browser: Browsers, new: Callable[..., dict[str, Any]], more: dict[str, Any], pointer: str
) -> None:
    refused = browser("mia").post(VIEWS, new(**more))

    assert (refused.status_code, refused.get_json()["errors"][0]["pointer"]) == (422, pointer)
    if "filters" in more and "list" not in more:
        path = browser("mia").post(VIEWS, new()).headers["Location"]
        repeated = browser("mia").patch(path, {"filters": more["filters"]})
        assert (repeated.status_code, repeated.get_json()["errors"][0]["pointer"]) == (422, pointer)


def test_filters_of_several_values_a_period_and_the_caller_are_stored_as_given(
    browser: Browsers, new: Callable[..., dict[str, Any]]
) -> None:
    filters = {"severity": "ERROR", "tag": ["prod", "db"], "last": "24h", "assigneeId": ["me", "none"]}

    made = browser("mia").post(VIEWS, new(filters=filters))

    assert (made.status_code, made.get_json()["filters"]) == (201, filters)


def test_a_name_has_a_hundred_characters_and_events_have_their_own_filters(
    browser: Browsers, new: Callable[..., dict[str, Any]]
) -> None:
    filters = {"disposition": "logged", "since": "2026-03-01T12:00:00.000Z"}

    made = browser("mia").post(VIEWS, new(name="x" * 100, list="events", filters=filters))

    assert (made.status_code, made.get_json()["filters"]) == (201, filters)


@pytest.mark.parametrize(
    ("which", "filters", "wrong"),
    [
        ("deliveries", {"status": "failed", "since": "2026-03-01T12:00:00.000Z"}, "status/0"),
        ("deliveries", {"status": ["failed", "expired"], "reason": ["opened"]}, "status/0"),
        ("audit", {"action": "rule.changed", "targetType": "rule", "q": "disk"}, "ip"),
    ],
)
def test_deliveries_and_the_audit_log_have_views_with_their_own_filters(
    browser: Browsers, new: Callable[..., dict[str, Any]], which: str, filters: dict[str, Any], wrong: str
) -> None:
    adam = browser("adam")
    made = adam.post(VIEWS, new(list=which, filters=filters))

    assert (made.status_code, made.get_json()["filters"]) == (201, filters)
    assert [view["list"] for view in adam.get(f"{VIEWS}?list={which}").get_json()["items"]] == [which]
    refused = adam.post(VIEWS, new(list=which, filters={wrong.partition("/")[0]: "nowhere"}))
    assert refused.get_json()["errors"][0]["pointer"] == f"/filters/{wrong}"


def test_views_of_the_audit_log_are_for_administrators(browser: Browsers, new: Callable[..., dict[str, Any]]) -> None:
    body = new(list="audit", filters={"q": "disk"}, shared=True)
    shared = browser("adam").post(VIEWS, body).headers["Location"]
    refused = browser("mia").post(VIEWS, body)

    assert (refused.status_code, refused.get_json()["requiredRole"]) == (403, "admin")
    for who in ("mia", "vic", "eve"):
        assert browser(who).get(VIEWS).get_json()["items"] == []
        assert browser(who).get(shared).status_code == browser(who).delete(shared).status_code == 404
    assert browser("olga").get(shared).status_code == 200


def test_personal_views_belong_to_a_person_and_shared_views_to_the_workspace(
    browser: Browsers, new: Callable[..., dict[str, Any]]
) -> None:
    own_one = browser("mia").post(VIEWS, new(name="Mine")).headers["Location"]
    ours = browser("mia").post(VIEWS, new(name="Ours", shared=True)).headers["Location"]

    for who in ("vic", "olga"):
        assert [view["name"] for view in browser(who).get(VIEWS).get_json()["items"]] == ["Ours"]
        assert browser(who).get(own_one).status_code == browser(who).patch(own_one, {"name": "X"}).status_code == 404
        assert browser(who).get(ours).status_code == 200
    eve = browser("eve")
    assert eve.get(VIEWS).get_json()["items"] == []
    for path in (own_one, ours, f"{VIEWS}/{typeid('view', uuid4())}"):
        assert eve.get(path).status_code == eve.delete(path).status_code == 404


def test_a_shared_view_is_changed_by_its_author_or_an_administrator(
    browser: Browsers, new: Callable[..., dict[str, Any]]
) -> None:
    ours = browser("mia").post(VIEWS, new(shared=True)).headers["Location"]

    refused = browser("vic").patch(ours, {"name": "Mine now"})

    assert (refused.status_code, refused.get_json()["requiredRole"]) == (403, "admin")
    assert browser("vic").delete(ours).status_code == 403
    assert browser("adam").patch(ours, {"name": "Everybody's"}).status_code == 200
    assert browser("adam").delete(ours).status_code == 204


def test_a_viewer_keeps_views_and_shares_none(browser: Browsers, new: Callable[..., dict[str, Any]]) -> None:
    vic = browser("vic")
    own = vic.post(VIEWS, new())

    assert own.status_code == 201
    for refused in (vic.post(VIEWS, new(shared=True)), vic.patch(own.headers["Location"], {"shared": True})):
        assert (refused.status_code, refused.get_json()["requiredRole"]) == (403, "member")


def test_a_person_keeps_a_hundred(browser: Browsers, cast: Cast, new: Callable[..., dict[str, Any]]) -> None:
    rows = [
        {"id": uuid4(), "workspace_id": cast.workspace.id, "user": cast.users["mia"].id, "name": "X",
         "list": "incidents", "filters": {}, "created_at": present()}
        for _ in range(99)
    ]  # fmt: skip
    SavedView.insert_many(rows).execute()
    last = browser("mia").post(VIEWS, new())

    assert last.status_code == 201
    assert browser("mia").post(VIEWS, new()).get_json()["code"] == "conflict"
    browser("mia").delete(last.headers["Location"])
    assert browser("mia").post(VIEWS, new()).status_code == 201


def test_a_change_of_a_view_is_published_to_its_readers(
    browser: Browsers, cast: Cast, new: Callable[..., dict[str, Any]]
) -> None:
    path = browser("mia").post(VIEWS, new()).headers["Location"]
    browser("mia").patch(path, {"shared": True})
    browser("mia").patch(path, {"shared": False})

    reported = [ref for change in Change.select().order_by(Change.seq) for ref in change.refs]

    assert [typeid("usr", cast.users["mia"].id) in str(ref) for ref in reported] == [True, False, False]


def test_a_deleted_view_is_purged_after_a_week(browser: Browsers, new: Callable[..., dict[str, Any]]) -> None:
    browser("mia").delete(browser("mia").post(VIEWS, new()).headers["Location"])

    for days, left in ((6, 1), (8, 0)):
        for step in steps(present() + timedelta(days=days)):
            if getattr(step, "table", "") == "saved_views":
                step.run(100)
        assert SavedView.select().count() == left


def test_personal_views_end_with_the_membership_and_shared_ones_stay(
    browser: Browsers, cast: Cast, new: Callable[..., dict[str, Any]]
) -> None:
    mia, olga = browser("mia"), browser("olga")
    mia.post(VIEWS, new(name="Own"))
    shared = mia.post(VIEWS, new(name="Ours", shared=True)).get_json()
    member = f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}/members/{typeid('usr', cast.users['mia'].id)}"
    assert olga.delete(member).status_code == 204
    join(cast.workspace, cast.users["mia"], "member")

    assert [each["name"] for each in browser("mia").get(VIEWS).get_json()["items"]] == ["Ours"]
    assert browser("mia").get(f"{VIEWS}?deleted=true").get_json()["items"] == []
    Member.delete().where(Member.user == cast.users["mia"].id).execute()
    refused = olga.patch(f"{VIEWS}/{shared['id']}", {"shared": False})
    assert (refused.status_code, refused.get_json()["code"]) == (409, "conflict")
    assert olga.patch(f"{VIEWS}/{shared['id']}", {"name": "Still ours"}).status_code == 200


def test_saved_views_are_limited_in_each_workspace(browser: Browsers, cast: Cast, new: Any) -> None:
    mia = cast.users["mia"]
    left = make_workspace("Left", olga=cast.users["olga"])
    fields = {"user": mia, "name": "Open", "list": "incidents", "filters": {}, "created_at": present()}
    SavedView.insert_many(
        [{**fields, "id": new_id(), "workspace_id": left.id} for _ in range(views.MAX_VIEWS)]
    ).execute()
    here = [{**fields, "id": new_id(), "workspace_id": cast.workspace.id} for _ in range(views.MAX_VIEWS - 1)]
    SavedView.insert_many(here).execute()

    assert browser("mia").post(VIEWS, new()).status_code == 201
    refused = browser("mia").post(VIEWS, new())
    assert (refused.status_code, refused.get_json()["code"]) == (409, "conflict")


def test_a_view_keeps_its_columns_its_icon_and_its_place(browser: Browsers, new: Callable[..., dict[str, Any]]) -> None:
    mia = browser("mia")
    plain = mia.post(VIEWS, new(name="Plain", order=2)).get_json()
    made = mia.post(VIEWS, new(columns=["severity", "title"], icon="flame", order=1)).get_json()

    assert (made["columns"], made["icon"], made["order"], made["isDefault"]) == (
        ["severity", "title"], "flame", 1, False,
    )  # fmt: skip
    assert (plain["columns"], plain["icon"]) == (None, None)
    listed = mia.get(f"{VIEWS}?sort=order&order=asc").get_json()["items"]
    assert [each["id"] for each in listed] == [made["id"], plain["id"]]
    assert mia.patch(f"{VIEWS}/{made['id']}", {"columns": None}).get_json()["columns"] is None
    assert mia.patch(f"{VIEWS}/{made['id']}", {"order": -1}).status_code == 422


def test_a_list_has_one_default_view_of_a_person_and_one_that_is_shared(
    browser: Browsers, new: Callable[..., dict[str, Any]]
) -> None:
    mia = browser("mia")
    own_one = mia.post(VIEWS, new(name="Mine", isDefault=True)).get_json()
    ours = mia.post(VIEWS, new(name="Ours", isDefault=True, shared=True)).get_json()
    events = mia.post(VIEWS, new(name="Events", list="events", filters={}, isDefault=True)).get_json()
    foreign_one = browser("adam").post(VIEWS, new(name="Theirs", isDefault=True)).get_json()

    def defaults(browser: Browser) -> set[str]:
        return {each["id"] for each in browser.get(VIEWS).get_json()["items"] if each["isDefault"]}

    assert defaults(mia) == {own_one["id"], ours["id"], events["id"]}
    newer = mia.post(VIEWS, new(name="Newer")).get_json()
    mia.patch(f"{VIEWS}/{newer['id']}", {"isDefault": True})
    assert defaults(mia) == {newer["id"], ours["id"], events["id"]}
    assert defaults(browser("adam")) == {foreign_one["id"], ours["id"]}
