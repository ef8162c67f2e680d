"""Authorization by role: roles, other workspaces, recent proofs, and rates."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask, jsonify

from app import create_app
from inbox.api.http.policy import NONE, POLICY, USER, EndpointPolicy, StepUp, authorize, authorize_in
from inbox.config.settings import Settings
from inbox.database.base import db
from inbox.domain.workspaces.roles import Role
from inbox.models.people.accounts import User
from inbox.models.people.members import Member
from inbox.models.senders.sources import Source
from inbox.models.workspaces.tables import Workspace
from tests.api.policy.authorization_steps import NOWHERE, Browsers
from tests.browser import Browser
from tests.cast import Cast, present, sign_in, typeid


@pytest.mark.parametrize(("name", "status"), [("olga", 200), ("adam", 200), ("mia", 403), ("vic", 403), ("eve", 404)])
def test_only_administrators_change_a_workspace(name: str, status: int, browser: Browsers, cast: Cast) -> None:
    path = f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}"
    answer = browser(name).patch(path, {"name": "Renamed"})

    assert answer.status_code == status
    if status == 403:
        assert answer.json["code"] == "forbidden" and answer.json["requiredRole"] == "admin"
    assert Workspace.get_by_id(cast.workspace.id).name == ("Renamed" if status == 200 else "Acme")


@pytest.mark.parametrize("name", ["olga", "adam", "mia", "vic"])
def test_every_member_may_read(name: str, browser: Browsers, cast: Cast) -> None:
    assert browser(name).get(f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}").status_code == 200


@pytest.mark.parametrize(
    ("method", "end"),
    [("GET", ""), ("PATCH", ""), ("GET", "/default-route"), ("PUT", "/default-route")],
)
def test_a_foreign_workspace_is_not_found(method: str, end: str, browser: Browsers, cast: Cast) -> None:
    body = {"PATCH": {"name": "Mine"}, "PUT": {"destinationIds": []}}.get(method)
    eve = browser("eve")
    foreign = eve.call(method, f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}{end}", body)
    nowhere = eve.call(method, f"/v1/workspaces/{NOWHERE}{end}", body)

    assert foreign.status_code == nowhere.status_code == 404
    assert foreign.json | {"requestId": ""} == nowhere.json | {"requestId": ""}


def test_lost_membership_and_a_changed_role_count_from_the_next_request(browser: Browsers, cast: Cast) -> None:
    adam, path = browser("adam"), f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}"
    Member.update(role="viewer").where(Member.user == cast.users["adam"]).execute()
    assert adam.patch(path, {}).status_code == 403

    Member.delete().where(Member.user == cast.users["adam"]).execute()
    assert adam.get(path).status_code == 404


def test_a_deleted_workspace_is_not_found_for_its_owner(browser: Browsers, cast: Cast) -> None:
    olga = browser("olga")
    Workspace.update(deleted_at=present()).where(Workspace.id == cast.workspace.id).execute()

    assert olga.get(f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}").status_code == 404
    assert olga.get("/v1/workspaces").json["items"] == []


@pytest.fixture(scope="module")
def app_with_here(settings: Settings) -> Flask:
    """An app whose `/here` is the view that a test puts there."""
    app = create_app(settings)
    methods = ["GET", "POST", "DELETE"]
    app.add_url_rule("/here", "here", lambda: app.extensions["here"](), methods=methods)
    return app


@pytest.fixture
def guarded(
    app_with_here: Flask, settings: Settings, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Browser]:
    """`guarded(entry, view, name)` is a browser on the app whose `/here` is, until the next call, that view under that policy."""

    def make(entry: EndpointPolicy, view: Callable[[], Any], name: str = "mia", **session: Any) -> Browser:
        monkeypatch.setitem(POLICY, "here", entry)
        monkeypatch.setitem(app_with_here.extensions, "here", view)
        return Browser(app_with_here, settings.base_url, cookie=sign_in(cast.users[name], **session))

    return make


@pytest.mark.parametrize(
    ("step_up", "minutes", "status"),
    [(StepUp.RECENT, 14, 200), (StepUp.RECENT, 15.1, 403), (StepUp.REAUTH, 4, 200), (StepUp.REAUTH, 5.1, 403)],
)
def test_a_proof_lasts_fifteen_minutes_or_five(
    step_up: StepUp, minutes: float, status: int, guarded: Callable[..., Browser], cast: Cast
) -> None:
    User.update(password_hash="$argon2id$").where(User.id == cast.users["mia"].id).execute()
    proved_at = present() - timedelta(minutes=minutes)
    here = guarded(
        EndpointPolicy(USER, step_up=step_up, workspace_from="none"), lambda: jsonify({}), proved_at=proved_at
    )
    answer = here.delete("/here")

    assert answer.status_code == status
    if status == 403:
        assert (answer.json["code"], answer.json["factors"]) == ("reauth_required", ["password"])


def test_step_up_is_refused_to_a_person_without_a_factor(guarded: Callable[..., Browser]) -> None:
    proved_at = present() - timedelta(hours=1)
    here = guarded(
        EndpointPolicy(USER, step_up=StepUp.REAUTH, workspace_from="none"), lambda: jsonify({}), proved_at=proved_at
    )

    assert here.delete("/here").json["factors"] == []


@pytest.mark.parametrize("found_by", ["record", "body", "path"])
def test_an_answer_without_a_check_of_its_workspace_is_withheld(found_by: Any, guarded: Callable[..., Browser]) -> None:
    here = guarded(EndpointPolicy(USER, Role.VIEWER, workspace_from=found_by), lambda: jsonify({"secret": "of Acme"}))
    answer = here.client.get("/here")

    assert (answer.status_code, answer.json["code"]) == (500, "internal_error")
    assert b"Acme" not in answer.data


def test_a_record_is_shown_to_members_only_and_not_when_deleted(guarded: Callable[..., Browser], cast: Cast) -> None:
    def look() -> Any:
        return jsonify({"name": authorize(Source.get_or_none(Source.id == cast.source.id)).name})

    entry = EndpointPolicy(USER, Role.VIEWER, workspace_from="record")
    assert guarded(entry, look, "vic").get("/here").json == {"name": "Prometheus"}
    assert guarded(entry, look, "eve").get("/here").status_code == 404
    Source.update(deleted_at=present()).execute()
    assert guarded(entry, look, "vic").get("/here").status_code == 404


def test_a_foreign_workspace_in_a_body_is_a_bad_field(guarded: Callable[..., Browser], cast: Cast) -> None:
    entry = EndpointPolicy(USER, Role.MEMBER, workspace_from="body")
    required = [cast.foreign.id, None, cast.users["eve"].id]
    answers = [guarded(entry, lambda each=each: str(authorize_in(each))).post("/here") for each in required]

    assert {answer.status_code for answer in answers} == {422}
    assert len({answer.json["detail"] + str(answer.json["errors"]) for answer in answers}) == 1
    assert answers[0].json["errors"][0]["pointer"] == "/workspaceId"


def test_no_connection_is_kept_after_a_request(anonymous: Browser) -> None:
    def visit() -> list[tuple[int, bool]]:
        paths = ("/v1/info", "/nothing", "/v1/me", "/v1/workspaces?limit=0", "/readyz")
        return [(anonymous.get(path).status_code, db.is_closed()) for path in paths]

    with ThreadPoolExecutor(1) as elsewhere:
        assert elsewhere.submit(visit).result() == [(200, True), (404, True), (401, True), (401, True), (200, True)]


@pytest.mark.usefixtures("ground")
def test_an_endpoint_without_a_database_gets_no_connection(settings: Settings, monkeypatch: Any) -> None:
    monkeypatch.setitem(POLICY, "here", EndpointPolicy(NONE, workspace_from="none", database=False))
    app = create_app(settings)
    app.add_url_rule("/here", "here", lambda: jsonify({"closed": db.is_closed()}))

    with ThreadPoolExecutor(1) as elsewhere:
        assert elsewhere.submit(Browser(app, settings.base_url).get, "/here").result().json == {"closed": True}


def test_a_person_has_so_many_requests_a_minute(browser: Browsers, in_settings: Callable[..., Settings]) -> None:
    in_settings(rate_limits=True, management_reads_per_minute_user=5)
    mia, adam = browser("mia"), browser("adam")
    answers = [mia.get("/v1/me") for _ in range(6)]

    assert [answer.status_code for answer in answers] == [200] * 5 + [429]
    assert answers[-1].json["code"] == "rate_limited" and 1 <= int(answers[-1].headers["Retry-After"]) <= 12
    assert adam.get("/v1/me").status_code == 200


def test_requests_are_not_limited_without_redis(browser: Browsers, in_settings: Callable[..., Settings]) -> None:
    from inbox.runtime import queue

    in_settings(rate_limits=True, management_reads_per_minute_user=1)
    mia, before = browser("mia"), queue.job_queues()
    queue.use(queue.JobQueues("redis://127.0.0.1:1/0"))

    assert [mia.get("/v1/me").status_code for _ in range(3)] == [200] * 3
    queue.use(before)


def test_reads_and_writes_have_limits_of_their_own(
    browser: Callable[[str], Browser], in_settings: Callable[..., None]
) -> None:
    in_settings(rate_limits=True, management_per_minute_user=1, management_reads_per_minute_user=2)
    mia = browser("mia")

    reads = [mia.get("/v1/me") for _ in range(3)]
    writes = [mia.patch("/v1/me", {"name": "Mia"}) for _ in range(2)]

    assert [each.status_code for each in (*reads, *writes)] == [200, 200, 429, 200, 429]
    assert (reads[-1].json["scope"], writes[-1].json["scope"]) == ("reads", "management")
