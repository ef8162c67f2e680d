"""Lists are read on a replica where it has what the reader may know. Servers: a primary and its streaming standby."""

from __future__ import annotations

import json
import re
from argparse import Namespace
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from flask import Flask
from structlog.testing import capture_logs

from cli.doctor import NO_REPLICA, examine
from inbox.config.settings import Settings
from inbox.database import replica as replicas
from inbox.database.base import db
from inbox.database.migrate import migrate
from inbox.database.replica import Replica
from inbox.models.incidents.tables import Incident
from inbox.services.instance import bootstrap
from ops.children import wait_until
from tests.browser import Browser
from tests.cast import Cast, typeid
from tests.database.clusters import Cluster
from tests.database.database_reset import empty_tables
from tests.database.standbys import Replicated
from tests.runtime.metrics.counted import Counted
from tests.stand_ins.outgoing_posts import make_incident
from tests.stand_ins.post_office import statements

OUTCOMES = ("replica", "behind", "unavailable", "failed")


@pytest.fixture(scope="module")
def pair() -> Iterator[Replicated]:
    with Replicated.started() as pair:
        yield pair


@pytest.fixture
def replicated(settings: Settings, pair: Replicated) -> Iterator[Settings]:
    """This process uses both servers, and nothing is in the database."""
    chosen = replace(settings, database_url=pair.primary.url, read_database_url=pair.standby.url)
    bootstrap.configure(chosen, application="inbox-test")
    try:
        migrate(db)
        with db.connection_context():
            empty_tables()
            db.execute_sql("INSERT INTO change_feed (refs) VALUES ('[]')")  # an empty feed would ask for everything
            yield chosen
    finally:
        bootstrap.configure(settings, application="inbox-test")


@pytest.fixture
def cast(replicated: Settings) -> Cast:
    return Cast.assemble()


@pytest.fixture
def incident(cast: Cast, pair: Replicated) -> Incident:
    made = make_incident(cast)
    pair.catch_up()
    return made


@pytest.fixture
def mia(app: Flask, cast: Cast, replicated: Settings, incident: Incident) -> Browser:
    return Browser(app, replicated.base_url, cookie=cast.cookie("mia"))


@pytest.fixture
def eve(app: Flask, cast: Cast, replicated: Settings) -> Browser:
    return Browser(app, replicated.base_url, cookie=cast.cookie("eve"))


def titles(browser: Browser) -> list[str]:
    answer = browser.get("/v1/incidents")
    assert answer.status_code == 200
    return [each["title"] for each in answer.get_json()["items"]]


def rename_in_secret(incident: Incident, title: str) -> None:
    """A change on the primary that nobody is told of, so that a reader of the replica may see the row as it was."""
    Incident.update(title=title).where(Incident.id == incident.id).execute()


def rename(browser: Browser, incident: Incident, title: str) -> None:
    answer = browser.patch(f"/v1/incidents/{typeid('inc', incident.id)}", {"title": title})
    assert answer.status_code == 200


def outcomes(read: Callable[[], object]) -> dict[str, float]:
    """What the metrics count while `read` runs."""
    counted = Counted()
    read()
    return {each: n for each in OUTCOMES if (n := counted.of("inbox_replica_reads_total", outcome=each))}


@pytest.mark.parametrize(
    "path",
    [
        "/v1/incidents", "/v1/incidents/counts", "/v1/incidents/facets", "/v1/incidents/export", "/v1/events",
        "/v1/events/facets", "/v1/events/export", "/v1/deliveries", "/v1/statistics", "/v1/incidents/activity?id={incident}",
        "/v1/sources/activity?id={source}", "/v1/schedules/statistics", "/v1/schedules/statistics/export",
    ],
)  # fmt: skip
def test_lists_statistics_and_files_are_read_on_the_replica(
    cast: Cast, mia: Browser, incident: Incident, path: str
) -> None:
    ids = {"incident": typeid("inc", incident.id), "source": typeid("src", cast.source.id)}
    answers = []

    assert outcomes(lambda: answers.append(mia.get(path.format(**ids)).data)) == {"replica": 1}
    replicas.use(None)
    assert answers == [mia.get(path.format(**ids)).data]


@pytest.mark.parametrize(
    "path", ["/v1/incidents/{incident}", "/v1/incidents/{incident}/timeline", "/v1/sources", "/v1/me"]
)
def test_one_incident_and_the_configuration_are_read_on_the_primary(
    mia: Browser, incident: Incident, path: str
) -> None:
    assert outcomes(lambda: mia.get(path.format(incident=typeid("inc", incident.id)))) == {}


def test_a_test_event_is_in_the_list_of_who_sent_it_while_the_replica_is_behind(
    mia: Browser, cast: Cast, app: Flask, replicated: Settings, pair: Replicated
) -> None:
    adam = Browser(app, replicated.base_url, cookie=cast.cookie("adam"))
    with pair.held_back():
        sent = adam.post(f"/v1/sources/{typeid('src', cast.source.id)}/test-event", {})
        assert sent.status_code == 202

        assert len(adam.get("/v1/events").get_json()["items"]) == 1


def test_a_list_of_the_replica_shows_the_rows_that_the_replica_has(
    mia: Browser, incident: Incident, pair: Replicated
) -> None:
    with pair.held_back():
        rename_in_secret(incident, "Known to the primary only")

        assert titles(mia) == ["Disk full"]


def test_a_person_reads_their_own_writes_while_the_replica_is_behind(
    mia: Browser, incident: Incident, pair: Replicated
) -> None:
    with pair.held_back():
        for title in ("First", "Second"):
            rename(mia, incident, title)
            assert titles(mia) == [title]
        assert outcomes(lambda: titles(mia)) == {"behind": 1}

    pair.catch_up()
    assert outcomes(lambda: titles(mia)) == {"replica": 1}
    assert titles(mia) == ["Second"]


def test_what_another_person_changed_is_read_when_the_stream_has_referred_to_it(
    app: Flask, cast: Cast, replicated: Settings, mia: Browser, incident: Incident, pair: Replicated
) -> None:
    adam = Browser(app, replicated.base_url, cookie=cast.cookie("adam"))
    with pair.held_back():
        rename(adam, incident, "Renamed by Adam")

        assert titles(mia) == ["Renamed by Adam"]


def test_own_writes_are_read_with_a_delay_of_replay(mia: Browser, incident: Incident, pair: Replicated) -> None:
    pair.delay("400ms")
    try:
        read = []
        for number in range(20):
            rename(mia, incident, f"Title {number}")
            read += titles(mia)
        assert read == [f"Title {number}" for number in range(20)]
        assert wait_until(lambda: outcomes(lambda: titles(mia)) == {"replica": 1}, 60)
        assert titles(mia) == ["Title 19"]
    finally:
        pair.delay("0")


def test_changes_of_another_workspace_keep_nobody_from_the_replica(
    mia: Browser, eve: Browser, incident: Incident, pair: Replicated
) -> None:
    with pair.held_back():
        rename(mia, incident, "Of the other workspace")

        assert outcomes(lambda: titles(eve)) == {"replica": 1}


def test_a_replica_that_lacks_many_changes_of_others_is_not_read(
    mia: Browser, eve: Browser, incident: Incident, pair: Replicated
) -> None:
    """The primary looks at the newest changes only: beyond them, the replica must have everything."""
    insert = "INSERT INTO change_feed (refs) SELECT jsonb_build_array(jsonb_build_object('to', 'wsp_other'))"
    with pair.held_back():
        for _ in range(199):
            db.execute_sql(insert)
        assert outcomes(lambda: titles(eve)) == {"replica": 1}

        for _ in range(2):
            db.execute_sql(insert)
        assert outcomes(lambda: titles(eve)) == {"behind": 1}


def test_a_replica_that_lacks_changes_that_were_purged_is_not_read(eve: Browser, pair: Replicated) -> None:
    with pair.held_back():
        db.execute_sql("INSERT INTO change_feed (refs) VALUES ('[]')")
        db.execute_sql("DELETE FROM change_feed")

        assert outcomes(lambda: titles(eve)) == {"behind": 1}


def test_people_of_another_workspace_see_nothing_on_the_replica(mia: Browser, eve: Browser) -> None:
    assert titles(mia) == ["Disk full"]
    assert outcomes(lambda: titles(eve)) == {"replica": 1}
    assert titles(eve) == []


def test_the_primary_answers_while_the_replica_is_gone_and_the_replica_when_it_is_back(
    mia: Browser, pair: Replicated
) -> None:
    assert outcomes(lambda: titles(mia)) == {"replica": 1}
    pair.standby.kill()
    try:
        # The connection breaks in the first read; the next ones do not try.
        assert outcomes(lambda: titles(mia)) == {"failed": 1}
        assert outcomes(lambda: titles(mia)) == {"unavailable": 1}
        assert titles(mia) == ["Disk full"]
    finally:
        pair.standby.start()

    assert wait_until(lambda: outcomes(lambda: titles(mia)) == {"replica": 1}, 60)
    assert titles(mia) == ["Disk full"]


def test_a_server_that_is_no_replica_of_the_database_is_not_read(mia: Browser) -> None:
    other = Cluster(settings={"fsync": "off"})
    try:
        other.initialize()
        other.start()
        other.create_database()
        other.execute("CREATE TABLE change_feed (seq bigint, refs jsonb)")
        replicas.use(Replica(other.url, application="inbox-test", connections=5))

        with capture_logs() as lines:
            assert [outcomes(lambda: titles(mia)) for _ in range(2)] == [{"unavailable": 1}] * 2
            assert titles(mia) == ["Disk full"]
    finally:
        other.remove()
    assert [line["detail"] for line in lines if line["log_level"] == "error"] == [replicas.OTHER_SYSTEM]


def test_doctor_says_what_the_replica_is_and_how_far_it_is_behind(
    capsys: pytest.CaptureFixture[str], mia: Browser, pair: Replicated
) -> None:
    said = [doctor_of_replica(capsys)]
    for url in (pair.primary.url, "postgresql://inbox@127.0.0.1:1/inbox"):
        replicas.use(Replica(url, application="inbox-test", connections=5))
        said.append(doctor_of_replica(capsys))

    assert said[0][0] == "ok" and re.fullmatch(r"is \d+\.\d s behind", said[0][1])
    assert said[1] == ("degraded", "INBOX_READ_DATABASE_URL leads to a primary: name its standby.")
    assert said[2] == ("degraded", NO_REPLICA)


def doctor_of_replica(capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    capsys.readouterr()
    examine(Namespace(environment={}, json=True))
    [row] = [row for row in json.loads(capsys.readouterr().out) if row["what"] == "replica"]
    return row["state"], row["said"]


def test_without_the_setting_a_list_has_the_statements_that_it_has_on_the_replica_without_the_checks(
    mia: Browser,
) -> None:
    with_replica = statements(lambda: titles(mia))
    replicas.use(None)
    without = statements(lambda: titles(mia))

    checks = [sql for sql in with_replica if sql not in without]
    assert len(checks) == 3
    assert all("pg_control_system" in sql or "change_feed" in sql for sql in checks)
    assert [sql for sql in with_replica if sql in without] == without
