"""The live stream from a client's view: two real web workers, real PostgreSQL and Redis."""

from __future__ import annotations

import time
from contextlib import ExitStack
from uuid import UUID

import psycopg2
import pytest
from psycopg2.extras import Json

from inbox.config.settings import Settings
from inbox.database.base import db, new_id
from inbox.domain.values import ids
from inbox.flow.unit_of_work import work
from inbox.live import feed
from inbox.live.feed import Reference
from inbox.models.people.accounts import Session, User
from inbox.models.people.members import Member
from inbox.models.workspaces.tables import Workspace
from inbox.services.people.sessions import digest
from tests.cast import Cast, join, present
from tests.live.processes_steps import (
    change,
)
from tests.live.web import Web, follow_as, until

pytestmark = pytest.mark.slow


def test_the_stream_begins_with_the_retry_time_and_a_resync(web: Web, audience: Cast):
    with follow_as(web, audience, "mia") as mia:
        opening = 'data: {"type":"resync","workspaceId":null,"spreadSeconds":0}'
        assert mia.lines[:4] == ["retry: 3000", "", opening, ""]
        assert mia.response.headers["Content-Type"].startswith("text/event-stream")
        assert mia.response.headers["Cache-Control"] == "no-store"
        assert mia.response.headers["X-Accel-Buffering"] == "no"


def test_a_stream_requires_a_session(web: Web, audience: Cast):
    answer = web.get("/v1/stream")

    assert answer.status == 401
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert web.get("/v1/stream", Authorization=f"Bearer {audience.key}").status == 401


def test_another_site_cannot_open_a_stream(web: Web, audience: Cast):
    headers = {"Cookie": f"inbox_session_8080={audience.cookie('mia')}", "Sec-Fetch-Site": "cross-site"}

    assert web.get("/v1/stream", **headers).status == 403


def test_a_committed_change_reaches_every_process_as_a_reference(web: Web, audience: Cast):
    with ExitStack() as stack:
        followers = [stack.enter_context(follow_as(web, audience, "mia")) for _ in range(6)]
        incident = change(audience.workspace, op="created", rev=7)

        for follower in followers:
            until(lambda follower=follower: follower.arrived(incident))
            assert follower.reported[1:] == [
                {
                    "type": "incident",
                    "id": incident,
                    "workspaceId": ids.encode("wsp", audience.workspace.id),
                    "op": "created",
                    "rev": 7,
                }
            ]


def test_a_published_change_is_sent_without_reading_the_database(web: Web, audience: Cast):
    with follow_as(web, audience, "mia") as mia:
        reference = Reference("incident", new_id(), audience.workspace.id)

        def arrived() -> bool:  # there is no such row, so that only Redis can have published it
            feed.publish(time.time_ns(), feed.encode([reference]))
            return mia.arrived(reference.wire()["id"])

        until(arrived)


def test_each_change_is_reported_once_though_it_is_got_and_looked_up(web: Web, audience: Cast):
    with follow_as(web, audience, "mia") as mia:
        reported = [change(audience.workspace) for _ in range(3)]
        until(lambda: all(mia.arrived(incident) for incident in reported))
        last = change(audience.workspace)
        until(lambda: mia.arrived(last))
        seen_twice = change(audience.workspace)  # whole looks at the database lie between these
        until(lambda: mia.arrived(seen_twice))
        time.sleep(1.2)

        assert len(mia.reported) == 6


def test_a_change_whose_publisher_was_killed_after_the_commit_is_reported_all_the_same(web: Web, audience: Cast):
    with follow_as(web, audience, "mia") as mia:
        reference = Reference("incident", new_id(), audience.workspace.id)
        feed.store(feed.encode([reference]))  # and nobody publishes it

        until(lambda: mia.arrived(reference.wire()["id"]))


def test_a_change_that_commits_after_a_later_one_is_reported(web: Web, audience: Cast, settings: Settings):
    slow, late = Reference("incident", new_id(), audience.workspace.id), None
    with follow_as(web, audience, "mia") as mia:
        with db.atomic():
            feed.store(feed.encode([slow]))
            late = _from_another_connection(settings, audience.workspace.id)
            until(lambda: mia.arrived(late))
        until(lambda: mia.arrived(slow.wire()["id"]))


def _from_another_connection(settings: Settings, workspace_id: UUID) -> str:
    reference = Reference("incident", new_id(), workspace_id)
    connection = psycopg2.connect(settings.database_url)
    with connection, connection.cursor() as cursor:
        cursor.execute("INSERT INTO change_feed (refs) VALUES (%s)", (Json([reference.stored()]),))
    connection.close()
    return str(reference.wire()["id"])


def test_changes_of_a_foreign_workspace_are_never_seen(web: Web, audience: Cast):
    with follow_as(web, audience, "eve") as eve, follow_as(web, audience, "mia") as mia:
        foreign_one = change(audience.workspace)
        own = change(audience.foreign)

        until(lambda: eve.arrived(own) and mia.arrived(foreign_one))
        assert [reference["id"] for reference in eve.reported[1:]] == [own]
        assert [reference["id"] for reference in mia.reported[1:]] == [foreign_one]


def test_a_change_for_one_person_is_sent_to_that_person_alone(web: Web, audience: Cast):
    mias = audience.users["mia"].id
    with follow_as(web, audience, "mia") as mia, follow_as(web, audience, "adam") as adam:
        with work() as done:
            done.publish_change("me", mias, None)
            done.publish_change("view", new_id(), audience.workspace.id, only=mias)
        last = change(audience.workspace)

        until(lambda: mia.arrived(last) and adam.arrived(last))
        assert {reference["type"] for reference in mia.reported} == {"resync", "me", "view", "incident"}
        assert {reference["type"] for reference in adam.reported} == {"resync", "incident"}


def test_a_storm_of_changes_becomes_a_few_resyncs_and_disconnects_nobody(web: Web, audience: Cast):
    with follow_as(web, audience, "mia") as mia:
        sent = 0

        def storms() -> bool:
            nonlocal sent
            with work() as done:
                for _ in range(90):
                    done.publish_change("incident", new_id(), audience.workspace.id)
            sent += 90
            return mia.resyncs >= 3

        until(storms)
        last = change(audience.workspace)
        until(lambda: mia.arrived(last) or mia.reported[-1]["type"] == "resync")

        assert not mia.ended.is_set()
        assert len(mia.reported) < sent


def test_signing_out_ends_the_streams_of_that_session_only(web: Web, audience: Cast):
    cookie = audience.cookie("mia")
    with web.follow(cookie) as here, follow_as(web, audience, "mia") as elsewhere:
        session = Session.get(Session.token_hash == digest(cookie))
        Session.update(revoked_at=present()).where(Session.id == session.id).execute()
        feed.close_streams(session_id=session.id)

        until(here.ended.is_set)
        assert here.cleanly
        assert not elsewhere.ended.is_set()


@pytest.mark.parametrize("how", ["revoked", "expired", "disabled"])
def test_an_invalid_session_ends_its_stream_without_a_reference(web: Web, audience: Cast, how: str):
    with follow_as(web, audience, "mia") as mia:
        user = audience.users["mia"].id
        if how == "revoked":
            Session.update(revoked_at=present()).where(Session.user == user).execute()
        elif how == "expired":
            Session.update(created_at="2020-01-01T00:00:00Z").where(Session.user == user).execute()
        else:
            User.update(disabled_at=present()).where(User.id == user).execute()

        until(mia.ended.is_set)


def test_a_member_who_was_removed_gets_nothing_more_of_the_workspace(web: Web, audience: Cast):
    with follow_as(web, audience, "mia") as mia, follow_as(web, audience, "adam") as adam:
        Member.delete().where(Member.user == audience.users["mia"].id).execute()
        until(lambda: mia.resyncs == 2)
        incident = change(audience.workspace)
        until(lambda: adam.arrived(incident))

        assert not mia.arrived(incident)
        assert not mia.ended.is_set()


def test_a_removal_that_is_reported_acts_at_once(web: Web, audience: Cast):
    with follow_as(web, audience, "mia") as mia:
        with work() as done:
            member = Member.get(Member.user == audience.users["mia"].id)
            member.delete_instance()
            done.publish_change("member", member.id, audience.workspace.id, op="deleted")

        until(lambda: mia.resyncs == 2)


def test_a_person_without_a_workspace_keeps_the_stream_and_gets_of_the_first(web: Web, audience: Cast):
    Member.delete().where(Member.user == audience.users["eve"].id).execute()
    with follow_as(web, audience, "eve") as eve:
        join(audience.workspace, audience.users["eve"], "viewer")
        until(lambda: eve.resyncs == 2)
        incident = change(audience.workspace)

        until(lambda: eve.arrived(incident))


def test_deleting_a_workspace_resyncs_its_streams(web: Web, audience: Cast):
    with follow_as(web, audience, "mia") as mia:
        Workspace.update(deleted_at=present()).where(Workspace.id == audience.workspace.id).execute()

        until(lambda: mia.resyncs == 2)
