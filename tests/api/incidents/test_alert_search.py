"""The search `q` finds an incident by the title and the key of any of its alerts (specification 7.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta

import pytest

from inbox.database.base import db
from inbox.models.incidents.tables import Incident
from tests.browser import Browser
from tests.cast import NOW, Cast, typeid
from tests.flow.routing_fixtures import incident, routed

Browsers = Callable[[str], Browser]


def group(cast: Cast, *names: str) -> Incident:
    for number, name in enumerate(names):
        event = routed(
            cast.source, NOW + timedelta(seconds=number), key=f"key-{name}", by="nodes", title=f"Node {name}"
        )
    return incident(event.id)


def numbers(browser: Browsers, query: str, who: str = "vic") -> list[int]:
    page = browser(who).get(f"/v1/incidents?{query}").get_json()
    assert not page["partial"]
    return [each["number"] for each in page["items"]]


@pytest.mark.parametrize("text", ["Node+alpha", "node+BETA", "gamma", "key-beta", "key-gamma", "KEY-alpha"])
def test_an_incident_is_found_by_the_title_and_the_key_of_each_alert(browser: Browsers, cast: Cast, text: str) -> None:
    group(cast, "alpha", "beta", "gamma")
    routed(cast.source, key="other", title="Backup failed")

    assert numbers(browser, f"q={text}") == [1]
    assert numbers(browser, f"q={text}&state=resolved") == []
    counts = browser("vic").get(f"/v1/incidents/counts?q={text}").get_json()
    assert counts["unresolved"] == 1


def test_an_alert_is_found_by_its_newest_title_and_after_its_end(browser: Browsers, cast: Cast) -> None:
    group(cast, "alpha", "beta")
    routed(cast.source, NOW + timedelta(minutes=1), key="key-beta", by="nodes", title="Node beta burns")
    routed(cast.source, NOW + timedelta(minutes=2), key="key-beta", by="nodes", action="resolve", title="well")

    assert numbers(browser, "q=beta+burns") == [1]


def test_a_new_title_of_a_person_leaves_the_alerts_to_be_found(browser: Browsers, cast: Cast) -> None:
    one = group(cast, "alpha")
    browser("mia").patch(f"/v1/incidents/{typeid('inc', one.id)}", {"title": "The rack is dark"})

    assert numbers(browser, "q=Node+alpha") == [1]
    assert numbers(browser, "q=rack+is+dark") == [1]


def test_a_higher_severity_with_another_title_leaves_the_other_alerts_to_be_found(
    browser: Browsers, cast: Cast
) -> None:
    routed(cast.source, key="first", by="nodes", severity="WARNING", title="Node alpha")
    routed(cast.source, NOW + timedelta(minutes=1), key="second", by="nodes", severity="CRITICAL", title="Rack lost")

    assert Incident.get().title == "Rack lost"
    assert numbers(browser, "q=Node+alpha") == numbers(browser, "q=Rack+lost") == [1]


def test_alerts_and_tags_are_searched_together(browser: Browsers, cast: Cast) -> None:
    group(cast, "alpha", "beta")

    assert numbers(browser, "q=beta&tag=nothing") == []


def test_alerts_of_another_workspace_are_not_found(browser: Browsers, cast: Cast) -> None:
    group(cast, "alpha", "beta")

    assert numbers(browser, "q=beta", who="eve") == []


def fill(one: Incident, count: int, names: Sequence[str] = ("Node",)) -> None:
    db.execute_sql(
        "INSERT INTO alerts (id, workspace_id, source_id, incident_id, key, title, severity, state, round, first_seen_at,"
        " last_seen_at, event_count, search_text) SELECT gen_random_uuid(), %s, %s, %s, 'k' || n, t, 'ERROR', 'firing', 1,"
        " now(), now(), 1, t || chr(1) || 'k' || n FROM (SELECT n, %s || ' number ' || n AS t"
        " FROM generate_series(1, %s) n) x",
        [one.workspace_id, one.source_id, one.id, names[0], count],
    )


def test_a_text_of_more_alerts_than_are_examined_is_looked_for_in_some_of_each_incident(
    browser: Browsers, cast: Cast
) -> None:
    one, other = group(cast, "alpha"), incident(routed(cast.source, key="other", title="Backup failed").id)
    fill(one, 10_500)
    fill(other, 50)

    assert sorted(numbers(browser, "q=number")) == [1, 2]
    assert numbers(browser, "q=number+10499") == [1]
