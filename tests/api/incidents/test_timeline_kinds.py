"""The timeline of an incident by kind, and the newest notes of similar incidents (specification 7.6, 7.8)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from inbox.models.incidents.last_notes import NOTE_EXCERPT
from inbox.models.incidents.tables import Incident
from tests.browser import Browser
from tests.cast import NOW, Cast, typeid
from tests.flow.routing_fixtures import incident, routed

Browsers = Callable[[str], Browser]


def path_of(one: Incident) -> str:
    return f"/v1/incidents/{typeid('inc', one.id)}"


@pytest.mark.parametrize(
    ("query", "kinds"),
    [
        ("", ["acknowledged", "note", "opened"]),
        ("?kind=note", ["note"]),
        ("?kind=note&kind=opened", ["note", "opened"]),
        ("?kind=resolved", []),
    ],
)
def test_a_timeline_is_narrowed_to_kinds(browser: Browsers, cast: Cast, query: str, kinds: list[str]) -> None:
    one = incident(routed(cast.source, NOW).id)
    browser("mia").post(f"{path_of(one)}/notes", {"text": "It is the cable."})
    browser("mia").post(f"{path_of(one)}/acknowledge", {})

    items = browser("vic").get(f"{path_of(one)}/timeline{query}").get_json()["items"]

    assert [each["kind"] for each in items] == kinds


def test_an_unknown_kind_is_refused(browser: Browsers, cast: Cast) -> None:
    answer = browser("vic").get(f"{path_of(incident(routed(cast.source, NOW).id))}/timeline?kind=told")

    assert (answer.status_code, answer.get_json()["errors"][0]["pointer"]) == (422, "/query/kind/0")


def test_similar_incidents_have_their_newest_note(browser: Browsers, cast: Cast) -> None:
    one, noted, other = (
        incident(routed(cast.source, NOW + timedelta(minutes=n), key=f"k{n}", title="Disk full").id) for n in range(3)
    )
    long = "x" * (NOTE_EXCERPT + 1)
    for text in (long, "It is the cable."):
        browser("mia").post(f"{path_of(noted)}/notes", {"text": text})
    browser("mia").post(f"{path_of(other)}/notes", {"text": long})

    items = browser("vic").get(f"{path_of(one)}/similar").get_json()["items"]

    by_id = {each["incident"]["id"]: each["lastNote"] for each in items}
    note = by_id[typeid("inc", noted.id)]
    assert (note["text"], note["actor"]["name"]) == ("It is the cable.", "Mia")
    assert by_id[typeid("inc", other.id)]["text"] == long[:NOTE_EXCERPT]
    similar = browser("vic").get(f"{path_of(noted)}/similar").get_json()["items"]
    assert {each["incident"]["id"]: each["lastNote"] for each in similar}[typeid("inc", one.id)] is None
